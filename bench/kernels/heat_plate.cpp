#include "kernels/calls.hpp"
#include "kernels/for_each_cpu.hpp"
#include "kernels/heat_tasks.hpp"

#include <leat/protocol/random.hpp>

#include <bit>

namespace leat::kernels::heat {

namespace {

constexpr double cell_ns = 0.5;  // in worlds

LEAT_FOR_EACH_CPU
void relax_row(double* __restrict to, const double* above, const double* row, const double* below,
               std::size_t cells) noexcept {
  for (std::size_t i = 1; i <= cells; ++i) to[i] = 0.25 * (above[i] + row[i - 1] + row[i + 1] + below[i]);
}

}  // namespace

plate::plate(const parameters& p)
    : rows_(static_cast<std::size_t>(p.n)),
      band_(static_cast<std::size_t>(p.band)),
      steps_(p.steps),
      before_((rows_ + 2) * (rows_ + 2)),
      now_(before_.size()) {
  restore();
  heat::relax<calls>(*this);
  digest_of_serial_ = digest();
  restore();
}

void plate::restore() {
  protocol::random source(1);
  for (double& cell : before_) cell = static_cast<double>(source() >> 11) * 0x1p-53;
  now_ = before_;
}

void plate::relax(std::size_t first) noexcept {
  platform::chosen::work_ns(cell_ns * static_cast<double>(band_ * rows_));
  const std::size_t width = rows_ + 2;
  for (std::size_t row = first + 1; row <= first + band_; ++row) {
    const double* const from = before_.data() + row * width;
    relax_row(now_.data() + row * width, from - width, from, from + width, rows_);
  }
}

std::uint64_t plate::digest() const {
  std::uint64_t sum = 0;
  for (const double cell : before_) sum = std::rotl(sum, 5) * 0x9e3779b97f4a7c15 + std::bit_cast<std::uint64_t>(cell);
  return sum;
}

}  // namespace leat::kernels::heat
