// The manager as an actor that needs no thread and no worker of its own.
//
// This is flat combining. A thread that sends the manager a message becomes its *combiner*: it handles messages until
// the mailbox is empty, unless another thread does so already. The manager is never stuck behind a long task, as one
// that is also a worker can be (thesis 4.1.3).
//
// Rules, cited in the code:
//  ACTOR-1  One thread combines at a time: the inbox's receiver (MAILBOX-1, docs/internals/channels.md).
//  ACTOR-2  A sender is told whether it is to combine by the same operations that say to the combiner whether a message
//      is left (MAILBOX-2, MAILBOX-4), so the later of the two knows of the earlier: no message is left alone.
//      Combining sends nothing (MAILBOX-5).
//  ACTOR-3  The idle pool is published in `pool_` before a worker is signalled to poll, also for an update
//      (MANAGER-2). A worker that has seen pooled requests is on the *lookout* for a while: marked, it polls by
//      itself and is not signalled. It ends that by taking its mark away, a fence and a poll; the publisher fences,
//      then reads the marks. Why: to signal all takes as long as some hundred messages where there are hundreds of
//      workers. With both fences the publisher finds no mark, or the worker's poll finds the news.
//  ACTOR-4  A worker that waits beside its tasks announces that, fences and reads the pool; the publisher fences and
//      checks whether any is announced, and then signals all workers that work and are not on the lookout, at every
//      arrival. A worker that waits so, or is blocked, has ended its lookout before.
//  ACTOR-5  A combiner that has combined for long, and has something else to do, lets a worker go on that is idle,
//      awake and stands by: it spins for an answer, and sends no message itself. One compare-and-swap calls it, after
//      the combiner has left its state. No thread combines before the worker has seen the call. Why: so its request
//      is not answered before. (A thread that is awake may lack a CPU. Then messages wait, as where a combiner lacks
//      one, MAILBOX-6.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "leat/channel/mailbox.hpp"
#include "leat/platform/order.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/manager.hpp"

namespace leat::inline LEAT_ABI::post {

/// `Home` is the dispatcher: keep(request) opens a request that arrives, deliver(action, run*) carries out what is to be
/// done, has_room() whether there is a CPU for one more busy worker, signal(worker) signals a worker, on_lookout(worker) tells whether one polls by itself, offer_stands(worker)
/// whether there may be something to its offer, and offer_dealt_with(worker) says that a request has been handed over,
/// or none; caller() is the worker that calls, if one does, and relieve_by(worker) lets that one go on;
/// poll_for_blocked() is called when the manager has been left.
template <class P, class Home>
class combining_manager {
 public:
  /// Messages that external threads may have on the way at once; one more waits for its turn.
  static constexpr std::size_t submissions_max = 64;

  /// Messages of each worker for which there is room. It has at most one request on the way and, in the thesis's bound
  /// (4.1.2), one update; offers and recalls add to that. The capacity is for the common case: where there are more, a sender
  /// waits while the combiner catches up.
  static constexpr std::size_t messages_each = 4;

  /// After so many messages in a row the combiner searches for a worker to go on, among so many idle ones (ACTOR-5).
  static constexpr unsigned messages_in_a_row = 16;
  static constexpr std::size_t relief_tries_max = 4;

  combining_manager(Home& home, std::size_t workers, std::size_t spares, unsigned in_a_row = messages_in_a_row)
      : home_(home),
        in_a_row_(in_a_row),
        state_(workers, spares),
        inbox_(messages_each * (workers + spares) + submissions_max),
        workers_(workers + spares) {
    // Combining allocates nothing: an exception there would leave the manager without a combiner.
    actions_.reserve(protocol::manager::actions_max(workers_));
    runs_.reserve(protocol::manager::runs_max + 2 * workers_);
  }

  /// Sends a message and sees to it that it is dealt with, by this thread or by the combiner.
  void tell(note<P> message) {
    if (message.what == note<P>::kind::offer) offers_.fetch_add(1, platform::relaxed);  // relaxed: a hint
    if (inbox_.send(message)) combine();
    home_.poll_for_blocked();  // only now: they may have something to tell the manager (BLOCKING-4)
  }

  /// The caller has been called to relieve the combiner (ACTOR-5).
  void relieve() {
    combine();
    home_.poll_for_blocked();
  }

  /// Whether there are requests in the idle pool, for a busy worker that could serve them. `epoch` changes whenever one
  /// is added.
  struct pool {
    std::uint64_t epoch;
    bool has_requests;
  };

