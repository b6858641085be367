// What a worker makes public of its tasks and forks, and how others take it without being answered.
//
// Where nothing is public (channel) none of this is executed. Else a thief *hunts* before it sends a request: it goes from
// victim to victim, takes the oldest public task or fork of the run that it works for, or leaves word that it wants some. What it
// takes it accepts as if it had been answered. A thief that finds nothing for a while sends its request to the manager, and
// sleeps, as in the channel scheduler. Rules, cited in the code:
//  X1  A thief takes from workers of the run that the manager counts it under, and of no other: nobody need be told, and that
//      run cannot end meanwhile. A worker with a public slot stays in its run; the slot is read to be public before, and
//      taken after, the victim's run is looked at (E2). (An idle spare does not hunt: it is to ask whether it is needed, G8.)
//  X2  Who wants something turns `wanted_` from `nothing` to `wished` and raises the victim's limits. A thief that has
//      hunted for some microseconds, and finds a wish still open, may turn it from there to `insisted`, and interrupt the
//      victim: most answer by themselves before that, at the price of no signal. The victim turns the word back when it
//      leaves the runtime the next time, and makes its oldest tasks public then, or its oldest plain forks, or marked
//      ones, whichever it has first. If it has none, the wish is forgotten; a thief that still hunts wishes again. A wish
//      that is overtaken by its victim's way out of the runtime is noticed at its next push or join.
//  X3  In the channel scheduler a worker makes nothing public while tasks are short. One whose request lies unopened for a
//      moment, and that knows from its last two steals, or one and a longer moment, that a task is worth it
//      (protocol::exposing), is `ahead` from then on, and wishes so of its victim (X2), which is so, too, when it looks. Who
//      is ahead makes half of its tasks public each time that it leaves the runtime: the oldest, of one group if of any;
//      and, if it has none, the next that it pushes. Before it asks it hunts for a moment, its last victim first; who takes
//      the last task that was public wishes for more.
//      A wait for a group takes by itself what whom it follows has made public of that group (L2), which public_tag.hpp tells.
//      A worker changes only inside the runtime, where nothing of it is public (E1). Others need not know: all still answer.
#pragma once

#include <algorithm>
#include <optional>

#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/worker_follow.hpp"

