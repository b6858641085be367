// A primary of a scheduler: a worker that threads of the program are while they are inside (OpenMP's word for the thread
// that meets a parallel region and works in it). A team has one, for one thread; the default runtime has several, for all.
//
// Rules, cited in the code:
//  PRIMARY-1  A primary works for one run from first to last, its own, which it begins by itself: the manager counts it
//      there and hands it no root. The others work for that run when they have tasks of it, as for any other.
//  PRIMARY-2  Inside, the thread is the worker in every respect, and may be interrupted. Outside, no thread interrupts the
//      worker, and it has neither tasks nor forks, but those of a late answer (WORKER-13). Its channel is closed (WORKER-5),
//      unless threads leave within often_ns of each other and a thief has been served since the channel opened. A thief then
//      waits there for its patience, hides the worker from other thieves (WORKER-11), and goes to the pool (REQUEST-4).
//      Holders of other thieves' requests, and the manager, send none there (WORKER-3, OFFER-3). The thread reads the channel
//      and the pool on its way in. Why: a thread that interrupts it sees that it is in no task, or is seen by it and waited
//      for. A thief that is there at once makes short calls worth dividing.
//  PRIMARY-3  A thread has one pair of fork_words, and at most one worker uses them. A thread that is already a
//      worker of another scheduler hands over what is wanted there before it goes inside. Until it comes out it polls
//      nothing there, and is not interrupted. A thread whose worker is blocked cannot go inside. Why: to the other
//      scheduler it is deep in a task meanwhile. Proxies of a blocked worker use the limit in the words.
//  PRIMARY-4  The thread that goes inside lends its fork_words to the worker, and has them back when it comes out. Other
//      threads use them only while they are counted as users, and find them lent; the thread waits for its users on the way
//      out. Why: the words are the thread's, which may end as soon as it is outside.
//  PRIMARY-5  A thread that comes inside notes how long it was outside, if a thief had a part of its last call, or gaps have been
//      long. While they are, a worker without tasks spins for 5 us at most once no run is under way. Why: to spin through a
//      long gap takes a CPU from other programs for longer than a sleep and a wake-up would.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/handshake/proxies.hpp"
#include "leat/post/messages.hpp"
#include "leat/scheduler/scheduler.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::entry {

/// The scheduler has settings::primaries, and ends after them.
template <class P>
class primary {
 public:
  /// \param number  of the worker, below settings::primaries. The calling thread may go inside; else be_for says which may
  explicit primary(scheduler::channel_scheduler<P>& home, protocol::worker_id number = 0);
  primary(const primary&) = delete;
  primary& operator=(const primary&) = delete;

  /// Ends all workers, when they have run what tasks are left. In a forked child it does nothing. Not while a thread is
  /// inside. Where there are several primaries, each is destroyed on a thread of its own: all wait for all.
  ~primary();

  /// What tasks of the run have thrown is dropped: the next thread to go inside did not spawn them. No thread is inside.
  void forget_failure() noexcept { static_cast<void>(run_.take_failure()); }

  /// The calling thread, and no other, may go inside from now on. No thread is inside.
  void be_for_caller() noexcept { thread_ = &own_words(); }

  /// Whether the calling thread is a worker and works for the primary's run: it is inside, or helps.
  [[gnu::always_inline]] bool has_caller() const noexcept {
    const scheduler::worker<P>* const w = scheduler::worker<P>::current();
    return w != nullptr && w->runner.current_run() == &run_;
  }

  /// The run that the primary works for. leat::team compares it with a thread's run.
  const work::run<P>& own_run() const noexcept { return run_; }

  /// Whether the calling thread may go inside: it is the primary thread, in the process in which the scheduler was
  /// made; it is not inside, and no worker that is blocked.
  bool admits_caller() const noexcept {
    return thread_ == &own_words() && !entered_ && P::template own<handshake::left_workers>().count == 0 &&
           !home_.forked();
  }

  /// While it lives, the calling thread, which the primary admits, is inside.
  class visit {
   public:
    explicit visit(primary& to);
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit();

   private:
    primary& to_;
    scheduler::worker<P>* const outer_;
    deque::fork_slot<P>* const outer_top_;
    std::optional<scheduler::stay<P>> outer_stay_;
  };

 private:
  using words = deque::fork_words<P>;

  // PRIMARY-2: when threads leave more often, the worker's channel stays open. A few times the patience of a thief.
  static constexpr std::uint64_t often_ns = 64'000;

  static words& own_words() noexcept { return P::template own<words>(); }

  // PRIMARY-2. No clock is read for a call that no thief had a part of, unless gaps have been long: then thieves may sleep, and
  // wake too late to have a part.
  bool leaves_often() noexcept {
    const bool given = me_.responder.has_given();
    const std::uint64_t now = given || home_.runs().gaps().are_long() ? P::now_ns() : 0;
    return now - std::exchange(left_ns_, now) < often_ns && given;
  }

  // PRIMARY-5
  void note_gap() noexcept {
    if (left_ns_ != 0) home_.runs().gaps().note(P::now_ns() - left_ns_);
  }

