// Steps of the threads of a world: what each costs, and which thread goes on after it.
#include <algorithm>
#include <string>

#include "leat/platform/simulation/outside_the_world.hpp"
#include "leat/platform/simulation/simulation.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

// The time since the account was settled goes to the step that took it.
void settle_account(fibre& f) noexcept {
  f.spent_ps[static_cast<std::size_t>(f.last)] += f.clock_ps - f.noted_ps;
  f.noted_ps = f.clock_ps;
}

}  // namespace

void simulation::note(operation what, const void* place) noexcept {
  fibre& f = *here_;
  const std::uint64_t where = memory_.contains(place) ? memory_.offset(place) : 0;
  settle_account(f);
  f.last = what;
  ++f.steps;
  // FNV-1a, a word at a time.
  constexpr std::uint64_t prime = 0x100000001b3;
  trace_ = (trace_ ^ (std::uint64_t{f.number} << 8 | static_cast<std::uint64_t>(what))) * prime;
  trace_ = (trace_ ^ where) * prime;
  if (!events_.empty()) events_[steps_ % events_.size()] = {f.number, what, where, f.clock_ps};
  ++steps_;
}

void simulation::touch(operation what, const void* word) {
  note(what, word);
  if (settings_.observer) settings_.observer(what, word);
  fibre& f = *here_;
  const machine& m = settings_.on;
  if (what != operation::load) f.round.spoil();
  if (!m.tracks_lines) {
    pay(m.load_ns);
    return pass(what);
  }
  const std::uint64_t line = memory_.offset(word) / 64;
  std::uint64_t there_ps = 0;  // when others can have what is written
  {
    const outside_the_world guard;
    switch (what) {
      case operation::load:
        await(lines_.read(line, f.unit, f.clock_ps));
        pay(m.load_ns);
        if (f.round.on()) f.round.reads({line, lines_.writes_of(line)});
        break;
      case operation::store:
        // The store waits for the line in the unit's store buffer.
        there_ps = f.stores_done_ps = std::max(f.stores_done_ps, lines_.write(line, f.unit, f.clock_ps));
        f.clock_ps += ps_of(m.store_ns);
        break;
      default:
        await(lines_.write(line, f.unit, std::max(f.clock_ps, f.stores_done_ps)));
        pay(m.rmw_ns);
        there_ps = f.clock_ps;
        break;
    }
  }
  if (m.step_ns != 0) pay(m.step_ns * computing_.slowdown(f.unit, work_kind::any));
  pass(what);
  // Now, and no earlier: others that went on in pass() have found the old value.
  if (what != operation::load && idlers_.ever()) end_idling(line, there_ps);
}

void simulation::step(operation what, double ns) {
  note(what, nullptr);
  pay(ns);
  pass(what);
}

// A round of a spin loop begins here, and ends with the next call. If the fibre has only read meanwhile, and no word of these lines
// was written, the next round is like this one: by the promise of its caller nothing else decides what it does.
void simulation::idle() {
  fibre& f = *here_;
  idlers_.begin();
  const bool finds_the_same =
      f.round.on() && !f.interrupted && who_.leaves_out_idlers() && f.round.begin() != f.round.end() &&
      std::all_of(f.round.begin(), f.round.end(),
                  [&](const spin_round::read& r) { return lines_.writes_of(r.line) == r.writes; });
  if (finds_the_same) {
    note(operation::relax, nullptr);
    pay(settings_.on.relax_ns);
    end_step();
    f.now = fibre::state::spinning;
    {
      const outside_the_world guard;
      idlers_.add(f);
    }
    decide(operation::relax, false);
    take_signals();
  } else {
    relax();
  }
  f.round.begin(f.clock_ps);
}

// A word of the line has been written, and others can have it at that time. Those that wait for it find it in the round that begins
// next.
void simulation::end_idling(std::uint64_t line, std::uint64_t ps) {
  const outside_the_world guard;
  lines_.wrote(line);
  while (fibre* const f = idlers_.of(line)) {
    const std::uint64_t round_ps = std::max<std::uint64_t>(f->clock_ps - f->round.begun_ps(), 1);
    const std::uint64_t later_ps = ps > f->clock_ps ? ps - f->clock_ps : 0;
    idlers_.remove(*f);
    can_go_on(*f, f->clock_ps + (later_ps + round_ps - 1) / round_ps * round_ps);
  }
}

