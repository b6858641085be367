#include "leat/profile/worker_log.hpp"

namespace leat::inline LEAT_ABI::profile {

void worker_log::begin(const subject& s) noexcept {
  const handshake::holding<platform> alone(lock_);
  if (!closed_) subject_ = s;
}

void worker_log::end() noexcept {
  const handshake::holding<platform> alone(lock_);
  if (subject_.worker == nullptr) return;
  counts_ = subject_.counts(subject_.worker);
  subject_ = {};
  thread_is(0);
  change_alone(activity::outside, platform::now_ns());
}

activity worker_log::change(activity to) noexcept {
  const std::uint64_t now = platform::now_ns();
  const handshake::holding<platform> alone(lock_);
  return change_alone(to, now);
}

void worker_log::operation_begins() noexcept {
  const std::uint64_t now = platform::now_ns();
  const handshake::holding<platform> alone(lock_);
  if (closed_) return;  // the profile reads what was sampled, without the lock
  gaps_.operation_begins(now);
}

// Without the lock: it notes no time, and writes words that are the worker's while a sample is not complete. The sampler takes
// them over when the sample is complete (the orders are in gaps.hpp), and nothing else reads them.
void worker_log::operation_ends() noexcept { gaps_.operation_ends(platform::now_ns()); }

void worker_log::sample() noexcept {
  const handshake::holding<platform> alone(lock_);
  if (subject_.worker == nullptr || times_.now() != activity::running) return;
  if (gaps_.begin_sample(platform::now_ns())) subject_.signal(subject_.worker);
}

void worker_log::close() noexcept {
  const handshake::holding<platform> alone(lock_);
  if (subject_.worker != nullptr) counts_ = subject_.counts(subject_.worker);
  subject_ = {};
  closed_ = true;
}

void worker_log::end_at(std::uint64_t now_ns) noexcept { times_.change(times_.now(), now_ns); }

activity worker_log::change_alone(activity to, std::uint64_t now_ns) noexcept {
  const activity before = now();
  if (closed_) return before;
  times_.change(to, now_ns);
  shown_.store(to, leat::platform::relaxed);  // relaxed: a hint
  return before;
}

}  // namespace leat::inline LEAT_ABI::profile
