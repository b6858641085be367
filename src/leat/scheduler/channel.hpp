// The channel scheduler: private deques, steal requests that are forwarded, a manager (thesis, chapters 3 and 4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "leat/protocol/strategy.hpp"
#include "leat/scheduler/attended_manager.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::scheduler {

/// What a scheduler is built from; every field has been checked (see leat::options).
struct settings {
  std::uint32_t workers = 1;
  std::uint64_t spin_ns = 0;                ///< an idle worker spins that long before it sleeps
  std::uint64_t patience_ns = 0;            ///< and that long for a victim, before its request goes to rest
  std::uint64_t seed = 0;                   ///< of victim selection
  std::size_t deque_capacity = 1u << 13;    ///< tasks that a worker's deque holds before it grows
  std::uint32_t attempts = 4;               ///< victims that a request tries before it rests with the manager; or 0
  protocol::strategy strategy = protocol::strategy::adaptive;
  bool last_victim = true;                  ///< try the victim of the last steal first
  std::vector<unsigned> pin_to;             ///< CPUs, in turn; empty: not bound
};

template <class P>
class channel_scheduler {
 public:
  /// Starts the workers. Throws std::system_error, naming the worker, if a thread cannot be started; no thread is left.
  explicit channel_scheduler(settings s)
      : settings_(std::move(s)), process_(P::process_id()), manager_(*this, settings_.workers) {
    workers_.reserve(settings_.workers);
    for (std::uint32_t i = 0; i < settings_.workers; ++i) workers_.push_back(std::make_unique<worker<P>>(*this, i));
    for (auto& w : workers_) start(*w);
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
    // relaxed: a count; what a run does is ordered by the manager's channel.
    while (runs_.fetch_add(1, platform::relaxed) >= protocol::manager::runs_max) {
      runs_.fetch_sub(1, platform::relaxed);
      P::sleep_ns(retry_ns);
    }
    manager_.tell({note<P>::kind::submit, {}, 0, &r});
    if (auto* outsider = worker<P>::current()) {
      // A worker of another scheduler, whose tasks others may want meanwhile.
      while (!r.finished()) {
        outsider->poll();
        P::sleep_ns(foreign_look_ns);
      }
    } else {
      r.wait();
    }
    runs_.fetch_sub(1, platform::relaxed);
  }

  /// A name for a run, never used before.
  protocol::run_id new_run_id() noexcept { return next_run_.fetch_add(1, platform::relaxed); }  // relaxed: a number

  /// Whether this process is a forked child of the one that made the scheduler, where no worker runs.
  bool forked() const noexcept { return P::process_id() != process_; }

  counters read_counters() const {
    counters total;
    for (const auto& w : workers_) total += w->counts().read();
    return total;
  }

  counters read_counters(std::uint32_t worker) const { return workers_[worker]->counts().read(); }

 private:
  friend class worker<P>;
  friend class attended_manager<P, channel_scheduler>;

  static constexpr std::uint64_t foreign_look_ns = 50'000;  // between two looks of a worker of another scheduler
  static constexpr std::uint64_t retry_ns = 1'000'000;  // between two looks whether a run may begin

  void start(worker<P>& w) {
    try {
      w.thread_ = typename P::thread([&w] { w.main(); });
    } catch (const std::system_error& e) {
      stop();
      throw std::system_error(e.code(), "leat: could not start worker " + std::to_string(w.id_) + " of " +
                                            std::to_string(settings_.workers));
    } catch (...) {
      stop();
      throw;
    }
  }

  void stop() noexcept {
    manager_.tell({note<P>::kind::stop});
    for (auto& w : workers_) {
      if (w->thread_.joinable()) w->thread_.join();
    }
  }

  // In a forked child the threads do not exist: there is nothing to join, and nothing to free safely.
  void abandon() noexcept {
    for (auto& w : workers_) static_cast<void>(w.release());
  }

  // -- what the attended manager needs; called by the attendant alone

  // Returns false if the action is refused: the channel of the chosen worker is closed.
  bool deliver(const protocol::action& a, run<P>* of) {
    using kind = protocol::action::kind;
    switch (a.what) {
      case kind::hand: {
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
    workers_[w]->tasks_.raise();
    workers_[w]->notify();  // it may sleep in a wait
  }

  // `handed`: the thief whose request was handed over to worker `w`, if any.
  void offer_dealt_with(protocol::worker_id w, std::optional<protocol::worker_id> handed) {
    using state = typename worker<P>::offer_state;
    // acq_rel: pairs with worker::offer; what was handed over is in the channel, or w has stopped waiting for it.
    if (workers_[w]->offer_.exchange(state::none, platform::acq_rel) == state::given_up && handed) {
      workers_[*handed]->take_back_again();
    }
  }

  // Opens a request that came to the manager; it rests there until it is answered or handed out.
  bool keep(const protocol::request& s) {
    if (!open(s)) return false;
    show_resting(s);
    return true;
  }

  void show_resting(const protocol::request& s) {
    // relaxed: it tells the thief that it may sleep, and nothing else.
    workers_[s.thief]->ticket_.store(worker<P>::ticket_resting, platform::relaxed);
  }

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
      victim.tasks_.raise();  // after the send (D2)
      victim.notify();  // it may sleep in a wait
      return delivery::sent;
    }
    return open(s) ? delivery::refused : delivery::revoked;
  }

  void send_to_manager(protocol::request s) {
    post(s);
    manager_.tell({note<P>::kind::request, s});
  }

  // Makes a request that the caller holds valid again under a new serial, as the message that is about to be sent (R3).
  void post(protocol::request& s) {
    worker<P>& thief = *workers_[s.thief];
    s.serial += 1;
    thief.posted_ = s;
    thief.ticket_.store(s.serial, platform::release);  // pairs with open and bring_to_rest: posted_, victims_
  }

  // Makes the caller the holder of a request that it received. False if its thief has taken it back (R3).
  bool open(const protocol::request& s) {
    std::uint64_t valid = s.serial;
    // acquire: what the last holder did to the request and its victims. relaxed failure: nothing is looked at.
    return workers_[s.thief]->ticket_.compare_exchange_strong(valid, worker<P>::ticket_held, platform::acquire,
                                                              platform::relaxed);
  }

  // Answers a request. Its thief is told what the manager knows of it by the request itself.
  bool answer_to(protocol::worker_id thief, answer<P> a, const protocol::request& s) {
    worker<P>& w = *workers_[thief];
    a.known = s.known;
    a.serial = s.serial;
    // Room for one is enough: a worker has one request, and each is answered once (R1, R2).
    w.answers_.try_send(a);
    return w.notify();
  }

  protocol::victims& victims_of(const protocol::request& s) { return workers_[s.thief]->victims_; }

  const settings settings_;
  const std::uint64_t process_;
  attended_manager<P, channel_scheduler> manager_;
  std::vector<std::unique_ptr<worker<P>>> workers_;
  typename P::template atomic<protocol::run_id> next_run_{1};
  typename P::template atomic<std::uint64_t> runs_{0};  // under way or waiting
};

}  // namespace leat::scheduler

#include "leat/scheduler/worker_loop.hpp"
