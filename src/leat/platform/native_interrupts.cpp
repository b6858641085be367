// Interrupts of the native platform: one signal for the whole process. Page: docs/internals/interrupts.md.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include "leat/platform/native.hpp"
#include "leat/platform/previous_handler.hpp"

namespace leat::platform {

namespace {

// SIGURG: ignored by default, so that a stray one harms nobody, and left alone by debuggers and profilers.
constexpr int interrupt_signal = SIGURG;

struct claimed {
  std::atomic<void (*)()> handler{nullptr};
  std::size_t claims = 0;  // under claims_lock
};
std::array<claimed, native::interrupt_handlers_max> table;

std::mutex claims_lock;
static_assert(std::is_trivially_destructible_v<std::mutex>, "nothing may run in static destructors");

// What the signal did before us: all of it, under claims_lock, and the handler, which ours reads.
struct sigaction previous = {};
constinit previous_handler before_us;

// A handler that was installed over ours may call ours, and be the previous one of our next installation.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool passing_on = false;

void pass_on(int signal, siginfo_t* info, void* context) {
  if (passing_on) return;
  passing_on = true;
  before_us.call(signal, info, context);
  passing_on = false;
}

extern "C" void leat_on_interrupt_signal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  // Ours come from pthread_kill in this process. The rest is about sockets, or somebody else's.
  if (info->si_code == SI_TKILL && info->si_pid == getpid()) {
    for (const claimed& entry : table) {
      // acquire: pairs with the release store in claim_interrupts.
      if (auto* handler = entry.handler.load(std::memory_order_acquire)) handler();
    }
  } else {
    pass_on(signal, info, context);
  }
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == leat_on_interrupt_signal;
}

bool none_claimed() {
  for (const claimed& entry : table) {
    if (entry.claims != 0) return false;
  }
  return true;
}

claimed& entry_for(void (*handler)()) {
  claimed* free = nullptr;
  for (claimed& entry : table) {
    if (entry.claims != 0 && entry.handler.load(std::memory_order_relaxed) == handler) return entry;  // relaxed: lock
    if (entry.claims == 0 && free == nullptr) free = &entry;
  }
  if (free == nullptr) {
    throw std::length_error("leat: more than " + std::to_string(native::interrupt_handlers_max) +
                            " handlers of interrupts");
  }
  return *free;
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = leat_on_interrupt_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  // Asked for beforehand: ours may be called before a sigaction that installs it returns.
  struct sigaction current = {};
  const bool known = sigaction(interrupt_signal, nullptr, &current) == 0;
  if (known && is_ours(current)) return;  // put back by somebody who found it there
  previous = current;
  before_us.set(current);
  if (!known || sigaction(interrupt_signal, &action, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "leat: cannot install the interrupt handler");
  }
}

}  // namespace

void native::claim_interrupts(void (*handler)()) {
  const std::lock_guard lock(claims_lock);
  claimed& entry = entry_for(handler);
  if (none_claimed()) install();
  entry.claims += 1;
  // release: whoever takes the signal after this sees the handler's own data (pairs with leat_on_interrupt_signal).
  entry.handler.store(handler, std::memory_order_release);
}

void native::release_interrupts(void (*handler)()) noexcept {
  const std::lock_guard lock(claims_lock);
  for (claimed& entry : table) {
    // relaxed, both: the lock.
    if (entry.claims == 0 || entry.handler.load(std::memory_order_relaxed) != handler) continue;
    if (--entry.claims == 0) entry.handler.store(nullptr, std::memory_order_relaxed);
    break;
  }
  if (!none_claimed()) return;
  // Who installed a handler over ours keeps it, and may go on calling ours.
  struct sigaction current = {};
  if (sigaction(interrupt_signal, nullptr, &current) != 0 || !is_ours(current)) return;
  sigaction(interrupt_signal, &previous, nullptr);
}

void native::allow_interrupts() noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, interrupt_signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void native::thread::be_caller() noexcept { handle_ = pthread_self(); }

void native::thread::interrupt() noexcept { pthread_kill(handle_, interrupt_signal); }

}  // namespace leat::platform
