// The thread that begins drains where no worker can. Rule SUBMIT-9: docs/internals/submit.md.
#pragma once

#include <cstdint>
#include <memory>
#include <system_error>

#include "leat/platform/order.hpp"
#include "leat/scheduler/call_hook.hpp"
#include "leat/scheduler/settings.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// It sleeps until it is told. Members by any thread, but for start, stop and abandon, of which there is one call each.
template <class P>
class submission_thread {
 public:
  submission_thread() = default;
  submission_thread(const submission_thread&) = delete;
  submission_thread& operator=(const submission_thread&) = delete;

  /// Begins the thread, which calls begin(of) whenever it has been told. Where the thread enters as a primary it is worker 0; elsewhere
  /// it executes no task, so the program's hooks are not for it. Throws std::system_error, std::bad_alloc.
  void start(const settings& all, void (*begin)(void* of), void* of) {
    begin_ = begin, of_ = of;
    const bool works = all.primaries != 0;
    const auto life = [this, works, &its = all.threads, name = all.threads.name + "-sub"] {
      P::name_thread(name.c_str());
      if (works) call_hook<P>(its.begin, 0);
      main();
      if (works) call_hook<P>(its.end, 0);
    };
    try {
      thread_ = std::make_unique<typename P::thread>(life, all.threads.stack_bytes);
    } catch (const std::system_error& e) {
      throw std::system_error(e.code(), "leat: could not start the thread for submissions");
    }
  }

  void tell() noexcept { add(told); }

  /// When all that it was told to begin has ended. Not started: nothing happens.
  void stop() noexcept {
    if (thread_ == nullptr) return;
    add(stopped);
    thread_->join();
    thread_.reset();
  }

  /// In a forked child, where the thread does not exist.
  void abandon() noexcept { static_cast<void>(thread_.release()); }

 private:
  static constexpr std::uint32_t told = 1, stopped = 2;

  void main() {
    for (;;) {
      const std::uint32_t found = word_.exchange(0, platform::acquire);  // pairs with add
      if ((found & told) != 0) begin_(of_);
      if ((found & stopped) != 0) return;
      P::wait(word_, 0);
    }
  }

  void add(std::uint32_t bit) noexcept {
    word_.fetch_or(bit, platform::release);  // pairs with main
    P::wake_one(word_);
  }

  void (*begin_)(void*) = nullptr;
  void* of_ = nullptr;
  typename P::template atomic<std::uint32_t> word_{0};
  std::unique_ptr<typename P::thread> thread_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