namespace leat::scheduler {

// -- as a victim ------------------------------------------------------------------------------------------------------

// E1: from here on the worker is in a task.
template <class P>
void worker<P>::publish() noexcept {
  if (exposure_.now() == protocol::exposure::all) {
    take_over_account();  // N6
    tasks_.open(0);
    plain_forks_.open(0);
    marked_forks_.open(0);
    return;
  }
  const bool ahead = exposure_.now() == protocol::exposure::ahead;
  // relaxed: who wants something raised the limits after it
  if (!ahead && wanted_.load(platform::relaxed) == exposure_wish::nothing) return;
  // X2; relaxed: what is wanted from now on is another's wish
  wanted_.store(exposure_wish::nothing, platform::relaxed);
  const auto some = [this](std::size_t pending) { return protocol::exposed(exposure_.now(), pending); };
  slot* const plain = plain_forks_.bottom();
  slot* const marked = marked_forks_.bottom();
  const group<P>* const g = ahead && !tasks_.empty() ? group<P>::of(tasks_.at(tasks_.oldest_index())) : nullptr;
  const std::size_t most = ahead ? std::min(some(tasks_.size()), protocol::exposing::ahead_max) : some(tasks_.size());
  const std::size_t tasks = exposure_.begins_stolen() ? 0 : g != nullptr ? oldest_of(g, most) : most;
  const auto plains = some(plain < words_->top ? static_cast<std::size_t>(words_->top - plain) : 0);
  const auto marks = some(static_cast<std::size_t>(marked_forks_.top_of_marked(marked) - marked));
  exposed_ = tasks != 0 ? tasks : plains != 0 ? plains : marks;
  if (ahead && tasks == 0) tasks_.settle(true);  // X3: what is pushed next
  if (ahead && exposed_ == 0) exposure_.closed(0, counts_[event::tasks]);
  if (exposed_ == 0) return;
  count(event::exposed, exposed_);
  if (tasks != 0) {
    take_over_account();  // N6
    tag_.open(tasks_, tasks, g == nullptr ? nullptr : g->key());
  } else if (plains != 0) {
    plain_forks_.open(plains);
  } else {
    marked_forks_.open(marks);
  }
}

// E1: from here on the worker is inside the runtime.
template <class P>
void worker<P>::withdraw() noexcept {
  const std::uint64_t taken = tasks_.close() + plain_forks_.close() + marked_forks_.close();
  if (exposed_ == 0) return;
  count(event::unstolen, exposed_ - taken);
  exposure_.closed(taken, counts_[event::tasks]);
  tag_.end();
  exposed_ = 0;
}

// Where all is public: publishes what was pushed. Whether that was all that the raised limit called for.
template <class P>
bool worker<P>::publishes_pushed() {
  if (exposure_.now() != protocol::exposure::all || where_.load(platform::relaxed) != whereabouts::task) return false;
  const undisturbed<P> here(*this);
  take_over_account();  // N6
  tasks_.publish();
  return !tasks_.asked_in_earnest();
}

// A task was pushed, and the limit was above it. A producer that gave each task away as soon as it is there would do nothing
// else: after some looks in a row it looks again only when it has pushed for as long as the last look took, and has more to
// give (W6).
template <class P>
void worker<P>::pushed() {
  constexpr std::uint32_t prompt_looks = 4;
  if (publishes_pushed() || sees_nothing_new()) return;
  const std::uint64_t begun_ns = P::now_ns();
  const std::uint32_t in_a_row = looks_at_pushes_;
  if (in_a_row >= prompt_looks && begun_ns < no_look_until_ns_) return;  // the limit stays raised
  look();
  const std::uint64_t done_ns = P::now_ns();
  no_look_until_ns_ = done_ns + (done_ns - begun_ns);
  looks_at_pushes_ = std::min(in_a_row + 1, prompt_looks);
}

template <class P>
void worker<P>::polled() {
  check_process(*this);
  // In earnest: what is public, a look alone takes into account.
  if (!publishes_pushed()) look();
}

// Where all is public: whether the fork in `s`, which has been given up, is ours for sure, and nobody asks.
template <class P>
bool worker<P>::keeps(deque::fork_stack<P>& forks, slot* s) {
  if (exposure_.now() != protocol::exposure::all || where_.load(platform::relaxed) != whereabouts::task) return false;
  const undisturbed<P> here(*this);
  return forks.keeps(s);
}

// From here on the worker's tasks are of that run.
template <class P>
void worker<P>::works_in(run<P>& r) noexcept {
  hunts_in_ = &r;
  hunts_for_ = r.id();
  tag_.works_for(hunts_for_);
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// X2. `insist`: whether we have waited for what others wished for.
template <class P>
void worker<P>::want_exposure(worker& victim, bool insist) {
  if (exposure_.now() == protocol::exposure::all) return;
  exposure_wish found = victim.wanted_.load(platform::relaxed);  // relaxed: a hint
  // acq_rel, both: one of those who want something asks. relaxed failure: another one has.
  if (found == exposure_wish::nothing) {
    if (!victim.wanted_.compare_exchange_strong(found, exposure_wish::wished, platform::acq_rel, platform::relaxed))
      return;
    victim.raise();
    P::fence();  // Y2
    if (!victim.absent()) return;
    home_.attendance_.call(victim);
    home_.attend_absent();
  } else if (insist && found == exposure_wish::wished && protocol::interrupts(exposure_.now()) && home_.watch_.on()) {
    if (victim.wanted_.compare_exchange_strong(found, exposure_wish::insisted, platform::acq_rel, platform::relaxed) &&
        victim.interrupt())
      counts_.add(event::interrupts);
  }
}

// Takes the oldest public task of `victim`, or else its oldest public fork, as if that were its answer.
template <class P>
bool worker<P>::take_public(worker& victim, answer<P>& a) {
  counts_.add(event::attempts);
  const auto ours = [&] { return victim.tag_.is_of(hunts_for_); };  // X1
  if (const auto stolen = victim.tasks_.steal(ours); stolen.count != 0) {
    if (stolen.last && exposure_.now() == protocol::exposure::ahead) want_exposure(victim, false);  // X3
    a.what = answer<P>::kind::tasks;
    a.lent = stolen;
    a.lender = &victim.tasks_;
    return true;
  }
  typename slot::call_type call = nullptr;
  slot* s = victim.plain_forks_.take_plain(victim.thread_words_->top, ours);
  if (s != nullptr) call = s->call;  // K3: it is pending, so its owner leaves the word as it is
  else if (s = victim.marked_forks_.take_marked(call, ours); s == nullptr) return false;
  s->thief.store(id_, platform::relaxed);  // relaxed: a hint
  a.what = answer<P>::kind::task;
  record::write(&a.task, given_fork<P>{s, call});
  return true;
}

// X3: the same for the innermost wait, if that is for the group of this key, and a task of the group is public. Whether there is
// something new to do for the wait.
template <class P>
bool worker<P>::helps_itself(const void* key, worker& victim) {
  if (!victim.tag_.has_key(key)) return false;
  static_cast<void>(pace_.done(P::now_ns()));
  if (pace_.worth_ns() != 0 && pace_.worth_ns() < protocol::exposing::worth_ns_min)
    return exposure_.tasks_are_short(), false;
  counts_.add(event::attempts);
  const auto stolen = victim.tag_.steal(victim.tasks_, run_->id(), key);  // X1
  if (stolen.count == 0) return false;
  counts_.add(event::taken);
  if (stolen.last) want_exposure(victim, false);
  answer<P> a{answer<P>::kind::tasks, victim.id_, {}, nullptr, run_};
  a.lent = stolen;
  a.lender = &victim.tasks_;
  if (requests_.closed()) reopen();
  take(a);
  // Not to be in the way of a wait inside. If its holder keeps it (L5), it stays out, as in L6.
  if (following_ && !ticket_.is_held()) stop_following();
  return true;
}

// X3. Our request is out, and was not answered for so long.
template <class P>
void worker<P>::note_long_tasks(std::uint64_t waited_ns) {
  if (!ticket_.lies_unopened()) return;  // with its victim, who is in a task
  // Where tasks are worth less, its victim has much to do: who asks it is many. Where one was worth it, a long wait is the second sign.
  const bool again = waited_ns >= protocol::exposing::worth_ns_min;
  if ((again ? pace_.last_worth_ns() : pace_.worth_ns()) < protocol::exposing::worth_ns_min) return;
  exposure_.tasks_are_long();
  worker& victim = *home_.workers_[*asked_];
  // relaxed: a hint. The request may lie elsewhere by now.
  if (victim.where_.load(platform::relaxed) == whereabouts::task && victim.tag_.is_of(hunts_for_))
    want_exposure(victim, false);
}

// Looks for something public, for as long as a thief waits for its victim. With our tasks all done, no request out.
template <class P>
template <class Ready>
std::optional<answer<P>> worker<P>::hunt(protocol::run_id only, Ready ready) {
  constexpr std::uint64_t hunt_ns_max = 20'000;  // a victim may have something that it does not make public
  constexpr unsigned rounds_per_wish = 32;  // some microseconds; a victim that has nothing forgets a wish
  if (!shares() || hunts_in_ == nullptr || (only != protocol::no_run && only != hunts_for_)) return std::nullopt;
  // The manager alone knows whether an idle spare is still needed (G8).
  if (only == protocol::no_run && id_ >= home_.config().workers) return std::nullopt;
  const bool ahead = exposure_.now() == protocol::exposure::ahead;
  const std::uint64_t hunt_ns = ahead ? protocol::exposing::late_ns : hunt_ns_max;
  const std::uint32_t workers = home_.workers_started();
  const std::uint32_t tried = ahead ? std::min(workers, home_.config().attempts + 1) : workers;
  answer<P> a{.known = known_, .serial = serial_};
  std::uint64_t start = 0;
  for (unsigned round = 0; !ready() && !home_.manager_.roots_wait(); ++round) {
    bool some_work = false;
    const std::uint32_t first = round == 0 && last_victim_ ? *last_victim_ : hunted_.below(workers);
    for (std::uint32_t i = 0; i < tried; ++i) {
      worker& victim = *home_.workers_[(first + i) % workers];
      if (&victim == this || !victim.tag_.is_of(hunts_for_)) continue;
      if (take_public(victim, a)) {
        a.victim = victim.id_;
        a.of = hunts_in_;
        counts_.add(event::taken);
        return a;
      }
      // relaxed: a hint. While tasks are long, who is in none will have nothing soon.
      some_work |= !ahead || victim.where_.load(platform::relaxed) == whereabouts::task;
      // relaxed: a hint. Who waits has nothing public, and answers requests.
      if (round % rounds_per_wish == 0 && victim.where_.load(platform::relaxed) == whereabouts::task)
        want_exposure(victim, round != 0);
    }
    if (!some_work) break;
    decline_followers();
    P::relax();
    if (round % rounds_per_wish != 0) continue;
    P::yield();
    if (round == 0) start = P::now_ns();
    if (P::now_ns() - start >= std::min(home_.config().patience_ns, hunt_ns)) break;
  }
  return std::nullopt;
}

}  // namespace leat::scheduler
