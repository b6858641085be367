// How the programs of the suite divide their work: by leat's loops and forks, or not at all.
//
// Both classes have
//
//     both(f, g)                      calls f() and g(), one of which another worker may execute
//     blocks(n, ns, visit)            visit(first, last) for blocks that make up [0, n)
//     each(n, ns, f)                  f(i) for each i in [0, n)
//     reduce(n, ns, none, map, join)  what join makes of map(first, last) for such blocks, in order; `none` without any
//     pack(n, ns, keep, put)          put(i, place) for each i that has keep(i), the first of them at place 0; their number
//     parts(n, least)                 into how many parts n items are divided by hand, `least` items in each or more
//     one_each()                      such loops for parts, each of which is worth a task
//
// `ns`: what an item takes in simulated worlds. Callables may be called by several workers at once, and keep twice for an item.

#pragma once

#include <leat/loop/each.hpp>
#include <leat/loop/reduce.hpp>
#include <leat/loop/scan.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/task/fork_join.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace leat::kernels::suite {

/// Declares work in simulated worlds, and does nothing elsewhere.
inline void declare(double ns, std::size_t items) noexcept {
  platform::chosen::work_ns(ns * static_cast<double>(items));
}

/// No tasks: the serial program.
class alone {
 public:
  /// Whether callables may run side by side.
  static constexpr bool shares = false;

  template <class F, class G>
  void both(const F& f, const G& g) const {
    f();
    g();
  }

  template <class Visit>
  void blocks(std::size_t n, double ns, const Visit& visit) const {
    if (n == 0) return;
    declare(ns, n);
    visit(std::size_t{0}, n);
  }

  template <class F>
  void each(std::size_t n, double ns, const F& f) const {
    declare(ns, n);
    for (std::size_t i = 0; i < n; ++i) f(i);
  }

  template <class T, class Map, class Join>
  T reduce(std::size_t n, double ns, T none, const Map& map, const Join&) const {
    declare(ns, n);
    return n == 0 ? none : map(std::size_t{0}, n);
  }

  template <class Keep, class Put>
  std::size_t pack(std::size_t n, double ns, const Keep& keep, const Put& put) const {
    declare(ns, n);
    std::size_t place = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (keep(i)) put(i, place++);
    }
    return place;
  }

  [[nodiscard]] std::size_t parts(std::size_t, std::size_t) const noexcept { return 1; }
  [[nodiscard]] alone one_each() const noexcept { return {}; }
};

/// Inside a run on the platform P.
template <class P>
class loops {
 public:
  static constexpr bool shares = true;
  static constexpr std::size_t parts_max = 256;  // some for each of many workers

  /// `grain`: forks halve loops until a task has so many items. 0: a loop is one task, of which thieves get parts.
  explicit loops(std::size_t grain) : grain_(grain) {}

  template <class F, class G>
  void both(const F& f, const G& g) const {
    task::fork_join<P>(f, g);
  }

  template <class Visit>
  void blocks(std::size_t n, double ns, const Visit& visit) const {
    const auto visit_declared = [&visit, ns](std::size_t first, std::size_t last) {
      declare(ns, last - first);
      visit(first, last);
    };
    if (grain_ != 0) return halve(0, n, visit_declared);
    const auto visit_block = [&visit_declared](const leat::block<std::size_t>& b) {
      visit_declared(b.first(), b.last());
    };
    leat::loop::each<P>(leat::loop::line<std::size_t>(leat::block<std::size_t>(0, n)), visit_block,
                        leat::loop::options<P>{}, "suite");
  }

