#include "leat/platform/native.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <system_error>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

namespace leat::platform {

namespace {

// SIGURG: ignored by default, so that a stray one harms nobody, and left alone by debuggers and profilers.
constexpr int interrupt_signal = SIGURG;

// Written before the handler is installed, read only inside it.
std::atomic<void (*)()> interrupt_handler{nullptr};

extern "C" void leat_on_interrupt_signal(int) {
  const int saved = errno;
  // acquire: pairs with the release store in on_interrupt.
  if (auto* handler = interrupt_handler.load(std::memory_order_acquire)) handler();
  errno = saved;
}

}  // namespace

#if defined(__linux__)

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "a futex is the word itself");

void native::wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  // EINTR, EAGAIN, ETIMEDOUT and success are one to the caller: it looks again.
#if defined(LEAT_UNDER_TSAN)
  // TSan keeps signals back until the thread makes a call that it knows; a bare system call is none.
  const timespec limit{0, 20'000'000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
  usleep(0);
#else
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
#endif
}

void native::wake_one(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void native::wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

#else

// Without futexes the standard library's own waiting serves.
void native::wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  word.wait(expected, std::memory_order_seq_cst);
}
void native::wake_one(std::atomic<std::uint32_t>& word) noexcept { word.notify_one(); }
void native::wake_all(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }

#endif

std::uint64_t native::now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void native::sleep_ns(std::uint64_t ns) noexcept { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

bool native::pin(unsigned cpu) noexcept {
#if defined(__linux__)
  constexpr unsigned cpus_max = 1u << 16;  // far above what Linux can be built for
  if (cpu >= cpus_max) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return false;
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool bound = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return bound;
#else
  (void)cpu;
  return false;
#endif
}

std::uint64_t native::process_id() noexcept { return static_cast<std::uint64_t>(getpid()); }

void native::on_interrupt(void (*handler)()) {
  // release: whoever takes the signal after this sees the handler's own data (pairs with leat_on_interrupt_signal).
  interrupt_handler.store(handler, std::memory_order_release);
  struct sigaction action = {};
  action.sa_handler = leat_on_interrupt_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(interrupt_signal, &action, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "leat: cannot install the interrupt handler");
  }
}

void native::thread::interrupt() noexcept { pthread_kill(thread_.native_handle(), interrupt_signal); }

}  // namespace leat::platform
