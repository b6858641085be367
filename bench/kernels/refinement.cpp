#include "kernels/refinement.hpp"

#include "kernels/pages.hpp"
#include "kernels/range.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

namespace leat::kernels::refinement {

namespace {

// What a cell takes, as far as simulated worlds are concerned.
constexpr double cell_ns = 2;

/// A row of cells, from one border to the next.
class patch {
 public:
  patch(const parameters& p, std::int64_t number)
      : p_(p), number_(number), cells_(map_numbers(size(1))), size_(size(1)) {}

  /// One cycle; `before` and `after` are what its neighbours had at their borders when the last one ended.
  void compute(std::int64_t cycle, double before, double after) {
    if (cycle == 0) {
      std::fill_n(cells_.get(), size_, 1);  // touches them
      home_.touch();
    }
    const std::int64_t region = number_ / (p_.blocks * p_.patches);
    refine(cycle / p_.stays % p_.regions == region ? p_.finer : 1, region);
    double last = before;
    for (std::size_t i = 0; i + 1 < size_; ++i) last = step(cells_[i], last, cells_[i + 1]);
    step(cells_[size_ - 1], last, after);
    const double ns = cell_ns * static_cast<double>(size_);
    home_.work_ns(varied(ns, static_cast<std::uint64_t>(number_), static_cast<std::uint64_t>(cycle)), p_.memory);
  }

  [[nodiscard]] double first() const noexcept { return cells_[0]; }
  [[nodiscard]] double last() const noexcept { return cells_[size_ - 1]; }
  // Weighted, since what flows from cell to cell is not lost.
  [[nodiscard]] double sum() const noexcept {
    double all = 0;
    for (std::size_t i = 0; i < size_; ++i) all += cells_[i] * static_cast<double>(1 + i % 5);
    return all;
  }

 private:
  [[nodiscard]] std::size_t size(std::int64_t finer) const noexcept {
    return static_cast<std::size_t>(p_.cells * finer);
  }

  // What the cell was.
  static double step(double& cell, double before, double after) noexcept {
    const double was = cell;
    cell = was + 0.25 * (before - 2 * was + after);
    return was;
  }

  // Its cells are new, and so lie where it is executed.
  void refine(std::int64_t finer, std::int64_t region) {
    if (size_ == size(finer)) return;
    const std::size_t finer_size = size(finer);
    untouched_numbers now = map_numbers(finer_size);
    for (std::size_t i = 0; i < finer_size; ++i) now[i] = cells_[i * size_ / finer_size];
    if (finer > 1) now[finer_size / 2] += static_cast<double>(1 + region);  // what happens there
    cells_ = std::move(now);
    size_ = finer_size;
    home_.touch();
  }

  const parameters& p_;
  const std::int64_t number_;
  untouched_numbers cells_;  // until the first cycle
  std::size_t size_;
  resident home_;
};

/// All patches, and what they had at their borders: a cycle reads one row of these and writes the other.
class mesh {
 public:
  explicit mesh(const parameters& p) {
    const std::int64_t all = p.regions * p.blocks * p.patches;
    for (std::int64_t i = 0; i < all; ++i) patches_.push_back(std::make_unique<patch>(p, i));
    for (auto& of : borders_) of.assign(static_cast<std::size_t>(all) + 2, {1, 1});
  }

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(patches_.size()); }

  void compute(std::int64_t i, std::int64_t cycle) {
    const auto at = static_cast<std::size_t>(i);
    const auto& was = borders_[static_cast<std::size_t>(cycle % 2)];
    patches_[at]->compute(cycle, was[at].last, was[at + 2].first);
    borders_[static_cast<std::size_t>((cycle + 1) % 2)][at + 1] = {patches_[at]->first(), patches_[at]->last()};
  }

  [[nodiscard]] std::uint64_t sum() const {
    double all = 0;
    for (const auto& p : patches_) all += p->sum();
    return std::bit_cast<std::uint64_t>(all);
  }

 private:
  struct border {
    double first, last;
  };
  std::vector<std::unique_ptr<patch>> patches_;
  std::array<std::vector<border>, 2> borders_;
};

}  // namespace

std::string_view name(way w) noexcept {
  constexpr std::array<std::string_view, 3> names{"simple", "kept", "regenerated"};
  return names[static_cast<std::size_t>(w)];
}

void parameters::validate() const {
  check_range("--regions", regions, 1, regions_max);
  check_range("--blocks", blocks, 1, blocks_max);
  check_range("--patches", patches, 1, patches_max);
  check_range("--cells", cells, 1, cells_max);
  check_range("--finer", finer, 1, finer_max);
  check_range("--stays", stays, 1, cycles_max);
  check_range("--cycles", cycles, 1, cycles_max);
  memory.validate();
}

serial_outcome serial(const parameters& p) {
  mesh all(p);
  return run_serially([&] {
    for (std::int64_t k = 0; k < p.cycles; ++k)
      for (std::int64_t i = 0; i < all.size(); ++i) all.compute(i, k);
    return all.sum();
  });
}

carried_outcome parallel(runtime& rt, const parameters& p, bubble_trace* trace) {
  mesh all(p);
  return run_carried(
      rt, trace,
      [&] {
        thread_barrier barrier(static_cast<std::size_t>(all.size()));
        const auto put_into = [&](bubble& b, std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            b.spawn([&all, &p, &barrier, i] {
              for (std::int64_t k = 0; k < p.cycles; ++k) {
                all.compute(i, k);
                barrier.arrive_and_wait();
              }
            });
          }
        };
        const std::vector<machine_level> levels = machine_levels();
        const bool stay = p.way == way::kept;
        bubble whole(bubble_options{.burst_level = levels[0].kind});
        std::vector<std::unique_ptr<bubble>> regions, blocks;
        for (std::int64_t first = 0; first < all.size() && p.way != way::simple; first += p.patches) {
          if (first % (p.blocks * p.patches) == 0) {
            regions.push_back(std::make_unique<bubble>(bubble_options{.burst_level = levels[1].kind, .stays = stay}));
            whole.insert(*regions.back());
          }
          blocks.push_back(std::make_unique<bubble>(bubble_options{.stays = stay}));
          put_into(*blocks.back(), first, first + p.patches);
          regions.back()->insert(*blocks.back());
        }
        if (p.way == way::simple) put_into(whole, 0, all.size());
        whole.wake();
        whole.join();
        return all.sum();
      },
      p.policy == policy::work ? nullptr : &object_of(p.policy));
}

}  // namespace leat::kernels::refinement
