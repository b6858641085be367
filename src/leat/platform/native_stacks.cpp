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

namespace leat::platform {

namespace {

// Below a stack, where nothing may be. As large as the arrays that functions have, which skip what they do not touch; it costs
// addresses alone.
constexpr std::size_t guard_bytes = 1024 * 1024;

constexpr std::size_t handler_stack_bytes = 64 * 1024;  // a sanitizer's report runs on it, too

}  // namespace

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
  return at < end && end - at <= guard_bytes;
}

struct overflow_watch::place {
  void* whose;
  describe_type describe;
  place* outer;
  stack_t stack_before;
  std::array<std::byte, handler_stack_bytes> stack;

  static void on_fault(int signal, siginfo_t* info, void* context);
  static bool is_installed() noexcept;
  [[gnu::tls_model("initial-exec")]] static constinit thread_local place* innermost;
};

constinit thread_local overflow_watch::place* overflow_watch::place::innermost = nullptr;

namespace {

std::mutex installing;
std::size_t watches = 0;  // under the mutex
struct sigaction before = {};  // under the mutex
constinit previous_handler before_us;

}  // namespace

void overflow_watch::place::on_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  std::array<char, 256> text;
  if (innermost != nullptr) {
    const std::size_t length = innermost->describe(innermost->whose, info->si_addr, text);
    if (length != 0) [[maybe_unused]]
      const auto written = write(STDERR_FILENO, text.data(), length);
  }
  errno = saved;
  if (before_us.call(signal, info, context)) return;
  // The instruction is tried again, and faults with nobody in its way.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
}

bool overflow_watch::place::is_installed() noexcept {
  struct sigaction current = {};
  return sigaction(SIGSEGV, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) != 0 &&
         current.sa_sigaction == on_fault;
}

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
    if (watches == 0 && !place::is_installed()) {  // it may have been put back by somebody who found it there
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

// For the constructor.
void overflow_watch::refuse(const char* call, int error) {
  delete place_;
  throw std::system_error(error, std::generic_category(),
                          std::string("leat: cannot watch the stacks of threads: ") + call);
}

overflow_watch::~overflow_watch() {
  place::innermost = place_->outer;
  {
    const std::lock_guard lock(installing);
    // Who installed a handler over ours keeps it, and may go on calling ours.
    if (--watches == 0 && place::is_installed()) sigaction(SIGSEGV, &before, nullptr);
  }
  sigaltstack(&place_->stack_before, nullptr);
  delete place_;
}

}  // namespace leat::platform
