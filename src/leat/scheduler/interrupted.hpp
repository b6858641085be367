// The worker as one who is watched: what an interrupt does, and when one is due. Rules I1-I7: docs/interrupts.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/scheduler/channel.hpp"

namespace leat::scheduler {

// The handler of interrupts, on whatever thread the system runs it.
template <class P>
void worker<P>::on_interrupt() noexcept {
  if (worker* me = current()) me->interrupted();
}

template <class P>
void worker<P>::interrupted() noexcept {
  // relaxed: this thread's own word. What is raised stays raised: who is inside looks by itself, or is interrupted again
  // when it has left (I1).
  if (where_.load(platform::relaxed) != whereabouts::task) return;
  interrupted_ = true;
  interrupted_counts_.add(event::interrupted_looks);
  const auto look_here = [this] {
    const stay<P> here(*this, whereabouts::runtime);
    look_at_requests();
  };
  if constexpr (requires { P::counts(); }) {
    // The interrupted code may be in the middle of counting: it finds its counts as it left them (I3).
    const auto before = P::counts();
    look_here();
    const auto spent = P::counts() - before;
    P::counts() = before;
    interrupted_counts_.add(event::fences, spent.fences);
    interrupted_counts_.add(event::cas, spent.cas);
    interrupted_counts_.add(event::rmw, spent.rmw);
    interrupted_counts_.add(event::signals, spent.signals);
  } else {
    look_here();
  }
  interrupted_ = false;
}

// L2, in the handler of an interrupt: takes the task with this key, wherever it lies. It leaves a hole even on top (I2). Of a
// large deque one look searches a part, from a random place on: going on where the last search ended, it could keep step with
// another that is repeated, and never see the rest.
template <class P>
bool worker<P>::take_interrupted(const void* key, record& taken) noexcept {
  const group<P>* const g = group<P>::with_key(key);
  const std::uint64_t oldest = tasks_.oldest_index(), tasks = tasks_.size();
  if (tasks == 0 || (g == nullptr && forks_taken_ == 0)) return false;
  constexpr std::uint64_t searched_max = 4096;
  const std::uint64_t first = search_begins_() % tasks;
  for (std::uint64_t i = 0; i < std::min(tasks, searched_max); ++i) {
    record& r = tasks_.at(oldest + (first + i) % tasks);
    const auto* const fork = r.template kept<given_fork<P>>();
    if (fork != nullptr ? fork->slot != key : g == nullptr || group<P>::of(r) != g) continue;
    taken = r;
    hole{0, {}}.write(r);
    interrupted_counts_.add(event::tasks, ~std::uint64_t{0});  // one less: a hole counts, and so does who executes it
    return true;
  }
  return false;
}

// Interrupts the worker, if it is in a task and not absent: one that has left is in a call of its user's, which is not to be
// disturbed. Any other worker. Whether it did.
template <class P>
bool worker<P>::interrupt() {
  // relaxed: a hint (I1)
  const bool is_there = presence_.begin_interrupt() && where_.load(platform::relaxed) == whereabouts::task;
  if (is_there) thread_.interrupt();
  presence_.end_interrupt();
  return is_there;
}

// Whether an interrupt could be of use (I4): the worker is in a task, and was asked, or others wait for what it may have
// come to since it looked, which nobody else sees. Any thread; a hint.
template <class P>
bool worker<P>::owes_a_look() const noexcept {
  // relaxed, all: hints; whoever is wronged by them is looked at again.
  if (where_.load(platform::relaxed) != whereabouts::task || requests_.closed() || absent()) return false;
  return tasks_.asked_by_others() || unserved_.load(platform::relaxed) != 0 || home_.manager_.look().resting;
}

// How long it may owe that look: twice as long after each interrupt that was in vain, so that a long task that has nothing
// to give is left alone more and more. Any thread; a hint.
template <class P>
std::uint64_t worker<P>::patience(std::uint64_t after_ns) const noexcept {
  if (tasks_.asked_by_others()) return after_ns;
  const std::uint64_t most = std::max(watch<P, channel_scheduler<P>>::interval_ns_max, after_ns);
  std::uint64_t time = after_ns;
  // relaxed: a hint.
  for (std::uint32_t vain = in_vain_.load(platform::relaxed); vain != 0 && time < most; --vain) time *= 2;
  return std::min(time, most);
}

// Whether it has owed that look for as long, as those who watch have seen; true for one caller only, and not again before
// the same time has passed. Any thread.
template <class P>
bool worker<P>::overdue(std::uint64_t now_ns, std::uint64_t after_ns) noexcept {
  constexpr unsigned looks_shift = 32;
  const std::uint64_t now_us = now_ns / 1000;
  // relaxed, all: numbers that order nothing.
  const std::uint64_t fresh =
      std::uint64_t{looks_.load(platform::relaxed)} << looks_shift | static_cast<std::uint32_t>(now_us);
  std::uint64_t note = note_.load(platform::relaxed);
  const bool same = note >> looks_shift == fresh >> looks_shift;
  const auto passed_us = static_cast<std::uint32_t>(now_us - note);
  if (same && std::uint64_t{passed_us} * 1000 < patience(after_ns)) return false;
  return note_.compare_exchange_strong(note, fresh, platform::relaxed, platform::relaxed) && same;
}

}  // namespace leat::scheduler
