// A call of run_threads, from its first thread to the end of the last.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/task/errors.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/thread/accepting.hpp"
#include "leat/thread/thread.hpp"

namespace leat::inline LEAT_ABI::threads {

/// THREAD-19.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_unbegun(std::uint64_t threads) {
  throw std::logic_error("leat::run_threads: " + std::to_string(threads) +
                         " threads that were made with leat::held, or in a bubble, never began: all others have ended, "
                         "and nothing woke the bubble that they are in");
}

/// While it lives, the run has a call of run_threads under way. There is one at a time: a worker that waits
/// in one executes any task of the run, and the carriers of a second call, begun by such a task, could come
/// to lie on top of those that this waits for.
template <class P>
class only_call {
 public:
  explicit only_call(work::run<P>& r) : run_(r) {
    if (!run_.begin_green_threads())
      throw std::logic_error(
          "leat::run_threads: called in a run in which another one is under way; threads can begin threads without");
  }
  only_call(const only_call&) = delete;
  only_call& operator=(const only_call&) = delete;
  ~only_call() { run_.end_green_threads(); }

 private:
  work::run<P>& run_;
};

/// A thread that is discarded unless it is released: what may throw between its making and its release leaves no
/// stack behind.
template <class P>
struct unreleased {
  bubbles::green_thread<P>* thread;

  ~unreleased() {
    if (thread != nullptr) thread->discard();
  }
};

/// THREAD-12: without memory for the caller's carrier nothing has begun, and all is over. The count that was made
/// for `first` is taken away when its release has added one, or when that did not come about; so it is not
/// zero while workers come to the other offers.
template <class P>
void carry_first(bubbles::thread_scheduler<P>& home, unreleased<P>& first, scheduler::worker<P>& me) {
  struct counted {
    bubbles::thread_scheduler<P>& home;
    ~counted() { home.count_out(); }
  };
  std::optional<carrier<P>> mine;
  {
    const counted until_released{home};
    mine.emplace(home, me, me.id());
    home.release(*std::exchange(first.thread, nullptr));
  }
  mine->carry();
}

/// Executes `first`, and all threads that are made meanwhile, on the workers of the caller's run. It returns in this
/// order: the caller's own carrier ends, as all threads have; the forks are joined, so the carriers of the first
/// offers have ended; no task brings an offer any more; no thread of the system is in `places`. After that only
/// bubbles and held threads keep `home`.
/// Throws std::bad_alloc or std::system_error if nothing has begun; `first` is discarded then.
template <class P>
void carry_all(bubbles::thread_scheduler<P>& home, bubbles::green_thread<P>& first, scheduler::worker<P>& me) {
  using shared_offer = std::shared_ptr<bubbles::offer<P>>;
  unreleased<P> mine{&first};
  std::vector<shared_offer> offers;  // to all workers but the caller
  for (std::uint32_t i = 1; i < me.workers(); ++i)
    offers.push_back(std::make_shared<bubbles::offer<P>>(bubbles::offer<P>::any_unit));
  home.offers.begin(me);
  // As a task of no group: the forks and offers made inside are no group's either, and a barrier inside is refused.
  me.runner.call_as_task_of(nullptr, [&] {
    using form = task::plain_form<P>;
    // Each offer is a fork, and so taken by a worker that has nothing to do.
    const auto each = [&home](std::size_t, shared_offer& o, auto) { accept(home, o); };
    const auto others = [&](auto in) { task::fork_row<P>(in, offers.data(), 0, offers.size(), each); };
    const auto caller = [&](auto) { carry_first(home, mine, me); };
    home.threads.release();  // THREAD-12: `first` counts before a worker sees an offer
    if (offers.empty()) carry_first(home, mine, me);
    else task::fork_two<P>(form(), form::with_form(caller), form::with_form(others));
    // Workers that accept other offers end as soon as they find that all threads have ended.
    me.waiter.work_until([&home] { return home.offers.none_under_way(); });
  });
  home.close();
}

/// See leat::run_threads. The first thread has no handle: it gives up that share of the record at once, and what it
/// lets out is kept for the end. Exceptions of threads come before the complaint about threads that never began.
template <class P, class F>
void run_threads(F& f, const topology::machine& m, bubbles::trace* t = nullptr, const bubbles::policy* p = nullptr) {
  auto& me = task::this_worker<P>("run_threads");
  if (me.published != nullptr) {
    throw std::invalid_argument(
        "leat::run_threads: this runtime's scheduler carries no threads; leat::options::scheduler = \"channel\" does");
  }
  const only_call<P> only(*me.runner.current_run());
  const auto home = std::make_shared<bubbles::thread_scheduler<P>>(m, t, accept<P>, p);
  bubbles::green_thread<P>& first =
      make_green_thread<P>(*home, fibre::stack<P>(fibre::stack_bytes_usual), {}, [&f] { f(); });
  first.has_handle = false;
  first.let_go();
  carry_all(*home, first, me);
  if (auto failure = home->members.take_failure()) std::rethrow_exception(failure);
  if (const auto threads = home->threads.unbegun()) throw_unbegun(threads);
}

}  // namespace leat::inline LEAT_ABI::threads
