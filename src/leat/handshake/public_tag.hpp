// The properties of public tasks that a thief reads before it takes one: of which run they are (EXPOSURE-1), and of
// which group (EXPOSURE-3 of exposer.hpp).
#pragma once

#include <cstddef>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// A worker's. It changes while nothing of the worker is public (PUBLIC-1). So a thief that reads the tag after the
/// head of the public part, and takes a task by that head, reads what held when the part was opened (PUBLIC-2).
template <class P>
class public_tag {
 public:
  // -- the worker's

  /// From here on its tasks are of that run.
  void works_for(protocol::run_id id) noexcept {
    run_.store(id, platform::release);  // pairs with is_of: task_stack::top_of_thread
  }

  /// Of no run, as it has none.
  void works_for_none() noexcept { run_.store(protocol::no_run, platform::relaxed); }  // relaxed: nothing is public

  /// Makes the `count` oldest tasks public: those of the one group with this join target; null: of none, or several.
  template <class Deque>
  void open(Deque& tasks, std::size_t count, const void* target) noexcept {
    target_.store(target, platform::relaxed);  // relaxed: opening it publishes that
    tasks.open(count);
  }

  /// When they have been closed.
  void end() noexcept { target_.store(nullptr, platform::relaxed); }  // relaxed: as in open

  // -- any other worker's

  /// Whether the worker's tasks are of that run.
  bool is_of(protocol::run_id id) const noexcept { return run_.load(platform::acquire) == id; }  // pairs with works_for

  /// Whether those that are public are of the group with this join target. A hint, while no task is known to be public.
  bool has_target(const void* target) const noexcept {
    return target_.load(platform::relaxed) == target;
  }  // relaxed: PUBLIC-2

  /// Takes the oldest public task, if it is of that run and of that group; else a null one.
  template <class Deque>
  auto steal(Deque& tasks, protocol::run_id id, const void* target) const noexcept {
    return tasks.steal([&] { return is_of(id) && has_target(target); });
  }

 private:
  typename P::template atomic<protocol::run_id> run_{protocol::no_run};
  typename P::template atomic<const void*> target_{nullptr};
};

}  // namespace leat::inline LEAT_ABI::handshake
