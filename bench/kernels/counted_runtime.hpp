// A runtime that counts fences and read-modify-writes.

#pragma once

#include <leat/counters.hpp>
#include <leat/entry/bodies.hpp>
#include <leat/options.hpp>
#include <leat/platform/counted.hpp>
#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels {

/// leat::runtime, as far as kernels need it, on the counted platform.
class counted_runtime {
 public:
  using platform = leat::platform::counted;

  /// Throws what the constructor of leat::runtime throws.
  explicit counted_runtime(const leat::options& o);

  /// See leat::runtime::run.
  template <class F>
  decltype(auto) run(F&& f) {
    return entry::execute_run(scheduler_, f);
  }

  [[nodiscard]] std::uint32_t workers() const noexcept { return scheduler_.config().workers; }

  /// See leat::runtime::counters. Between runs the workers' last operations, a handful each, may not be in it yet.
  [[nodiscard]] leat::counters counters() const { return scheduler_.read_counters(); }
  [[nodiscard]] leat::counters counters(std::uint32_t worker) const { return scheduler_.read_counters(worker); }

 private:
  scheduler::channel_scheduler<platform> scheduler_;
};

}  // namespace leat::kernels
