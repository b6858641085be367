// The channel scheduler: private deques, steal requests that are forwarded, a manager (thesis, chapters 3 and 4).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "leat/protocol/exposure.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/scheduler/attendance.hpp"
#include "leat/scheduler/attended_manager.hpp"
#include "leat/scheduler/hang_report.hpp"
#include "leat/scheduler/marks.hpp"
#include "leat/scheduler/waits.hpp"
#include "leat/scheduler/watch.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::scheduler {

/// What a scheduler is built from; every field has been checked (see leat::options).
struct settings {
  std::uint32_t workers = 1;
  std::uint32_t spares = 0;                 ///< more workers, for those that block; started when they are needed
  std::uint64_t spin_ns = 0;                ///< an idle worker spins that long before it sleeps
  std::uint64_t patience_ns = 0;            ///< and that long for a victim, before its request goes to rest
  std::uint64_t seed = 0;                   ///< of victim selection
  std::uint64_t interrupt_after_ns = 0;     ///< a worker that owes an answer for that long is interrupted; 0: never
  std::size_t deque_capacity = 1u << 13;    ///< tasks that a worker's deque holds before it grows
  std::uint32_t attempts = 4;               ///< victims that a request tries before it rests with the manager; or 0
  protocol::strategy strategy = protocol::strategy::adaptive;
  protocol::exposure exposure = protocol::exposure::none;  ///< what others may take without being answered
  bool last_victim = true;                  ///< try the victim of the last steal first
  std::vector<unsigned> bind_to;            ///< CPUs, in turn; empty: not bound
  /// How far apart two workers are, in levels of the machine tree: who is nearer is asked first. Empty: all are equally near.
  std::function<std::uint32_t(protocol::worker_id, protocol::worker_id)> distance;
  std::uint64_t number = 0;  ///< of the scheduler; no other in the process has it, while its address may come again
  std::uint64_t list_waits_after_ns = 10'000'000;  ///< a wait that lasts so long is looked at (CW1)
  std::uint64_t hang_report_ns = 0;  ///< a run in which nothing is executed for so long is told of; 0: never
  std::function<void(const std::string&)> tell_hang = scheduler::tell_hang;
  bool has_primary = false;  ///< worker 0 has no thread of its own; see primary.hpp
};

template <class P>
class channel_scheduler {
 public:
  class primary;

  /// Starts the workers. Throws std::system_error, naming the worker, if a thread cannot be started; no thread is left.
  explicit channel_scheduler(settings s)
      : settings_(std::move(s)),
        process_(P::process_id()),
        manager_(*this, settings_.workers, settings_.spares),
        attendance_(std::size_t{settings_.workers} + settings_.spares),
        watch_(*this, settings_.interrupt_after_ns),
        hangs_(*this, settings_.hang_report_ns, settings_.tell_hang),
        givers_(std::size_t{settings_.workers} + settings_.spares),
        lookouts_(std::size_t{settings_.workers} + settings_.spares),
        workers_(std::size_t{settings_.workers} + settings_.spares) {
    worker<P>::forget_in_children();
    for (std::uint32_t i = 0; i < settings_.workers; ++i) workers_[i] = std::make_unique<worker<P>>(*this, i);
    for (std::uint32_t i = settings_.has_primary ? 1 : 0; i < settings_.workers; ++i) start(*workers_[i]);
    start_reporting();
  }

  channel_scheduler(const channel_scheduler&) = delete;
  channel_scheduler& operator=(const channel_scheduler&) = delete;

  /// Lets every worker finish and leave. No run may be in progress.
  ~channel_scheduler() {
    if (forked()) abandon();
    else stop();
  }

  const settings& config() const noexcept { return settings_; }

