// Time as the processor counts it: a third of what the system's clock costs, which reads the same counter behind a barrier.
//
// The counter serves where Linux itself takes its time from it: then it has one rate, and is the same on all CPUs. The rate is
// measured once, over at least `measured_ns`. Until then, and elsewhere, the system is asked each time.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "leat/platform/native.hpp"
#include "leat/platform/order.hpp"

#if defined(__linux__) && defined(__x86_64__) && !defined(LEAT_UNDER_TSAN)
#define LEAT_READS_COUNTER 1
#include <x86intrin.h>
#endif

namespace leat::inline LEAT_ABI::platform {

namespace {

std::uint64_t system_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

#if defined(LEAT_READS_COUNTER)

__extension__ using wide = unsigned __int128;

// An error of the two readings of 50 ns is one of 5 parts in a million.
constexpr std::uint64_t measured_ns = 20'000'000;

// A longer measurement begins anew: no thread has read the clock for a while, and one of the two clocks may have stood still.
constexpr std::uint64_t measured_ns_max = 1'000'000'000;

// When the counter takes over, time goes forward by so much: more than the error of a reading, so that it never goes back.
constexpr std::uint64_t step_ns = 500;

// A reading of both clocks, which an interrupt between the two would spoil: the nearest of some.
struct reading {
  std::uint64_t ticks, ns;
};

reading read_both() noexcept {
  constexpr int tries = 5;
  reading best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i != tries; ++i) {
    const std::uint64_t before = __rdtsc();
    const std::uint64_t ns = system_ns();
    const std::uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, ns};
  }
  return best;
}

// Whether Linux takes its own time from the counter. A handler of signals may ask, too.
bool system_uses_counter() noexcept {
  const int before = errno;
  char name[8] = {};
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? -1 : read(file, name, sizeof(name));
  if (file >= 0) close(file);
  errno = before;
  return bytes == 4 && std::memcmp(name, "tsc\n", 4) == 0;
}

enum stage : std::uint32_t { unread, beginning, measuring, ending, counted, refused };

// Written in `beginning` and `ending` by one thread. Read by all, and so in a line of its own.
struct alignas(cache_line) {
  std::atomic<std::uint32_t> now{unread};
  std::atomic<std::uint64_t> begun_ns{0};
  reading first{};
  std::uint64_t origin_ns = 0;  // the time of first.ticks
  std::uint64_t ns_per_tick_q32 = 0;  // a fixed-point number with 32 binary digits behind the point
} constinit measured;

bool goes_on(std::uint32_t from, std::uint32_t to) noexcept {
  // acquire: `first` is read next. relaxed failure: nothing is.
  return measured.now.compare_exchange_strong(from, to, std::memory_order_acquire, std::memory_order_relaxed);
}

// release: pairs with goes_on and now_ns.
void go_to(stage next) noexcept { measured.now.store(next, std::memory_order_release); }

void begin(const reading& at) noexcept {
  measured.first = at;
  measured.begun_ns.store(at.ns, std::memory_order_relaxed);  // relaxed: published with the stage
  go_to(measuring);
}

void end(const reading& at) noexcept {
  const reading& first = measured.first;
  if (at.ns - first.ns > measured_ns_max) return begin(at);
  if (at.ticks <= first.ticks || at.ns <= first.ns) return go_to(refused);
  measured.origin_ns = first.ns + step_ns;
  measured.ns_per_tick_q32 =
      static_cast<std::uint64_t>((static_cast<wide>(at.ns - first.ns) << 32) / (at.ticks - first.ticks));
  go_to(counted);
}

// Two steps, each of one thread. Others ask the system meanwhile, as does a handler that interrupts one of the two.
[[gnu::cold, gnu::noinline]] std::uint64_t measure() noexcept {
  const std::uint64_t ns = system_ns();
  const std::uint32_t now = measured.now.load(std::memory_order_acquire);  // pairs with go_to
  if (now == unread && goes_on(unread, beginning)) {
    if (system_uses_counter()) begin(read_both());
    else go_to(refused);
  } else if (now == measuring &&
             ns - measured.begun_ns.load(std::memory_order_relaxed) >= measured_ns &&  // relaxed: acquired
             goes_on(measuring, ending)) {
    end(read_both());
  }
  return ns;
}

#endif

}  // namespace

// A signal handler may read it.
std::uint64_t native::now_ns() noexcept {
#if defined(LEAT_READS_COUNTER)
  if (measured.now.load(std::memory_order_acquire) != counted) [[unlikely]]  // pairs with go_to
    return measure();
  const std::uint64_t ticks = __rdtsc() - measured.first.ticks;
  return measured.origin_ns + static_cast<std::uint64_t>((static_cast<wide>(ticks) * measured.ns_per_tick_q32) >> 32);
#else
  return system_ns();
#endif
}

}  // namespace leat::inline LEAT_ABI::platform
