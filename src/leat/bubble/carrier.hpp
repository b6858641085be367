// The body of the carrier: how it executes threads, and what it does when there are none.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "leat/bubble/crew.hpp"
#include "leat/platform/stacks.hpp"

namespace leat::bubbles {

template <class P>
carrier<P>::carrier(crew<P>& home, worker& me, topology::unit_id unit)
    : home_(home),
      me_(me),
      unit_(unit % home.machine().units()),
      path_(home.machine().path(unit_)),
      outer_(P::template own<innermost>().carries),
      outer_poll_(P::template own<scheduler::carried_poll>()),
      footing_(me),
      watch_(this, describe) {
  std::reverse(path_.begin(), path_.end());
  home_.join_crew(*this);
  P::template own<innermost>().carries = this;
  P::template own<scheduler::carried_poll>() = {at_poll, this};
}

template <class P>
carrier<P>::~carrier() {
  P::template own<scheduler::carried_poll>() = outer_poll_;
  P::template own<innermost>().carries = outer_;
  home_.leave_crew(*this);
}

template <class P>
void carrier<P>::carry() {
  for (;;) {
    strand<P>* next = std::exchange(chosen_, nullptr);
    if (next == nullptr && home_.over()) return;
    if (next == nullptr && dismissed()) {
      busy.store(1, platform::relaxed);  // relaxed: the fence follows; nobody is to count on us
      return home_.begins_to_work(*this);  // we may have been told of what others are to do now (T5)
    }
    if (next == nullptr) next = home_.look_up(*this);
    if (next == nullptr) {
      rest();
      continue;
    }
    while (next->carried.load(platform::acquire) != 0) P::yield();  // T4; acquire: pairs with arrived
    busy.store(1, platform::relaxed);  // relaxed: a hint; the fence in begins_to_work follows
    home_.begins_to_work(*this);
    footing_.begin_thread();
    switch_from(at_, nullptr, next, false);
    footing_.end_thread();
    busy.store(0, platform::relaxed);
  }
}

// When a rest ends. Tasks are executed in it, and the carrier is as busy with them as with threads: they may wait for those,
// and then for others to execute them. When there is no task any more it looks at all anew.
template <class P>
struct carrier<P>::end_of_rest {
  carrier& c;

