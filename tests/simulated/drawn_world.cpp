#include "drawn_world.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace leat_test {

namespace {

using leat::platform::at_random;
using leat::platform::by_choice;
using leat::platform::by_priority;
using leat::platform::fault_plan;
using leat::platform::machine;
using leat::platform::preemption;
using leat::platform::replayed;
using leat::platform::simulation;

// The last one is what channel becomes where tasks are long (EXPOSURE-3), from the beginning.
constexpr std::array schedulers{"channel",           "prell",     "work-stealing", "lcws-user", "lcws-signal",
                                "lcws-conservative", "lcws-half", "channel, eager"};

// Of the seed, in the order in which it is asked.
class drawing {
 public:
  explicit drawing(std::uint64_t seed) { of_.seed = seed; }
  std::uint32_t below(std::uint32_t end) { return of_.drawn(asked_++, end); }
  bool one_of(std::uint32_t n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T from(const T (&values)[N]) {
    return values[below(N)];
  }

 private:
  scene of_;
  std::uint64_t asked_ = std::uint64_t{1} << 32;  // other keys than the client's
};

fault_plan draw_faults(drawing& d, const shape& s) {
  fault_plan f;
  const std::uint32_t threads = s.workers + 2;
  if (d.one_of(3)) {
    for (std::uint32_t i = 0; i < 1 + d.below(3); ++i)
      f.stalls.push_back({d.below(threads), d.below(1500), 1 + d.below(30'000)});
  }
  if (d.one_of(4)) f.wake_late_ns = d.from({100u, 5'000u, 50'000u});
  if (d.one_of(8)) f.wake_bunch_ns = d.from({500u, 20'000u});
  if (d.one_of(4)) f.signal_late_ns = d.from({100u, 5'000u, 50'000u});
  if (d.one_of(16)) f.thread_fails = 1 + d.below(s.workers + *s.spares);
  if (d.one_of(8)) f.memory_fails = 1 + d.below(60 + 20 * s.workers);
  return f;
}

// For prell; others do not read it.
leat::protocol::prell_choices draw_choices(drawing& d, std::uint32_t workers) {
  using namespace leat::protocol;
  prell_choices c;
  if (d.one_of(2)) return c;
  c.last_victim = d.one_of(2);
  c.tries = d.from({tries::repeated, tries::distinct});
  c.refusal = d.from({refusal::forward, refusal::acknowledge});
  c.polling = d.from({polling::operations, polling::interrupts});
  c.termination = d.from({termination::root, termination::worker, termination::dedicated, termination::counter});
  c.barrier = d.from({barrier_end::own, barrier_end::dummy});
  c.ahead = d.one_of(2);
  c.samples = d.one_of(2) ? 1 : 1 + d.below(workers + 1);
  return c;
}

// Places take a manager that is not worker 0.
std::vector<std::uint32_t> draw_places(drawing& d, const shape& s) {
  using leat::protocol::termination;
  std::vector<std::uint32_t> places;
  const termination t = s.prell.termination;
  if ((t != termination::worker && t != termination::dedicated) || d.one_of(2)) return places;
  for (std::uint32_t w = 0; w < s.workers; ++w) places.push_back(d.below(s.workers));
  return places;
}

std::unique_ptr<by_choice> schedule_of(const drawn_world& w) {
  constexpr std::uint64_t steps = 4000;
  if (w.rarity != 0) return std::make_unique<at_random>(w.seed, w.rarity);
  return std::make_unique<by_priority>(w.seed, w.changes, steps);
}

simulation::outcome run(const drawn_world& w, const fault_plan& faults, by_choice& who) {
  simulation::settings settings = w.settings;
  settings.faults = faults;
  simulation world(settings, who);
  return world.run([&] {
    try {
      w.what.run(w.told);
    } catch (const std::bad_alloc&) {
      if (!w.told.memory_may_fail) throw;
    } catch (const std::system_error&) {
      if (!w.told.threads_may_fail) throw;
    }
  });
}

}  // namespace

drawn_world draw(std::uint64_t seed) {
  drawing d(seed);
  drawn_world w{};
  w.seed = seed;
  w.what = programs()[seed % programs().size()];
  w.scheduler = schedulers[seed / programs().size() % schedulers.size()];
  shape& s = w.told.of;
  s.workers = 1 + d.below(4);
  s.deque_capacity = d.from({1u, 2u, 4u, 16u});
  s.spin_ns = d.from({0u, 200u, 1'000u, 4'000u});
  s.spares = d.below(s.workers + 1);
  s.interrupt_after_ns = d.from({0u, 1'000u, 2'000u, 20'000u});
  s.strategy = d.from({leat::protocol::strategy::adaptive, leat::protocol::strategy::steal_half});
  if (w.scheduler == schedulers.back()) s.exposure = leat::protocol::exposure::eager;
  s.published = leat::protocol::published_of(w.scheduler);
  s.prell = draw_choices(d, s.workers);
  s.places = draw_places(d, s);
  w.told.seed = seed;
  w.settings.on = machine::even();
  w.settings.seed = seed;
  w.settings.steps_max = 2'000'000;
  w.settings.faults = draw_faults(d, s);
  w.told.threads_may_fail = w.settings.faults.thread_fails != 0;
  w.told.memory_may_fail = w.settings.faults.memory_fails != 0;
  if (d.one_of(3)) w.changes = 1 + d.below(3);
  else w.rarity = 1u << d.below(6);
  return w;
}

// The choices of prell, as the command line has them.
std::string describe(const leat::protocol::prell_choices& c, const std::vector<std::uint32_t>& places) {
  using namespace leat::protocol;
  const auto of = [](const auto& names, auto value) { return std::string(names[static_cast<std::size_t>(value)]); };
  std::string in = places.empty() ? "" : ", places";
  for (const std::uint32_t p : places) in += " " + std::to_string(p);
  return " (" + of(tries_names, c.tries) + ", " + of(refusal_names, c.refusal) + ", " + of(polling_names, c.polling) +
         ", " + of(termination_names, c.termination) + ", " + of(barrier_end_names, c.barrier) +
         (c.last_victim ? ", last victim" : "") + (c.ahead ? ", ahead" : "") + ", samples " +
         std::to_string(c.samples) + in + ")";
}

std::string describe(const drawn_world& w) {
  const bool chooses = w.told.of.published == leat::protocol::published::prell;
  return "seed " + std::to_string(w.seed) + ": " + w.what.name + " on " + w.scheduler +
         (chooses ? describe(w.told.of.prell, w.told.of.places) : "") + ", " + w.told.of.name() + ", " +
         std::to_string(*w.told.of.spares) + " spares, interrupts after " +
         std::to_string(w.told.of.interrupt_after_ns) + " ns; " +
         (w.rarity != 0 ? "at random, 1 in " + std::to_string(w.rarity)
                        : "by priority, " + std::to_string(w.changes) + " changes");
}

std::string replay_command(const drawn_world& w) {
  return "LEAT_SEED=" + std::to_string(w.seed) + " leat_test_simulated --gtest_filter=seeds.replay";
}

simulation::outcome run(const drawn_world& w, std::vector<preemption>* preemptions) {
  const auto who = schedule_of(w);
  if (preemptions != nullptr) who->record(*preemptions);
  return run(w, w.settings.faults, *who);
}

simulation::outcome run(const drawn_world& w, const failing_plan& plan) {
  replayed who(plan.preemptions);
  return run(w, plan.faults, who);
}

std::string report(const drawn_world& w, const simulation::outcome& failed) {
  std::string text = describe(w) + "\nto have it again: " + replay_command(w) + "\n" + failed.failure;
  failing_plan plan{{}, w.settings.faults};
  run(w, &plan.preemptions);
  const std::string kind = kind_of(failed.failure);
  const auto failure_of = [&](const failing_plan& p) { return run(w, p).failure; };
  if (kind_of(failure_of(plan)) != kind) return text + "(it does not fail so with its schedule as a list)\n";
  constexpr std::uint64_t steps = 200'000'000, runs_min = 50, runs_max = 3'000;  // some seconds
  plan = shrink(plan, kind, failure_of, std::clamp(steps / failed.steps, runs_min, runs_max));
  return text + "what it takes of the schedule and the faults:\n" + describe(plan) + "and with that it ends so:\n" +
         failure_of(plan);
}

void have_worlds_fail() {
  // On the stack of the thread that did it, which is not gone on with.
  struct sigaction fault = {};
  fault.sa_handler = [](int signal) {
    if (simulation* const world = simulation::current()) world->fail(std::string("a signal: ") + strsignal(signal));
    std::abort();
  };
  fault.sa_flags = SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &fault, nullptr);
  std::set_terminate([] {
    if (simulation* const world = simulation::current()) world->fail("std::terminate was called");
    std::fputs("std::terminate was called\n", stderr);
    std::abort();
  });
}

}  // namespace leat_test

// The C library's, which ends the process.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  std::string what = std::string(file) + ":" + std::to_string(line) + ": " + function + ": " + assertion;
  if (auto* const world = leat::platform::simulation::current()) world->fail("assertion does not hold: " + what);
  std::fputs((what + "\n").c_str(), stderr);
  std::abort();
}