  template <class F>
  void each(std::size_t n, double ns, const F& f) const {
    blocks(n, ns, [&f](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) f(i);
    });
  }

  template <class T, class Map, class Join>
  T reduce(std::size_t n, double ns, T none, const Map& map, const Join& join) const {
    if (n == 0) return none;
    if (grain_ != 0) return reduce_halves<T>(0, n, ns, map, join);
    const auto add = [&](const leat::block<std::size_t>& b, T before) {
      declare(ns, b.size());
      return join(before, map(b.first(), b.last()));
    };
    const leat::loop::block_fold<T, decltype(add), const Join> fold{none, add, join};
    return leat::loop::reduce<P>(leat::block<std::size_t>(0, n), fold, leat::loop::options<P>{}).value_or(none);
  }

  template <class Keep, class Put>
  std::size_t pack(std::size_t n, double ns, const Keep& keep, const Put& put) const {
    if (grain_ != 0) return pack_blocks(n, packed<Keep, Put>{ns, keep, put});
    return leat::loop::run_scan<P, std::size_t>(packed<Keep, Put>{ns, keep, put}, 0, static_cast<std::ptrdiff_t>(n), 0);
  }

  [[nodiscard]] std::size_t parts(std::size_t n, std::size_t least) const noexcept {
    return std::clamp<std::size_t>(n / least, 1, parts_max);
  }

  [[nodiscard]] loops one_each() const noexcept { return loops(std::min<std::size_t>(grain_, 1)); }

 private:
  // The body of a scan (loop/scan.hpp), whose sums are numbers of items that are kept.
  template <class Keep, class Put>
  struct packed {
    double ns;
    const Keep& keep;
    const Put& put;

    std::size_t scan(std::ptrdiff_t begin, std::ptrdiff_t end, std::size_t before) const {
      declare(ns, static_cast<std::size_t>(end - begin));
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        if (keep(i)) put(i, before++);
      }
      return before;
    }

    [[nodiscard]] std::size_t sum(std::ptrdiff_t begin, std::ptrdiff_t end) const {
      declare(ns, static_cast<std::size_t>(end - begin));
      std::size_t kept = 0;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) kept += keep(i) ? 1 : 0;
      return kept;
    }

    [[nodiscard]] std::size_t add(std::size_t a, std::size_t b) const noexcept { return a + b; }
  };

  template <class Visit>
  void halve(std::size_t first, std::size_t last, const Visit& visit) const {
    if (first == last) return;
    if (last - first <= grain_) return visit(first, last);
    const std::size_t middle = first + (last - first) / 2;
    both([&, first, middle] { halve(first, middle, visit); }, [&, middle, last] { halve(middle, last, visit); });
  }

  template <class T, class Map, class Join>
  T reduce_halves(std::size_t first, std::size_t last, double ns, const Map& map, const Join& join) const {
    if (last - first <= grain_) {
      declare(ns, last - first);
      return map(first, last);
    }
    const std::size_t middle = first + (last - first) / 2;
    auto [lower, upper] =
        task::fork_join<P>([&, first, middle] { return reduce_halves<T>(first, middle, ns, map, join); },
                           [&, middle, last] { return reduce_halves<T>(middle, last, ns, map, join); });
    return join(std::move(lower), std::move(upper));
  }

  // Blocks are summed up, then scanned from the sum before them.
  template <class Body>
  std::size_t pack_blocks(std::size_t n, const Body& body) const {
    std::vector<std::size_t> before((n + grain_ - 1) / grain_);
    const auto begin_of = [this](std::size_t b) { return static_cast<std::ptrdiff_t>(b * grain_); };
    const auto end_of = [this, n](std::size_t b) { return static_cast<std::ptrdiff_t>(std::min(n, (b + 1) * grain_)); };
    one_each().each(before.size(), 0, [&](std::size_t b) { before[b] = body.sum(begin_of(b), end_of(b)); });
    std::size_t kept = 0;
    for (std::size_t& sum : before) kept += std::exchange(sum, kept);
    one_each().each(before.size(), 0, [&](std::size_t b) { body.scan(begin_of(b), end_of(b), before[b]); });
    return kept;
  }

  std::size_t grain_;
};

}  // namespace leat::kernels::suite