void simulation::fence() {
  note(operation::fence, nullptr);
  await(here_->stores_done_ps);
  pay(settings_.on.fence_ns);
  pass(operation::fence);
}

std::uint64_t simulation::now_ns() {
  here_->round.spoil();
  pay(settings_.on.clock_ns);
  return here_->clock_ps / 1000;
}

void simulation::work(double ps, double bytes, work_kind kind) {
  fibre& f = *here_;
  f.round.spoil();
  note(operation::work, nullptr);
  const machine& m = settings_.on;
  double takes_ps = ps * m.work_slowdown * computing_.slowdown(f.unit, kind);
  if (m.memory_gb_s != 0) takes_ps += 1000 * bytes / m.memory_gb_s * (computing_.count() + 1);
  const auto compute = [&](bool begins) {
    const outside_the_world guard;
    begins ? computing_.begin(f.unit, kind) : computing_.end(f.unit, kind);
  };
  compute(true);
  if (takes_ps > clock_ps_max) takes_ps = clock_ps_max;  // spend() says so
  for (auto left = static_cast<std::uint64_t>(takes_ps); left != 0;) left = spend(left);
  compute(false);
  end_step();
}

void simulation::spin(std::uint64_t ps) {
  here_->round.spoil();
  note(operation::work, nullptr);
  const std::uint64_t end = here_->clock_ps + ps;
  while (here_->clock_ps < end) spend(end - here_->clock_ps);
  end_step();
}

// Until the time is over, or a signal comes: its handler has run then. Returns how much of the time is left.
std::uint64_t simulation::spend(std::uint64_t ps) {
  fibre& f = *here_;
  const std::uint64_t until = f.clock_ps + ps;
  if (until > clock_ps_max) fail("thread " + std::to_string(f.number) + ": work beyond 10^6 seconds");
  f.clock_ps = takes_signals(f) && f.interrupt_ps > f.clock_ps && f.interrupt_ps < until ? f.interrupt_ps : until;
  f.now = fibre::state::working;
  if (f.clock_ps >= horizon_ps_) decide(operation::work, true);
  f.now = fibre::state::ready;
  const std::uint64_t left = until > f.clock_ps ? until - f.clock_ps : 0;
  if (take_signals()) {  // what is left is work, too
    settle_account(f);
    f.last = operation::work;
  }
  return left;
}

// What every step ends with: others may go on, then it takes effect.
void simulation::pass(operation what) {
  end_step();
  if (here_->clock_ps >= horizon_ps_) decide(what, true);
  if (here_->interrupted) [[unlikely]]
    take_signals();
}

// Without a bound a spin that waits for what never comes would not end.
void simulation::end_step() {
  fibre& f = *here_;
  for (const fault_plan::stall& stall : settings_.faults.stalls) {
    if (stall.thread != f.number || stall.step != f.steps) continue;
    f.clock_ps += stall.ns * 1000;
    decide(operation::work, true);
  }
  if (steps_ > settings_.steps_max) [[unlikely]]
    fail("no end after " + std::to_string(steps_) + " steps");
}

void simulation::decide(operation what, bool goes_on) {
  const outside_the_world guard;
  fibre* const now = here_;
  if (!now->stack_is_whole()) fail("thread " + std::to_string(now->number) + " has used more than its stack");
  fibre* const next = who_.next(goes_on ? now : nullptr, what);
  if (next == nullptr) fail("nobody can go on");
  horizon_ps_ = who_.horizon_ps();
  if (next == now) return;
  here_ = next;
  switch_between(now->host, next->host);
}

void simulation::can_go_on(fibre& f, std::uint64_t ps) {
  const outside_the_world guard;
  f.now = fibre::state::ready;
  f.clock_ps = ps;
  who_.add(f);
  horizon_ps_ = who_.horizon_ps();
}

bool simulation::move_to(unsigned unit) noexcept {
  if (const std::uint32_t units = settings_.on.units(); units != 0 && unit >= units) return false;
  here_->unit = unit;
  return true;
}

}  // namespace leat::inline LEAT_ABI::platform