  pool read_pool() const noexcept {
    // relaxed: a hint. A worker that must not miss a change is signalled to poll again (ACTOR-3).
    const std::uint64_t word = pool_.load(platform::relaxed);
    return {word >> 1, (word & 1) != 0};
  }

  /// How many requests are pooled. A hint, not on the line of the pool: it changes more often.
  std::uint32_t pooled() const noexcept { return pooled_.load(platform::relaxed); }

  /// WORKER-14: whether as many offers as that are on the way. Not where there are several runs: they may be of the
  /// wrong one. A hint.
  bool has_offers_for_all() const noexcept {
    return several_.load(platform::relaxed) == 0 && offers_.load(platform::relaxed) >= pooled_.load(platform::relaxed);
  }

  /// A worker with tasks is about to wait, where it does not poll by itself; it has stopped waiting.
  void add_waiting_victim() noexcept {
    waiting_victims_.fetch_add(1, platform::release);  // pairs with publish
    P::fence();  // ACTOR-4: the poll that follows sees what was published before, or the publisher sees us
  }
  void remove_waiting_victim() noexcept {
    waiting_victims_.fetch_sub(1, platform::relaxed);  // relaxed: at worst we are signalled once too often
  }

  /// Whether the root of a run waits for an idle worker. A hint.
  bool roots_wait() const noexcept { return roots_.load(platform::relaxed) != 0; }

 private:
  static constexpr std::uint64_t epoch_max = ~std::uint64_t{0} >> 1;

  void combine() {
    for (unsigned handled = 1; auto message = inbox_.receive(); ++handled) {
      handle(*message);
      if (handled % in_a_row_ == 0 && pass_on()) return;
    }
  }

  // ACTOR-5: lets an idle worker go on, of those whose requests came last, which are the likeliest to be awake. Not
  // if the combiner is idle itself. Once a worker has been called, nothing of the combiner's may be touched.
  bool pass_on() {
    if (const auto me = home_.caller(); me && state_.known(*me) == protocol::no_run) return false;
    for (std::size_t later = 0; later < relief_tries_max; ++later) {
      const auto idle = state_.idle(later);
      if (!idle) return false;
      if (home_.relieve_by(*idle)) return true;
    }
    return false;
  }

  // One message: the manager decides, then its actions are carried out, then the sender of an offer is told. The pool
  // is published in between, before any worker is signalled (ACTOR-3).
  void handle(note<P>& m) {
    const std::size_t pooled_before = state_.pooled();
    const auto counted = of_thief(m);  // CAP-4
    handed_.reset();
    decide(m);
    carry_out(pooled_before);
    if (counted != protocol::no_run && (counted != of_thief(m) || m.about.only == counted)) open_again(counted);
    if (m.what == note<P>::kind::room && state_.pooled() != 0) signal_all();
    // MANAGER-2: the thief begins to work without our doing; requests pooled before it was counted did not signal it.
    if (m.what == note<P>::kind::update && state_.pooled() != 0) home_.signal(m.worker);
    if (m.what == note<P>::kind::offer) home_.offer_dealt_with(m.worker, handed_);
  }

  void decide(note<P>& m) {
    switch (m.what) {
      case note<P>::kind::request:
        if (!home_.keep(m.about)) break;  // its thief has taken it back (REQUEST-3)
        state_.on_request(m.about, actions_);
        next_epoch();  // also when another request left in the same step: that one may have been of no use to some
        break;
      case note<P>::kind::update: state_.on_update(m.worker, m.of->id(), actions_); break;
      case note<P>::kind::offer:
        if (home_.offer_stands(m.worker))
          state_.on_offer(m.worker, m.of->id(), actions_, m.of->workers().has_room() && home_.has_room());
        offers_.fetch_sub(1, platform::relaxed);  // relaxed: a hint
        break;
      case note<P>::kind::recall: state_.on_recall(m.worker, actions_); break;
      case note<P>::kind::block:
        state_.on_block(actions_);
        next_epoch();  // a request may have been pooled
        break;
      case note<P>::kind::back: state_.on_return(); break;
      case note<P>::kind::submit:
        runs_.push_back(m.of);
        state_.on_submit(m.of->id(), actions_);
        break;
      case note<P>::kind::enter:  // a run that its caller begins by itself, as that worker (PRIMARY-1)
        runs_.push_back(m.of);
        state_.on_update(m.worker, m.of->id(), actions_);
        break;
      case note<P>::kind::room: next_epoch(); break;  // BUDGET-4
      case note<P>::kind::stop: state_.on_stop(actions_); break;
    }
  }

