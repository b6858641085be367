// How often each number occurs in a sequence.

#pragma once

#include "kernels/suite/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class histogram {
 public:
  static constexpr std::string_view name = "histogram";
  static constexpr std::string_view description = "How often each number occurs, by counts of parts that are added up";
  using input_kind = order;
  static constexpr std::array inputs = orders;
  static constexpr std::int64_t n_default = 100'000'000;
  static constexpr std::int64_t n_max = 1'000'000'000;

  histogram(std::size_t n, order);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many counts are right.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return counts.size(); }

  std::vector<std::uint32_t> counts;  ///< of each number: one for 1024 items, up to 65536

 private:
  std::vector<std::uint32_t> drawn_;
  double occurrence_ns_;
};

}  // namespace leat::kernels::suite
