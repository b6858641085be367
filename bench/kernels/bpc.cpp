#include "kernels/bpc.hpp"

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

namespace leat::kernels::bpc {

namespace {

// What all tasks of a run share.
template <class P>
struct production {
  const busy_loop& work;  // of a consumer
  std::int64_t poll_us;  // 0: no polls
  worker_slots<P, std::uint64_t>& ran;
  std::int64_t consumers;
  bool splittable;
  task::task_group<P>* group;  // that all tasks are of; null: plain tasks

  void produce(std::int64_t producers_left) {
    ++ran.local();
    if (producers_left > 1) make([this, producers_left] { produce(producers_left - 1); });
    if (splittable) {
      const auto one = [this](std::int64_t) { consume(); };
      loop::spawn_block<P>(group, leat::block<std::int64_t>(0, consumers), one, loop::options<P>{});
    } else {
      for (std::int64_t i = 0; i < consumers; ++i) make([this] { consume(); });
    }
  }

  template <class Task>
  void make(Task task) {
    if (group != nullptr) group->spawn(task);
    else task::spawn<P>(task);
  }

  void consume() {
    if (poll_us != 0) work.with_polls(poll_us, [] { task::poll<P>(); });
    else work();
    ++ran.local();
  }
};

template <class P, class Runtime>
std::uint64_t run(Runtime& rt, const parameters& p) {
  const busy_loop work(p.us, p.clock);
  worker_slots<P, std::uint64_t> ran(rt.workers());
  const std::int64_t poll_us = p.polls ? p.poll_us : 0;
  if (p.construct == construct::spawn) {
    production<P> all{work, poll_us, ran, p.n, p.splittable, nullptr};
    rt.run([&] { task::spawn<P>([&] { all.produce(p.d); }); });
  } else {
    rt.run([&] {
      task::task_group<P> group;
      production<P> all{work, poll_us, ran, p.n, p.splittable, &group};
      group.spawn([&] { all.produce(p.d); });
      group.wait();
    });
  }
  return ran.sum();
}

}  // namespace

void parameters::validate() const {
  check_range("-n", n, 0, n_max);
  check_range("-d", d, 1, d_max);
  check_range("--us", us, 0, us_max);
  check_range("--poll-us", poll_us, 1, us_max);
  if (d * (n + 1) > tasks_max) {
    throw std::invalid_argument("-d = " + std::to_string(d) + ": with -n = " + std::to_string(n) + " these are " +
                                std::to_string(d * (n + 1)) + " tasks; at most " + std::to_string(tasks_max) +
                                " are taken");
  }
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
  const std::int64_t us_each = std::max<std::int64_t>(1, us * n);
  p.d = std::clamp<std::int64_t>(std::min(tasks_at_most / (n + 1), us_together_max / us_each), 1, d);
  return p;
}

std::uint64_t serial(const parameters& p) {
  const busy_loop work(p.us, p.clock);
  std::uint64_t calls = 0;
  for (std::int64_t producer = 0; producer < p.d; ++producer) {
    ++calls;
    for (std::int64_t consumer = 0; consumer < p.n; ++consumer) {
      work();
      ++calls;
    }
  }
  return calls;
}

std::uint64_t parallel(runtime& rt, const parameters& p) { return run<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return run<platform::counted>(rt, p); }

}  // namespace leat::kernels::bpc
