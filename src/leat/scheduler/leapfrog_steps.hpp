// The body of the responder: how it answers, keeps and passes on leapfrog requests. Rules LEAPFROG-2 to LEAPFROG-5,
// LEAPFROG-8: docs/internals/protocol.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// LEAPFROG-8: true if the task, made in scope `e`, is awaited there or may be. Other tasks are left out: a serial
// execution would run them later, maybe when the waiter has released a lock that they need.
template <class P>
bool responder<P>::descends(work::record& task, const ancestor_scope<P>& e) noexcept {
  const group<P>* const g = group<P>::of(task);
  if (g == nullptr) return task.kept<work::awaited_call>() != nullptr || task.template kept<given_fork<P>>() != nullptr;
  if (g->was_made_in(me_, e.number_)) return true;  // a record keeps its group alive
  for (const ancestor_scope<P>* i = me_.ancestry.innermost();; i = i->outer()) {
    if (i->target_ == g->target()) return true;
    if (i == &e) return false;
  }
}

// Only tasks of one group go together: the group notes their new holder, so its waiter finds them (LEAPFROG-3).
template <class P>
std::size_t responder<P>::oldest_of(const group<P>* g, std::size_t most) noexcept {
  auto& deque = me_.stack().tasks;
  std::size_t tasks = 0;
  while (tasks < most && group<P>::of(deque.at(deque.oldest_index() + tasks)) == g) ++tasks;
  return tasks;
}

// LEAPFROG-3: how many of the oldest tasks may go to a thief that leapfrogs scope `e`. More than one only if all are of
// one group, whose waiter finds them wherever they are.
template <class P>
std::size_t responder<P>::oldest_since(const ancestor_scope<P>& e, protocol::amount wanted) noexcept {
  auto& deque = me_.stack().tasks;
  if (deque.empty() || deque.oldest_index() < e.tasks_end) return 0;
  work::record& oldest = deque.at(deque.oldest_index());
  if (!descends(oldest, e)) return 0;
  const group<P>* const g = group<P>::of(oldest);
  return g == nullptr ? 1 : oldest_of(g, protocol::batch(wanted, deque.size()));
}

// LEAPFROG-3: where the oldest task lies that was made since scope `e` began, and may be awaited in it, if other tasks lie beneath.
template <class P>
std::optional<std::uint64_t> responder<P>::place_of_oldest_since(const ancestor_scope<P>& e) noexcept {
  auto& deque = me_.stack().tasks;
  if (deque.empty()) return {};
  const std::uint64_t first = std::max(e.tasks_end, deque.oldest_index());
  const std::uint64_t end = std::min(deque.end_index(), first + newer_searched_max);
  for (std::uint64_t i = first; i < end; ++i)
    if (descends(deque.at(i), e)) return i;
  return {};
}

// Finds work that was made in the scope that the request names, if this worker is in that scope.
template <class P>
void responder<P>::find_in_scope(const request& s, descendants& found) noexcept {
  const ancestor_scope<P>* const e = me_.ancestry.find(reinterpret_cast<const void*>(s.awaited));
  if (e == nullptr) return;
  found.about.executes = true;
  found.fork = me_.stack().oldest_fork_above(e->tls_top, e->context_top);
  found.about.has_fork = found.fork != nullptr;
  found.tasks = oldest_since(*e, s.amount);
  if (found.tasks == 0) found.above_others = place_of_oldest_since(*e);
  // LEAPFROG-4: the worker that the innermost wait leapfrogs, if that wait began inside the scope. Never back to the
  // thief.
  const waiting::own_wait* const w = me_.ancestry.wait();
  if (w != nullptr && me_.ancestry.waits() > e->waits && w->whom != s.thief) found.about.onward = w->whom;
}

// LEAPFROG-2: finds the awaited work itself, wherever it lies in the deque. In a handler the deque's top must stay
// (INTERRUPT-2).
template <class P>
void responder<P>::find_awaited(const request& s, descendants& found) noexcept {
  const auto* const target = reinterpret_cast<const void*>(s.awaited);
  const group<P>* const g = group<P>::with_target(target);
  const std::size_t most = g == nullptr ? 0 : protocol::batch(s.amount, me_.stack().tasks.size());
  if (const std::size_t oldest = oldest_of(g, most)) {
    found.about.executes = true, found.tasks = oldest;
  } else if (me_.monitor.in_handler()) {
    found.about.has_awaited = take_in_handler(target, found.awaited);
  } else {
    found.about.has_awaited = me_.waiter.take_back_awaited(target, found.awaited);
    me_.waiter.sink_marks();  // a search that finds nothing may have dropped tombstones, too
  }
}

