// The search over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/bfs_graph.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::kernels::bfs {

class search {
 public:
  explicit search(const parameters&);

  /// Forgets all but the graph.
  void restore();

  /// All of it, by one thread.
  void run_serially();

  /// How many vertices are as far as they must be: the first one is 0 away, and any other one step more than the
  /// nearest of its neighbours. Nothing else fits that, since each neighbour in such a chain is nearer to the first
  /// one.
  [[nodiscard]] std::uint64_t count_right() const;

  /// Makes the first vertex all that was found last.
  void begin();

  /// How many vertices were found last.
  [[nodiscard]] std::size_t found_last() const noexcept { return found_end_; }

  /// Of what was found last, goes on from [first, last), to all neighbours that nobody has found yet. Such calls may
  /// run side by side.
  void go_on(std::size_t first, std::size_t last);

  /// What go_on has found is what was found last, from here on.
  void next_level();

  [[nodiscard]] std::size_t grain() const noexcept { return grain_; }

  static constexpr std::uint32_t not_found = ~std::uint32_t{0};
  std::vector<std::uint32_t> level;  ///< steps from the first vertex

 private:
  graph graph_;
  vertex first_;
  std::size_t grain_;
  std::uint32_t depth_ = 0;
  std::vector<vertex> found_;  // last
  std::size_t found_end_ = 0;
  std::vector<vertex> next_;
  std::atomic<std::size_t> next_end_ = 0;
};

template <class Tasks>
void go_on(search& s, std::size_t first, std::size_t last) {
  if (last - first <= s.grain()) return s.go_on(first, last);
  const std::size_t middle = first + (last - first) / 2;
  Tasks::both([&s, first, middle] { go_on<Tasks>(s, first, middle); },
              [&s, middle, last] { go_on<Tasks>(s, middle, last); });
}

template <class Tasks>
void run(search& s) {
  for (s.begin(); s.found_last() != 0; s.next_level()) go_on<Tasks>(s, 0, s.found_last());
}

}  // namespace leat::kernels::bfs