  /// Executes root(body) as the root of a run, on a worker, and returns when all its tasks are done. Any thread that is
  /// not a worker of this scheduler. root must not throw: it calls fail(). With runs_max runs under way it waits first.
  void execute(run<P>& r) {
    std::uint64_t others = 0;
    // release: pairs with under_way; what a run does is ordered by the manager's channel.
    while ((others = runs_.fetch_add(1, platform::release)) >= protocol::manager::runs_max) {
      runs_.fetch_sub(1, platform::relaxed);  // relaxed: a count
      P::sleep_ns(retry_ns);
    }
    std::optional<long_wait<P>> listed;
    auto* const outsider = worker<P>::current();
    const auto submit = [&] {
      manager_.tell({note<P>::kind::submit, 0, {}, &r});
      if (others == 0) watch_.begin();
    };
    call_from(outsider, submit);
    if (outsider != nullptr) {
      // A worker of another scheduler, whose tasks others may want meanwhile.
      outsider->list_if_reported(listed, wait_kind::foreign_run);
      while (!r.finished()) {
        outsider->poll();
        P::sleep_ns(foreign_look_ns);
      }
      outsider->end_listed(listed);
    } else {
      if (hangs_.on()) waits_.enter(listed.emplace(wait_about{wait_kind::run}, nullptr, nullptr, nullptr, P::now_ns()));
      r.wait();
      if (listed) waits_.leave(*listed);
    }
    runs_.fetch_sub(1, platform::relaxed);
  }

  /// A name for a run, never used before.
  protocol::run_id new_run_id() noexcept { return next_run_.fetch_add(1, platform::relaxed); }  // relaxed: a number

  /// Whether there is a run. Any thread; one load.
  bool under_way() const noexcept {
    // acquire: pairs with execute. Who sees a run knows the threads of those who work for it.
    return runs_.load(platform::acquire) != 0;
  }

  /// Whether this process is a forked child of the one that made the scheduler, where no worker runs.
  bool forked() const noexcept { return P::process_id() != process_; }

  counters read_counters() const {
    counters total;
    for (std::uint32_t i = 0; i < workers_started(); ++i) total += workers_[i]->read_counters();
    return total;
  }

  /// Workers with the numbers up to this one exist: those that were asked for, and the spares that were needed so far.
  std::uint32_t workers_started() const noexcept {
    return settings_.workers + spares_started_.load(platform::acquire);  // acquire: pairs with start_spare
  }

  counters read_counters(std::uint32_t worker) const { return workers_[worker]->read_counters(); }

 private:
  friend class worker<P>;
  friend class group<P>;
  friend class attended_manager<P, channel_scheduler>;
  friend class watch<P, channel_scheduler>;
  friend class hang_report<P, channel_scheduler>;

  static constexpr std::uint64_t foreign_look_ns = 50'000;  // between two looks of a worker of another scheduler
  static constexpr std::uint64_t retry_ns = 1'000'000;  // between two looks whether a run may begin

  void start(worker<P>& w) {
    present_.fetch_add(1, platform::relaxed);  // relaxed: a count; the thread that starts comes after it
    try {
      w.thread_ = typename P::thread([&w] { w.main(); });
    } catch (const std::system_error& e) {
      leave();
      stop();
      throw std::system_error(e.code(), "leat: could not start worker " + std::to_string(w.id_) + " of " +
                                            std::to_string(settings_.workers));
    } catch (...) {
      leave();
      stop();
      throw;
    }
  }

  // acq_rel, acquire: what others did to a thread's own words happens before the thread ends.
  void leave() noexcept {
    if (present_.fetch_sub(1, platform::acq_rel) == 1) P::wake_all(present_);
  }
  void leave_with_all() noexcept {
    leave();
    while (const auto others = present_.load(platform::acquire)) P::wait(present_, others);
  }

  // Calls f, which may attend the manager, on a thread that is no worker of ours, but `outsider` of another scheduler or
  // none: who attends is not interrupted (I1).
  template <class F>
  static void call_from(worker<P>* outsider, F f) {
    if (outsider == nullptr) return f();
    const stay<P> here(*outsider, whereabouts::runtime);
    f();
  }

  void start_reporting() {
    try {
      hangs_.start();
    } catch (...) {
      stop();
      throw;
    }
  }

  void stop() noexcept {
    hangs_.stop();
    call_from(worker<P>::current(), [this] { manager_.tell({note<P>::kind::stop}); });
    for (auto& w : workers_) {
      if (w && w->thread_.joinable()) w->thread_.join();
    }
  }

  // A worker is about to block: another is to take its place (G9).
  void block_begins() {
    blocked_.fetch_add(1, platform::relaxed);  // relaxed: the exchanges of starting_ order it
    manager_.tell({note<P>::kind::block});
    start_spares();
  }

  void block_ends() {
    blocked_.fetch_sub(1, platform::relaxed);
    manager_.tell({note<P>::kind::back});
  }

  bool lacks_spares() const noexcept {
    const std::uint32_t started = spares_started_.load(platform::relaxed);  // relaxed: a number
    return started < settings_.spares && started < blocked_.load(platform::relaxed);
  }

