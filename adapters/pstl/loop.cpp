// Loops of std::execution::par: splittable tasks (docs/internals/loops.md) whose steps are called by address.
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "inside.hpp"
#include "leat/loop/splittable.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

namespace {

using platform_type = platform::chosen;

/// What one worker executes of a loop: see loop::part. The first one adds to the caller's value; a part that a thief has begins
/// its own.
class part {
 public:
  part(const loop_body& body, cancellation& stop, std::size_t first, std::size_t last, void* value = nullptr)
      : body_(body), stop_(stop), first_(first), last_(last), value_(value) {}
  part(const part&) = delete;
  part& operator=(const part&) = delete;
  ~part() {
    if (room_ != here_) ::operator delete(room_, std::align_val_t(body_.value_alignment));
  }

  std::uint64_t size() const noexcept { return last_ - first_; }

  part cut(std::uint64_t n) {
    last_ -= n;
    return {body_, stop_, last_, last_ + n};
  }

  // A cancelled loop leaves steps out, but not the beginning of a value: what absorb adds to it may be what was searched.
  std::uint64_t step(std::uint64_t n) {
    std::size_t begun = 0;
    if (value_ == nullptr && body_.begin_value != nullptr) {
      find_room();
      begun = body_.begin_value(body_.self, room_, first_);
      value_ = room_;
    }
    const std::size_t first = std::exchange(first_, first_ + n);
    if (begun != n) stop_.guard([&] { body_.step(body_.self, value_, first + begun, first_); });
    return n;
  }

  void go_on(part&& upper) noexcept { first_ = upper.first_, last_ = upper.last_; }

  void absorb(part&& upper) noexcept {
    // After an exception either part may have no value.
    if (value_ != nullptr && upper.value_ != nullptr) body_.join(body_.self, value_, upper.value_);
  }

 private:
  void find_room() {
    if (room_ != nullptr) return;
    const bool fits = body_.value_bytes <= sizeof here_ && body_.value_alignment <= alignof(std::max_align_t);
    room_ = fits ? here_ : ::operator new(body_.value_bytes, std::align_val_t(body_.value_alignment));
  }

  const loop_body& body_;
  cancellation& stop_;
  std::size_t first_;
  std::size_t last_;
  void* value_;
  void* room_ = nullptr;  // of a value that the part has begun itself
  alignas(std::max_align_t) std::byte here_[64 + alignof(std::max_align_t)];  // an optional of 64 bytes
};

/// What a thread remembers of its loops (LOOP-14). All parts have one type, so one loop::last_time would mix different bodies.
class last_times {
 public:
  struct entry {
    decltype(loop_body::step) step;
    loop::last_time<part> last;
  };

  /// The place of a body's entry. Bodies with the same hash overwrite each other's.
  entry& entry_for(const loop_body& body) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    return entries_[reinterpret_cast<std::uintptr_t>(body.step) * golden >> 60];
  }

 private:
  entry entries_[16];
};

// A task of no group, so that the loop does not stop when the caller's group is cancelled (LOOP-6).
void run_here(part& all, const loop_body& body) {
  auto& entry = platform_type::own<last_times>().entry_for(body);
  auto& last = platform_type::own<loop::last_time<part>>();
  last = entry.step == body.step ? entry.last : loop::last_time<part>{};
  scheduler::worker<platform_type>::current()->runner.call_as_task_of(nullptr, [&] {
    loop::run(all, loop::options<platform_type>{.chunk_min = body.chunk_min}, "std::execution::par");
  });
  entry = {body.step, last};
}

}  // namespace

void run_loop(std::size_t n, const loop_body& body, void* value) {
  cancellation stop;
  part all(body, stop, 0, n, value);
  inside([&] { run_here(all, body); });
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
