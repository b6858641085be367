#include "kernels/bfs_tasks.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <array>

namespace leat::kernels::bfs {

namespace {

constexpr double edge_ns = 2;  // in worlds

}  // namespace

search::search(const parameters& p)
    : level(std::size_t{1} << p.scale, not_found),
      graph_(p),
      first_(graph_.busiest()),
      grain_(static_cast<std::size_t>(p.grain)),
      found_(graph_.vertices()),
      next_(graph_.vertices()) {}

void search::restore() { std::ranges::fill(level, not_found); }

void search::run_serially() {
  begin();
  std::size_t end = 1;
  for (std::size_t next = 0; next < end; ++next) {
    const vertex from = found_[next];
    platform::chosen::work_ns(edge_ns * static_cast<double>(graph_.neighbours(from).size()));
    for (const vertex to : graph_.neighbours(from)) {
      if (level[to] != not_found) continue;
      level[to] = level[from] + 1;
      found_[end++] = to;
    }
  }
}

std::uint64_t search::count_right() const {
  std::uint64_t right = 0;
  for (vertex v = 0; v < graph_.vertices(); ++v) {
    std::uint32_t nearest = not_found;
    for (const vertex to : graph_.neighbours(v)) nearest = std::min(nearest, level[to]);
    const std::uint32_t must_be = v == first_ ? 0 : nearest == not_found ? not_found : nearest + 1;
    right += level[v] == must_be ? 1 : 0;
  }
  return right;
}

void search::begin() {
  depth_ = 0;
  level[first_] = 0;
  found_[0] = first_;
  found_end_ = 1;
}

void search::go_on(std::size_t first, std::size_t last) {
  std::array<vertex, 256> found;
  std::size_t count = 0;
  // Relaxed here and below: the end of a level comes between what tasks write and who reads it in the next one.
  const auto hand_in = [&] {
    const std::size_t place = next_end_.fetch_add(count, std::memory_order_relaxed);
    std::copy_n(found.data(), count, next_.data() + place);
    count = 0;
  };
  for (std::size_t i = first; i < last; ++i) {
    const std::span<const vertex> neighbours = graph_.neighbours(found_[i]);
    platform::chosen::work_ns(edge_ns * static_cast<double>(neighbours.size()));
    for (const vertex to : neighbours) {
      const std::atomic_ref<std::uint32_t> its(level[to]);
      std::uint32_t before = its.load(std::memory_order_relaxed);
      // One of those who come to it has found it.
      if (before != not_found || !its.compare_exchange_strong(before, depth_ + 1, std::memory_order_relaxed)) continue;
      found[count++] = to;
      if (count == found.size()) hand_in();
    }
  }
  if (count != 0) hand_in();
}

void search::next_level() {
  ++depth_;
  found_.swap(next_);
  found_end_ = next_end_.exchange(0, std::memory_order_relaxed);
}

}  // namespace leat::kernels::bfs
