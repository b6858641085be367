// The loops over the runtime.

#include "kernels/loop.hpp"

#include <leat/loop/each.hpp>
#include <leat/platform/counted.hpp>

namespace leat::kernels::loop {

namespace {

splitting of(strategy s) noexcept {
  switch (s) {
    case strategy::half: return splitting::half;
    case strategy::guided: return splitting::guided;
    default: return splitting::adaptive;
  }
}

template <class P, class Runtime>
double run(Runtime& rt, workload& w, strategy s) {
  leat::loop::options<P> options;
  options.split = of(s);
  return rt.run([&] {
    return w.time([&options](std::int64_t iterations, auto body) {
      leat::loop::for_block<P>(leat::block<std::int64_t>(0, iterations), body, options);
    });
  });
}

}  // namespace

double parallel(runtime& rt, workload& w, strategy s) { return run<platform::chosen>(rt, w, s); }

double parallel(counted_runtime& rt, workload& w, strategy s) { return run<platform::counted>(rt, w, s); }

}  // namespace leat::kernels::loop
