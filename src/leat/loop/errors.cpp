#include "leat/loop/errors.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace leat::inline LEAT_ABI::loop {

namespace {

[[noreturn]] void throw_cannot_count(std::size_t dimensions, const std::string& what) {
  throw std::length_error("leat::range" + std::to_string(dimensions) + "d: cannot count " + what + " indices");
}

}  // namespace

void throw_bad_options(const char* what, std::uint64_t chunk_min, unsigned split) {
  if (chunk_min == 0) throw std::invalid_argument(std::string("leat::") + what + ": chunk_min = 0: must be at least 1");
  throw std::invalid_argument(std::string("leat::") + what + ": there is no splitting " + std::to_string(split));
}

void throw_negative(const char* what, std::int64_t first) {
  throw std::out_of_range(std::string("leat::") + what + ": the loop begins at " + std::to_string(first) +
                          ", but the type that its limits have in common has no sign");
}

void throw_too_many_elements(const char* what) {
  throw std::length_error(std::string("leat::") + what + ": the range has more than " +
                          std::to_string(std::numeric_limits<std::ptrdiff_t>::max()) + " elements");
}

void throw_long_side(std::size_t dimensions, std::uint64_t size) {
  throw_cannot_count(dimensions, "a side of " + std::to_string(size));
}

void throw_large_box(std::size_t dimensions, const std::uint64_t* sizes) {
  std::string all;
  for (std::size_t i = 0; i < dimensions; ++i) all += (all.empty() ? "" : " x ") + std::to_string(sizes[i]);
  throw_cannot_count(dimensions, all);
}

}  // namespace leat::inline LEAT_ABI::loop