  // Sees to it that there is a spare for each worker that blocks, as far as the settings and the system allow. One thread
  // at a time: who finds another at it is seen by that one, which looks again after it has let go of the word (as Y6).
  void start_spares() noexcept {
    while (lacks_spares() && starting_.exchange(1, platform::acq_rel) == 0) {
      const bool done = lacks_spares() && !start_spare();
      starting_.exchange(0, platform::acq_rel);
      if (done) return;
    }
  }

  // False if the system has no memory or no thread for it. Then nobody takes the place; the next one that blocks tries again.
  bool start_spare() noexcept {
    const std::uint32_t number = workers_started();
    try {
      workers_[number] = std::make_unique<worker<P>>(*this, number);
    } catch (...) {
      return false;
    }
    present_.fetch_add(1, platform::relaxed);  // relaxed: as in start
    try {
      workers_[number]->thread_ = typename P::thread([w = workers_[number].get()] { w->main(); });
    } catch (...) {
      leave();
      workers_[number].reset();
      return false;
    }
    spares_started_.fetch_add(1, platform::release);  // pairs with workers_started
    return true;
  }

  // In a forked child the threads do not exist: there is nothing to join, and nothing to free safely.
  void abandon() noexcept {
    hangs_.abandon();
    for (auto& w : workers_) static_cast<void>(w.release());
  }

  // -- what the watch needs

  const std::vector<std::unique_ptr<worker<P>>>& workers() const noexcept { return workers_; }

  // -- what the attended manager needs; called by the attendant alone

  // Returns false if the action is refused: the channel of the chosen worker is closed.
  bool deliver(const protocol::action& a, run<P>* of) {
    using kind = protocol::action::kind;
    switch (a.what) {
      case kind::hand: {
        if (workers_[a.to]->offer_.meet(a.about)) break;  // T2
        protocol::request s = a.about;
        if (send(s, a.to) != delivery::refused) break;
        show_resting(s);
        return false;
      }
      case kind::root: answer_to(a.about.thief, {answer<P>::kind::root, 0, {}, nullptr, of}, a.about); break;
      case kind::dummy: answer_to(a.about.thief, {answer<P>::kind::dummy, 0, {}, nullptr, of}, a.about); break;
      case kind::stop: answer_to(a.about.thief, {answer<P>::kind::stop, 0, {}, nullptr, nullptr}, a.about); break;
      case kind::finished: of->finish(); break;
    }
    return true;
  }

  void ask(protocol::worker_id w) {
    workers_[w]->raise();
    // Who has closed its channel has nothing to offer, and looks when it has. To wake it would take as long as to handle ten
    // messages, and in recursions that wait for futures most of many workers sleep so.
    attendance_.reach_if_open(*workers_[w]);  // it may sleep in a wait
  }

  // A3
  bool on_lookout(protocol::worker_id w) const noexcept { return lookouts_(w); }

  void attend_absent() noexcept { attendance_.attend(); }

  // The worker of this scheduler that calls, if one does.
  std::optional<protocol::worker_id> caller() const noexcept {
    const worker<P>* const me = worker<P>::current();
    return me != nullptr && &me->home_ == this ? std::optional(me->id_) : std::nullopt;
  }

  // A5: lets `idle` attend in the caller's stead, unless it sleeps.
  bool relieve_by(protocol::worker_id idle) noexcept { return workers_[idle]->relief_.call(workers_[idle]->parker_); }

  // T3
  bool offer_stands(protocol::worker_id w) const noexcept {
    return !workers_[w]->offer_.given_up() || !workers_[w]->requests_.closed();
  }

  // `handed`: the thief whose request was handed over to worker `w`, if any.
  void offer_dealt_with(protocol::worker_id w, std::optional<protocol::worker_id> handed) {
    if (workers_[w]->offer_.end() != offer<P>::outcome::given_up) return;
    if (handed) workers_[*handed]->take_back_again();
    attendance_.reach_if_open(*workers_[w]);  // T3: it may sleep in a wait, and have more to offer
  }

  // Opens a request that came to the manager; it rests there until it is answered or handed out.
  bool keep(const protocol::request& s) {
    if (!open(s)) return false;
    show_resting(s);
    return true;
  }

  void show_resting(const protocol::request& s) { workers_[s.thief]->ticket_.show_resting(); }

  // -- what workers need of each other

