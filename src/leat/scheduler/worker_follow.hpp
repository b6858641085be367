// Forks given away, and leapfrogging: how a worker waits for what others execute, and helps with nothing else.
//
// The rules L1-L7 that the comments cite are those of docs/protocol.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <exception>

#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/thrown.hpp"

namespace leat::scheduler {

/// The task that executes a fork which lies with another worker; its key is the slot's address. It knows what to call: the
/// slot's own word says only that the slot is in use, and the join has cleared it perhaps (K3).
template <class P>
struct given_fork {
  deque::fork_slot<P>* slot;
  typename deque::fork_slot<P>::call_type call;
  void operator()() const { worker<P>::current()->run_fork(slot, call); }
  friend bool operator==(const given_fork&, const given_fork&) = default;
};

template <class P>
worker<P>::executing::executing(worker& me, const void* key)
    : execution{key, me.executing_, ++me.executings_},
      me_(me),
      plain_top_(me.words_->top),
      marked_top_(me.marked_top()),
      outer_floor_(std::exchange(me.marked_floor_, marked_top_)),
      tasks_end_(me.tasks_.end_index()),
      waits_(me.waits_) {
  P::signal_fence();  // I2: an interrupt that finds it here finds all of it
  me_.executing_ = this;
}

template <class P>
worker<P>::executing::~executing() {
  me_.executing_ = outer();
  me_.marked_floor_ = outer_floor_;
  P::signal_fence();  // I2: an interrupt keeps no follower for it from here on
  if (!me_.followers_.empty()) [[unlikely]]
    me_.send_away_followers(key_);
}

// -- forks ------------------------------------------------------------------------------------------------------------

template <class P>
auto worker<P>::oldest_fork() noexcept -> slot* {
  if (slot* s = plain_forks_.bottom(); s < words_->top) return s;  // K3
  if (slot* s = marked_forks_.bottom(); s->call != nullptr) return s;  // K3
  return nullptr;
}

template <class P>
void worker<P>::give_fork(slot* s, answer<P>& a, protocol::worker_id thief) noexcept {
  auto& forks = s == plain_forks_.bottom() ? plain_forks_ : marked_forks_;
  forks.give(thief);
  a.what = answer<P>::kind::task;
  record::write(&a.task, given_fork<P>{s, s->call});
}

template <class P>
void worker<P>::run_fork(slot* s, typename slot::call_type call) {
  if (forks_taken_ != 0) --forks_taken_;
  auto* const owner = static_cast<worker*>(deque::fork_stack<P>::header_of(s).owner);
  auto outcome = slot::outcome::done;
  {
    const executing e(*this, s);
    try {
      // Of no group: the one that we wait in, if we do, may be another's.
      call_as_task_of(nullptr, [&] { call(*s, marked_floor_); });
    } catch (...) {
      ::new (static_cast<void*>(s->payload)) std::exception_ptr(thrown());
      outcome = slot::outcome::failed;
    }
  }
  s->state.store(outcome, platform::release);  // pairs with join; the slot is the owner's from here on (K4)
  owner->notify();
}

template <class P>
bool worker<P>::join_plain(slot* s) {
  if (keeps(plain_forks_, s)) return false;
  const stay<P> here(*this, whereabouts::runtime);
  if (!plain_forks_.given_away(s)) {
    if (!sees_nothing_new()) look();
    return false;
  }
  P::put(words_->top, s + 1);
  join(plain_forks_, s);
  P::put(words_->top, s);
  return true;
}

template <class P>
bool worker<P>::join_marked(slot* s) {
  if (keeps(marked_forks_, s)) return false;
  const stay<P> here(*this, whereabouts::runtime);
  if (!marked_forks_.given_away(s)) {
    if (!sees_nothing_new()) look();
    return false;
  }
  slot* const floor = std::exchange(marked_floor_, s + 1);
  join(marked_forks_, s);
  marked_floor_ = floor;
  return true;
}

template <class P>
void worker<P>::join(deque::fork_stack<P>& forks, slot* s) {
  help_until(
      s, wait_about{wait_kind::join, s},
      // acquire: pairs with run_fork; the result is there.
      [s] { return s->state.load(platform::acquire) != slot::outcome::none; },
      [this, s](bool) {
        const protocol::worker_id thief = s->thief.load(platform::relaxed);  // relaxed: a hint
        // It may have come back, beneath the end of this wait.
        record returned;
        const bool found = thief == id_ && take_fork(s, returned);
        sink_marks();  // as in serve_follower
        if (found) help_with(returned);
        return std::optional(thief);
      });
  forks.joined(s);
}

// -- as a victim ------------------------------------------------------------------------------------------------------

template <class P>
auto worker<P>::executes(const void* key) noexcept -> executing* {
  executing* e = executing_;
  while (e != nullptr && e->key_ != key) e = e->outer();
  return e;
}

template <class P>
auto worker<P>::oldest_fork_since(const executing& e) noexcept -> slot* {
  if (slot* s = plain_forks_.bottom(); s >= e.plain_top_ && s < words_->top) return s;
  if (slot* s = marked_forks_.bottom(); s >= e.marked_top_ && s->call != nullptr) return s;
  return nullptr;
}

// Whether somebody waits inside `e` for the task, which was made there, or may: other tasks are left out, as a serial
// execution would run them later, maybe when the waiter has let go of a lock that they want.
template <class P>
bool worker<P>::descends(record& task, const executing& e) noexcept {
  const group<P>* const g = group<P>::of(task);
  if (g == nullptr) return task.kept<awaited_call>() != nullptr || task.template kept<given_fork<P>>() != nullptr;
  // A record keeps its group alive.
  if (g->owner_ == this && g->made_in_executing_ >= e.number_) return true;
  for (const executing* i = executing_;; i = i->outer()) {
    if (i->key_ == g->key()) return true;
    if (i == &e) return false;
  }
}

// How many of our oldest tasks are to be given to who wants tasks of g.
template <class P>
std::size_t worker<P>::oldest_of(const group<P>* g, std::size_t most) noexcept {
  std::size_t tasks = 0;
  while (tasks < most && group<P>::of(tasks_.at(tasks_.oldest_index() + tasks)) == g) ++tasks;
  return tasks;
}

// L3: how many of our oldest tasks are to be given to who wants what descends from `e`: several only if they are of one
// group, as its waiter finds them wherever they are.
template <class P>
std::size_t worker<P>::oldest_since(const executing& e, protocol::amount wanted) noexcept {
  if (tasks_.empty() || tasks_.oldest_index() < e.tasks_end_) return 0;
  record& oldest = tasks_.at(tasks_.oldest_index());
  if (!descends(oldest, e)) return 0;
  const group<P>* const g = group<P>::of(oldest);
  return g == nullptr ? 1 : oldest_of(g, protocol::batch(wanted, tasks_.size()));
}

// L2. The fork with this key, if it came into our deque and was not begun.
template <class P>
bool worker<P>::take_fork(const void* key, record& taken) {
  if (forks_taken_ == 0) return false;
  const stay<P> here(*this, whereabouts::runtime);
  search where(tasks_, ++searches_);
  std::uint64_t popped = 0;
  const auto wanted = [key](record& r) {
    const auto* fork = r.template kept<given_fork<P>>();
    return fork != nullptr && fork->slot == key;
  };
  const bool found = where.take(wanted, taken, popped);
  counts_.add(event::tasks, popped - (found ? 1 : 0));  // a hole counts for its task, and so does who executes it
  return found;
}

// Requests that come to rest may want tasks of other runs, and other workers see them, too.
template <class P>
std::size_t worker<P>::unserved(std::size_t most) {
  const stay<P> here(*this, whereabouts::runtime);
  const std::size_t ask = requests_.size() + follows_.size() + followers_.size() + home_.manager_.resting() +
                          (wanted_.load(platform::relaxed) == exposure_wish::nothing ? 0 : 1);  // relaxed: a hint
  const std::size_t at_hand = static_cast<std::size_t>(words_->top - plain_forks_.bottom()) + tasks_.size();
  return std::min(ask, most) > at_hand ? std::min(ask, most) - at_hand : 0;
}

// L2-L5. False if the request is to be kept.
template <class P>
bool worker<P>::serve_follower(request s) {
  const auto* const key = reinterpret_cast<const void*>(s.awaited);
  answer<P> a{answer<P>::kind::dummy, id_, {}, nullptr, nullptr};
  const bool same_run = run_ != nullptr && s.only == run_->id();
  if (same_run) take_over_account();  // N6
  protocol::followed me;
  slot* fork = nullptr;
  std::size_t tasks = 0;
  // L3: a request may come late, when its key is that of something else, in another run.
  if (same_run) {
    if (const executing* e = executes(key)) {
      me.executes = true;
      fork = oldest_fork_since(*e);
      me.has_fork = fork != nullptr;
      tasks = oldest_since(*e, s.amount);
      // L4: our innermost wait, if it began inside that. Not back to who asks.
      if (waiting_ != nullptr && waits_ > e->waits_ && waiting_->whom != s.thief) me.onward = waiting_->whom;
    }
    const group<P>* const awaited = group<P>::with_key(key);
    const std::size_t most = awaited == nullptr ? 0 : protocol::batch(s.amount, tasks_.size());
    if (const std::size_t oldest = oldest_of(awaited, most)) {
      me.executes = true, tasks = oldest;
    } else if (interrupted_) {
      me.has_awaited = take_interrupted(key, a.task);
    } else {
      const bool has_fork = take_fork(key, a.task);
      if (has_fork) --forks_taken_;
      me.has_awaited = has_fork || take_owned(key, a.task);
      sink_marks();  // a search that finds nothing may have dropped holes, too
    }
    me.has_tasks = tasks != 0;
  }
  switch (protocol::on_follower(me)) {
    case protocol::follow::give_awaited: a.what = answer<P>::kind::task; break;
    case protocol::follow::give_fork: give_fork(fork, a, s.thief); break;
    case protocol::follow::give_task:
      a.what = answer<P>::kind::tasks;
      a.lent = tasks_.lend(tasks);
      a.lender = &tasks_;
      break;
    case protocol::follow::forward: {
      s.awaited = reinterpret_cast<std::uintptr_t>(waiting_->key);
      const auto result = home_.send_after(s, *me.onward);
      if (result == channel_scheduler<P>::delivery::refused) break;
      if (result == channel_scheduler<P>::delivery::sent) count(event::requests_forwarded);
      return true;
    }
    case protocol::follow::keep: return false;
    case protocol::follow::decline: break;
  }
  if (a.what != answer<P>::kind::dummy) a.of = run_;  // it may come when its thief is idle (L6)
  if (home_.answer_to(s.thief, a, s)) count(event::wakes);
  return true;
}

// L5: what they await is done.
template <class P>
void worker<P>::send_away_followers(const void* key) {
  const stay<P> here(*this, whereabouts::runtime);
  std::erase_if(followers_, [&](const request& s) {
    if (s.awaited != reinterpret_cast<std::uintptr_t>(key)) return false;
    home_.answer_to(s.thief, {answer<P>::kind::dummy, id_, {}, nullptr, nullptr}, s);
    return true;
  });
  home_.attend_absent();  // to whom we sent something (Y2)
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// Tells those whose tasks an answer brings where they are now.
template <class P>
void worker<P>::arrived(const answer<P>& a) {
  for (std::size_t i = 0; i < a.lent.count;) {
    group<P>* const g = group<P>::of(a.lent.first[i]);
    std::size_t same = 1;
    while (i + same < a.lent.count && group<P>::of(a.lent.first[i + same]) == g) ++same;
    if (g != nullptr) g->moved(*this, a.victim, same);
    for (std::size_t k = i; g == nullptr && k < i + same; ++k) {
      if (auto* fork = a.lent.first[k].template kept<given_fork<P>>()) {
        fork->slot->thief.store(id_, platform::relaxed);  // relaxed: a hint
        ++forks_taken_;
      }
    }
    i += same;
  }
}

// Tasks that nobody may run in a wait, unless it is wait::any, have come into our deque, above what may be there.
template <class P>
void worker<P>::strangers_came() noexcept {
  for (own_wait* w = waiting_; w != nullptr; w = w->outer) w->tasks_end = w->others_end = tasks_.end_index();
  for (executing* e = executing_; e != nullptr; e = e->outer()) e->tasks_end_ = tasks_.end_index();
}

// Tasks have been taken at the deque's end, beneath what may be there: what comes next comes for the innermost wait.
template <class P>
void worker<P>::sink_marks() noexcept {
  const std::uint64_t end = tasks_.end_index();
  for (own_wait* w = waiting_; w != nullptr; w = w->outer) {
    w->tasks_end = std::min(w->tasks_end, end);
    w->others_end = std::min(w->others_end, end);
  }
  for (executing* e = executing_; e != nullptr; e = e->outer()) e->tasks_end_ = std::min(e->tasks_end_, end);
}

// What comes when we execute nothing, and so have nothing for it.
template <class P>
void worker<P>::decline_followers() {
  while (auto s = follows_.try_receive()) {
    if (home_.open(*s) && !serve_follower(*s)) followers_.push_back(*s);
  }
  home_.attend_absent();  // to whom we sent something (Y2)
}

// L1: asks `to` for tasks that descend from what is awaited under `key`.
template <class P>
void worker<P>::follow(const void* key, protocol::worker_id to) {
  assert(!outstanding_);  // R1
  request s;
  s.serial = serial_;
  s.thief = id_;
  static_cast<void>(pace_.done(P::now_ns()));
  s.amount = stealing_.next(pace_.vain());
  s.known = known_;
  s.only = run_->id();
  s.awaited = reinterpret_cast<std::uintptr_t>(key);
  outstanding_ = following_ = true;
  asked_in_ = waiting_->number;
  if (home_.send_after(s, to) == channel_scheduler<P>::delivery::sent) {
    home_.attend_absent();  // it may be (Y2)
    return counts_.add(event::requests_sent);
  }
  outstanding_ = following_ = false;
  serial_ = s.serial;
}

// L6: the wait is over. The request is taken back, or its answer awaited, unless that takes long.
template <class P>
void worker<P>::stop_following() {
  constexpr int looks_max = 64;
  for (int look = 0; following_ && look < looks_max; ++look) {
    if (answers_.size() != 0) return accept(*answers_.try_receive());
    assert(!ticket_.rests());
    if (const auto mine = ticket_.take_back()) {
      serial_ = mine->serial;
      outstanding_ = following_ = false;
      return counts_.add(event::requests_revoked);
    }
    P::yield();
  }
}

// Our newest task, if it came for the innermost wait.
template <class P>
bool worker<P>::run_task_of_wait() {
  if (tasks_.empty() || tasks_.end_index() <= waiting_->tasks_end) return false;
  help_with(*tasks_.pop_unasked());
  return true;
}

// Executes a task in the innermost wait. What that leaves in our deque is not for this wait, as a serial execution would
// come to it later: we put it beneath what is (L7).
template <class P>
void worker<P>::help_with(record& task) {
  own_wait& w = *waiting_;
  w.others_end = tasks_.end_index();
  execute(task);
  const std::uint64_t end = tasks_.end_index();
  if (tasks_.empty() || end <= w.others_end) return;
  const std::uint64_t first = std::max(w.tasks_end, tasks_.oldest_index());
  if (first >= w.others_end) {
    w.tasks_end = end;
    return;
  }
  record* const oldest = &tasks_.at(first);
  std::rotate(oldest, oldest + (w.others_end - first), oldest + (end - first));
  w.tasks_end = first + (end - w.others_end);
}

template <class P>
bool worker<P>::is_asked() noexcept {
  // While an offer is out we make no other; when it has been dealt with we are told.
  return somebody_asks() || (may_offer() && !others_offer());
}

template <class P>
template <class Ready, class Whom>
std::uint32_t worker<P>::help_until(const void* key, const wait_about& about, Ready ready, Whom whom) {
  const stay<P> here(*this, whereabouts::runtime);
  constexpr unsigned rounds_per_look = 64, pause_max = 4096;  // the second: before a vain request is sent again
  constexpr std::uint64_t sleep_ns_min = 100'000, sleep_ns_max = 10'000'000;  // before it is sent again in sleep
  const ground on = std::exchange(ground_, ground::task);
  std::optional<long_wait<P>> listed;
  own_wait here_and_now{key, tasks_.end_index(), waiting_, ++waits_begun_};
  waiting_ = &here_and_now;
  std::uint64_t start = 0, asked_ns = 0, sleep_ns = sleep_ns_min;
  unsigned round = 0, next_request = 0, pause = rounds_per_look;
  counts_.raise(event::waits_nested_max, ++waits_);
  here_and_now.whom = whom(false);
  if (!followers_.empty()) look();  // they can be sent on now (L4)
  const auto over = [&] { return ready() || (listed && listed->is_chosen()); };
  while (!over()) {
    if (run_task_of_wait()) {
      round = next_request = 0, pause = rounds_per_look, sleep_ns = sleep_ns_min;
      continue;
    }
    if (outstanding_ && answers_.size() != 0) {
      accept(*answers_.try_receive());
      continue;
    }
    if (is_asked()) {
      look();
      continue;
    }
    here_and_now.whom = whom(false);
    const bool knows = here_and_now.whom && *here_and_now.whom != id_;
    if (knows && exposure_.now() == protocol::exposure::ahead && helps_itself(key, *home_.workers_[*here_and_now.whom]))
      continue;
    if (outstanding_ && following_ && asked_ && P::now_ns() - asked_ns >= protocol::exposing::late_ns) {
      if (exposure_.adapts()) note_long_tasks(protocol::exposing::late_ns);
      asked_.reset();
    }
    if (!outstanding_ && round >= next_request && knows) {
      asked_ = here_and_now.whom, asked_ns = P::now_ns();
      follow(key, *here_and_now.whom);
      here_and_now.whom = whom(true);
      next_request = round + pause;
      pause = std::min(2 * pause, pause_max);
    }
    P::relax();
    if (++round % rounds_per_look != 0) continue;
    P::yield();
    if (!followers_.empty()) look();  // or now: to another than before
    if (round == rounds_per_look) start = P::now_ns();
    if (P::now_ns() - start < home_.config().spin_ns) continue;
    if (may_offer()) continue;  // others do: if that comes to nothing, nobody asks again
    if (P::now_ns() - start >= home_.config().list_waits_after_ns) list(listed, about);
    const bool has_work_for_others = has_work();
    if (!has_work_for_others && !requests_.closed()) close();  // W5
    lookout_.end();
    if (has_work_for_others) home_.manager_.add_waiting_victim();
    const auto disturbed = [&] { return over() || answers_.size() != 0 || somebody_asks() || may_offer(); };
    parker_.wait_for(disturbed, sleep_ns);
    // Whoever executes what we wait for may owe us an answer.
    if (home_.watch_.on()) home_.watch_.look_at_all(*this, disturbed);
    counts_.add(event::parks);
    if (has_work_for_others) home_.manager_.remove_waiting_victim();
    sleep_ns = std::min(2 * sleep_ns, sleep_ns_max);
    next_request = round;
  }
  stop_following();
  --waits_, waiting_ = here_and_now.outer;
  tasks_.rewind();  // as in reopen
  if (requests_.closed()) reopen();
  ground_ = on;
  return end_listed(listed);
}

}  // namespace leat::scheduler
