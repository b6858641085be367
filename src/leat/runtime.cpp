#include "leat/runtime.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "leat/topology/cpus.hpp"

namespace leat {

namespace {

// A victim that polls answers within a microsecond or two; one that does not should not keep the request.
constexpr std::uint64_t patience_ns_max = 20'000;

scheduler::settings settings_of(const options& o, bool has_primary) {
  scheduler::settings s;
  s.workers = static_cast<std::uint32_t>(*o.workers);
  s.spares = static_cast<std::uint32_t>(*o.spares);
  s.spin_ns = *o.spin_us * 1000;
  s.patience_ns = std::min(s.spin_ns, patience_ns_max);
  s.exposure = protocol::exposure_of(*o.scheduler);
  // Nobody is asked who would not be waited for; and nobody where thieves take by themselves.
  if (s.patience_ns == 0 || s.exposure != protocol::exposure::none) s.attempts = 0;
  s.interrupt_after_ns = *o.interrupt_after_us * 1000;
  s.seed = o.seed;
  s.deque_capacity = o.deque_capacity;
  s.strategy = o.strategy == "steal-one"    ? protocol::strategy::steal_one
               : o.strategy == "steal-half" ? protocol::strategy::steal_half
                                            : protocol::strategy::adaptive;
  s.has_primary = has_primary;
  if (o.pin) s.pin_to = topology::read_cpus().allowed;
  return s;
}

}  // namespace

runtime::runtime(const leat::options& o) : runtime(o, false) {}

runtime::runtime(const leat::options& o, bool has_primary)
    : options_(std::make_unique<leat::options>(o.resolved())),
      scheduler_(std::make_unique<engine>(settings_of(*options_, has_primary))) {}

runtime::~runtime() {
  // A task has called std::exit: nobody to wait for, and workers that may still use all of it.
  if (scheduler_->under_way()) static_cast<void>(scheduler_.release());
}

counters runtime::counters(std::uint32_t worker) const {
  if (worker >= workers()) {
    throw std::out_of_range("leat: counters of worker " + std::to_string(worker) + " of " + std::to_string(workers()));
  }
  return scheduler_->read_counters(worker);
}

const options& runtime::options() const noexcept { return *options_; }

}  // namespace leat
