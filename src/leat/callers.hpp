// The workers of the default runtime that threads of the program are, while they are inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "leat/entry/bodies.hpp"
#include "leat/runtime.hpp"

namespace leat::inline LEAT_ABI {

/// For the native platform. A runtime with places for threads of the program. Rules PRIMARY: entry/primary.hpp. It is never destroyed.
///
/// Thread safety: all of it. A thread that finds all places taken waits until another thread leaves.
class callers {
 public:
  using platform = leat::platform::chosen;
  template <class T>
  using word = platform::atomic<T>;

  /// Threads that may be inside at once, each as a worker. One where a paper's scheduler is asked for, as these have one run
  /// at a time.
  static constexpr std::uint32_t callers_max = 16;

  /// \throws what the constructor of leat::runtime throws
  explicit callers(const options& o);
  callers(const callers&) = delete;
  callers& operator=(const callers&) = delete;

  const leat::runtime& runtime() const noexcept { return *runtime_; }
  scheduler::channel_scheduler<platform>& scheduler() const noexcept { return *runtime_->scheduler_; }

  /// The calling thread, which is no worker, becomes one, until leave() has been called as often as this and stay().
  scheduler::worker<platform>& enter();

  /// Whether the calling thread has entered, and now stays for one leave() more.
  static bool stay() noexcept;
  static void leave() noexcept;

  /// In a forked child: its thread is not inside.
  static void forget_visit() noexcept { platform::own<inside>() = {}; }

 private:
  using primary = entry::primary<platform>;

  // A worker, and the visit of the thread that has taken it.
  struct alignas(leat::platform::cache_line) place {
    place(scheduler::channel_scheduler<platform>& home, std::uint32_t number, callers& all)
        : worker(home, number), of(all) {}
    primary worker;
    callers& of;
    std::optional<primary::visit> visit;
    word<std::uint32_t> taken{0};  // 1: by a thread
  };

  // What a thread has.
  struct LEAT_SHARED inside {
    place* at;
    std::uint32_t calls;  // of enter and stay, without those of leave
    std::uint32_t last;  // the number of the place that it had last
    bool interruptible;
  };

  void make_places();
  place& take(std::uint32_t first);

  // The submission thread's (SUBMIT-9), where no worker has a thread, or one run is under way at a time.
  static void drain(void* all);

  std::unique_ptr<leat::runtime> runtime_;
  std::vector<std::unique_ptr<place>> places_;
  word<std::uint32_t> waiting_{0};  // threads that wait for a place
  word<std::uint32_t> left_{0};  // changes when a thread leaves while others wait
};

}  // namespace leat::inline LEAT_ABI
