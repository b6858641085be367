#include "kernels/counted_runtime.hpp"

#include <algorithm>

namespace leat::kernels {

namespace {

// What leat::runtime would be built from, with the options that commands can set.
scheduler::settings settings_of(const leat::options& given) {
  constexpr std::uint64_t patience_ns_max = 20'000;
  const leat::options o = given.resolved();
  scheduler::settings s;
  s.workers = static_cast<std::uint32_t>(o.workers.value_or(s.workers));
  s.spin_ns = o.spin_us.value_or(0) * 1000;
  s.patience_ns = std::min(s.spin_ns, patience_ns_max);
  s.exposure = protocol::exposure_of(o.scheduler.value_or("channel"));
  s.interrupt_after_ns = o.interrupt_after_us.value_or(0) * 1000;
  if (s.patience_ns == 0 || s.exposure != protocol::exposure::none) s.attempts = 0;
  s.seed = o.seed;
  s.deque_capacity = o.deque_capacity;
  s.strategy = o.strategy == "steal-one"    ? protocol::strategy::steal_one
               : o.strategy == "steal-half" ? protocol::strategy::steal_half
                                            : protocol::strategy::adaptive;
  return s;
}

}  // namespace

counted_runtime::counted_runtime(const leat::options& o) : scheduler_(settings_of(o)) {}

}  // namespace leat::kernels
