// The body of the absence: what a worker does when it leaves, what others do in its stead, and how it comes back. Rules
// Y1-Y6: attendance.hpp.
#pragma once

#include <cstdint>

#include "leat/scheduler/absence.hpp"
#include "leat/scheduler/channel.hpp"

namespace leat::scheduler {

template <class P>
absence<P>::absence(worker<P>& me) : me_(me) {
  me_.list_if_reported(listed_, wait_kind::blocking);
  ++P::template own<left_workers>().count;
  me_.leave();
}

template <class P>
absence<P>::~absence() {
  me_.come_back();
  me_.end_listed(listed_);
  --P::template own<left_workers>().count;
}

template <class P>
void worker<P>::leave() {
  // W8: a request left over from a wait may yet be answered with tasks. Whoever attends takes them, but may not allocate.
  if (outstanding_) {
    const stay<P> here(*this, whereabouts::runtime);
    makes_room();
  }
  // The thread is no worker from here on, in any form of fork.
  P::self() = nullptr;
  P::signal_fence();  // an interrupt finds a worker, or none
  absent_words_.top = words_->top;
  P::put(words_->top, nullptr);
  words_ = &absent_words_;
  lookout_.end();
  home_.manager_.add_waiting_victim();  // what comes to rest from now on asks us (A4)
  presence_.leave();
  // An interrupt that was sent has come when a system call returns. Its sender may be preempted.
  constexpr int relaxes_max = 64;
  for (int i = 0; presence_.is_interrupted(); ++i) i < relaxes_max ? P::relax() : P::yield();
  if (home_.watch_.on()) P::yield();
  home_.attendance_.call(*this);
  home_.attendance_.attend();
  home_.block_begins();
}

template <class P>
void worker<P>::come_back() {
  // A child that was forked meanwhile has no scheduler to come back to. Its next pop says so.
  if (home_.forked()) return tasks_.raise();
  home_.block_ends();
  presence_.come_back([this](auto back) {
    // Y5: an attendant that a preemption keeps is waited for asleep; mostly it is done in a microsecond.
    constexpr std::uint64_t spin_ns = 20'000;
    parker_.wait(back, spin_ns);
  });
  home_.manager_.remove_waiting_victim();
  // A worker again, entirely, before it looks; and not interrupted before that.
  const stay<P> here(*this, whereabouts::runtime);
  words_ = &P::template own<deque::fork_words<P>>();
  P::put(words_->top, absent_words_.top);
  P::self() = this;
  if (requests_.closed()) reopen();
  look();  // Y3: calls that nobody answered
}

template <class P>
void worker<P>::forget_in_children() {
  // Once; if it fails, the next runtime tries again.
  static const bool asked = (P::on_fork([] {
                               if (worker* const me = current()) me->tasks_.raise();  // it looks: check_process
                               P::self() = nullptr;
                               P::template own<deque::fork_words<P>>().top = nullptr;
                             }),
                             true);
  static_cast<void>(asked);
}

template <class P>
void worker<P>::look_in_its_stead() {
  const stay<P> here(*this, whereabouts::runtime);
  for (;;) {
    look();
    // An answer that came late (W8). If memory was short when we left, it waits for our return.
    if (!outstanding_ || !tasks_.empty() || answers_.size() == 0 || tasks_.free_slots() < protocol::batch_max) break;
    accept(*answers_.try_receive());
    P::fence();  // pairs with the fence in notify: who found the channel closed has published what the next look sees
  }
  if (!has_work() && !requests_.closed()) close();  // W5
}

// The attendant's: looks in the stead of this worker, if it is absent.
template <class P>
void worker<P>::attend() {
  if (!presence_.begin_look()) return;
  look_in_its_stead();
  if (presence_.end_look()) notify();  // Y5
}

}  // namespace leat::scheduler
