// Interrupts of the native platform: one signal for the whole process. Page: docs/internals/interrupts.md.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include "leat/platform/native.hpp"
#include "leat/platform/previous_handler.hpp"
#include "leat/platform/process_lock.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

// Signals of one number are not queued: a second one that is sent before the first is taken is the same one. Nothing
// is lost by that, since the handler does not count signals. It polls, and so sees all that came before it.
// SIGURG: ignored by default, so that a stray one does no harm, and left alone by debuggers and profilers.
constexpr int interrupt_signal = SIGURG;

// A place in the table. It is free while `claims` is 0. `handler` is an atomic, and `claims` is not, as the signal
// handler reads the one without the lock and never reads the other.
struct claimed {
  std::atomic<void (*)()> handler{nullptr};
  std::size_t claims = 0;  // under claims_lock
};
std::array<claimed, native::interrupt_handlers_max> table;

// Taken by claim and release alone. The signal handler must not take it: the thread that it interrupts may hold it.
constinit process_lock<native> claims_lock;
static_assert(std::is_trivially_destructible_v<process_lock<native>>, "nothing may run in static destructors");

// What the signal did before us: all of it, under claims_lock, and the handler, which ours reads.
struct sigaction previous = {};
constinit previous_handler before_us;

// So the two would call each other without end, on a stack that the thread did not expect to need. One word for each
// thread breaks the circle: within a call that is passed on, nothing more is passed on.
// The model is initial-exec since a signal handler reads the word. In the general model of shared objects the first
// access allocates the thread's words, and an allocator is not safe in a handler.
// A handler that was installed over ours may call ours, and be the previous one of our next installation.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool passing_on = false;

void pass_on(int signal, siginfo_t* info, void* context) {
  if (passing_on) return;
  passing_on = true;
  before_us.call(signal, info, context);
  passing_on = false;
}

// The signal handler. It calls the handlers of all claims, whichever of them the sender meant: a signal carries no
// word of its sender, and a poll that finds nothing is cheap. Other signals of this number are blocked while it runs
// (no SA_NODEFER), so on one thread the handlers are never inside themselves.
// errno is the interrupted code's, which may be between a system call and its reading of errno.
extern "C" {
static void leat_on_interrupt_signal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  // Ours come from pthread_kill in this process. The rest is about sockets, or another library's.
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
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == leat_on_interrupt_signal;
}

// Under claims_lock, as the next one.
bool none_claimed() {
  for (const claimed& entry : table) {
    if (entry.claims != 0) return false;
  }
  return true;
}

// The place of this handler, or else a free one. Throws std::length_error if there is neither. Under claims_lock.
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

// Makes ours the handler of the signal, and keeps what was there before. Under claims_lock, with no claim.
// Another part of the program may call sigaction between the two calls below: the system has no call that compares
// and sets. Then what that part installed is replaced, and not restored later.
void install() {
  struct sigaction action = {};
  action.sa_sigaction = leat_on_interrupt_signal;
  // SA_RESTART: most calls that a task waits in go on by themselves (the page has the others). SA_SIGINFO: without
  // the sender in siginfo_t ours could not tell its own signals from a socket's. No mask: other signals keep their
  // turn.
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  // Asked for beforehand: ours may be called before a sigaction that installs it returns.
  struct sigaction current = {};
  const bool known = sigaction(interrupt_signal, nullptr, &current) == 0;
  if (known && is_ours(current)) return;  // put back by a library that found it there
  previous = current;
  before_us.set(current);
  if (!known || sigaction(interrupt_signal, &action, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "leat: cannot install the interrupt handler");
  }
}

}  // namespace

// The order: first a place is found, which may throw; then the signal is installed, which may throw; then the claim
// counts. So a claim that throws leaves nothing behind. A signal that comes before the last line finds no handler in
// the place, and does nothing.
void native::claim_interrupts(void (*handler)()) {
  const process_lock<native>::holding alone(claims_lock);
  claimed& entry = entry_for(handler);
  if (none_claimed()) install();
  entry.claims += 1;
  // release: a thread that takes the signal after this sees the handler's own data (pairs with leat_on_interrupt_signal).
  entry.handler.store(handler, std::memory_order_release);
}

// The reverse order. A handler that has read the pointer before it became null may still run on another thread; the
// caller has joined all threads to which this can happen.
void native::release_interrupts(void (*handler)()) noexcept {
  const process_lock<native>::holding alone(claims_lock);
  for (claimed& entry : table) {
    // relaxed, both: the lock.
    if (entry.claims == 0 || entry.handler.load(std::memory_order_relaxed) != handler) continue;
    if (--entry.claims == 0) entry.handler.store(nullptr, std::memory_order_relaxed);
    break;
  }
  if (!none_claimed()) return;
  // A program that installed a handler over ours keeps it, and may go on calling ours.
  struct sigaction current = {};
  if (sigaction(interrupt_signal, nullptr, &current) != 0 || !is_ours(current)) return;
  sigaction(interrupt_signal, &previous, nullptr);
}

// A new thread inherits the mask of the thread that starts it. The mask is each thread's own, so no other thread is
// touched.
void native::allow_interrupts() noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, interrupt_signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

// pthread_self() is valid until the thread ends, or is joined if it is joinable. The thread that calls this promises
// to be alive whenever interrupt() is called (INTERRUPT-7).
void native::thread::be_caller() noexcept {
  std::atomic_ref<pthread_t>(handle_).store(pthread_self(), std::memory_order_relaxed);  // relaxed: see presence
}

// pthread_kill sends by tgkill, which gives the signal SI_TKILL and this process as its sender: what the handler asks
// for. It may be called in a signal handler, too. What it returns says nothing that a caller could use: of a thread
// that has ended and was not joined, it is an error or none, by the version of the C library.
void native::thread::interrupt() noexcept {
  pthread_kill(std::atomic_ref<pthread_t>(handle_).load(std::memory_order_relaxed),
               interrupt_signal);  // relaxed: as above
}

}  // namespace leat::inline LEAT_ABI::platform
