// The body of the worker: how it runs tasks, serves thieves, and steals.
#pragma once

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>

#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/interrupted.hpp"
#include "leat/scheduler/worker_tasks.hpp"

namespace leat::scheduler {

template <class P>
worker<P>::worker(channel_scheduler<P>& home, protocol::worker_id id)
    : tasks_(home.config().deque_capacity, home.config().exposure == protocol::exposure::all),
      plain_forks_(this, home.config().exposure == protocol::exposure::all),
      marked_forks_(this, home.config().exposure == protocol::exposure::all),
      home_(home),
      id_(id),
      workers_(home.config().workers),
      home_number_(home.config().number),
      exposure_(home.config().exposure),
      hunted_(home.config().seed + id),
      victims_(home.make_victims(id)),
      stealing_(home.config().strategy),
      lookout_(home.lookouts_, id),
      requests_(std::size_t{home.config().workers} + home.config().spares),
      follows_(requests_.capacity()),
      answers_(1),
      blocks_(&home) {
  followers_.reserve(requests_.capacity());
  requests_.close();  // W5: it has no tasks yet
}

template <class P>
void worker<P>::main() {
  P::self() = this;
  words_ = thread_words_ = &P::template own<deque::fork_words<P>>();
  P::put(words_->top, plain_forks_.base());
  plain_forks_.move_limit(words_->limit);
  const auto& cpus = home_.config().bind_to;
  if (!cpus.empty()) P::bind(cpus[id_ % cpus.size()]);
  if (home_.watch_.on()) P::allow_interrupts();
  for (;;) {
    run_ = nullptr;
    tag_.works_for_none();
    wanted_.store(exposure_wish::nothing, platform::relaxed);  // what was wanted was of that run
    const auto a = await(protocol::status::idle, protocol::no_run, [] { return false; });
    if (a->what == answer<P>::kind::stop) break;
    accept(*a);
    const stay<P> away(*this, whereabouts::task);
    if (a->what == answer<P>::kind::root) run_root();
    run_tasks();
  }
  P::self() = nullptr;
  P::put(words_->top, nullptr);
  home_.leave_with_all();
}

// -- as a victim ------------------------------------------------------------------------------------------------------

// We hold a request (W2, W3).
template <class P>
void worker<P>::hold(request s) {
  const std::size_t tasks = !tasks_.empty() ? tasks_.size() : oldest_fork() != nullptr ? 1 : 0;
  const protocol::holder me{id_, run_ == nullptr ? protocol::no_run : run_->id(), tasks};
  const protocol::verdict v = protocol::on_request(me, s, home_.victims_of(s), home_.givers_);
  carry_out(v.then, v.what);
}

template <class P>
void worker<P>::carry_out(request s, decision d) {
  hand_on(s, d);
  home_.attend_absent();  // the one it went to may be (Y2)
}

template <class P>
void worker<P>::hand_on(request s, decision d) {
  while (d.what == decision::kind::forward) {
    const auto result = home_.send(s, d.to);
    if (result == channel_scheduler<P>::delivery::revoked) return;
    if (result == channel_scheduler<P>::delivery::sent) {
      if (s.thief == id_) return asked_ = d.to, count(event::requests_sent);
      home_.workers_[s.thief]->take_back_again();
      return count(event::requests_forwarded);
    }
    d = protocol::pass_on(s, home_.victims_of(s), id_, home_.givers_);  // closed: skipped (W3)
  }
  if (d.what == decision::kind::serve) return serve(s, d.update);
  if (s.thief == id_) count(event::requests_sent);
  count(event::requests_rested);
  home_.send_to_manager(s);
}

template <class P>
void worker<P>::serve(request s, bool update) {
  if (update) {
    // Before the answer, so before anything that the thief or we may tell the manager later (W2, G2).
    count(event::updates);
    home_.manager_.tell({note<P>::kind::update, s.thief, {}, run_});
  }
  take_over_account();  // N6
  answer<P> a{answer<P>::kind::tasks, id_, {}, &tasks_, run_};
  if (tasks_.empty()) give_fork(oldest_fork(), a, s.thief);
  else a.lent = tasks_.lend(protocol::batch(s.amount, tasks_.size()));
  if (home_.answer_to(s.thief, a, s)) count(event::wakes);
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// W5: a worker without tasks is nobody's victim. What came before the channel closed is passed on.
template <class P>
void worker<P>::close() {
  home_.givers_.clear(id_);
  lookout_.end();
  requests_.close();
  while (auto s = requests_.try_receive()) {
    if (home_.open(*s)) carry_out(*s, protocol::pass_on(*s, home_.victims_of(*s), id_, home_.givers_));
  }
}

template <class P>
void worker<P>::reopen() {
  if (!absent()) tasks_.rewind();  // what comes is to lie where tasks have lain: that memory has been touched
  offered_ = 0;
  // As if we had looked: what we owed before is void (I4).
  looks_.store(looks_.load(platform::relaxed) + 1, platform::relaxed);
  unserved_.store(0, platform::relaxed);
  in_vain_.store(0, platform::relaxed);
  requests_.reopen();
  home_.givers_.set(id_);
  // Whoever asked while we were idle was refused, but requests may rest: the first push or join is to offer (W6).
  const bool thieves_rest = home_.manager_.look().resting;
  tasks_.settle(thieves_rest);
  if (!thieves_rest) return;
  plain_forks_.raise();
  marked_forks_.raise();
}

// W1: sends our request.
template <class P>
void worker<P>::ask(protocol::status status, protocol::run_id only) {
  assert(!outstanding_ && requests_.closed());  // R1, W5
  request s;
  s.serial = serial_;
  s.thief = id_;
  s.status = status;
  s.amount = stealing_.next(pace_.vain());
  s.known = known_;
  s.only = only;
  outstanding_ = true;
  carry_out(s, protocol::begin(s, victims_, last_victim_, home_.manager_.roots_wait(), home_.givers_));
}

// Waits, with our tasks all done, for the answer to our request, which is sent if none is out. Returns nothing if
// ready() became true first; the channel is left closed. If tasks came meanwhile, the answer is that there is nothing.
template <class P>
template <class Ready>
std::optional<answer<P>> worker<P>::await(protocol::status status, protocol::run_id only, Ready ready) {
  stop_following();  // before: what that accepts opens the channel
  close();
  flush_operation_counts();
  if (!outstanding_ && !tasks_.empty())
    return answer<P>{.known = known_, .serial = serial_};  // from there: nothing, go on
  const auto answered = [&] { return answers_.size() != 0 || ready(); };
  if (!outstanding_) {
    // Where nobody spins, as there are more workers than CPUs, each request ends in a sleep and a wake-up, which its victim
    // pays. Who has tasks to give may be one of those that have no CPU: they come first, and have more to give then.
    if (home_.config().spin_ns == 0) P::yield();
    pause(ready);
    if (pace_.worth_ns() != 0 && pace_.worth_ns() < protocol::exposing::worth_ns_min) exposure_.tasks_are_short();
    if (auto a = hunt(only, ready)) return a;
    asked_.reset();
    ask(status, only);
    if (asked_ && exposure_.adapts() && !parker_.spin(answered, protocol::exposing::late_ns))
      note_long_tasks(protocol::exposing::late_ns);
  }
  // A request that rests has no victim to be patient with.
  const auto settled = [&] { return answered() || ticket_.rests(); };
  if (!parker_.spin(settled, home_.config().patience_ns) && asked_ && exposure_.adapts())
    note_long_tasks(home_.config().patience_ns);
  while (!answered()) {
    // acquire, and an exchange: the ticket is read after it (pairs with take_back_again).
    forwarded_.exchange(0, platform::acq_rel);
    bring_to_rest(status, only, answered);
    // relaxed: only whether to look again.
    const auto disturbed = [&] {
      return answered() || relief_.is_called() || forwarded_.load(platform::relaxed) != 0 || follows_.size() != 0;
    };
    if (open_ != nullptr && open_->about != nullptr) list(open_->listed, *open_->about);
    decline_followers();
    relief_.stand_by();
    if (home_.watch_.sleep(*this, disturbed, home_.config().spin_ns)) counts_.add(event::parks);
    if (relief_.end()) home_.manager_.relieve();  // A5: nobody answers our request before we have attended
  }
  return answers_.try_receive();
}

// After a steal that cost more than it brought (protocol::pace). Nobody counts us as idle meanwhile, so it ends at once when
// nobody works any more, and when a run wants to begin. (Spares that rest end it early; those who block do not: it is short.)
template <class P>
template <class Ready>
void worker<P>::pause(Ready ready) {
  if (!pace_.done(P::now_ns()) || ticket_.posted().amount != stealing_.next(true)) return;  // or asks for more
  const std::uint64_t ns = std::min(pace_.next_pause_ns(), home_.config().spin_ns);
  if (ns == 0) return;
  counts_.add(event::pauses);
  home_.pausing_.fetch_add(1, platform::relaxed);  // relaxed, with the rest of it: hints
  const auto over = [&] {
    return ready() || follows_.size() != 0 || home_.manager_.roots_wait() ||
           home_.manager_.resting() + home_.pausing_.load(platform::relaxed) >= home_.config().workers;
  };
  parker_.spin(over, ns);
  home_.pausing_.fetch_sub(1, platform::relaxed);
}

// R3: a request that lies unopened with a busy worker is of no use to us or to anybody; that worker has been asked to look
// anyway. We take it back and send it to the manager, from where whoever has work can fetch it, before we sleep.
template <class P>
template <class Ready>
void worker<P>::bring_to_rest(protocol::status status, protocol::run_id only, Ready ready) {
  // Whoever holds the request is about to answer it, to bring it to rest or to send it on: we look again, but not for
  // ever, as that thread may be preempted. If it sends the request on after that, it wakes us.
  constexpr int looks_max = 64;
  for (int look = 0; look < looks_max && !ready(); ++look) {
    if (ticket_.rests()) return;
    if (auto mine = ticket_.take_back()) {
      // A follower's, which its holder kept and then sent on (L4, L6), is this wait's from here on, and may be recalled (W4).
      if (std::exchange(following_, false)) mine->status = status, mine->only = only, mine->awaited = 0;
      counts_.add(event::requests_revoked);
      counts_.add(event::requests_rested);
      return home_.send_to_manager(*mine);
    }
    P::yield();
  }
}

// The request is answered: from here on we have work, and may be a victim.
template <class P>
void worker<P>::accept(const answer<P>& a) {
  const bool was_asked = std::exchange(outstanding_, false);
  const bool for_this_wait = std::exchange(following_, false) && waiting_ != nullptr && waiting_->number == asked_in_;
  known_ = a.known;
  serial_ = a.serial;
  if (a.of != nullptr) {
    run_ = a.of;
    works_in(*run_);
  }
  if (hunts_for_ != known_) hunts_in_ = nullptr;  // X1: it may have ended
  if (a.what == answer<P>::kind::dummy) counts_.add(event::dummies);
  // First of all: taking may run tasks, which offer to thieves, who are handed over to an open channel only.
  if (requests_.closed()) reopen();
  // Neither has changed since the request was made.
  if (was_asked && a.lent.count != 0 && stealing_.next(pace_.vain()) == protocol::amount::half)
    counts_.add(event::steals_half);
  if (a.what == answer<P>::kind::tasks) take(a);
  if (a.what == answer<P>::kind::task) take({answer<P>::kind::tasks, a.victim, {const_cast<record*>(&a.task), 1}});
  if (!for_this_wait) strangers_came();  // L6
}

template <class P>
void worker<P>::take(const answer<P>& a) {
  counts_.add(event::steals);
  counts_.add(event::tasks_stolen, a.lent.count);
  stealing_.stole(counts_[event::tasks]);
  if (home_.config().last_victim) last_victim_ = a.victim;
  arrived(a);
  if (!absent()) tasks_.rewind();  // which may free memory; not for whoever attends, maybe in an interrupt
  while (a.lent.count > tasks_.free_slots() && tasks_.grow()) {
  }
  std::size_t taken = tasks_.take(a.lent);
  // What does not fit, because memory is short, is run from where it lies, oldest first.
  for (; taken < a.lent.count; ++taken) {
    record task = a.lent.first[taken];
    run_in_place(task);
  }
  exposure_.holds_stolen(tasks_.size() == 1);
  if (a.lender != nullptr) a.lender->give_back();
  if (a.lender != nullptr) pace_.stole(a.lent.count, P::now_ns());
  else pace_.took_fork();
}

// -- waits ------------------------------------------------------------------------------------------------------------

template <class P>
void worker<P>::barrier() {
  if (ground_ != ground::root || words_->top != plain_forks_.base() || marked_top() != marked_forks_.base())
    throw misplaced_barrier("leat::barrier: only the root of a run may wait for all its tasks");
  ground_ = ground::task;
  const wait_about about{wait_kind::barrier};
  open_wait<P> open{executing_, open_, &about};
  open_ = &open;
  for (;;) {
    run_tasks();
    const stay<P> here(*this, whereabouts::runtime);
    const auto a = await(protocol::status::idle, run_->id(), [] { return false; });
    accept(*a);
    if (a->what != answer<P>::kind::dummy || a->of == nullptr) continue;  // W7
    end_listed(open.listed);
    break;
  }
  open_ = open.outer;
  ground_ = ground::root;
  if (auto failure = run_->take_failure()) std::rethrow_exception(failure);
}

template <class P>
template <class Ready>
std::uint32_t worker<P>::work_until(Ready ready, const wait_about* about) {
  const ground on = std::exchange(ground_, ground::task);
  const group<P>* const in_group = std::exchange(in_group_, nullptr);  // what comes is nobody's descendant
  executing* const executed = std::exchange(executing_, nullptr);
  open_wait<P> open{executed, open_, about};
  open_ = &open;
  const auto over = [&] { return ready() || open.is_chosen(); };
  while (!over()) {
    if (record* task = next()) {
      if constexpr (requires { ready.begins_task(); }) ready.begins_task();
      execute(*task);
      continue;
    }
    const stay<P> here(*this, whereabouts::runtime);
    const auto a = await(protocol::status::working, run_->id(), over);
    if (a) accept(*a);
    else break;
  }
  in_group_ = in_group;
  executing_ = executed;
  open_ = open.outer;
  strangers_came();
  const stay<P> here(*this, whereabouts::runtime);
  const std::uint32_t circle = end_listed(open.listed);
  stop_asking();
  if (requests_.closed()) reopen();
  ground_ = on;
  return circle;
}

// W4: the wait is over. The request is taken back, or recalled from the manager; if somebody is about to answer it we wait for
// that, unless it takes long: what comes later lies where nobody has it, until we look.
template <class P>
void worker<P>::stop_asking() {
  constexpr int looks_max = 64;
  bool recalled = false;
  for (int look = 0; outstanding_ && !following_; ++look) {
    if (answers_.size() != 0) {
      accept(*answers_.try_receive());
      if (has_work()) this->look();
      return;
    }
    if (!recalled && (ticket_.rests() || look == looks_max)) {
      home_.manager_.tell({note<P>::kind::recall, id_});
      recalled = true;
    } else if (look >= looks_max) {
      return;
    }
    if (const auto mine = ticket_.take_back()) {
      serial_ = mine->serial;
      outstanding_ = false;
      return counts_.add(event::requests_revoked);
    }
    P::yield();
  }
}

// On the counted platform: what this thread asked of the memory system so far.
template <class P>
void worker<P>::flush_operation_counts() {
  if constexpr (requires { P::counts(); }) {
    const auto& c = P::counts();
    counts_.set(event::fences, c.fences);
    counts_.set(event::cas, c.cas);
    counts_.set(event::rmw, c.rmw);
    counts_.set(event::signals, c.signals);
  }
}

}  // namespace leat::scheduler