  // The run that the thief of a request or an update is counted under.
  protocol::run_id of_thief(const note<P>& m) const {
    return m.what == note<P>::kind::request  ? state_.known(m.about.thief)
           : m.what == note<P>::kind::update ? state_.known(m.worker)
                                             : protocol::no_run;
  }

  // CAP-4: a worker that had left the run is counted elsewhere now, or one asks for its tasks. Offers that were made before may have
  // been refused.
  void open_again(protocol::run_id id) {
    const work::run<P>* const r = find(id);
    if (r == nullptr || !r->workers().is_capped() || state_.pooled() == 0) return;
    next_epoch();
    publish(state_.pooled());
    for (std::size_t w = 0; w < workers_; ++w) {
      if (state_.known(static_cast<protocol::worker_id>(w)) == id) home_.signal(static_cast<protocol::worker_id>(w));
    }
  }

  // BUDGET-4: all that are counted under a run.
  void signal_all() {
    for (std::size_t w = 0; w < workers_; ++w) {
      const auto worker = static_cast<protocol::worker_id>(w);
      if (state_.known(worker) != protocol::no_run) home_.signal(worker);
    }
  }

  // Until nothing is left to do: a request that is refused comes back and may make new actions.
  void carry_out(std::size_t pooled_before) {
    publish(pooled_before);
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      const protocol::action a = actions_[i];
      work::run<P>* of = a.run == protocol::no_run ? nullptr : find(a.run);
      if (a.what == protocol::action::kind::finished) std::erase(runs_, of);
      if (home_.deliver(a, of)) {
        if (a.what == protocol::action::kind::hand) handed_ = a.about.thief;
        continue;
      }
      pooled_before = state_.pooled();
      state_.on_request(a.about, actions_);
      next_epoch();
      publish(pooled_before);
    }
    actions_.clear();
  }

  // Publishes the pool's state, and signals busy workers if it has become of interest to them. The order is ACTOR-3's
  // and ACTOR-4's: store, fence, then read the marks and the count of waiting victims.
  void publish(std::size_t pooled_before) {
    const std::size_t pooled = state_.pooled();
    roots_.store(static_cast<std::uint32_t>(state_.waiting()), platform::relaxed);  // relaxed, both: hints
    pooled_.store(static_cast<std::uint32_t>(pooled), platform::relaxed);
    several_.store(runs_.size() > 1 ? 1 : 0, platform::relaxed);  // relaxed: a hint, too
    const std::uint64_t word = epoch_ << 1 | (pooled != 0 ? 1 : 0);
    if (std::exchange(published_, word) == word) return;
    pool_.store(word, platform::relaxed);  // relaxed: signal() and the fence order it (ACTOR-3)
    if (pooled == 0) return;
    P::fence();  // ACTOR-3, ACTOR-4; pairs with the fences in lookout::end and add_waiting_victim
    // Busy workers, once signalled, poll by themselves as long as requests are pooled. Those that wait in a task may be
    // asleep (ACTOR-4). acquire: pairs with add_waiting_victim.
    if (pooled_before != 0 && waiting_victims_.load(platform::acquire) == 0) return;
    for (std::size_t w = 0; w < workers_; ++w) {
      const auto worker = static_cast<protocol::worker_id>(w);
      if (state_.known(worker) != protocol::no_run && !home_.on_lookout(worker)) home_.signal(worker);
    }
  }

  // 0 is what workers remember when they have made no offer.
  void next_epoch() noexcept {
    epoch_ = (epoch_ + 1) & epoch_max;
    if (epoch_ == 0) epoch_ = 1;
  }

  // The run of that name, which is submitted and not finished. Few are, so a search is enough.
  work::run<P>* find(protocol::run_id id) const {
    for (work::run<P>* r : runs_) {
      if (r->id() == id) return r;
    }
    return nullptr;
  }

  Home& home_;
  const unsigned in_a_row_;

  // The combiner's.
  protocol::manager state_;
  std::vector<protocol::action> actions_;
  std::vector<work::run<P>*> runs_;  // submitted and not finished
  std::uint64_t epoch_ = 0;
  std::uint64_t published_ = 0;  // in pool_
  std::optional<protocol::worker_id> handed_;  // whose request the message at hand caused to be handed over

  channels::mailbox<P, note<P>> inbox_;
  const std::size_t workers_;  // with spares
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> pool_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> pooled_{0};
  typename P::template atomic<std::uint32_t> roots_{0};
  typename P::template atomic<std::uint32_t> offers_{0};
  typename P::template atomic<std::uint32_t> several_{0};  // 1: there are several runs
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> waiting_victims_{0};
};

}  // namespace leat::inline LEAT_ABI::post
