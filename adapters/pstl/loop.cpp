// Loops of std::execution::par: splittable tasks (docs/guide/loops.md) whose steps are called by address.
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
    if (room_ == nullptr) return;
    if (value_ != nullptr) body_.destroy(value_);
    if (room_ != here_) ::operator delete(room_, std::align_val_t(body_.value_alignment));
  }

  std::uint64_t size() const noexcept { return last_ - first_; }

  part cut(std::uint64_t n) {
    last_ -= n;
    return {body_, stop_, last_, last_ + n};
  }

  std::uint64_t step(std::uint64_t n) {
    const bool begins = value_ == nullptr && body_.begin != nullptr;
    if (begins) find_room();
    const std::size_t first = std::exchange(first_, first_ + n);
    stop_.guard([&] {
      std::size_t begun = 0;
      if (begins) {
        begun = body_.begin(body_.self, room_, first);
        value_ = room_;
      }
      if (begun != n) body_.step(body_.self, value_, first + begun, first_);
    });
    return n;
  }

  void go_on(part&& upper) noexcept { last_ = upper.last_; }

  void absorb(part&& upper) noexcept {
    // A loop that another part has stopped, by an exception, may be without either.
    if (value_ != nullptr && upper.value_ != nullptr)
      body_.join(body_.self, value_, std::exchange(upper.value_, nullptr));
  }

 private:
  void find_room() {
    const bool fits = body_.value_bytes <= sizeof here_ && body_.value_alignment <= alignof(std::max_align_t);
    if (room_ == nullptr)
      room_ = fits ? here_ : ::operator new(body_.value_bytes, std::align_val_t(body_.value_alignment));
  }

  const loop_body& body_;
  cancellation& stop_;
  std::size_t first_;
  std::size_t last_;
  void* value_;
  void* room_ = nullptr;  // of a value that the part has begun itself
  alignas(std::max_align_t) std::byte here_[64];
};

/// What a thread remembers of its last loops (LOOP-14). They are all of one type here, but their bodies differ.
class memory {
 public:
  using last_time = loop::last_time<part>;

  struct entry {
    decltype(loop_body::step) of;
    last_time what;
  };

  /// One entry for each remainder of a hash: bodies that share it forget each other.
  entry& about(const loop_body& body) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    return entries_[reinterpret_cast<std::uintptr_t>(body.step) * golden >> 60];
  }

 private:
  entry entries_[16];
};

// As a task of no group: an algorithm of a task whose group was cancelled is whole, too.
void run_here(part& all, const loop_body& body) {
  auto& entry = platform_type::own<memory>().about(body);
  auto& last = platform_type::own<memory::last_time>();
  last = entry.of == body.step ? entry.what : memory::last_time{};
  scheduler::worker<platform_type>::current()->runner.call_as_task_of(
      nullptr, [&] { loop::run(all, loop::options<platform_type>{.chunk_min = body.least}, "std::execution::par"); });
  entry = {body.step, last};
}

}  // namespace

void run_loop(std::size_t n, const loop_body& body, void* value) {
  cancellation stop;
  part all(body, stop, 0, n, value);
  inside([&] { run_here(all, body); });
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
