#include "leat/platform/native.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <new>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

namespace leat::inline LEAT_ABI::platform {

#if defined(LEAT_IN_SHARED_OBJECT)
// Weak: that of an executable, if there is one, is that of all.
[[gnu::weak]] constinit thread_local void* native::self_word = nullptr;
#endif

#if defined(__linux__)

// A futex wait compares the word and puts the thread on the word's queue in one step, under a lock that a wake takes,
// too. So a change of the word that a wake follows is never missed: the wait finds the new value, or the wake finds
// the sleeper. The sleeper's fence and its last check are the caller's (PARKER-1).
// All waits are PRIVATE: the queue is found by the address, and no memory is shared with another process. A wake
// reads nothing at that address, so the word may be gone by then.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "a futex is the word itself");

#if defined(LEAT_UNDER_TSAN)
// TSan keeps signals back until the thread makes a call that it knows; a bare system call is none. So there is such a call
// before each wait and after it, and a limit for the signal that comes between: a second, since idle workers are to rest.
constexpr std::uint64_t under_tsan_ns_max = 1'000'000'000;
static void take_signals_kept_back() noexcept { usleep(0); }
#endif

void native::wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  // EINTR, EAGAIN, ETIMEDOUT and success are one to the caller: it looks again.
#if defined(LEAT_UNDER_TSAN)
  wait_for(word, expected, under_tsan_ns_max);
#else
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
#endif
}

void native::wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
  // FUTEX_WAIT takes the time as a duration, of the monotonic clock: a change of the wall clock neither shortens nor
  // lengthens the sleep. `ns` 0 returns at once.
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
#if defined(LEAT_UNDER_TSAN)
  ns = std::min(ns, under_tsan_ns_max);
  take_signals_kept_back();
#endif
  const timespec limit{static_cast<std::time_t>(ns / ns_per_s), static_cast<long>(ns % ns_per_s)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
#if defined(LEAT_UNDER_TSAN)
  take_signals_kept_back();
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
void native::wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
  const std::uint64_t start = now_ns();
  while (word.load(std::memory_order_seq_cst) == expected && now_ns() - start < ns) sleep_ns(ns < 50'000 ? ns : 50'000);
}
void native::wake_one(std::atomic<std::uint32_t>& word) noexcept { word.notify_one(); }
void native::wake_all(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }

#endif

void native::sleep_ns(std::uint64_t ns) noexcept { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

void native::spin_ns(std::uint64_t ns) noexcept {
  const std::uint64_t start = now_ns();
  while (now_ns() - start < ns) {
  }
}

// pthread functions return the error, and leave errno alone.
static void throw_if(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category());
}

// The new thread may run, and end, before pthread_create returns here: so nothing that `body` does may read this object, whose
// handle may not yet be written. A stack costs memory where it is touched.
void native::thread::start(void* (*function)(void*), void* body, std::size_t stack_bytes) {
  pthread_attr_t with;
  throw_if(pthread_attr_init(&with));
  int error = stack_bytes == 0 ? 0 : pthread_attr_setstacksize(&with, stack_bytes);
  if (error == 0) error = pthread_create(&handle_, &with, function, body);
  pthread_attr_destroy(&with);
  throw_if(error);
  joinable_ = true;
}

void native::thread::join() {
  throw_if(joinable_ ? pthread_join(handle_, nullptr) : EINVAL);
  joinable_ = false;
}

bool native::bind(unsigned cpu) noexcept {
#if defined(__linux__)
  // A set of just the size that this CPU takes: the fixed cpu_set_t has room for 1024. The kernel takes a set that is
  // shorter than its own for one that ends in zeros, and refuses CPUs that are off, or outside the process's cpuset.
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

void native::name_thread(const char* name) noexcept {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), name);
#else
  (void)name;
#endif
}

std::size_t native::thread_stack_min() noexcept { return static_cast<std::size_t>(PTHREAD_STACK_MIN); }

