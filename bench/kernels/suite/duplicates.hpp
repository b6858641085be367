// The different numbers of a sequence, each once.

#pragma once

#include "kernels/suite/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class duplicates {
 public:
  static constexpr std::string_view name = "remove-duplicates";
  static constexpr std::string_view description =
      "The distinct numbers of a sequence, by a table that all workers write";
  using input_kind = order;
  static constexpr std::array inputs = orders;
  static constexpr std::int64_t n_default = 16'000'000;
  static constexpr std::int64_t n_max = 500'000'000;

  duplicates(std::size_t n, order);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many different numbers were found; none if one is there twice, or is none of the sequence.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return different_; }

  std::vector<std::uint32_t> found;  ///< the first found_count ones
  std::size_t found_count = 0;

 private:
  std::vector<std::uint32_t> drawn_;
  std::vector<std::uint32_t> table_;  // twice as large, so that searches are short
  std::size_t mask_;
  double entered_ns_;
  std::size_t different_ = 0;
};

}  // namespace leat::kernels::suite
