// The handler of SIGQUIT. Rule DEADLOCK-16: docs/internals/deadlocks.md.
#include <cerrno>
#include <csignal>
#include <system_error>
#include <type_traits>

#include "leat/platform/native.hpp"
#include "leat/platform/previous_handler.hpp"
#include "leat/platform/process_lock.hpp"
#include "leat/platform/requests.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

constexpr int request_signal = SIGQUIT;

constinit process_lock<native> requests_lock;
static_assert(std::is_trivially_destructible_v<process_lock<native>>, "nothing may run in static destructors");
std::size_t claims = 0;  // under the lock, as the next one
struct sigaction before = {};
constinit previous_handler before_us;

// A handler that was installed over ours may call ours, and be the previous one of our next installation: as in
// native_interrupts.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool passing_on = false;

extern "C" {
static void leat_on_request_signal(int signal, siginfo_t* info, void* context) {
  if (passing_on) return;
  const int saved = errno;
  requests::count.fetch_add(1, std::memory_order_relaxed);  // relaxed: the next one releases
  requests::changes.fetch_add(1, std::memory_order_release);  // pairs with the reporting thread
  native::wake_all(requests::changes);
  passing_on = true;
  before_us.call(signal, info, context);
  passing_on = false;
  errno = saved;
}
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == leat_on_request_signal;
}

// A program that installed a handler over ours keeps it, and may go on calling ours.
void restore() noexcept {
  struct sigaction current = {};
  if (sigaction(request_signal, nullptr, &current) == 0 && is_ours(current))
    sigaction(request_signal, &before, nullptr);
}

}  // namespace

// The handler that was there before is known before ours can be called.
void requests::claim() {
  const process_lock<native>::holding alone(requests_lock);
  if (claims == 0) {
    struct sigaction current = {};
    struct sigaction action = {};
    action.sa_sigaction = leat_on_request_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    const bool known = sigaction(request_signal, nullptr, &current) == 0;
    if (known && !is_ours(current)) {
      before = current;
      before_us.set(current);
    }
    if (!known || sigaction(request_signal, &action, nullptr) != 0)
      throw std::system_error(errno, std::generic_category(), "leat: cannot install the handler of SIGQUIT");
  }
  ++claims;
}

void requests::release() noexcept {
  const process_lock<native>::holding alone(requests_lock);
  if (claims != 0 && --claims == 0) restore();
}

void requests::forget() noexcept {
  const process_lock<native>::holding alone(requests_lock);  // taken over from a thread that the child does not have
  if (claims != 0) restore();
  claims = 0;
}

}  // namespace leat::inline LEAT_ABI::platform
