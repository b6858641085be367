// Calls on the stacks of the native platform's threads, and what the threads sleep in, as Linux tells it in /proc.
#include <execinfo.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <type_traits>

#include "leat/platform/call_stack.hpp"
#include "leat/platform/native.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

constexpr std::uint64_t answer_ns_max = 100'000'000;  // for which an interrupted thread has to note its calls

// Linux makes the clock of a thread's CPU time from the thread's number, and the C library has no other call that tells the
// number of another thread.
std::uint64_t number_of(pthread_t thread) noexcept {
  clockid_t clock{};
  if (pthread_getcpuclockid(thread, &clock) != 0) return 0;
  return static_cast<std::uint64_t>(~(clock >> 3));
}

// The first bytes of a file of that thread's. Empty if there is none.
std::string read_of_thread(std::uint64_t thread, const char* file) {
  const std::string name = "/proc/self/task/" + std::to_string(thread) + "/" + file;
  const int from = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return {};
  std::array<char, 512> bytes{};
  const ssize_t n = read(from, bytes.data(), bytes.size());
  close(from);
  return {bytes.data(), static_cast<std::size_t>(n < 0 ? 0 : n)};
}

// Copies memory of this process that may not be there.
bool copy_from(std::uint64_t address, void* into, std::size_t bytes) noexcept {
  iovec to{into, bytes};
  iovec from{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
}

// The thread that holds the mutex whose first word lies there; 0: it is no mutex that is held. A word of another kind may
// look like one: the caller compares the number with those of threads that it knows.
std::uint64_t holder_of(std::uint64_t address) noexcept {
  pthread_mutex_t copy;
  if (!copy_from(address, &copy, sizeof copy)) return 0;
  constexpr unsigned threads_wait = 2;  // what the word of a mutex says then
  unsigned word = 0;
  std::memcpy(&word, &copy, sizeof word);
#if defined(__GLIBC__)
  if (word == threads_wait && copy.__data.__owner > 0) return static_cast<std::uint64_t>(copy.__data.__owner);
#endif
  return 0;
}

// A thread that is to note its calls: its number, while it has not begun. One at a time, under `sampling`. All are words of the
// process, as an answer may come late.
enum class answer : std::uint32_t { none, awaited, begun, given };
std::mutex sampling;
static_assert(std::is_trivially_destructible_v<std::mutex>, "nothing may run in static destructors");
constinit std::atomic<std::uint64_t> asked_thread{0};
constinit std::atomic<answer> answered{answer::none};
constinit call_stack answered_calls{};
void (*asked_also)(void*) noexcept = nullptr;
void* asked_with = nullptr;

// The handler of the interrupt. backtrace() neither allocates nor locks after its first call, which was made before.
void answer_interrupt() {
  if (answered.load(std::memory_order_acquire) != answer::awaited) return;  // pairs with the store in note_calls
  if (asked_thread.load(std::memory_order_relaxed) != static_cast<std::uint64_t>(syscall(SYS_gettid))) return;
  auto found = answer::awaited;
  if (!answered.compare_exchange_strong(found, answer::begun, std::memory_order_acq_rel)) return;
  native::note_calls(answered_calls);
  asked_also(asked_with);
  answered.store(answer::given, std::memory_order_release);  // pairs with note_calls
}

}  // namespace

void native::note_calls(call_stack& into) noexcept {
  std::array<void*, call_stack::calls_max> at{};
  const int saved = errno;
  const int found = backtrace(at.data(), static_cast<int>(at.size()));
  errno = saved;
  into.size = static_cast<std::uint32_t>(found < 0 ? 0 : found);
  for (std::uint32_t i = 0; i < into.size; ++i) into.at[i] = at[i];
}

// The file `syscall` has the number of the call and its six arguments, or a word if the thread runs.
thread_sleep native::thread::sleep() const {
  thread_sleep is;
  is.thread = number_of(std::atomic_ref(const_cast<pthread_t&>(handle_)).load(std::memory_order_relaxed));
  if (is.thread == 0) return is;
  const std::string call = read_of_thread(is.thread, "syscall");
  long number = -1;
  std::array<unsigned long long, 4> with{};
  if (std::sscanf(call.c_str(), "%ld %llx %llx %llx %llx", &number, &with[0], &with[1], &with[2], &with[3]) < 1)
    return is;
  const std::string stat = read_of_thread(is.thread, "stat");
  const auto name_end = stat.rfind(')');  // a thread's name may have anything in it
  is.sleeps = name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'S';
  const auto command = with[1] & FUTEX_CMD_MASK;
  is.for_lock = is.sleeps && number == SYS_futex && with[3] == 0 &&
                (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI);
  if (!is.for_lock) return is;
  is.holder = holder_of(with[0]);
  if (is.holder != 0) is.lock = reinterpret_cast<const void*>(with[0]);
  return is;
}

// Once the handler has begun, it is waited for: it writes what is the caller's. In a forked child the lock may be another
// thread's for good.
bool native::thread::note_calls(call_stack& into, void (*also)(void*) noexcept, void* with) {
  const std::unique_lock alone(sampling, std::try_to_lock);
  if (!alone.owns_lock()) return false;
  call_stack first;
  native::note_calls(first);  // may allocate, which the handler must not
  claim_interrupts(answer_interrupt);
  asked_also = also, asked_with = with;
  asked_thread.store(number_of(std::atomic_ref(handle_).load(std::memory_order_relaxed)), std::memory_order_relaxed);
  answered.store(answer::awaited, std::memory_order_release);  // pairs with the handler
  interrupt();
  const std::uint64_t end = now_ns() + answer_ns_max;
  constexpr std::uint64_t between_checks_ns = 20'000;
  while (answered.load(std::memory_order_acquire) != answer::given) {  // pairs with the handler
    auto found = answer::awaited;
    if (now_ns() > end && answered.compare_exchange_strong(found, answer::none, std::memory_order_relaxed)) break;
    sleep_ns(between_checks_ns);
  }
  const bool noted = answered.exchange(answer::none, std::memory_order_acquire) == answer::given;
  if (noted) into = answered_calls;
  release_interrupts(answer_interrupt);
  return noted;
}

}  // namespace leat::inline LEAT_ABI::platform
