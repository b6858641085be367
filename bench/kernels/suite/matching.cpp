#include "kernels/suite/matching.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/reservations.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <atomic>

namespace leat::kernels::suite {

namespace {

constexpr costs matched_ns = {1.35, 1.8, 2.1};  // of an edge, in worlds
constexpr costs reserved_ns = {3.1, 3.4, 4.2};

}  // namespace

matching::matching(std::size_t n, graph_kind kind)
    : edges_(shuffled_edges(n, kind)),
      matched_(n),
      holder_(n, no_item),
      matched_ns_(cost_of(matched_ns, kind)),
      reserved_ns_(cost_of(reserved_ns, kind)) {
  chosen.resize(edges_.size());
}

void matching::restore() {
  std::ranges::fill(chosen, std::uint8_t{0});
  std::ranges::fill(matched_, std::uint8_t{0});
  std::ranges::fill(holder_, no_item);
}

void matching::run_serially() {
  declare(matched_ns_, edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto [a, b] = edges_[e];
    if ((matched_[a] | matched_[b]) != 0) continue;
    matched_[a] = matched_[b] = 1;
    chosen[e] = 1;
  }
}

template <class Loops>
void matching::run(const Loops& by) {
  commit_in_order(
      by, edges_.size(), reserved_ns_,
      [this](std::uint32_t e) {
        const auto [a, b] = edges_[e];
        if ((matched_[a] | matched_[b]) != 0) return false;
        reserve_place(holder_[a], e);
        reserve_place(holder_[b], e);
        return true;
      },
      [this](std::uint32_t e) {
        const auto [a, b] = edges_[e];
        // Relaxed: each edge asks only whether it is the holder itself.
        const std::atomic_ref<std::uint32_t> of_a(holder_[a]);
        const std::atomic_ref<std::uint32_t> of_b(holder_[b]);
        const bool has_a = of_a.load(std::memory_order_relaxed) == e;
        const bool has_b = of_b.load(std::memory_order_relaxed) == e;
        if (has_a && has_b) {
          matched_[a] = matched_[b] = 1;
          chosen[e] = 1;
          return true;
        }
        if (has_a) of_a.store(no_item, std::memory_order_relaxed);
        if (has_b) of_b.store(no_item, std::memory_order_relaxed);
        return false;
      });
}

template void matching::run(const loops<platform::chosen>&);
template void matching::run(const loops<platform::counted>&);

std::uint64_t matching::count_right() const {
  std::vector<bool> matched(matched_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (chosen[e] == 0) continue;
    if (matched[edges_[e].first] || matched[edges_[e].second]) return 0;
    matched[edges_[e].first] = matched[edges_[e].second] = true;
  }
  const auto covered = [&](const edge& e) { return matched[e.first] || matched[e.second]; };
  return static_cast<std::uint64_t>(std::ranges::count_if(edges_, covered));
}

}  // namespace leat::kernels::suite
