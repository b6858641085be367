#include "leat/platform/simulation/schedule.hpp"

#include <algorithm>
#include <functional>

namespace leat::inline LEAT_ABI::platform {

namespace {

// The state goes through all 64-bit numbers, in steps so large that neighbouring seeds are far apart on the way:
// their streams look unrelated.
// Sebastiano Vigna's splitmix64.
std::uint64_t draw(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

// -- by_time ----------------------------------------------------------------------------------------------------------

// Moves the fibre at `place` towards the root until its parent goes before it. Others move down one by one; the fibre
// itself is written once, at the end.
void by_time::up(std::size_t place) noexcept {
  const entry e = heap_[place];
  while (place != 0) {
    const std::size_t above = (place - 1) / children;
    if (!before(e, heap_[above])) break;
    put(heap_[above], place);
    place = above;
  }
  put(e, place);
}

// The child that goes first; the number of entries, if there is no child.
std::size_t by_time::first_below(std::size_t place) const noexcept {
  const std::size_t begin = children * place + 1, end = std::min(begin + children, heap_.size());
  if (begin >= heap_.size()) return heap_.size();
  std::size_t first = begin;
  for (std::size_t other = begin + 1; other < end; ++other) {
    first = before(heap_[other], heap_[first]) ? other : first;
  }
  return first;
}

// The same, away from the root, along the child that goes first.
void by_time::down(std::size_t place) noexcept {
  const entry e = heap_[place];
  for (;;) {
    const std::size_t below = first_below(place);
    if (below == heap_.size() || !before(heap_[below], e)) break;
    put(heap_[below], place);
    place = below;
  }
  put(e, place);
}

void by_time::add(fibre& f) {
  if (f.number >= known_.size()) known_.resize(f.number + 1);
  known_[f.number].f = &f;
  f.place = 0;  // not `nowhere`; where it is, known_ has
  heap_.push_back(entry_of(f));
  up(heap_.size() - 1);
}

void by_time::remove(fibre& f) {
  // The last one fills the gap. It comes from another branch, so it may belong above the gap or below it; one of the
  // two moves does nothing.
  const entry last = heap_.back();
  heap_.pop_back();
  f.place = fibre::nowhere;
  if (last.number == f.number) return;
  put(last, known_[f.number].place);
  up(known_[last.number].place);
  down(known_[last.number].place);
}

// Most steps end in the first line, or were not asked about at all (horizon). Else the one that goes on takes the
// place of the one that is chosen: one way down the heap, where a removal and an addition would be two.
fibre* by_time::next(fibre* now, operation) {
  if (now != nullptr && (heap_.empty() || !before(heap_.front(), entry_of(*now)))) return now;
  if (heap_.empty()) return nullptr;
  fibre* const first = known_[heap_.front().number].f;
  if (now == nullptr) {
    remove(*first);
    return first;
  }
  now->place = 0;
  first->place = fibre::nowhere;
  put(entry_of(*now), 0);
  down(0);
  return first;
}

// -- by_choice --------------------------------------------------------------------------------------------------------

void by_choice::begin() {
  time_ps_ = 0;
  last_ = 0;
  turns_.clear();
  if (recorded_ != nullptr) recorded_->clear();
}

void by_choice::add(fibre& f) {
  f.place = static_cast<std::uint32_t>(ready_.size());
  ready_.push_back(&f);
}

// The order in `ready_` means nothing to a schedule, but it is the order in which choices are numbered: it depends on
// the calls alone.
void by_choice::remove(fibre& f) {
  // In this order `f` may be the last one itself: then its place is written, and taken away by the last line.
  ready_.back()->place = f.place;
  ready_[f.place] = ready_.back();
  ready_.pop_back();
  f.place = fibre::nowhere;
}

// Those that can go on now; if there is none, time passes until one can.
void by_choice::find_due(fibre* now) {
  due_.clear();
  // `now` comes first if it is due: that is how `choose` knows whether it can go on.
  fibre* first = now;
  if (now != nullptr && now->clock_ps <= time_ps_) due_.push_back(now);
  for (fibre* f : ready_) {
    if (f->clock_ps <= time_ps_) due_.push_back(f);
    if (first == nullptr || f->clock_ps < first->clock_ps) first = f;
  }
  if (!due_.empty() || first == nullptr) return;
  time_ps_ = first->clock_ps;
  due_.push_back(first);
}

fibre* by_choice::next(fibre* now, operation what) {
  if (last_ >= turns_.size()) turns_.resize(last_ + 1);
  // Before anything is chosen, as a preemption is recorded with this number and looked for under it.
  ++turns_[last_];
  // Every step takes all of the world to the time of the fibre that made it. Work does not: the fibre is busy until
  // then, and others go on meanwhile. So what is computed at the same time takes the time of the longest, and not the
  // sum.
  if (now != nullptr && what != operation::work) time_ps_ = std::max(time_ps_, now->clock_ps);
  find_due(now);
  if (due_.empty()) return nullptr;
  // A fibre that spins waits for another. Were it chosen again and again, the world would make no progress.
  const bool gives_way = what == operation::yield || what == operation::relax;
  std::size_t place = 0;
  if (due_.size() != 1) {
    place = choose(due_, now, gives_way);
    if (recorded_ != nullptr && place != usual(due_, now, gives_way))
      recorded_->push_back({last_, turns_[last_], due_[place]->number});
  }
  fibre* const chosen = due_[place];
  last_ = chosen->number;
  if (chosen != now) {
    remove(*chosen);
    if (now != nullptr) add(*now);
  }
  chosen->clock_ps = std::max(chosen->clock_ps, time_ps_);
  return chosen;
}

std::size_t by_choice::usual(const std::vector<fibre*>& due, const fibre* now, bool gives_way) const noexcept {
  if (due.front() == now && !gives_way) return 0;
  // In turn, so that no fibre waits for ever for one that is never chosen.
  std::size_t best = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    // Unsigned, so the distance goes round: the next higher number after `last_`, and else the lowest.
    if (due[i]->number - last_ - 1 < due[best]->number - last_ - 1) best = i;
  }
  return best;
}

// A signal that is refused stays, and is asked about again at the fibre's next step: by that its handler may begin at
// any step after the signal, as on a real machine.
bool by_choice::takes_signal(const fibre& f) {
  if (f.number >= turns_.size()) turns_.resize(f.number + 1);
  ++turns_[f.number];
  const bool now = takes(f);
  if (!now && recorded_ != nullptr) recorded_->push_back({f.number, turn_of(f.number), preemption::refuses_signal});
  return now;
}

// -- replayed ---------------------------------------------------------------------------------------------------------

namespace {

bool earlier(const preemption& a, const preemption& b) noexcept {
  return std::pair(a.thread, a.turn) < std::pair(b.thread, b.turn);
}

}  // namespace

replayed::replayed(std::vector<preemption> preemptions) : preemptions_(std::move(preemptions)) {
  // Stable: of several at one turn the first that can be carried out counts.
  std::stable_sort(preemptions_.begin(), preemptions_.end(), earlier);
}

std::size_t replayed::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  const preemption here{last(), turn_of(last()), 0};
  const auto [first, end] = std::equal_range(preemptions_.begin(), preemptions_.end(), here, earlier);
  for (auto p = first; p != end; ++p) {
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (due[i]->number == p->to) return i;
    }
  }
  return usual(due, now, gives_way);
}

