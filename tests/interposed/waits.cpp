// Stands between the program and the C library where threads wait, wake others, and read the clock.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {

constinit next_function<long(long, long, long, long, long, long, long)> next_syscall("syscall");
constinit next_function<int()> next_yield("sched_yield");
constinit next_function<int(const timespec*, timespec*)> next_nanosleep("nanosleep");
constinit next_function<int(clockid_t, timespec*)> next_clock("clock_gettime");

std::atomic<std::int64_t> hours_gone{0};

}  // namespace

namespace leat_test::interposed {
void end_leaps() noexcept { hours_gone = 0; }
}  // namespace leat_test::interposed

extern "C" {

long syscall(long number, ...) noexcept {
  constexpr int arguments = 6;
  long given[arguments];
  va_list list;
  va_start(list, number);
  for (long& g : given) g = va_arg(list, long);
  va_end(list);
  constexpr long all = 0x7fffffff;
  const long operation = number == SYS_futex ? given[1] & FUTEX_CMD_MASK : -1;
  if (operation == FUTEX_WAIT) {
    const kind* const k = meets(call::futex_wait);
    if (k != nullptr && k->how == way::at_once) return 0;
    if (k != nullptr) return errno = k->error, -1;
  } else if (operation == FUTEX_WAKE) {
    const kind* const k = meets(call::futex_wake);
    if (k != nullptr && k->how == way::for_all) given[2] = all;
    if (k != nullptr && k->how == way::twice)
      next_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  }
  return next_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

int sched_yield() noexcept { return refuses(call::sched_yield) ? -1 : next_yield(); }

int nanosleep(const timespec* time, timespec* left) {
  if (!refuses(call::nanosleep)) return next_nanosleep(time, left);
  if (left != nullptr) *left = *time;
  return -1;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  constexpr std::int64_t hour_s = 3600;
  constexpr std::int64_t hours_max = 100'000;  // nanoseconds since the start fit 64 bits for 2.5 million
  if (const kind* k = meets(call::clock_gettime); k != nullptr && k->how == way::leaps && hours_gone < hours_max)
    ++hours_gone;
  const int result = next_clock(clock, time);
  if (clock == CLOCK_MONOTONIC) time->tv_sec += hours_gone * hour_s;
  return result;
}

}  // extern "C"