std::size_t native::page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void* native::reserve(std::size_t bytes) {
  // The aligned part begins at most `bytes` minus a page behind the beginning, so it and the page behind it lie in
  // what was mapped. munmap of a part of a mapping is allowed, and keeps the rest.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // Twice as much, to find an aligned part in it; what lies around that is given back.
  const std::size_t whole = 2 * bytes + page;
  void* const space = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) throw std::bad_alloc();
  const auto first = reinterpret_cast<std::uintptr_t>(space);
  const std::uintptr_t aligned = (first + bytes - 1) & ~(std::uintptr_t{bytes} - 1);
  const std::uintptr_t behind = aligned + bytes + page;
  if (aligned != first) munmap(space, aligned - first);
  if (behind != first + whole) munmap(reinterpret_cast<void*>(behind), first + whole - behind);
  auto* const result = reinterpret_cast<std::byte*>(aligned);
  // It splits a mapping in two, and a process may have so many. Without it an overflow would be written to what lies behind.
  if (mprotect(result + bytes, page, PROT_NONE) != 0) {
    munmap(result, bytes + page);
    throw std::bad_alloc();
  }
  return result;
}

void native::unreserve(void* space, std::size_t bytes) noexcept {
  // With the page behind, as reserve made it.
  munmap(space, bytes + static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

void native::prefer_large_pages(void* memory, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  // Rounded inwards to whole pages: madvise takes nothing else, and a page at either end may belong to a neighbour.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) & ~(page - 1);
  const std::uintptr_t end = (begin + bytes) & ~(page - 1);
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // refused: it stays as it is
#else
  (void)memory, (void)bytes;
#endif
}

namespace {

// 0: not known. relaxed, all: the same for all threads of a process.
constinit std::atomic<std::uint64_t> known_process{0};
constinit std::atomic<bool> forks_forget{false};

// What fork() was told to call. relaxed, all: a handler that is not found yet is told once more, which does no harm.
constexpr std::size_t handlers_max = 16;  // those beyond are told again each time
constinit std::atomic<void (*)()> told[handlers_max] = {};

bool is_told(void (*handler)()) noexcept {
  return std::ranges::any_of(told, [handler](const auto& t) { return t.load(std::memory_order_relaxed) == handler; });
}
void note_told(void (*handler)()) noexcept {
  for (auto& place : told) {
    void (*free)() = nullptr;
    if (place.compare_exchange_strong(free, handler, std::memory_order_relaxed)) return;
  }
}

void forget_process() { known_process.store(0, std::memory_order_relaxed); }

}  // namespace

// A child would find its parent's number in a variable, unless fork() makes it forget. Until fork() does, the system is asked each
// time. Every submission wants the number, and a call of the system takes as long as all the rest of it.
std::uint64_t native::process_id() noexcept {
  if (const std::uint64_t id = known_process.load(std::memory_order_relaxed); id != 0) return id;
  const auto id = static_cast<std::uint64_t>(getpid());
  // acquire: pairs with the release in on_fork(), so a fork() of this thread finds the handler
  if (forks_forget.load(std::memory_order_acquire)) known_process.store(id, std::memory_order_relaxed);
  return id;
}

// There is no call that takes a handler back, so the code of it must stay loaded as long as the process forks.
void native::on_fork(void (*handler)()) {
  const auto tell = [](void (*f)()) {
    if (pthread_atfork(nullptr, nullptr, f) != 0) throw std::bad_alloc();  // ENOMEM is all that it reports
  };
  // First: handlers run in the order of registration. Two threads at once may both tell; once more does no harm. A static
  // variable would: a child could find it half made, and wait for ever. acquire, release: pair with each other and process_id().
  if (!forks_forget.load(std::memory_order_acquire)) {
    tell(forget_process);
    forks_forget.store(true, std::memory_order_release);
  }
  if (is_told(handler)) return;
  tell(handler);
  note_told(handler);
}

// Nothing is lost if it fails: the code is the program's own then, or the library of a system without dladdr.
void native::stay_loaded() noexcept {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&native::stay_loaded), &here) == 0) return;
  static_cast<void>(dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace leat::inline LEAT_ABI::platform
