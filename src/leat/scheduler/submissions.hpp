// Work from outside: tasks that threads which are no workers have submitted, and the drains that execute them. A drain is the root
// of a run. Rules SUBMIT: docs/internals/submit.md.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "leat/handshake/injector.hpp"
#include "leat/handshake/proxies.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/platform/order.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/published.hpp"
#include "leat/scheduler/shelf.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/scheduler/submission_thread.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/work/record.hpp"
#include "leat/work/run.hpp"
#include "leat/work/run_count.hpp"
#include "leat/work/submission.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// `Home` is the scheduler.
template <class P, class Home>
class submissions {
 public:
  using submission = work::submission<P>;

  /// Tasks that a drain takes at a time. Thieves get them from its deque.
  static constexpr std::size_t taken_max = 32;

  /// A drain that finds nothing more searches for that long: to start one anew takes as long as many submissions. Less where
  /// idle workers spin for less.
  static constexpr std::uint64_t linger_ns = 20'000;

  explicit submissions(Home& home) : submissions(home, home.config().workers - home.config().primaries) {}
  submissions(const submissions&) = delete;
  submissions& operator=(const submissions&) = delete;

  /// What the submission thread calls, with `of`, when a drain is to begin: it calls drain(), on a worker. Before the first submission.
  void begin_drains_by(void (*begin)(void* of), void* of) noexcept { begin_ = begin, begin_of_ = of; }

  // -- threads that submit

  /// SUBMIT-5: until leave(), the scheduler is not destroyed. Throws std::bad_alloc, and std::system_error if the submission thread cannot be started.
  shelf<P>* enter() {
    shelf<P>* const mine = shelves_.take(&home_);
    try {
      if (ready_.load(platform::acquire) == 0) get_ready();  // acquire: pairs with get_ready
    } catch (...) {
      shelves_.leave(mine);
      throw;
    }
    return mine;
  }
  void leave(shelf<P>* mine) noexcept { shelves_.leave(mine); }

  bool closed() const noexcept { return injector_.closed(); }

  /// SUBMIT-1, SUBMIT-3. False if the scheduler ends, and nothing has happened. Between enter and leave, or by a worker.
  bool put(submission& s) {
    if (!injector_.put(s)) return false;
    start_drain();
    return true;
  }

  // -- the drain

  /// Executes tasks until none is left, on the calling worker. As the root of a run, or what is like it.
  void drain(worker<P>& me) {
    handshake::drain(
        injector_, drains_, drains_max_, [&] { return move_some(me); }, [&] { me.runner.run_tasks(); },
        [&] { return linger(me); }, [&] { start_drain(); });
  }

  // -- the end

  /// In a forked child.
  void abandon() noexcept { thread_.abandon(); }

  /// SUBMIT-6, as often as it is called: refuses further tasks, and returns when all that were accepted have been executed, and no thread is in
  /// enter() to leave() any more. False, and nothing is waited for, if a run is under way that is no drain's, or if the
  /// caller is in a task of this scheduler.
  bool close() noexcept {
    injector_.close();
    const auto* const me = worker<P>::current();
    const bool in_task =
        (me != nullptr && &me->home == &home_) || P::template own<handshake::left_workers>().home == &home_;
    if (in_task || home_.runs().of_callers() != 0) return false;
    await_drains();
    shelves_.await_all();
    await_drains();  // a submitter may have started one on its way out
    thread_.stop();
    assert(!home_.runs().any());  // else the runtime is left alone
    return true;
  }

 private:
  using drains = handshake::drain_count<P>;

  // `threads`: of workers, but for compensating ones.
  submissions(Home& home, std::uint32_t threads)
      : home_(home),
        by_thread_(threads == 0 || home.config().published != protocol::published::none),
        drains_max_(by_thread_ ? 1 : std::min(threads + home.config().spares, drains::max)) {}

  // The run of one drain. Its memory is used again when the manager has found it done (SUBMIT-8).
  struct drain_run {
    submissions* all = nullptr;
    std::optional<work::run<P>> run;
    typename P::template atomic<std::uint32_t> taken{0};
  };