  enum class delivery : std::uint8_t {
    sent,
    refused,  // the channel is closed or full; the sender still holds the request
    revoked,  // refused, and its thief has taken it back meanwhile
  };

  delivery send(protocol::request& s, protocol::worker_id to) {
    worker<P>& victim = *workers_[to];
    if (victim.requests_.closed()) return delivery::refused;
    post(s);
    if (victim.requests_.try_send(s) == channel::sent::ok) {
      victim.raise();  // after the send (D2)
      attendance_.reach(victim);  // it may sleep in a wait. Whoever sends attends afterwards
      return delivery::sent;
    }
    return open(s) ? delivery::refused : delivery::revoked;
  }

  // A follower's request.
  delivery send_after(protocol::request& s, protocol::worker_id to) {
    worker<P>& victim = *workers_[to];
    post(s);
    if (victim.follows_.try_send(s) == channel::sent::ok) {
      victim.raise();  // after the send (D2)
      attendance_.reach(victim);  // it may sleep in a wait. Whoever sends attends afterwards
      return delivery::sent;
    }
    return open(s) ? delivery::refused : delivery::revoked;
  }

  void send_to_manager(protocol::request s) {
    post(s);
    manager_.tell({note<P>::kind::request, 0, s});
  }

  // R3: as the message that is about to be sent.
  void post(protocol::request& s) { workers_[s.thief]->ticket_.post(s); }

  // Makes the caller the holder of a request that it received. False if its thief has taken it back (R3).
  bool open(const protocol::request& s) { return workers_[s.thief]->ticket_.open(s.serial); }

  // Answers a request. Its thief is told what the manager knows of it by the request itself.
  bool answer_to(protocol::worker_id thief, const answer<P>& prepared, const protocol::request& s) {
    worker<P>& w = *workers_[thief];
    answer<P> a = prepared;
    a.known = s.known;
    a.serial = s.serial;
    // Room for one is enough: a worker has one request, and each is answered once (R1, R2).
    [[maybe_unused]] const channel::sent sent = w.answers_.try_send(a);
    assert(sent == channel::sent::ok);
    return attendance_.reach(w);  // if it is absent, the answer came late
  }

  // Nobody draws a spare, most of which are not there at most times; and a spare asks the manager alone, who knows whether it is
  // needed (G8).
  protocol::victims make_victims(protocol::worker_id thief) const {
    if (thief >= settings_.workers) return {{}, {}, 0, 0};
    const std::uint64_t seed = protocol::random(settings_.seed + thief)();
    if (!settings_.distance) return protocol::victims::flat(thief, settings_.workers, seed, settings_.attempts);
    return protocol::victims::near(thief, settings_.workers, settings_.distance, seed, settings_.attempts);
  }

  protocol::victims& victims_of(const protocol::request& s) { return workers_[s.thief]->victims_; }

  const settings settings_;
  const std::uint64_t process_;
  attended_manager<P, channel_scheduler> manager_;
  attendance<P, worker<P>> attendance_;
  watch<P, channel_scheduler> watch_;
  waits<P> waits_;
  hang_report<P, channel_scheduler> hangs_;
  marks<P> givers_;  // hints: workers whose channel is open (W3)
  marks<P> lookouts_;  // workers that look at the pool by themselves (A3)
  std::vector<std::unique_ptr<worker<P>>> workers_;  // then the spares; null before they are started
  typename P::template atomic<protocol::run_id> next_run_{1};
  // Threads that are workers. Each stays until all have left: others may still raise its fork_words.
  typename P::template atomic<std::uint32_t> present_{0};
  typename P::template atomic<std::uint64_t> runs_{0};  // under way or waiting
  typename P::template atomic<std::uint32_t> blocked_{0};  // workers
  typename P::template atomic<std::uint32_t> spares_started_{0};
  typename P::template atomic<std::uint32_t> starting_{0};  // 1: a thread is at it
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> pausing_{0};  // workers; see worker::pause
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> cancels_{0};  // of groups; see group
};

}  // namespace leat::scheduler

#include "leat/scheduler/channel_instances.hpp"
#include "leat/scheduler/group_loop.hpp"
#include "leat/scheduler/primary.hpp"
#include "leat/scheduler/share.hpp"
#include "leat/scheduler/waits_search.hpp"
#include "leat/scheduler/worker_absence.hpp"
#include "leat/scheduler/worker_follow.hpp"
#include "leat/scheduler/worker_look.hpp"
#include "leat/scheduler/worker_loop.hpp"
