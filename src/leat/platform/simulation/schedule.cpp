#include "leat/platform/simulation/schedule.hpp"

#include <algorithm>
#include <functional>

namespace leat::platform {

namespace {

// Sebastiano Vigna's splitmix64.
std::uint64_t draw(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

// -- by_time ----------------------------------------------------------------------------------------------------------

void by_time::up(std::size_t place) noexcept {
  fibre& f = *heap_[place];
  while (place != 0) {
    const std::size_t above = (place - 1) / 2;
    if (!before(f, *heap_[above])) break;
    put(*heap_[above], place);
    place = above;
  }
  put(f, place);
}

void by_time::down(std::size_t place) noexcept {
  fibre& f = *heap_[place];
  for (;;) {
    std::size_t below = 2 * place + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && before(*heap_[below + 1], *heap_[below])) ++below;
    if (!before(*heap_[below], f)) break;
    put(*heap_[below], place);
    place = below;
  }
  put(f, place);
}

void by_time::add(fibre& f) {
  heap_.push_back(&f);
  up(heap_.size() - 1);
}

void by_time::remove(fibre& f) {
  fibre& last = *heap_.back();
  heap_.pop_back();
  const std::uint32_t place = std::exchange(f.place, fibre::nowhere);
  if (&last == &f) return;
  put(last, place);
  up(last.place);
  down(last.place);
}

fibre* by_time::next(fibre* now, operation) {
  if (now != nullptr && (heap_.empty() || !before(*heap_.front(), *now))) return now;
  if (heap_.empty()) return nullptr;
  fibre* const first = heap_.front();
  if (now != nullptr) {
    first->place = fibre::nowhere;
    put(*now, 0);
    down(0);
  } else {
    remove(*first);
  }
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

void by_choice::remove(fibre& f) {
  ready_.back()->place = f.place;
  ready_[f.place] = ready_.back();
  ready_.pop_back();
  f.place = fibre::nowhere;
}

// Those that can go on now; if there is none, time passes until one can.
void by_choice::find_due(fibre* now) {
  due_.clear();
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
  ++turns_[last_];
  if (now != nullptr && what != operation::work) time_ps_ = std::max(time_ps_, now->clock_ps);
  find_due(now);
  if (due_.empty()) return nullptr;
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
  // In turn, so that nobody waits for ever for one who is never chosen.
  std::size_t best = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    if (due[i]->number - last_ - 1 < due[best]->number - last_ - 1) best = i;
  }
  return best;
}

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
  return static_cast<std::uint32_t>((draw(state_) >> 32) * end >> 32);
}

std::size_t at_random::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  const bool goes_on = due.front() == now;
  const auto all = static_cast<std::uint32_t>(due.size());
  if (!goes_on) return below(all);
  if (gives_way) return 1 + below(all - 1);
  return below(rarity_) == 0 ? below(all) : 0;
}

// -- by_priority ------------------------------------------------------------------------------------------------------

by_priority::by_priority(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps) : state_(seed) {
  for (std::uint32_t i = 0; i < changes; ++i) change_at_.push_back(below(steps));
  std::sort(change_at_.begin(), change_at_.end(), std::greater<>());
}

std::uint64_t by_priority::below(std::uint64_t end) noexcept { return (draw(state_) >> 32) * end >> 32; }

std::uint64_t& by_priority::priority_of(const fibre& f) {
  constexpr std::uint64_t drawn = std::uint64_t{1} << 31;
  while (priorities_.size() <= f.number) priorities_.push_back(lowest_at_first + below(drawn));
  return priorities_[f.number];
}

std::size_t by_priority::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  ++steps_;
  if (due.front() == now) {
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

std::uint32_t exhaustive::pick(std::uint32_t of, bool costs) {
  if (at_ == path_.size()) path_.push_back({0, costs && spent_ >= bound_ ? 1 : of, costs});
  const choice& c = path_[at_++];
  if (c.costs && c.taken != 0) ++spent_;
  return c.taken;
}

std::size_t exhaustive::choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) {
  const auto all = static_cast<std::uint32_t>(due.size());
  const bool goes_on = due.front() == now;
  if (goes_on && gives_way) return 1 + pick(all - 1, false);
  return pick(all, goes_on);
}

bool exhaustive::advance() {
  while (!path_.empty() && path_.back().taken + 1 == path_.back().of) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

}  // namespace leat::platform
