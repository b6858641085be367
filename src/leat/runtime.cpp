#include "leat/runtime.hpp"

#include <stdexcept>
#include <string>

#include "leat/settings.hpp"

namespace leat {

namespace {

scheduler::settings with_primary(scheduler::settings s, bool has_primary) {
  s.has_primary = has_primary;
  return s;
}

}  // namespace

runtime::runtime(const leat::options& o) : runtime(o, false) {}

runtime::runtime(const leat::options& o, bool has_primary)
    : options_(std::make_unique<leat::options>(o.resolved())),
      scheduler_(std::make_unique<engine>(with_primary(settings_of(*options_), has_primary))) {}

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
