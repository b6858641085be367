// The body of LCWS. Rules LCWS-1 to LCWS-4: lcws.hpp.
#pragma once

#include <algorithm>

#include "leat/published/hunting_steps.hpp"
#include "leat/published/lcws.hpp"

namespace leat::inline LEAT_ABI::published {

// Listing 1, lines 6 to 18: private tasks first, then public ones. After the pop, `poll` serves a pending request from the rest.
template <class P>
work::record* lcws<P>::next(wanted_task wanted) {
  const stay<P> here(this->me_, whereabouts::runtime);
  auto& tasks = this->me_.stack().tasks;
  if (work::record* const newest = tasks.newest(); newest != nullptr) {
    if (!wanted(*newest)) return nullptr;
    tasks.pop_without_poll();
    poll();
    return newest;
  }
  // Taken before it is examined: what a thief has taken may name what is freed.
  if (work::record* const task = tasks.newest_public() != nullptr ? tasks.pop_public() : nullptr; task != nullptr) {
    this->me_.counts.add(event::unstolen);
    taken_from();
    if (wanted(*task)) return task;
    tasks.push();
    return nullptr;
  }
  tasks.close();
  tasks.rewind();
  if (tasks.is_poll_requested() || targeted_.load(platform::relaxed) != notice::none) poll(), forget();
  return nullptr;
}

// The join of a fork is the pop of the deque that the worker's forks are (LCWS-4).
template <class P>
bool lcws<P>::keeps(forks& of, slot* s) {
  const bool was_private = !of.given_away(s);
  const bool mine = of.pop_public(s);
  if (mine && !was_private) {
    this->me_.counts.add(event::unstolen);
    taken_from();
  }
  poll();
  return mine;
}

template <class P>
void lcws<P>::poll() {
  const stay<P> here(this->me_, whereabouts::runtime);
  auto& stack = this->me_.stack();
  stack.acknowledge();
  const notice found = targeted_.load(platform::relaxed);  // relaxed: the acknowledgement acquires
  const bool granted = found == notice::given && update_public_bottom();
  if (found != notice::none && (!granted || !protocol::signals(which_))) forget();  // LCWS-2
  stack.rearm(false);
}

// LCWS-3. Between any two instructions of a task it moves the boundary alone. It acknowledges first: the limits may be as another
// worker of the thread left them.
template <class P>
void lcws<P>::interrupted(bool in_task) noexcept {
  if (!in_task) return forget();
  auto& stack = this->me_.stack();
  stack.acknowledge();
  const bool some = update_public_bottom();
  stack.rearm(false);
  if (some) return;
  targeted_.store(notice::vain, platform::relaxed);  // relaxed: for this thread, and a hint for others
  stack.signal();
}

// Listing 2, line 49; for a worker that has tasks and forks apart. Returns whether anything became public.
template <class P>
bool lcws<P>::update_public_bottom() noexcept {
  auto& stack = this->me_.stack();
  const std::size_t tasks = protocol::exposed(which_, stack.tasks.size());
  const std::size_t tls = protocol::exposed(which_, stack.pending_tls_forks());
  const std::size_t context = protocol::exposed(which_, stack.pending_context_forks());
  if (tasks != 0) {
    this->me_.runner.take_over_account();  // GROUP-6
    stack.tasks.open(tasks);
  } else if (tls != 0) {
    stack.tls_forks.open(tls);
  } else if (context != 0) {
    stack.context_forks.open(context);
  }
  const std::size_t some = tasks != 0 ? tasks : tls != 0 ? tls : context;
  this->me_.counts.add_in_poll(event::exposed, some);
  return some != 0;
}

template <class P>
void lcws<P>::tasks_move() {
  auto& tasks = this->me_.stack().tasks;
  const std::size_t before = tasks.size();
  tasks.close();
  this->me_.counts.add(event::unstolen, tasks.size() - before);
  forget();  // what was made public for a thief is so no more
}

// While the thread blocks, it makes nothing public. So all becomes so before.
template <class P>
void lcws<P>::block_begins() {
  open_all();
  hunting<P>::block_begins();
}

template <class P>
void lcws<P>::open_all() noexcept {
  const stay<P> here(this->me_, whereabouts::runtime);
  auto& stack = this->me_.stack();
  stack.acknowledge();
  this->me_.counts.add(event::exposed, stack.tasks.size());
  this->me_.runner.take_over_account();  // GROUP-6
  if (!stack.tasks.empty()) stack.tasks.open(stack.tasks.size());
  open_forks();
  forget();  // thieves that gave notice find all of it
  stack.rearm(false);
}

// In a wait, where it does not come to the joins of its pending forks, maybe for long.
template <class P>
void lcws<P>::open_forks() noexcept {
  auto& stack = this->me_.stack();
  const std::size_t tls = stack.pending_tls_forks();
  const std::size_t context = stack.pending_context_forks();
  this->me_.counts.add(event::exposed, tls + context);
  if (tls != 0) stack.tls_forks.open(tls);
  if (context != 0) stack.context_forks.open(context);
}

template <class P>
bool lcws<P>::has_tasks() {
  auto& tasks = this->me_.stack().tasks;
  return !tasks.empty() || tasks.newest_public() != nullptr;
}

// -- as a victim, on the thief's thread -------------------------------------------------------------------------------

// Listing 1, line 23; Listing 3, lines 8 to 11. PRIVATE_WORK (Listing 2, line 46) and has_two_tasks (4.1.1) can be seen of forks.
// How many tasks a deque has is known to its owner alone, so a worker in a task is taken to have enough, and finds out itself.
template <class P>
bool lcws<P>::found_private(bool urgent) {
  const notice found = targeted_.load(platform::relaxed);  // relaxed: a hint
  auto& me = this->me_;
  const bool shows_forks = seen_private_forks() >= protocol::exposes_from(which_);
  if (found != notice::none && urgent) me.stack().signal();
  if (found == notice::given || (!shows_forks && (found == notice::vain || !me.monitor.is_in_task()))) return false;
  targeted_.store(notice::given, platform::relaxed);  // relaxed: the signal of the limits orders it, or a system call
  if (!protocol::signals(which_) || !me.home.watch().on()) {
    me.stack().signal();
    return false;
  }
  if (me.monitor.interrupt()) return true;
  forget();
  return false;
}

template <class P>
void lcws<P>::taken_from() {
  if (protocol::signals(which_)) forget();  // LCWS-2
}

template <class P>
std::size_t lcws<P>::seen_private_forks() noexcept {
  auto& stack = this->me_.stack();
  std::size_t plain = 0;
  stack.with_words([&] { plain = stack.tls_forks.seen_private_plain(stack.top_of_thread()); });
  return std::max<std::size_t>(plain, stack.context_forks.seen_private_marked());
}

}  // namespace leat::inline LEAT_ABI::published
