#include "kernels/busy_loop.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <cmath>

namespace leat::kernels {

double busy_loop::ns_per_step() {
  if constexpr (is_simulated) return simulated_step_ns;
  static const double measured = [] {
    // The fastest of many short rounds: the others were disturbed, or the CPU had not yet reached its speed.
    constexpr int rounds = 100;
    constexpr std::uint64_t steps = 200'000;
    std::uint64_t best_ns = ~std::uint64_t{0};
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t start = platform::chosen::now_ns();
      run(steps);
      best_ns = std::min(best_ns, platform::chosen::now_ns() - start);
    }
    return static_cast<double>(std::max<std::uint64_t>(best_ns, 1)) / static_cast<double>(steps);
  }();
  return measured;
}

std::uint64_t busy_loop::steps_of(std::int64_t us, double of_ns) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(us) * 1e3 / of_ns));
}

void busy_loop::calibrate() { static_cast<void>(ns_per_step()); }

}  // namespace leat::kernels
