#include "leat/profile/sampler.hpp"

#include <new>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::profile {

void sampler::start() {
  thread_ = platform::thread([this] {
    platform::name_thread("leat-profile");
    main();
  });
}

void sampler::stop() noexcept {
  ended_.store(1, leat::platform::release);  // pairs with main
  platform::wake_all(ended_);
  thread_.join();
}

void sampler::main() noexcept {
  while (ended_.load(leat::platform::acquire) == 0) {  // pairs with stop
    check_all();
    platform::wait_for(ended_, 0, period_ns);
  }
  check_all();
}

// If memory runs out, the rest of the check is skipped.
void sampler::check_all() noexcept {
  try {
    for (worker_log* log : logs_()) {
      check(*log, seen_[log]);
      log->sample();
    }
  } catch (const std::bad_alloc&) {
  }
}

// A worker that stands for the program's threads may have another thread each time. The time that a thread took before the
// sampler first saw it is not counted.
void sampler::check(const worker_log& log, view& v) {
  const std::uint64_t thread = log.thread();
  if (thread == 0) return v.thread.reset();  // closes its files
  const bool known = v.thread != nullptr && v.thread->thread() == thread;
  if (!known) v.thread = std::make_unique<leat::platform::thread_view>(thread);
  if (const auto now = v.thread->read_times()) {
    if (known) {
      v.so_far.ran_ns += now->ran_ns - v.last.ran_ns;
      v.so_far.queued_ns += now->queued_ns - v.last.queued_ns;
    }
    v.last = *now;
  }
  if (log.now() != activity::running) return;
  ++v.so_far.checks;
  if (const auto call = v.thread->blocking_call()) ++v.so_far.calls[*call];
}

}  // namespace leat::inline LEAT_ABI::profile
