// The loops over the runtime.

#include "kernels/loop.hpp"

#include <leat/loop/each.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/platform/counted.hpp>
#include <leat/platform/native.hpp>
#include <leat/task/fork_join.hpp>

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
  if constexpr (!std::is_same_v<platform::chosen, platform::native>) platform::chosen::spin_ns(awake_ns);
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
double run(Runtime& rt, workload& w, strategy s) {
  if (s == strategy::eager) return run_eagerly<P>(rt, w);
  leat::loop::options<P> options;
  options.split = of(s);
  return rt.run([&] {
    await_others();
    return w.time([&options](std::int64_t iterations, auto body) {
      leat::loop::for_block<P>(leat::block<std::int64_t>(0, iterations), body, options);
    });
  });
}

}  // namespace

double parallel(runtime& rt, workload& w, strategy s) { return run<platform::chosen>(rt, w, s); }

double parallel(counted_runtime& rt, workload& w, strategy s) { return run<platform::counted>(rt, w, s); }

}  // namespace leat::kernels::loop
