#include "kernels/range.hpp"

#include <stdexcept>
#include <string>

namespace leat::kernels {

void check_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(std::string(option) + " = " + std::to_string(value) + ": must be between " +
                              std::to_string(least) + " and " + std::to_string(most));
}

}  // namespace leat::kernels
