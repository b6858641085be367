#include "kernels/stripes.hpp"

#include "kernels/pages.hpp"
#include "kernels/range.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <vector>

namespace leat::kernels::stripes {

namespace {

constexpr std::int64_t columns = 500;

/// The mesh, twice: a cycle reads one and writes the other. A row of cells that never change above and below.
class mesh {
 public:
  explicit mesh(const parameters& p) : p_(p), homes_(static_cast<std::size_t>(p.stripes)) {
    for (auto& cells : cells_) cells = map_numbers(size());
  }

  /// Touches the rows of a stripe for the first time, and those that never change if they are its neighbours. Before any cycle. In
  /// worlds that takes as long as a cycle: else one worker would begin several stripes.
  void begin(std::int64_t stripe) {
    homes_[static_cast<std::size_t>(stripe)].touch();
    work_ns(stripe, 0);
    const std::int64_t first = stripe == 0 ? 0 : 1 + stripe * p_.rows;
    const std::int64_t last = 1 + (stripe + 1) * p_.rows + (stripe + 1 == p_.stripes ? 1 : 0);
    for (auto& cells : cells_) {
      std::fill(cells.get() + first * columns, cells.get() + last * columns, 0);
      if (stripe == 0) std::fill_n(cells.get(), columns, 100);  // hot above
    }
  }

  void compute(std::int64_t stripe, std::int64_t cycle) {
    const std::int64_t first = 1 + stripe * p_.rows;
    for (std::int64_t row = first; row < first + p_.rows; ++row) compute_row(row, cycle % 2 != 0);
    work_ns(stripe, cycle + 1);
  }

  [[nodiscard]] std::uint64_t sum() const {
    double all = 0;
    for (const double cell : std::span(cells_[static_cast<std::size_t>(p_.cycles % 2)].get(), size())) all += cell;
    return std::bit_cast<std::uint64_t>(all);
  }

 private:
  void work_ns(std::int64_t stripe, std::int64_t cycle) const noexcept {
    const double ns = p_.cell_ns * static_cast<double>(p_.rows * columns);
    homes_[static_cast<std::size_t>(stripe)].work_ns(
        varied(ns, static_cast<std::uint64_t>(stripe), static_cast<std::uint64_t>(cycle)), p_.memory);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>((p_.stripes * p_.rows + 2) * columns);
  }

  void compute_row(std::int64_t row, bool odd) {
    const double* const from = cells_[odd ? 1 : 0].get() + row * columns;
    double* const to = cells_[odd ? 0 : 1].get() + row * columns;
    if (p_.scheme == scheme::conduction) {
      for (std::int64_t c = 1; c < columns - 1; ++c)
        to[c] = from[c] + 0.2 * (from[c - 1] + from[c + 1] + from[c - columns] + from[c + columns] - 4 * from[c]);
    } else {
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c] + 0.5 * (from[c - columns] - from[c]);
    }
  }

  const parameters& p_;
  std::array<untouched_numbers, 2> cells_;
  std::vector<resident> homes_;
};

// How many bubbles the stripes are put in, and where these burst.
struct bubbles_of {
  std::int64_t number = 0;
  std::string burst_level;
};

bubbles_of gathered(const parameters& p) {
  const std::vector<machine_level> levels = machine_levels();
  if (p.way == way::bound) return {p.stripes, levels.back().kind};
  const auto nodes = static_cast<std::int64_t>(levels[1].domains);
  return {p.way == way::simple || nodes > p.stripes ? 0 : nodes, ""};
}

// What the thread of a stripe does; `meet()` is its barrier.
template <class Meet>
void compute_stripe(const parameters& p, mesh& all, std::int64_t stripe, Meet meet) {
  all.begin(stripe);
  meet();
  for (std::int64_t k = 0; k < p.cycles; ++k) {
    all.compute(stripe, k);
    meet();
  }
}

void compute_in_tree(const parameters& p, mesh& all) {
  const auto stripes = static_cast<std::size_t>(p.stripes);
  tree_barrier barrier(stripes);
  bubble_tree parts;
  for (std::size_t i = 0; i < stripes; ++i) {
    parts.leaf_for(i, stripes).spawn([&, i] {
      compute_stripe(p, all, static_cast<std::int64_t>(i), [&] { barrier.arrive_and_wait(i); });
    });
  }
  parts.wake();
  parts.join();
}

void compute_in_bubbles(const parameters& p, mesh& all) {
  thread_barrier barrier(static_cast<std::size_t>(p.stripes));
  const auto stripe = [&](std::int64_t i) {
    return [&, i] { compute_stripe(p, all, i, [&] { barrier.arrive_and_wait(); }); };
  };
  const bubbles_of parts = gathered(p);
  bubble whole(bubble_options{.burst_level = "machine"});
  std::vector<std::unique_ptr<bubble>> nodes;
  for (std::int64_t b = 0; b < parts.number; ++b) {
    nodes.push_back(std::make_unique<bubble>(bubble_options{.burst_level = parts.burst_level}));
    for (std::int64_t i = b * p.stripes / parts.number; i < (b + 1) * p.stripes / parts.number; ++i)
      nodes.back()->spawn(stripe(i));
    whole.insert(*nodes.back());
  }
  for (std::int64_t i = 0; i < p.stripes && parts.number == 0; ++i) whole.spawn(stripe(i));
  whole.wake();
  whole.join();
}

}  // namespace

std::string_view name(way w) noexcept {
  constexpr std::array<std::string_view, 4> names{"simple", "bound", "bubbles", "tree"};
  return names[static_cast<std::size_t>(w)];
}

void parameters::validate() const {
  check_range("--stripes", stripes, 1, stripes_max);
  check_range("--rows", rows, 1, rows_max);
  check_range("--cycles", cycles, 1, cycles_max);
  check_range("--cell-ns", cell_ns, 0, cell_ns_max);
  memory.validate();
}

serial_outcome serial(const parameters& p) {
  mesh all(p);
  return run_serially([&] {
    for (std::int64_t i = 0; i < p.stripes; ++i) all.begin(i);
    for (std::int64_t k = 0; k < p.cycles; ++k)
      for (std::int64_t i = 0; i < p.stripes; ++i) all.compute(i, k);
    return all.sum();
  });
}

carried_outcome parallel(runtime& rt, const parameters& p, bubble_trace* trace) {
  mesh all(p);
  return run_carried(rt, trace, [&] {
    if (p.way == way::tree) compute_in_tree(p, all);
    else compute_in_bubbles(p, all);
    return all.sum();
  });
}

}  // namespace leat::kernels::stripes
