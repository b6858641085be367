#pragma once
// The handler that a signal had before ours was installed. Ours passes on to it what is not for us.
#include <atomic>
#include <csignal>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// One word, since a handler of ours may still run in another thread while the next installation replaces what it reads.
class previous_handler {
 public:
  /// The caller keeps all other callers away.
  void set(const struct sigaction& action) noexcept {
    std::uintptr_t word = 0;
    // SIG_DFL and SIG_IGN are no functions: `call` then says that there is none, and the caller does what is usual.
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      if (action.sa_sigaction != nullptr) word = reinterpret_cast<std::uintptr_t>(action.sa_sigaction) | takes_info;
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
      word = reinterpret_cast<std::uintptr_t>(action.sa_handler);
    }
    word_.store(word, std::memory_order_release);  // pairs with the load in call
  }

  /// Calls the handler, if there is one. For signal handlers.
  bool call(int signal, siginfo_t* info, void* context) const {
    // acquire: the handler may read what the thread that called set had prepared for it.
    const std::uintptr_t word = word_.load(std::memory_order_acquire);
    if (word == 0) return false;
    if ((word & takes_info) != 0) {
      reinterpret_cast<void (*)(int, siginfo_t*, void*)>(word & ~takes_info)(signal, info, context);
    } else {
      reinterpret_cast<void (*)(int)>(word)(signal);
    }
    return true;
  }

 private:
  // The highest bit is clear in every address of a process, on x86-64 and on AArch64.
  static constexpr std::uintptr_t takes_info = ~(~std::uintptr_t{0} >> 1);

  // Lock-free on x86-64 and AArch64, as it must be for a signal handler.
  std::atomic<std::uintptr_t> word_{0};
};

}  // namespace leat::inline LEAT_ABI::platform
