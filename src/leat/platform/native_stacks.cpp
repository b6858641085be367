// Stacks of the native platform: mmap, a guard page, and SIGSEGV on an alternate stack.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

#include "leat/platform/previous_handler.hpp"
#include "leat/platform/stacks.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

// Below a stack, where nothing may be. As large as the arrays that functions have, which skip what they do not touch; it costs
// addresses alone.
constexpr std::size_t guard_bytes = 1024 * 1024;

// The handler runs here, since the stack that has overflowed has no room for it. `describe` and `write` take little
// of it.
constexpr std::size_t handler_stack_bytes = 64 * 1024;  // a sanitizer's report runs on it, too

}  // namespace

// A stack grows downwards, so the guard is the lower end. Its pages have other rights than the rest, which makes two
// mappings of a stack; the system refuses more than so many of a process (vm.max_map_count). MAP_NORESERVE: most of a
// stack is never touched, and the system need not promise memory for it.
void* map_stack(std::size_t bytes) {
  void* const space = mmap(nullptr, bytes + guard_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (space == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(space, guard_bytes, PROT_NONE) != 0) {
    munmap(space, bytes + guard_bytes);
    throw std::bad_alloc();
  }
  return static_cast<std::byte*>(space) + guard_bytes;
}

void unmap_stack(void* lowest, std::size_t bytes) noexcept {
  munmap(static_cast<std::byte*>(lowest) - guard_bytes, bytes + guard_bytes);
}

bool is_below_stack(const void* lowest, const void* address) noexcept {
  const auto end = reinterpret_cast<std::uintptr_t>(lowest);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  // For the signal handler: two compares, and no memory is read. An address beyond the guard is no overflow that
  // could be told from any other fault.
  return at < end && end - at <= guard_bytes;
}

// What a watch keeps. It is on the heap, since it holds a signal stack: on a green thread's stack it would take a
// large part of that. It lives until the thread no longer uses that stack for signals.
struct overflow_watch::place {
  void* whose;
  describe_type describe;
  place* outer;
  stack_t stack_before;
  std::array<std::byte, handler_stack_bytes> stack;

  static void on_fault(int signal, siginfo_t* info, void* context);
  static bool is_installed() noexcept;
  // The chain of this thread's watches, innermost first, by `outer`. Only the thread itself reads or writes it, in
  // its code or in its handler. initial-exec: the first access in a handler must not allocate.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local place* innermost;
};

constinit thread_local overflow_watch::place* overflow_watch::place::innermost = nullptr;

namespace {

// The handler of SIGSEGV is one for the process, and the stack that it runs on is one for each thread. So each watch
// sets the stack of its thread, and the first one of all sets the handler.
std::mutex installing;
std::size_t watches = 0;  // under the mutex
struct sigaction before = {};  // under the mutex
constinit previous_handler before_us;

}  // namespace

// Called for every SIGSEGV of the process, also of threads without a watch. It may only do what is safe in a handler:
// no lock, no allocation, no stdio. `write` is safe; the message is lost if it fails, as there is no other way to
// tell of it.
void overflow_watch::place::on_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  std::array<char, 256> text;
  if (innermost != nullptr) {
    const std::size_t length = innermost->describe(innermost->whose, info->si_addr, text);
    if (length != 0) [[maybe_unused]]
      const auto written = write(STDERR_FILENO, text.data(), length);
  }
  errno = saved;
  // The handler before ours decides what becomes of the process, as if there were no watch. It may leave by a jump;
  // so `errno` is restored before.
  if (before_us.call(signal, info, context)) return;
  // The instruction is tried again, and faults with no handler in its way.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
}

// Whether the handler of SIGSEGV is ours now. Under the mutex.
bool overflow_watch::place::is_installed() noexcept {
  struct sigaction current = {};
  return sigaction(SIGSEGV, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) != 0 &&
         current.sa_sigaction == on_fault;
}

// Its order: the stack first, as from the handler's installation on a fault runs on it. `innermost` comes last, since
// a fault in between finds either the outer watch or a whole one. Whatever fails undoes what came before.
// sigaltstack refuses while the thread runs on its signal stack: a watch cannot begin in a handler there.
overflow_watch::overflow_watch(void* whose, describe_type describe) : place_(new place) {
  place_->whose = whose;
  place_->describe = describe;
  place_->outer = place::innermost;
  stack_t stack = {};
  stack.ss_sp = place_->stack.data();
  stack.ss_size = place_->stack.size();
  if (sigaltstack(&stack, &place_->stack_before) != 0) refuse("sigaltstack", errno);
  int error = 0;
  {
    const std::lock_guard lock(installing);
    if (watches == 0 && !place::is_installed()) {  // it may have been put back by a library that found it there
      struct sigaction ours = {};
      ours.sa_sigaction = place::on_fault;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&ours.sa_mask);
      // Asked for beforehand: ours may be called before the sigaction that installs it returns.
      const bool known = sigaction(SIGSEGV, nullptr, &before) == 0;
      if (known) before_us.set(before);
      if (!known || sigaction(SIGSEGV, &ours, nullptr) != 0) error = errno;
    }
    if (error == 0) ++watches;
  }
  if (error != 0) {
    sigaltstack(&place_->stack_before, nullptr);
    refuse("sigaction", error);
  }
  place::innermost = place_;
}

// A constructor that throws has no destructor called, so the place is freed here.
// For the constructor.
void overflow_watch::refuse(const char* call, int error) {
  delete place_;
  throw std::system_error(error, std::generic_category(),
                          std::string("leat: cannot watch the stacks of threads: ") + call);
}

// The reverse order of the constructor. The place is freed last: until the thread has its former signal stack again,
// a fault would be handled in memory that is free.
overflow_watch::~overflow_watch() {
  place::innermost = place_->outer;
  {
    const std::lock_guard lock(installing);
    // A program that installed a handler over ours keeps it, and may go on calling ours.
    if (--watches == 0 && place::is_installed()) sigaction(SIGSEGV, &before, nullptr);
  }
  sigaltstack(&place_->stack_before, nullptr);
  delete place_;
}

}  // namespace leat::inline LEAT_ABI::platform
