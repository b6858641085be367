// A barrier at which threads meet within their domain first.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/bubble/nests.hpp"
#include "leat/bubble/wait_line.hpp"
#include "leat/handshake/spin_lock.hpp"
#include "leat/thread/thread.hpp"
#include "leat/thread/waiting.hpp"

namespace leat::inline LEAT_ABI::threads {

/// See leat::tree_barrier. A point for each nest of the machine at which two or more meet: threads of a leaf, or the
/// last to come of each nest inside. A thread that is not the last at a point waits there. The last one resets the point
/// and goes on to that around it. So no thread that is told early finds a point that is not reset: before the last one
/// at the root tells any, all points are.
///
/// The last one at a point takes those that wait there along, into the line of the next point. So the last one at the
/// root has all of them, and tells them together (THREAD-16); a thread that is told touches the barrier no more, which
/// may be gone by then. Were each group told by the one that went on for it, a thread that is not executed in time
/// would keep its whole group waiting.
template <class P>
class tree_barrier {
 public:
  explicit tree_barrier(std::size_t threads)
      : tree_barrier(threads, this_carrier<P>("tree_barrier").home().machine()) {}

  /// The same for any machine.
  tree_barrier(std::size_t threads, const topology::machine& m) {
    if (threads == 0) throw std::invalid_argument("leat::tree_barrier: of 0 threads; it takes at least 1");
    const std::vector<bubbles::nest> nests = bubbles::nests_of(m, bubbles::bubble_plan::depth_open);
    std::vector<std::size_t> leaf_of(threads);
    std::vector<std::size_t> parties(nests.size(), 0);
    for (std::size_t i = 0; i < threads; ++i)
      ++parties[leaf_of[i] = bubbles::leaf_with(nests, m, bubbles::unit_for(i, threads, m.units()))];
    for (std::size_t n = nests.size() - 1; n != 0; --n) parties[nests[n].around] += parties[n] != 0;
    points_ = std::make_unique<point[]>(nests.size());
    // Where one comes alone there is nothing to meet: it goes to the point around. Parents come first.
    std::vector<point*> meets(nests.size());
    for (std::size_t n = 0; n < nests.size(); ++n) {
      point* const around = n == 0 ? nullptr : meets[nests[n].around];
      meets[n] = n == 0 || parties[n] > 1 ? &points_[n] : around;
      points_[n].parties = points_[n].missing = parties[n];
      points_[n].around = around;
    }
    for (const std::size_t leaf : leaf_of) first_.push_back(meets[leaf]);
  }

  /// Whether the caller was the last to come.
  bool arrive_and_wait(std::size_t i) {
    if (i >= first_.size()) throw_outside(i);
    bubbles::wait_line<P> along;  // who waited at the points where the caller was the last
    bool last = false;
    block<P>([&](bubbles::waiter<P>& w) {
      for (point* at = first_[i]; at != nullptr; at = at->around) {
        const handshake::holding<P> one(at->gate);
        if (--at->missing != 0) {
          at->waiting.append(along);
          at->waiting.push(w);
          return true;
        }
        at->missing = at->parties;
        along.append(at->waiting);
      }
      last = true;
      return false;
    });
    bubbles::tell_all(along.take());
    return last;
  }

 private:
  // On a cache line of its own, which only threads of the domain take while they come.
  struct alignas(platform::cache_line) point {
    handshake::spin_lock<P> gate;
    std::size_t parties = 0;  // how many meet here
    std::size_t missing = 0;  // how many have not come
    point* around = nullptr;  // where the last one goes on to; null: all have come
    bubbles::wait_line<P> waiting;
  };

  [[noreturn, gnu::cold]] void throw_outside(std::size_t i) const {
    throw std::out_of_range("leat::tree_barrier::arrive_and_wait: thread " + std::to_string(i) + " of " +
                            std::to_string(first_.size()));
  }

  std::unique_ptr<point[]> points_;  // of each nest; only those where several meet are used
  std::vector<point*> first_;  // where each thread comes
};

}  // namespace leat::inline LEAT_ABI::threads