  // SUBMIT-3. Any thread.
  void start_drain() {
    if (!drains_.begin(drains_max_)) return;
    unended_.fetch_add(1, platform::seq_cst);  // pairs with close
    if (by_thread_) return thread_.tell();
    drain_run& mine = take_run();
    const auto root = [](void* p) { static_cast<drain_run*>(p)->all->drain(*worker<P>::current()); };
    const auto ended = [](void* p) {
      submissions& all = *static_cast<drain_run*>(p)->all;
      static_cast<drain_run*>(p)->taken.store(0, platform::release);  // pairs with take_run
      all.home_.runs().end(work::run_count<P>::one_drain);
      all.end_drain();
    };
    mine.run.emplace(home_.runs().new_id(), root, &mine, handshake::admission<P>::uncapped, ended);
    home_.submit_drain(*mine.run);
  }

  // SUBMIT-8: one is free.
  drain_run& take_run() noexcept {
    for (std::uint32_t i = 0;; ++i) {
      if (i == runs_) i = 0;
      // relaxed: a hint. acquire: pairs with the release in start_drain.
      if (run_of_[i].taken.load(platform::relaxed) == 0 && run_of_[i].taken.exchange(1, platform::acquire) == 0)
        return run_of_[i];
    }
  }

  // SUBMIT-6: until all that was put in has been executed, and no drain is under way.
  void await_drains() noexcept {
    for (;;) {
      if (injector_.has_some()) start_drain();
      const std::uint32_t left = unended_.load(platform::seq_cst);  // pairs with end_drain
      if (left != 0) P::wait(unended_, left);
      else if (!injector_.has_some()) break;
    }
  }

  // The scheduler may be destroyed after the subtraction, but for what the workers and the submission thread use.
  void end_drain() noexcept {
    if (unended_.fetch_sub(1, platform::seq_cst) == 1 && injector_.closed()) P::wake_all(unended_);  // pairs with close
  }

  // The oldest is executed first: it is pushed last.
  bool move_some(worker<P>& me) {
    std::array<typename handshake::injector<P>::link*, taken_max> some;
    const std::size_t found = [&] {
      const stay<P> here(me, whereabouts::runtime);
      return injector_.has_some() ? injector_.take(some) : 0;
    }();
    for (std::size_t i = found; i-- > 0;) me.runner.spawn(work::awaited_call{static_cast<submission*>(some[i])->task});
    return found != 0;
  }

  // Whether something has come meanwhile.
  bool linger(worker<P>& me) {
    const std::uint64_t span = std::min(linger_ns, home_.config().spin_ns);
    if (span == 0) return false;
    const std::uint64_t since = P::now_ns();
    do {
      if (injector_.has_some()) return true;
      if (home_.manager().roots_wait() || injector_.closed()) return false;
      me.poll();
      P::relax();
    } while (P::now_ns() - since < span);
    return false;
  }

  // Once: at the first submission, as most programs make none.
  [[gnu::noinline, gnu::cold]] void get_ready() {
    const handshake::holding<P> one(getting_ready_);
    if (ready_.load(platform::relaxed) != 0) return;  // relaxed: written under the lock
    if (by_thread_) {
      thread_.start(
          home_.config(),
          [](void* of) {
            auto& all = *static_cast<submissions*>(of);
            all.begin_(all.begin_of_);
            all.end_drain();
          },
          this);
    } else {
      runs_ = 2 * drains_max_;
      run_of_ = std::make_unique<drain_run[]>(runs_);
      for (std::uint32_t i = 0; i != runs_; ++i) run_of_[i].all = this;
    }
    ready_.store(1, platform::release);  // pairs with enter
  }

  // What the submission thread does unless begin_drains_by says otherwise.
  static void drain_in_run(void* of) {
    auto& all = *static_cast<submissions*>(of);
    work::run<P> r(
        all.home_.runs().new_id(), [](void* p) { static_cast<submissions*>(p)->drain(*worker<P>::current()); }, of);
    all.home_.execute(r, work::run_count<P>::one_drain);
  }

  Home& home_;
  const bool by_thread_;
  const std::uint32_t drains_max_;
  void (*begin_)(void*) = drain_in_run;
  void* begin_of_ = this;
  shelves<P> shelves_;
  handshake::injector<P> injector_;
  drains drains_;
  typename P::template atomic<std::uint32_t> unended_{0};  // drains whose runs have not ended
  typename P::template atomic<std::uint32_t> ready_{0};
  handshake::spin_lock<P> getting_ready_;
  std::uint32_t runs_ = 0;
  std::unique_ptr<drain_run[]> run_of_;
  submission_thread<P> thread_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
