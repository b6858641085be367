// Jacobi's iteration over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/heat.hpp"

#include <leat/platform/chosen.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace leat::kernels::heat {

class plate {
 public:
  explicit plate(const parameters&);

  /// Gives it its first temperatures again.
  void restore();

  /// What it was a step before; rows and columns 0 and rows() + 1 are its borders.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return before_[row * (rows_ + 2) + column]; }

  [[nodiscard]] std::uint64_t digest() const;
  [[nodiscard]] std::uint64_t digest_of_serial() const noexcept { return digest_of_serial_; }

  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t band() const noexcept { return band_; }

  /// Each cell of the band of rows from `first` on becomes the mean of its four neighbours a step before.
  void relax(std::size_t first) noexcept;

  /// What is now is a step before from here on. All bands must have been relaxed.
  void next_step() noexcept { std::swap(before_, now_); }

 private:
  std::size_t rows_;  // without the borders
  std::size_t band_;
  std::int64_t steps_;
  std::vector<double> before_;  // row by row, with a border all around
  std::vector<double> now_;
  std::uint64_t digest_of_serial_ = 0;
};

template <class Tasks>
void relax(plate& p) {
  for (std::int64_t step = 0; step < p.steps(); ++step) {
    Tasks::all([](auto make) { return make; },
               [&p](const auto& make) {
                 for (std::size_t first = 0; first < p.rows(); first += p.band()) make([&p, first] { p.relax(first); });
               });
    p.next_step();
  }
}

}  // namespace leat::kernels::heat