bool replayed::takes(const fibre& f) {
  const preemption here{f.number, turn_of(f.number), 0};
  const auto [first, end] = std::equal_range(preemptions_.begin(), preemptions_.end(), here, earlier);
  return std::none_of(first, end, [](const preemption& p) { return p.to == preemption::refuses_signal; });
}

// -- at_random --------------------------------------------------------------------------------------------------------

std::uint32_t at_random::below(std::uint32_t end) noexcept {
  // The upper half times `end`, of which the upper half is below `end`: no division. For such small ends the numbers
  // are as good as equally likely.
  return static_cast<std::uint32_t>((draw(state_) >> 32) * end >> 32);
}

std::size_t at_random::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  const bool goes_on = due.front() == now;
  const auto all = static_cast<std::uint32_t>(due.size());
  if (!goes_on) return below(all);
  // Anything but itself, which is at 0.
  if (gives_way) return 1 + below(all - 1);
  return below(rarity_) == 0 ? below(all) : 0;
}

// -- by_priority ------------------------------------------------------------------------------------------------------

// The steps at which priorities change are drawn beforehand, the latest first, so that the next one is at the back.
by_priority::by_priority(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps) : state_(seed) {
  for (std::uint32_t i = 0; i < changes; ++i) change_at_.push_back(below(steps));
  std::sort(change_at_.begin(), change_at_.end(), std::greater<>());
}

std::uint64_t by_priority::below(std::uint64_t end) noexcept { return (draw(state_) >> 32) * end >> 32; }

std::uint64_t& by_priority::priority_of(const fibre& f) {
  constexpr std::uint64_t drawn = std::uint64_t{1} << 31;
  // In the order of numbers, whichever fibre is asked for first: else the priorities would depend on the choices.
  while (priorities_.size() <= f.number) priorities_.push_back(lowest_at_first + below(drawn));
  return priorities_[f.number];
}

std::size_t by_priority::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  ++steps_;
  if (due.front() == now) {
    // `>=`, as a step at which the fibre cannot go on changes nothing: the change waits for one at which it can.
    const bool changes = !change_at_.empty() && steps_ >= change_at_.back();
    if (changes) change_at_.pop_back();
    // Who gives way does so to all, also to one that a change has put last: it may wait for that one.
    if (changes || gives_way) priority_of(*now) = --lowest_;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    if (priority_of(*due[i]) > priority_of(*due[best])) best = i;
  }
  return best;
}

// -- exhaustive -------------------------------------------------------------------------------------------------------

// The choice at this point: the one of the path, or a new one at its end, of which the first possibility is taken. If
// it would be a preemption and all have been spent, only the first is possible.
std::uint32_t exhaustive::pick(std::uint32_t of, bool costs) {
  if (at_ == path_.size()) path_.push_back({0, costs && spent_ >= bound_ ? 1 : of, costs});
  const choice& c = path_[at_++];
  if (c.costs && c.taken != 0) ++spent_;
  return c.taken;
}

std::size_t exhaustive::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  const auto all = static_cast<std::uint32_t>(due.size());
  const bool goes_on = due.front() == now;
  // It is never chosen itself, and to leave it costs nothing: the search would not end if a spin could go on for
  // ever.
  if (goes_on && gives_way) return 1 + pick(all - 1, false);
  return pick(all, goes_on);
}

// As an odometer: choices at the end of the path that are used up are dropped, and the last one that is left takes
// its next possibility. What follows it is chosen anew.
bool exhaustive::advance() {
  while (!path_.empty() && path_.back().taken + 1 == path_.back().of) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

}  // namespace leat::inline LEAT_ABI::platform
