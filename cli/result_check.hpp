// Whether the programs of a benchmark found what they had to find.

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace leat::cli {

/// The first wrong result, as a sentence; empty if there is none.
class result_check {
 public:
  void take(std::string_view program, std::uint64_t found, std::uint64_t expected) {
    if (found == expected || !failure_.empty()) return;
    failure_ = fmt::format("the {} program found {}, but {} is right", program, found, expected);
  }

  [[nodiscard]] bool ok() const noexcept { return failure_.empty(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::string failure_;
};

}  // namespace leat::cli
