// The scheduler: it has what its workers share. Workers have private deques, requests are forwarded, a manager
// detects the end (thesis, chapters 3 and 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "leat/handshake/budget.hpp"
#include "leat/handshake/marks.hpp"
#include "leat/handshake/proxies.hpp"
#include "leat/handshake/watch.hpp"
#include "leat/post/combining_manager.hpp"
#include "leat/post/post.hpp"
#include "leat/scheduler/dispatcher.hpp"
#include "leat/scheduler/monitor.hpp"
#include "leat/scheduler/roster.hpp"
#include "leat/scheduler/settings.hpp"
#include "leat/scheduler/submissions.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/waiting/hang_report.hpp"
#include "leat/waiting/wait_list.hpp"
#include "leat/work/processor.hpp"
#include "leat/work/run.hpp"
#include "leat/work/run_count.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class channel_scheduler {
 public:
  using manager_type = post::combining_manager<P, dispatcher<P>>;
  /// What makes the processors of a published scheduler, as settings::published says; null for leat's own. The caller owns them.
  using processors = work::processors<P, worker<P>>;
  using published_maker = processors* (*)(channel_scheduler&);

  /// Starts the workers. `shared`: the CPUs that it shares with other schedulers, or null. Throws std::system_error, naming the
  /// worker, if a thread cannot be started; no thread is left.
  explicit channel_scheduler(settings s, published_maker make = nullptr, handshake::budget<P>* shared = nullptr)
      : settings_(std::move(s)),
        process_(P::process_id()),
        post_(*this),
        dispatcher_(*this),
        manager_(dispatcher_, settings_.workers, settings_.spares),
        cpus_(
            shared,
            // BUDGET-4. On a thread that is about to be idle, of any scheduler, or of none.
            [](void* home) {
              auto& me = *static_cast<channel_scheduler*>(home);
              call_from(worker<P>::current(), [&me] { me.manager_.tell({post::note<P>::kind::room}); });
            },
            this),
        proxies_(all_workers()),
        watch_(*this, settings_.interrupt_after_ns, monitor<P>::on_interrupt),
        published_(make == nullptr ? nullptr : make(*this)),
        hangs_(*this, settings_.hangs.report_ns, settings_.hangs.tell, settings_.hangs.describe),
        givers_(all_workers()),
        lookouts_(all_workers()),
        submissions_(*this),
        roster_(*this, settings_) {
    worker<P>::forget_in_children();
    static_cast<void>(P::now_ns());  // the first reading may open a file
    try {
      roster_.start(settings_.primaries);
      hangs_.start(settings_.threads.name + "-hang");
    } catch (...) {
      stop();
      throw;
    }
  }

  channel_scheduler(const channel_scheduler&) = delete;
  channel_scheduler& operator=(const channel_scheduler&) = delete;

  /// Lets every worker finish and leave. No run may be in progress.
  ~channel_scheduler() {
    if (forked()) {
      abandon();
    } else {
      static_cast<void>(submissions_.close());
      stop();
    }
  }

  const settings& config() const noexcept { return settings_; }

  // -- runs

  /// Executes root(body) as the root of a run, on a worker, and returns when all its tasks are done. Any thread that
  /// is not a worker of this scheduler. root must not throw: it calls fail(). If runs_max runs are under way it waits
  /// first.
  /// \param counts_as  in run_count
  void execute(work::run<P>& r, std::uint64_t counts_as = work::run_count<P>::one_caller) {
    const std::uint64_t others = begin_run_when_there_is_room(counts_as);
    auto* const outsider = worker<P>::current();
    const auto submit = [&] {
      if (published_) return submit_in_turn(r, outsider);
      manager_.tell({post::note<P>::kind::submit, 0, {}, &r});
      // INTERRUPT-6: without a run no sleeper watches, so the first one wakes a keeper.
      if (others == 0) watch_.begin();
    };
    call_from(outsider, submit);
    std::optional<waiting::long_wait<P>> listed;
    if (outsider != nullptr) {
      // A worker of another scheduler still polls: thieves there may want its tasks meanwhile.
      outsider->waiter.list_if_reported(listed, waiting::wait_kind::foreign_run, &r);
      while (!r.finished()) {
        outsider->poll();
        P::sleep_ns(foreign_poll_ns);
      }
      outsider->waiter.end_listed(listed);
    } else {
      if (hangs_.on()) hangs_.list(listed.emplace(waiting::wait_about{waiting::wait_kind::run}, P::now_ns()), nullptr);
      r.wait();
      if (listed) waits_.leave(*listed);
    }
    runs_.end(counts_as);
  }

  /// Whether there is a run. Any thread; one load.
  bool under_way() const noexcept { return runs_.any(); }
  work::run_count<P>& runs() noexcept { return runs_; }

  /// A drain's run begins (SUBMIT-8). Any thread.
  void submit_drain(work::run<P>& r) {
    const auto submit = [&] {
      const bool first = runs_.begin(runs_.one_drain) == 0;
      manager_.tell({post::note<P>::kind::submit, 0, {}, &r});
      if (first) watch_.begin();  // INTERRUPT-6
    };
    call_from(worker<P>::current(), submit);
  }

  /// Calls f, which may combine, on a thread that is no worker of this scheduler. `outsider` is the worker of another
  /// scheduler that it is, or null. It counts as inside the runtime, since a combiner must not be interrupted
  /// (INTERRUPT-1).
  template <class F>
  static void call_from(worker<P>* outsider, F f) {
    if (outsider == nullptr) return f();
    const stay<P> here(*outsider, whereabouts::runtime);
    f();
  }

  /// Whether this process is a forked child of the one that made the scheduler, where no worker runs.
  bool forked() const noexcept { return P::process_id() != process_; }

  // -- workers

  /// With spares that may be started.
  std::uint32_t all_workers() const noexcept { return settings_.workers + settings_.spares; }
  std::uint32_t workers_started() const noexcept { return roster_.started(); }
  worker<P>& worker_at(protocol::worker_id w) noexcept { return roster_.at(w); }
  const worker<P>& worker_at(protocol::worker_id w) const noexcept { return roster_.at(w); }
  roster<P>& all() noexcept { return roster_; }
  auto& submitted() noexcept { return submissions_; }

  /// Sums over the workers that were started. Any thread, at any time; exact between runs.
  counters read_counters() const {
    counters total;
    for (std::uint32_t i = 0; i < workers_started(); ++i) total += read_counters(i);
    return total;
  }
  counters read_counters(std::uint32_t w) const { return roster_.at(w).counts.read(); }

  /// A worker is about to block, so a compensating worker must take its place (MANAGER-9). The manager hears of it
  /// first: a spare whose request is kept already can be had at once.
  void block_begins() {
    roster_.block_begins();
    cpus_.block();
    if (!published_) manager_.tell({post::note<P>::kind::block});
    if (!published_ || published_->has_spares()) roster_.start_spares();
    cpus_.notify();  // BUDGET-4: there is room for one that takes the place
  }
  void block_ends() {
    roster_.block_ends();
    cpus_.come_back();
    if (!published_) manager_.tell({post::note<P>::kind::back});
  }

  /// Of a published scheduler; else null.
  processors* published() noexcept { return published_.get(); }
  work::processor<P>* make_processor(worker<P>& of, protocol::worker_id id) {
    return published_ ? &published_->make(of, id) : nullptr;
  }

  /// No worker draws a spare as a victim, since most spares do not exist at most times. A spare has no victims: it
  /// asks the manager alone, which knows whether it is needed (MANAGER-8).
  protocol::victims make_victims(protocol::worker_id thief) const {
    if (thief >= settings_.workers) return {{}, {}, 0, 0};
    const std::uint64_t seed = protocol::random(settings_.seed + thief)();
    if (!settings_.distance) return protocol::victims::flat(thief, settings_.workers, seed, settings_.attempts);
    return protocol::victims::near(thief, settings_.workers, settings_.distance, seed, settings_.attempts);
  }
  protocol::victims& victims_of(const protocol::request& s) { return roster_.at(s.thief).requester.victims(); }

  // -- shared by the workers

  post::post<P, channel_scheduler>& post() noexcept { return post_; }
  manager_type& manager() noexcept { return manager_; }
  const manager_type& manager() const noexcept { return manager_; }
  /// Rules BUDGET.
  typename handshake::budget<P>::account& cpus() noexcept { return cpus_; }
  handshake::proxies<P, worker<P>>& proxies() noexcept { return proxies_; }
  void poll_for_blocked() noexcept { proxies_.serve(); }
  handshake::watch<P, channel_scheduler>& watch() noexcept { return watch_; }
  waiting::wait_list<P>& long_waits() noexcept { return waits_; }
  waiting::hang_report<P, channel_scheduler>& hangs() noexcept { return hangs_; }
  /// Hints: workers whose channel is open (WORKER-11).
  handshake::marks<P>& givers() noexcept { return givers_; }
  /// Workers that poll for pooled requests by themselves (ACTOR-3).
  handshake::marks<P>& lookouts() noexcept { return lookouts_; }
  /// How many workers pause between two requests (WORKER-10).
  auto& pausing() noexcept { return pausing_; }
  /// How often any group was cancelled.
  auto& cancels() noexcept { return cancels_; }

 private:
  static constexpr std::uint64_t foreign_poll_ns = 50'000;  // between two polls of a worker of another scheduler
  static constexpr std::uint64_t retry_ns = 1'000'000;  // between two tries to begin a run

  // The manager has room for runs_max runs. A caller beyond that waits here, and counts as no run meanwhile.
  std::uint64_t begin_run_when_there_is_room(std::uint64_t counts_as) {
    std::uint64_t others = 0;
    while ((others = runs_.begin(counts_as)) % runs_.one_drain >= protocol::manager::runs_max) {
      runs_.end(counts_as);
      P::sleep_ns(retry_ns);
    }
    return others;
  }

  // One run at a time (published/): the caller waits, and if it is a worker of another scheduler, it polls there meanwhile.
  void submit_in_turn(work::run<P>& r, worker<P>* outsider) {
    while (!published_->submit(r)) {
      if (outsider == nullptr) published_->wait_for_turn();
      else outsider->poll(), P::sleep_ns(foreign_poll_ns);
    }
  }

  // Workers leave when they are told to, so the message must come before the join.
  void stop() noexcept {
    hangs_.stop();
    if (published_) published_->stop();
    else call_from(worker<P>::current(), [this] { manager_.tell({post::note<P>::kind::stop}); });
    roster_.join();
    cpus_.close();
  }

  // In a forked child no thread of the scheduler exists, so waiting for one would never end.
  void abandon() noexcept {
    hangs_.abandon();
    cpus_.abandon();
    submissions_.abandon();
    roster_.abandon();
  }

  // Members end in reverse order: the roster with its workers before the parts that they share.
  const settings settings_;
  const std::uint64_t process_;
  post::post<P, channel_scheduler> post_;
  dispatcher<P> dispatcher_;
  manager_type manager_;
  typename handshake::budget<P>::account cpus_;
  handshake::proxies<P, worker<P>> proxies_;
  handshake::watch<P, channel_scheduler> watch_;
  const std::unique_ptr<processors> published_;
  waiting::wait_list<P> waits_;
  waiting::hang_report<P, channel_scheduler> hangs_;
  handshake::marks<P> givers_;
  handshake::marks<P> lookouts_;
  submissions<P, channel_scheduler> submissions_;
  roster<P> roster_;
  work::run_count<P> runs_{settings_.adapts_spin};  // under way or waiting
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> pausing_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> cancels_{0};
};

}  // namespace leat::inline LEAT_ABI::scheduler
