#include "kernels/spc.hpp"

#include "kernels/busy_loop.hpp"
#include "kernels/range.hpp"
#include "kernels/worker_slots.hpp"

#include <leat/loop/spawned.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/task/spawn.hpp>
#include <leat/task/task_group.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace leat::kernels::spc {

namespace {

template <class P, class Runtime>
std::uint64_t run(Runtime& rt, const parameters& p) {
  const busy_loop work(p.us, p.clock);
  worker_slots<P, std::uint64_t> ran(rt.workers());
  const auto consume = [&work, &ran] {
    work();
    ++ran.local();
  };
  const auto produce = [&](task::task_group<P>* group) {
    if (p.splittable) {
      const auto one = [&consume](std::int64_t) { consume(); };
      loop::spawn_block<P>(group, leat::block<std::int64_t>(0, p.tasks), one, loop::options<P>{});
    } else if (group == nullptr) {
      for (std::int64_t i = 0; i < p.tasks; ++i) task::spawn<P>(consume);
    } else {
      for (std::int64_t i = 0; i < p.tasks; ++i) group->spawn(consume);
    }
  };
  rt.run([&] {
    if (p.construct == construct::spawn) return produce(nullptr);
    task::task_group<P> group;
    produce(&group);
    group.wait();
  });
  return ran.sum();
}

}  // namespace

void parameters::validate() const {
  check_range("--tasks", tasks, 0, tasks_max);
  check_range("--us", us, 0, us_max);
  if (construct != construct::group && construct != construct::spawn) {
    throw std::invalid_argument("--construct = '" + std::string(name(construct)) + "': must be group or spawn");
  }
}

void parameters::prepare() const {
  if (us != 0 && !clock) busy_loop::calibrate();
}

parameters parameters::smaller() const noexcept {
  constexpr std::int64_t tasks_at_most = 1'000'000;
  constexpr std::int64_t us_together_max = 1'000'000;
  parameters p = *this;
  p.tasks = std::min({tasks, tasks_at_most, us == 0 ? tasks_at_most : us_together_max / us});
  return p;
}

std::uint64_t serial(const parameters& p) {
  const busy_loop work(p.us, p.clock);
  std::uint64_t calls = 0;
  for (std::int64_t i = 0; i < p.tasks; ++i) {
    work();
    ++calls;
    // A call is a call: the compiler must not add them all up at once.
    asm volatile("" : "+r"(calls));
  }
  return calls;
}

std::uint64_t parallel(runtime& rt, const parameters& p) { return run<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return run<platform::counted>(rt, p); }

}  // namespace leat::kernels::spc