  // Makes the calling thread worker `w`, or none, whose forks are above `top`. Not interrupted: it is inside the
  // runtime.
  static void become(scheduler::worker<P>* w, deque::fork_slot<P>* top) noexcept {
    P::self() = nullptr;
    P::signal_fence();  // a handler finds one worker or the other, with its top, or none
    P::publish(own_words().top, top);  // pairs with fork_stack::take_plain
    P::signal_fence();
    P::self() = w;
  }

  scheduler::channel_scheduler<P>& home_;
  scheduler::worker<P>& me_;
  work::run<P> run_;
  words* thread_ = &own_words();  // of the thread that may go inside
  bool entered_ = false;
  std::uint64_t left_ns_ = 0;  // when a thread last left, if that is to be noted
};

template <class P>
primary<P>::primary(scheduler::channel_scheduler<P>& home, protocol::worker_id number)
    : home_(home), me_(home.worker_at(number)), run_(home.runs().new_id(), nullptr, nullptr) {
  home_.all().enter();
  if (home_.watch().on()) P::allow_interrupts();
  me_.runner.works_for(run_);
  me_.requester.is_known_under(run_.id());
  me_.hunter.works_in(run_);
  me_.runner.set_ground(scheduler::ground::root);
  me_.monitor.set_where(scheduler::whereabouts::outside);
  if (me_.published != nullptr) {
    me_.published->attached();
    return;
  }
  // PRIMARY-1
  home_.call_from(scheduler::worker<P>::current(),
                  [this] { home_.manager().tell({post::note<P>::kind::enter, me_.id(), {}, &run_}); });
}

// The rest of what a worker's thread does: see worker::main.
template <class P>
primary<P>::~primary() {
  if (home_.forked()) return;
  const visit last(*this);
  me_.runner.run_tasks();
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  if (me_.published != nullptr) {
    me_.published->barrier();
    home_.published()->stop();
    home_.all().leave_with_all();
    return;
  }
  if (me_.id() == 0) home_.manager().tell({post::note<P>::kind::stop});  // for all
  for (;;) {
    me_.runner.works_for_none();
    const auto a = me_.requester.await(protocol::status::idle, protocol::no_run, [] { return false; });
    if (a->what == post::answer<P>::kind::stop) break;
    me_.requester.accept(*a);
    const scheduler::stay<P> away(me_, scheduler::whereabouts::task);
    me_.runner.run_tasks();
  }
  home_.all().leave_with_all();
}

template <class P>
primary<P>::visit::visit(primary& to) : to_(to), outer_(scheduler::worker<P>::current()), outer_top_(own_words().top) {
  scheduler::worker<P>& me = to.me_;
  if (outer_ != nullptr) {
    outer_->monitor.set_goes_away(true);
    outer_->poll_now();  // PRIMARY-3
    outer_->monitor.set_goes_away(false);
    outer_stay_.emplace(*outer_, scheduler::whereabouts::runtime);
  }
  to.entered_ = true;
  me.stack().borrow(own_words());  // the limit may be what another worker that this thread is has left there
  me.thread.be_caller();
  P::fence();  // pairs with the fence in monitor::interrupt: a thief that sees the worker in a task interrupts this thread
  become(&me, me.stack().tls_forks.base());
  me.shows_thread();
  if (const bool first = to.home_.runs().begin() == 0; me.published != nullptr) {
    me.published->comes_back();
    to.home_.published()->enter(to.run_);
  } else {
    if (first) to.home_.watch().begin();
    me.requester.begin_visit();
    me.responder.reopen();
    to.note_gap();
  }
  scheduler::stay<P>::move(me, scheduler::whereabouts::task);
}

template <class P>
primary<P>::visit::~visit() {
  scheduler::worker<P>& me = to_.me_;
  if (P::self() != &me) {  // a child that was forked inside; it stays inside
    if (outer_ != nullptr) outer_->times.forget();  // another thread may have held the log's lock (PROFILE-6)
    return;
  }
  for (;;) {
    {
      const scheduler::stay<P> here(me, scheduler::whereabouts::runtime);
      me.requester.end_leapfrogging();  // before: what that accepts is to be executed, and opens the channel
      if (me.requester.has_answer() && me.stack().make_room()) me.requester.accept_answer();  // WORKER-13
    }
    if (!me.runner.has_tasks()) break;
    me.runner.run_tasks();
  }
  scheduler::stay<P>::move(me, scheduler::whereabouts::runtime);
  if (me.published != nullptr) {
    to_.home_.published()->leave();
  } else {
    if (to_.leaves_often()) me.responder.leave_open();
    else me.responder.close();
    me.responder.decline_leapfrog_requests();
    me.requester.end_visit();
  }
  me.counts.set_operations();
  to_.home_.runs().end();
  me.monitor.set_where(scheduler::whereabouts::outside);
  me.shows(profile::activity::outside);
  become(outer_, outer_top_);
  P::fence();  // PRIMARY-2; pairs with the one in presence::begin_interrupt
  while (me.presence.is_interrupted()) P::yield();
  if (me.published != nullptr && to_.home_.watch().on()) P::yield();  // an interrupt that was sent arrives here
  me.stack().give_back();
  to_.entered_ = false;
  if (outer_ != nullptr)
    outer_->stack().tls_forks.signal();  // of its forks some may be given away, and the limit is not its own
}

}  // namespace leat::inline LEAT_ABI::entry
