#include "leat/topology/cpus.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "leat/topology/cgroups.hpp"

#if defined(__linux__)
#include <sched.h>
#endif
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace leat::inline LEAT_ABI::topology {
namespace {

// Linux is built for at most 8192 CPUs today; the rest is room.
constexpr std::size_t affinity_cpus_min = 1024;
constexpr std::size_t affinity_cpus_max = std::size_t{1} << 20;

int read_mask([[maybe_unused]] std::span<unsigned long> mask) {
#if defined(__linux__)
  // cpu_set_t is nothing but such words; its own size is only that of 1024 CPUs.
  return sched_getaffinity(0, mask.size_bytes(), reinterpret_cast<cpu_set_t*>(mask.data())) == 0 ? 0 : errno;
#else
  return ENOSYS;
#endif
}

// Where there is no affinity mask: as many CPUs as are online, numbered from 0.
std::vector<unsigned> online_cpus() {
  long count = 1;
#if defined(_SC_NPROCESSORS_ONLN)
  count = std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, static_cast<long>(affinity_cpus_max));
#endif
  std::vector<unsigned> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<unsigned>(i);
  return numbers;
}

}  // namespace

unsigned cpus::usable() const noexcept {
  const auto count = static_cast<unsigned>(std::max<std::size_t>(allowed.size(), 1));
  if (!(quota < static_cast<double>(count))) return count;  // also infinity and NaN
  return static_cast<unsigned>(std::max(1.0, std::ceil(quota)));
}

std::vector<unsigned> affinity_from(mask_reader read) {
  constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  for (std::size_t bits = affinity_cpus_min; bits <= affinity_cpus_max; bits *= 2) {
    std::vector<unsigned long> mask(bits / word_bits, 0);
    const int error = read(mask);
    if (error == EINVAL) continue;
    std::vector<unsigned> numbers;
    for (std::size_t i = 0; error == 0 && i < bits; ++i) {
      if (((mask[i / word_bits] >> (i % word_bits)) & 1u) != 0) numbers.push_back(static_cast<unsigned>(i));
    }
    return numbers;
  }
  return {};
}

cpus read_cpus(const std::string& root, std::vector<unsigned> affinity) {
  cpus result;
  std::sort(affinity.begin(), affinity.end());
  affinity.erase(std::unique(affinity.begin(), affinity.end()), affinity.end());
  result.allowed = std::move(affinity);
  quota tightest = tightest_quota(root, result.notes);
  result.quota = tightest.cpus;
  result.quota_group = std::move(tightest.group);
  return result;
}

cpus read_cpus(const std::string& root) {
  std::vector<unsigned> affinity = affinity_from(read_mask);
  return read_cpus(root, affinity.empty() ? online_cpus() : std::move(affinity));
}

unsigned available_cpus() { return read_cpus().usable(); }

}  // namespace leat::inline LEAT_ABI::topology
