#include "kernels/suite/duplicates.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/loops.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <atomic>
#include <bit>

namespace leat::kernels::suite {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};  // no number is that large
constexpr costs entered_ns = {9, 6, 5};           // in worlds
constexpr double shared_ns = 5;                      // more where several workers enter numbers
constexpr double slot_ns = 1.5;

std::size_t hash_of(std::uint32_t number) noexcept { return number * std::uint64_t{0x9e3779b97f4a7c15} >> 24; }

}  // namespace

duplicates::duplicates(std::size_t n, order by)
    : found(n),
      drawn_(draw_integers(n, by, static_cast<std::uint32_t>(std::max<std::size_t>(n, 1)))),
      table_(std::bit_ceil(2 * n + 1), nobody),
      mask_(table_.size() - 1),
      entered_ns_(cost_of(entered_ns, by)) {
  std::vector<bool> there(n);
  for (const std::uint32_t i : drawn_) there[i] = true;
  different_ = static_cast<std::size_t>(std::ranges::count(there, true));
}

void duplicates::restore() {
  std::ranges::fill(table_, nobody);
  found_count = 0;
}

void duplicates::run_serially() {
  declare(entered_ns_, drawn_.size());
  for (const std::uint32_t i : drawn_) {
    std::size_t at = hash_of(i) & mask_;
    while (table_[at] != nobody && table_[at] != i) at = (at + 1) & mask_;
    if (table_[at] == i) continue;
    table_[at] = i;
    found[found_count++] = i;
  }
}

template <class Loops>
void duplicates::run(const Loops& by) {
  by.each(drawn_.size(), entered_ns_ + shared_ns, [this](std::size_t item) {
    const std::uint32_t i = drawn_[item];
    for (std::size_t at = hash_of(i) & mask_;; at = (at + 1) & mask_) {
      // Relaxed: the end of the loop comes before the table is read.
      const std::atomic_ref<std::uint32_t> slot(table_[at]);
      std::uint32_t holds = slot.load(std::memory_order_relaxed);
      if (holds == nobody && slot.compare_exchange_strong(holds, i, std::memory_order_relaxed)) return;
      if (holds == i) return;
    }
  });
  found_count = by.pack(
      table_.size(), slot_ns, [this](std::size_t at) { return table_[at] != nobody; },
      [this](std::size_t at, std::size_t place) { found[place] = table_[at]; });
}

template void duplicates::run(const loops<platform::chosen>&);
template void duplicates::run(const loops<platform::counted>&);

std::uint64_t duplicates::count_right() const {
  std::vector<bool> left(drawn_.size());
  for (const std::uint32_t i : drawn_) left[i] = true;
  for (std::size_t place = 0; place < found_count; ++place) {
    if (found[place] >= left.size() || !left[found[place]]) return 0;
    left[found[place]] = false;
  }
  return found_count;
}

}  // namespace leat::kernels::suite
