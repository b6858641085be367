// The loops over the runtime.

#include "kernels/loop.hpp"

#include <leat/loop/each.hpp>
#include <leat/loop/spawned.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/platform/counted.hpp>
#include <leat/platform/native.hpp>
#include <leat/task/fork_join.hpp>
#include <leat/task/spawn.hpp>
#include <leat/task/task_group.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace leat::kernels::loop {

namespace {

splitting of(strategy s) noexcept {
  switch (s) {
    case strategy::half: return splitting::half;
    case strategy::guided: return splitting::guided;
    default: return splitting::adaptive;
  }
}

// In worlds all workers are awake when the clock starts, as the thesis's are while its programs begin.
void await_others() {
  constexpr std::uint64_t awake_ns = 5'000'000;
  if constexpr (!std::is_base_of_v<platform::native, platform::chosen>) platform::chosen::spin_ns(awake_ns);
}

constexpr std::int64_t eager_chunk_max = 2048;

// The chunks of a loop that is split at once.
template <class P, class Body>
void split_eagerly(std::int64_t first, std::int64_t last, std::int64_t chunk, const Body& body) {
  if (last - first <= chunk) {
    for (std::int64_t i = first; i < last; ++i) body(i);
    return;
  }
  const std::int64_t middle = first + (last - first) / 2;
  task::fork_join<P>([&] { split_eagerly<P>(first, middle, chunk, body); },
                     [&] { split_eagerly<P>(middle, last, chunk, body); });
}

// The body, whose iterations poll while they wait. Those of the loop that has threads awake are too short to.
template <class P, class Body>
auto polling(const Body& body, std::int64_t every_us) {
  return [=, &body](std::int64_t i) {
    if constexpr (requires { body.steps(i); }) {
      busy_loop::wait_with_polls(body.steps(i), every_us, [] { task::poll<P>(); });
      body.count(i);
    } else {
      body(i);
    }
  };
}

template <class P, class Body>
void execute(const leat::block<std::int64_t>& all, const Body& body, const parameters& p) {
  leat::loop::options<P> options;
  options.split = of(p.strategy);
  if (p.construct == construct::fork) return leat::loop::for_block<P>(all, body, options);
  if (p.construct == construct::spawn) {
    leat::loop::spawn_block<P>(nullptr, all, body, options);
    return task::barrier<P>();
  }
  task::task_group<P> group;
  leat::loop::spawn_block<P>(&group, all, body, options);
  group.wait();
}

template <class P, class Runtime>
double run_eagerly(Runtime& rt, workload& w) {
  constexpr std::int64_t chunks_per_worker = 8;
  const std::int64_t chunks = chunks_per_worker * rt.workers();
  return rt.run([&] {
    await_others();
    return w.time([chunks](std::int64_t iterations, auto body) {
      const std::int64_t chunk = (iterations + chunks - 1) / chunks;
      split_eagerly<P>(0, iterations, std::clamp<std::int64_t>(chunk, 1, eager_chunk_max), body);
    });
  });
}

template <class P, class Runtime>
double run(Runtime& rt, workload& w, const parameters& p) {
  if (p.strategy == strategy::eager) return run_eagerly<P>(rt, w);
  return rt.run([&] {
    await_others();
    return w.time([&p](std::int64_t iterations, auto body) {
      const leat::block<std::int64_t> all(0, iterations);
      if (p.polls) execute<P>(all, polling<P>(body, p.poll_us), p);
      else execute<P>(all, body, p);
    });
  });
}

}  // namespace

double parallel(runtime& rt, workload& w, const parameters& p) { return run<platform::chosen>(rt, w, p); }

double parallel(counted_runtime& rt, workload& w, const parameters& p) { return run<platform::counted>(rt, w, p); }

}  // namespace leat::kernels::loop