  // relaxed, both: what comes with `idle` is on the lists; `busy` is our own.
  bool operator()() const {
    if (c.home_.peek(c) || c.home_.over() || c.dismissed()) return true;
    return c.busy.load(platform::relaxed) == 0 ? c.idle.load(platform::relaxed) == 0 : !c.me_.runner.has_tasks();
  }
  void begins_task() const {
    if (c.busy.load(platform::relaxed) != 0) return;
    c.busy.store(1, platform::relaxed);  // relaxed, as in carry
    c.stops_resting();
    c.home_.begins_to_work(c);
  }
};

// T5: looks once more after it has said that it rests, here and elsewhere, and executes other tasks of the run meanwhile.
template <class P>
void carrier<P>::rest() {
  idle.store(1, platform::relaxed);  // relaxed: the addition follows
  home_.begins_to_rest();
  if (!takes_over()) me_.waiter.work_until(end_of_rest{*this});
  if (busy.load(platform::relaxed) == 0) stops_resting();
  busy.store(0, platform::relaxed);
}

template <class P>
void carrier<P>::stops_resting() {
  idle.store(0, platform::relaxed);  // relaxed: a fence follows, or a look at the lists
  home_.ends_to_rest();
}

// Z4: only what waits for as long as a thread takes to come from one list to its next unit, and be looked at again.
template <class P>
bool carrier<P>::takes_over() {
  if (!home_.rebalance(*this, false)) return false;
  const std::uint64_t begun = P::now_ns();
  while (P::now_ns() - begun < takes_over_after_ns) {
    if (home_.peek(*this) || home_.over() || dismissed()) return true;
    P::yield();
  }
  return home_.rebalance(*this, true);
}

template <class P>
void carrier<P>::leave(strand<P>* next) {
  strand<P>& s = *current_;
  if (next == nullptr && !dismissed()) next = home_.look_up(*this);
  if (next == &s) return;  // woken, and taken back
  if (next != nullptr && next->carried.load(platform::acquire) != 0) chosen_ = std::exchange(next, nullptr);  // T4
  switch_from(s.at, &s, next, false);
}

template <class P>
void carrier<P>::leave_for_good() {
  left_ended_ = true;
  footing_.thread_ends();
  strand<P>* next = dismissed() ? nullptr : home_.look_up(*this);
  if (next != nullptr && next->carried.load(platform::acquire) != 0) chosen_ = std::exchange(next, nullptr);
  switch_from(current_->at, current_, next, true);
  std::abort();  // never
}

template <class P>
void carrier<P>::at_poll(void* self) noexcept {
  auto& c = *static_cast<carrier*>(self);
  if (c.may_switch()) c.home_.polls(c);
}

template <class P>
bool carrier<P>::slice_may_be_over(const strand<P>& s) noexcept {
  std::uint64_t shortest = 0;
  for (const film<P>* b = s.holder; b != nullptr; b = b->holder)
    if (b->slice_ns != 0 && (shortest == 0 || b->slice_ns < shortest)) shortest = b->slice_ns;
  if (shortest == 0) return false;
  // relaxed, all: hints; looked at again under the locks
  if (s.holder->wanted.load(platform::relaxed) != 0) return true;
  const std::uint64_t now = P::now_ns();
  if (now - slices_seen_ns_ < shortest / looks_per_slice) return false;
  bool over = false;
  for (const film<P>* b = s.holder; b != nullptr && !over; b = b->holder)
    over = slice_over(b->slice_ns, b->burst_ns.load(platform::relaxed), now, true);
  if (over) slices_seen_ns_ = now;
  return over;
}

template <class P>
void carrier<P>::switch_from(context& from, strand<P>* left, strand<P>* next, bool last) {
  left_ = left;
  current_ = next;
  if (next != nullptr) next->carried.store(1, platform::relaxed);  // relaxed: it is ours (T4)
  auto* const now = static_cast<carrier*>(from.switch_to(next == nullptr ? at_ : next->at, this, exceptions_, last));
  now->arrived();
}

template <class P>
void carrier<P>::arrived() noexcept {
  strand<P>* const left = std::exchange(left_, nullptr);
  if (left == nullptr) return;
  if (left_ended_) [[unlikely]]
    return bury(*left);
  left->carried.store(0, platform::release);  // pairs with the loads before a switch
}

template <class P>
void carrier<P>::bury(strand<P>& ended) noexcept {
  left_ended_ = false;
  ended.at.end();
  stacks_.give(std::move(ended.on));
  if (ended.users.fetch_sub(1, platform::acq_rel) == 1) delete &ended;  // acq_rel: the other user's last access
}

// Inside a signal handler.
template <class P>
std::size_t carrier<P>::describe(void* self, const void* address, std::span<char> text) noexcept {
  const strand<P>* const s = static_cast<const carrier*>(self)->current_;
  if (s == nullptr || !platform::is_below_stack(s->on.lowest(), address)) return 0;
  std::array<char, 24> digits;
  std::size_t length = 0;
  const auto say = [&](const char* words) {
    const std::size_t n = std::min(std::strlen(words), text.size() - length);
    std::memcpy(text.data() + length, words, n);
    length += n;
  };
  const auto say_number = [&](std::uint64_t n) {
    char* at = digits.data() + digits.size() - 1;
    *at = '\0';
    do *--at = static_cast<char>('0' + n % 10);
    while ((n /= 10) != 0);
    say(at);
  };
  say("leat: thread ");
  say_number(s->number);
  say(" has come to the end of its stack of ");
  say_number(s->on.bytes());
  say(" bytes\n");
  return length;
}

}  // namespace leat::bubbles
