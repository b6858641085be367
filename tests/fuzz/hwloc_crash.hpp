// Crashes inside hwloc, which is not leat's to mend: they end the input, but not the run.
#pragma once

#include <dlfcn.h>
#include <execinfo.h>
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace leat_fuzz {

/// Where execution goes on after such a crash. A block that hwloc frees twice does not count as one:
/// AddressSanitizer goes on after its report (halt_on_error=0). But what hwloc makes of the input then is worth nothing. Thread safety: none; one thread.
class hwloc_crash {
 public:
  /// From now on signals of crashes come here first. To be called once libFuzzer has its own handlers.
  static void watch() {
    std::array<void*, 1> first;
    ::backtrace(first.data(), 1);  // loads what it needs, which a handler must not
    struct ::sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before[i]);
    ::__asan_set_error_report_callback(&judge_report);
  }

  /// Calls f. Returns whether it came to its end with hwloc's memory sound; if not, all that it held is lost.
  template <class F>
  static bool survived(F f) {
    if (sigsetjmp(place, 1) != 0) return false;
    armed = true;
    unsound = false;
    f();
    armed = false;
    return !unsound;
  }

 private:
  /// Called for a report of the sanitizer's, in the function that it is about.
  static void judge_report(const char*) {
    if (!armed || !is_of_hwloc()) ::abort();
    unsound = true;
  }

  static bool is_of_hwloc() {
    std::array<void*, 64> frames;
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    return std::any_of(frames.begin(), frames.begin() + depth, [](void* frame) {
      ::Dl_info about{};
      return ::dladdr(frame, &about) != 0 && about.dli_fname != nullptr &&
             std::string_view(about.dli_fname).find("libhwloc") != std::string_view::npos;
    });
  }

  static void handle(int signal, ::siginfo_t* info, void* context) {
    if (armed && is_of_hwloc()) {
      armed = false;
      siglongjmp(place, 1);
    }
    const auto found = std::find(signals.begin(), signals.end(), signal);
    const struct ::sigaction& old = before[static_cast<std::size_t>(found - signals.begin())];
    if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(signal, info, context);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }

  static constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  static inline std::array<struct ::sigaction, signals.size()> before;
  static inline sigjmp_buf place;
  static inline volatile bool armed = false;
  static inline volatile bool unsound = false;
};

}  // namespace leat_fuzz
