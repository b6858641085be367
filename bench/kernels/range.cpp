#include "kernels/range.hpp"

#include <sstream>
#include <stdexcept>

namespace leat::kernels {

namespace {

template <class Number>
void check(const char* option, Number value, Number least, Number most) {
  if (value >= least && value <= most) return;
  std::ostringstream message;
  message << option << " = " << value << ": must be between " << least << " and " << most;
  throw std::invalid_argument(message.str());
}

}  // namespace

void check_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
  check(option, value, least, most);
}

void check_range(const char* option, double value, double least, double most) { check(option, value, least, most); }

void check_divisor(const char* option, std::int64_t value, const char* of_option, std::int64_t whole) {
  if (value >= 1 && whole % value == 0) return;
  std::ostringstream message;
  message << option << " = " << value << ": must divide " << of_option << " = " << whole;
  throw std::invalid_argument(message.str());
}

}  // namespace leat::kernels
