// Stands between the program and the C library where that tells of the machine.
#include <sched.h>
#include <unistd.h>

#include <cstddef>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {
constinit next_function<int(pid_t, std::size_t, cpu_set_t*)> next_get("sched_getaffinity");
constinit next_function<int(pid_t, std::size_t, const cpu_set_t*)> next_set("sched_setaffinity");
constinit next_function<long(int)> next_sysconf("sysconf");
}  // namespace

extern "C" {

int sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* mask) noexcept {
  const kind* const k = meets(call::sched_getaffinity);
  if (k != nullptr && k->how == way::fails) return errno = k->error, -1;
  const int result = next_get(thread, bytes, mask);
  if (k == nullptr || k->how != way::in_part || result != 0) return result;
  // The first CPU alone.
  bool found = false;
  for (std::size_t cpu = 0; cpu < 8 * bytes; ++cpu) {
    if (!CPU_ISSET_S(cpu, bytes, mask)) continue;
    if (found) CPU_CLR_S(cpu, bytes, mask);
    found = true;
  }
  return result;
}

int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* mask) noexcept {
  return refuses(call::sched_setaffinity) ? -1 : next_set(thread, bytes, mask);
}

// Of the page, whose size a system always tells, nothing is refused.
long sysconf(int name) noexcept {
  const bool of_cpus = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return of_cpus && refuses(call::sysconf) ? -1 : next_sysconf(name);
}

}  // extern "C"
