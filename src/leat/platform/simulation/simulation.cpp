#include "leat/platform/simulation/simulation.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "leat/platform/native.hpp"
#include "leat/platform/simulation/outside_the_world.hpp"

namespace leat::inline LEAT_ABI::platform {

constinit thread_local simulation* simulation::current_ = nullptr;

simulation::simulation(settings s, schedule& who)
    : settings_(std::move(s)), who_(who), lines_(settings_.on), computing_(settings_.on) {
  events_.resize(settings_.events_kept);
}

simulation::outcome simulation::run(const std::function<void()>& main) {
  if (current_ != nullptr) throw std::logic_error("leat: a simulation inside a simulation");
  fibres_.clear();
  parked_ = {};
  handlers_ = {};
  lines_.clear();
  computing_.clear();
  idlers_.clear();
  living_ = 0;
  signals_ = {};
  steps_ = trace_ = horizon_ps_ = allocations_ = end_ps_ = 0;
  random_ = settings_.seed;
  failure_.clear();
  current_ = this;
  here_ = nullptr;
  who_.begin();
  std::function<void()> body = main;
  here_ = &start([](void* b) { (*static_cast<std::function<void()>*>(b))(); }, &body);
  who_.remove(*here_);
  switch_between(host_, here_->host);
  current_ = nullptr;
  heap_of_thread = nullptr;
  outcome end{failure_, steps_, trace_, end_ps_ / 1000, {}};
  for (const fibre* f : fibres_) {
    if (f->number == 0) continue;
    outcome::account& of_it = end.threads.emplace_back();
    std::ranges::transform(f->spent_ps, of_it.spent_ns.begin(), [](std::uint64_t ps) { return ps / 1000; });
    of_it.awaited_ns = f->awaited_ps / 1000;
  }
  // What the schedule still holds lies in the memory that goes.
  for (fibre* f : fibres_) {
    if (f->place != fibre::nowhere) who_.remove(*f);
  }
  memory_.clear();
  return end;
}

void simulation::fail(const std::string& why) {
  heap_of_thread = nullptr;
  failure_ = report(why);
  end_ps_ = here_->clock_ps;
  end_in(here_->host, host_);
}

// -- sleep and its end ------------------------------------------------------------------------------------------------

fibre*& simulation::bucket_of(const void* word) noexcept { return parked_[memory_.offset(word) / 4 % buckets]; }

std::uint64_t simulation::up_to(std::uint64_t ns) noexcept {
  if (ns == 0) return 0;
  random_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = (random_ ^ random_ >> 32) * 0xd6e8feb86659fd93;
  return (z ^ z >> 32) % (ns + 1);
}

void simulation::fall_asleep(const void* word) {
  note(operation::wait, word);
  pay(settings_.on.wait_ns);
  pass(operation::wait);
}

void simulation::park(const void* word, std::uint64_t ns) {
  if (take_signals()) return;  // as the system: meanwhile the word may have changed, and its waker have come by
  fibre& f = *here_;
  f.now = fibre::state::parked;
  f.awaits = word;
  f.parked_ps = f.clock_ps;
  fibre** last = &bucket_of(word);
  while (*last != nullptr) last = &(*last)->next_parked;
  *last = &f;
  f.next_parked = nullptr;
  const std::uint64_t signal_ps = takes_signals(f) ? std::max(f.interrupt_ps, f.clock_ps) : schedule::never;
  const std::uint64_t until = ns == 0 ? signal_ps : std::min(signal_ps, f.clock_ps + ns * 1000);
  f.timed = until != schedule::never;
  if (f.timed) {
    const outside_the_world guard;
    f.clock_ps = until;
    who_.add(f);
  }
  decide(operation::wait, false);
  if (f.now == fibre::state::parked) {
    unpark(f);
    f.now = fibre::state::ready;
  }
  take_signals();
}

void simulation::unpark(fibre& f) noexcept {
  fibre** at = &bucket_of(f.awaits);
  while (*at != &f) at = &(*at)->next_parked;
  *at = f.next_parked;
}

void simulation::wake(const void* word, bool all) {
  step(operation::wake, 0);
  const machine& m = settings_.on;
  const std::uint64_t called_ps = here_->clock_ps;
  bool any = false;
  for (fibre* f = bucket_of(word); f != nullptr && (all || !any);) {
    fibre& sleeper = *std::exchange(f, f->next_parked);
    if (sleeper.awaits != word) continue;
    any = true;
    unpark(sleeper);
    if (sleeper.timed) {
      const outside_the_world guard;
      who_.remove(sleeper);
    }
    std::uint64_t ps = called_ps + ps_of(m.wake_ns) + up_to(settings_.faults.wake_late_ns) * 1000;
    if (const std::uint64_t bunch_ps = settings_.faults.wake_bunch_ns * 1000; bunch_ps != 0)
      ps = (ps + bunch_ps - 1) / bunch_ps * bunch_ps;
    can_go_on(sleeper, std::max(sleeper.parked_ps, ps));
  }
  pay(any ? m.wake_call_ns : m.yield_ns);
  pass(operation::wake);
}

void simulation::sleep(std::uint64_t ns) {
  step(operation::sleep, settings_.on.wait_ns);
  fibre& f = *here_;
  const std::uint64_t until = f.clock_ps + ns * 1000;
  while (f.clock_ps < until) park(&f, (until - f.clock_ps + 999) / 1000);
}

// -- signals ----------------------------------------------------------------------------------------------------------

void simulation::interrupt(fibre& other) {
  step(operation::interrupt, settings_.on.signal_call_ns);
  const std::uint64_t lock_ps = ps_of(settings_.on.signal_lock_ns);
  if (lock_ps != 0) here_->clock_ps = signals_.take(here_->clock_ps, lock_ps);
  if (other.now == fibre::state::ended || other.interrupted) return;
  other.interrupted = true;
  other.interrupt_ps =
      here_->clock_ps + ps_of(settings_.on.signal_ns / 2) + up_to(settings_.faults.signal_late_ns) * 1000;
  if (!takes_signals(other) || &other == here_) return;
  if (other.now == fibre::state::spinning) {
    idlers_.remove(other);
    return can_go_on(other, std::max(other.interrupt_ps, other.clock_ps));
  }
  const bool sleeps = other.now == fibre::state::parked, waits = other.place != fibre::nowhere;
  if (!sleeps && other.now != fibre::state::working) return;
  if (waits && other.clock_ps <= other.interrupt_ps) return;
  const outside_the_world guard;
  if (waits) who_.remove(other);
  other.timed = sleeps;
  other.clock_ps = std::max(other.interrupt_ps, sleeps ? other.parked_ps : here_->clock_ps);
  who_.add(other);
  horizon_ps_ = who_.horizon_ps();
}

bool simulation::take_signals() {
  fibre& f = *here_;
  if (!takes_signals(f) || f.clock_ps < f.interrupt_ps) return false;
  {
    const outside_the_world guard;
    if (!who_.takes_signal(f)) return false;
  }
  f.interrupted = false;
  f.handling = true;
  note(operation::handler, nullptr);
  const std::uint64_t lock_ps = ps_of(settings_.on.signal_lock_ns);
  if (lock_ps != 0) f.clock_ps = signals_.take(f.clock_ps, lock_ps);
  pay(settings_.on.signal_ns / 2);
  for (const handler& h : handlers_) {
    if (h.claims != 0) h.call();
  }
  if (lock_ps != 0) {
    f.clock_ps = signals_.take(f.clock_ps, lock_ps);
    if (f.clock_ps >= horizon_ps_) decide(operation::handler, true);  // the step that was interrupted takes effect next
  }
  f.handling = false;
  return true;
}

void simulation::claim_handler(void (*call)()) {
  handler* free = nullptr;
  for (handler& h : handlers_) {
    if (h.claims != 0 && h.call == call) {
      ++h.claims;
      return;
    }
    if (h.claims == 0 && free == nullptr) free = &h;
  }
  if (free == nullptr) throw std::length_error("leat: more than " + std::to_string(handlers_max) + " handlers");
  *free = {call, 1};
}

void simulation::release_handler(void (*call)()) {
  for (handler& h : handlers_) {
    if (h.claims != 0 && h.call == call) --h.claims;
  }
}

// -- threads ----------------------------------------------------------------------------------------------------------

fibre& simulation::start(void (*body)(void*), void* argument) {
  if (here_ != nullptr) step(operation::start, settings_.on.thread_ns / 2);
  const auto number = static_cast<std::uint32_t>(fibres_.size());
  if (number == settings_.threads_max || (number != 0 && number == settings_.faults.thread_fails))
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  const outside_the_world guard;
  auto* const f = new (memory_.take(sizeof(fibre), alignof(std::max_align_t))) fibre;
  f->number = number;
  const std::uint32_t units = settings_.on.units();
  f->unit = units == 0 ? number : number % units;
  f->begins_with = {body, argument};
  f->noted_ps = here_ == nullptr ? 0 : here_->clock_ps + ps_of(settings_.on.thread_ns / 2);
  f->stack_end = memory_.take(settings_.stack_bytes, 4096);
  *static_cast<std::uint64_t*>(f->stack_end) = fibre::whole;
  make_suspended(f->host, static_cast<std::byte*>(f->stack_end) + 64, settings_.stack_bytes - 64, main_of, f);
  fibres_.push_back(f);
  ++living_;
  can_go_on(*f, here_ == nullptr ? 0 : here_->clock_ps + ps_of(settings_.on.thread_ns / 2));
  return *f;
}

void simulation::main_of(void* argument) {
  auto* const f = static_cast<fibre*>(argument);
  simulation& world = *current_;
  heap_of_thread = &world.memory_;
  try {
    f->begins_with.body(f->begins_with.argument);
  } catch (const std::exception& e) {
    world.fail("thread " + std::to_string(f->number) + " let out an exception: " + e.what());
  } catch (...) {
    world.fail("thread " + std::to_string(f->number) + " let out an exception");
  }
  world.end();
}

void simulation::end() {
  note(operation::end, nullptr);
  heap_of_thread = nullptr;
  fibre& f = *here_;
  f.now = fibre::state::ended;
  end_ps_ = std::max(end_ps_, f.clock_ps);
  for (fibre* other : fibres_) {
    if (other->now == fibre::state::joining && other->awaits == &f)
      can_go_on(*other, std::max(other->parked_ps, f.clock_ps));
  }
  if (--living_ == 0) end_in(here_->host, host_);
  fibre* const next = who_.next(nullptr, operation::end);
  if (next == nullptr) fail("nobody can go on");
  horizon_ps_ = who_.horizon_ps();
  here_ = next;
  end_in(f.host, next->host);
}

void simulation::join(fibre& other) {
  step(operation::join, 0);
  fibre& f = *here_;
  if (other.now == fibre::state::ended) return;
  f.now = fibre::state::joining;
  f.awaits = &other;
  f.parked_ps = f.clock_ps;
  decide(operation::join, false);
}

void* simulation::own_words(const void* type, std::size_t bytes, std::size_t alignment) {
  for (fibre::own_words& o : here_->own) {
    if (o.type == type) return o.words;
    if (o.type != nullptr) continue;
    o = {type, memory_.take(bytes, std::max(alignment, std::size_t{64}))};
    return o.words;
  }
  fail("a thread has more than " + std::to_string(fibre::own_types_max) + " kinds of words of its own");
}

// -- memory -----------------------------------------------------------------------------------------------------------

void* simulation::allocate(std::size_t bytes, std::size_t alignment) {
  if (++current_->allocations_ == current_->settings_.faults.memory_fails) throw std::bad_alloc();
  return current_->memory_.allocate(bytes, alignment);
}

void* simulation::reserve(std::size_t bytes) {
  if (current_ == nullptr) return native::reserve(bytes);
  if (++current_->allocations_ == current_->settings_.faults.memory_fails) throw std::bad_alloc();
  return current_->memory_.take(bytes, bytes);
}

void simulation::unreserve(void* space, std::size_t bytes) noexcept {
  if (current_ == nullptr) native::unreserve(space, bytes);  // a world's stays until that ends
}

}  // namespace leat::inline LEAT_ABI::platform