// LEAPFROG-2 to LEAPFROG-5: the nearest relative of the awaited work is given. False if the request is to be kept.
template <class P>
bool responder<P>::serve_leapfrog(request s) {
  auto& stack = me_.stack();
  work::run<P>* const mine = me_.runner.current_run();
  descendants found;
  // LEAPFROG-3: a late request may name a join target that something else has now, in another run.
  if (mine != nullptr && s.only == mine->id()) {
    me_.runner.take_over_account();  // GROUP-6
    find_in_scope(s, found);
    find_awaited(s, found);
    found.about.has_tasks = found.tasks != 0 || found.above_others;
  }
  post::answer<P> a{post::answer<P>::kind::dummy, me_.id(), {}, nullptr, nullptr};
  switch (protocol::on_leapfrog_request(found.about)) {
    case protocol::leapfrog::give_awaited:
      a.what = post::answer<P>::kind::task;
      a.task = found.awaited;
      break;
    case protocol::leapfrog::give_fork: give_fork(found.fork, a, s.thief); break;
    case protocol::leapfrog::give_task:
      if (found.tasks == 0) {
        a.what = post::answer<P>::kind::task;
        a.task = take_from_among(stack.tasks.at(*found.above_others));
        break;
      }
      a.what = post::answer<P>::kind::tasks;
      a.lent = stack.tasks.lend(found.tasks);
      a.lender = &stack.tasks;
      break;
    case protocol::leapfrog::forward:
      if (send_onward(s, *found.about.onward)) return true;
      break;
    case protocol::leapfrog::keep: return false;
    case protocol::leapfrog::decline: break;
  }
  if (a.what != post::answer<P>::kind::dummy) a.of = mine;  // the thief may be idle when it comes (LEAPFROG-6)
  if (me_.home.post().answer_to(s.thief, a, s)) me_.counts.add_in_poll(event::wakes);
  return true;
}

// LEAPFROG-4: the request goes on under the join target of this worker's own wait. False if the receiver refuses it.
template <class P>
bool responder<P>::send_onward(request& s, protocol::worker_id to) {
  using post::delivery;
  s.awaited = reinterpret_cast<std::uintptr_t>(me_.ancestry.wait()->target);
  const delivery result = me_.home.post().send_leapfrog(s, to);
  if (result == delivery::sent) me_.counts.add_in_poll(event::requests_forwarded);
  return result != delivery::refused;
}

// INTERRUPT-8, for LEAPFROG-2: takes the task with this join target, wherever it lies. It leaves a tombstone even on
// top. A poll searches only part of a large deque, from a random place: a search that
// went on from the last one could keep step with other polls, and never see the rest.
template <class P>
bool responder<P>::take_in_handler(const void* target, work::record& taken) noexcept {
  auto& deque = me_.stack().tasks;
  const group<P>* const g = group<P>::with_target(target);
  const std::uint64_t oldest = deque.oldest_index(), tasks = deque.size();
  if (tasks == 0 || (g == nullptr && !me_.stack().has_forks_of_others())) return false;
  constexpr std::uint64_t searched_max = 4096;
  const std::uint64_t first = search_begins_() % tasks;
  for (std::uint64_t i = 0; i < std::min(tasks, searched_max); ++i) {
    work::record& r = deque.at(oldest + (first + i) % tasks);
    const auto* const fork = r.template kept<given_fork<P>>();
    if (fork != nullptr ? fork->slot != target : g == nullptr || group<P>::of(r) != g) continue;
    taken = take_from_among(r);
    return true;
  }
  return false;
}

// The task, from its place in the deque, where a tombstone stays.
template <class P>
work::record responder<P>::take_from_among(work::record& r) noexcept {
  const work::record taken = r;
  work::tombstone{0, {}}.write(r);
  me_.counts.take_one(event::tasks);  // the tombstone counts as a task, and so does the task itself
  return taken;
}

// LEAPFROG-5: answered before the end of the scope is made known, so that no thief waits for work that is done.
template <class P>
void responder<P>::end_leapfrogging_of(const void* target) {
  const stay<P> here(me_, whereabouts::runtime);
  std::erase_if(kept_, [&](const request& s) {
    if (s.awaited != reinterpret_cast<std::uintptr_t>(target)) return false;
    me_.home.post().answer_to(s.thief, {post::answer<P>::kind::dummy, me_.id(), {}, nullptr, nullptr}, s);
    return true;
  });
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
}

// An idle worker must answer, too: a thief that leapfrogs it would else wait in vain instead of asking another
// worker.
template <class P>
void responder<P>::decline_leapfrog_requests() {
  while (auto s = leapfrog_requests_.try_receive()) {
    if (me_.home.post().open(*s) && !serve_leapfrog(*s)) kept_.push_back(*s);
  }
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
}

}  // namespace leat::inline LEAT_ABI::scheduler
