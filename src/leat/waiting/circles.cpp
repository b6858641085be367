// Circles of waits in pictures. Rule DEADLOCK-13: docs/internals/deadlocks.md.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "leat/waiting/picture.hpp"

namespace leat::inline LEAT_ABI::waiting {

namespace {

bool has(const std::vector<const void*>& targets, const void* one) {
  return one != nullptr && std::find(targets.begin(), targets.end(), one) != targets.end();
}

// The innermost wait of a worker is the newest: a sleep in a task lies above all listed ones.
bool is_newer(const pictured_wait& a, const pictured_wait& b) {
  const auto begun = [](const pictured_wait& w) { return w.since_ns == 0 ? ~std::uint64_t{0} : w.since_ns; };
  return begun(a) > begun(b);
}

// The worker that the thread with this number is.
bool is_thread_of(const picture& of, std::optional<std::uint32_t> worker, std::uint64_t thread) {
  if (!worker) return false;
  return std::ranges::any_of(of.workers_at, [&](const pictured_worker& w) {
    return w.id == *worker && w.sleep.thread == thread && thread != 0;
  });
}

bool is_innermost(const picture& of, const pictured_wait& w) {
  return std::ranges::none_of(of.waits, [&](const pictured_wait& o) { return o.worker == w.worker && is_newer(o, w); });
}

// A run ends after all that is executed in it. Where none of several workers has begun it, any may.
bool needs_of_run(const pictured_wait& w, const picture& abroad, const pictured_wait& o) {
  return o.worker && (o.run == w.target || (abroad.roots_wait && abroad.workers == 1));
}

// The root waits for all tasks of its run, and so for what any other worker executes in that.
bool needs_of_root(const pictured_wait& w, const picture& home, const pictured_wait& o) {
  return o.worker && o.worker != w.worker && (home.one_run || (o.run != nullptr && o.run == w.run));
}

}  // namespace

// Where several workers could execute what is awaited, no one of them is needed: then nothing is said.
bool needs(const std::vector<picture>& pictures, wait_place which, wait_place other) {
  const picture& home = pictures[which.picture];
  const picture& abroad = pictures[other.picture];
  const pictured_wait& w = home.waits[which.wait];
  const pictured_wait& o = abroad.waits[other.wait];
  const bool same_home = which.picture == other.picture;
  if (w.kind == wait_kind::lock) return is_thread_of(abroad, o.worker, w.holder) && is_innermost(abroad, o);
  if (same_home && w.worker && w.worker == o.worker && is_newer(o, w)) return true;  // it lies above, on the same stack
  if (w.kind == wait_kind::foreign_run) return !same_home && needs_of_run(w, abroad, o);
  if (w.kind == wait_kind::barrier) return same_home && needs_of_root(w, home, o);
  return has(o.beneath, w.target);
}

// A walk from each wait along its needs; a wait that comes up again closes a circle. Waits are few.
std::vector<std::vector<wait_place>> circles_of(const std::vector<picture>& pictures) {
  std::vector<wait_place> all;
  for (std::size_t p = 0; p < pictures.size(); ++p) {
    for (std::size_t w = 0; w < pictures[p].waits.size(); ++w) all.push_back({p, w});
  }
  std::vector<bool> seen(all.size());  // no circle through it is left to be found
  std::vector<std::vector<wait_place>> circles;
  for (std::size_t first = 0; first < all.size(); ++first) {
    std::vector<std::size_t> path, next;  // of the walk, and for each wait of it the one that is tried next
    if (!seen[first]) path.push_back(first), next.push_back(0), seen[first] = true;
    while (!path.empty()) {
      if (next.back() == all.size()) {
        path.pop_back(), next.pop_back();
        continue;
      }
      const std::size_t to = next.back()++;
      if (!needs(pictures, all[path.back()], all[to])) continue;
      const auto before = std::find(path.begin(), path.end(), to);
      if (before != path.end()) {
        auto& circle = circles.emplace_back();
        for (auto i = before; i != path.end(); ++i) circle.push_back(all[*i]);
        path.clear();
      } else if (!seen[to]) {
        path.push_back(to), next.push_back(0), seen[to] = true;
      }
    }
  }
  return circles;
}

}  // namespace leat::inline LEAT_ABI::waiting
