#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::topology {

/// The CPUs that this process may really use: what its affinity mask allows, and how much CPU time its cgroups grant.
/// A plain value; reading one object from several threads is safe.
struct cpus {
  /// CPU numbers of the affinity mask, ascending, each once; what a worker may be bound to.
  std::vector<unsigned> allowed;

  /// CPU time per wall time granted by the tightest cgroup above this process, in CPUs (1.5 = one and a half);
  /// infinity when no quota was found.
  double quota = std::numeric_limits<double>::infinity();

  /// Files that could not be read or understood, each as "path: reason", for who wants to know. Printable ASCII without line
  /// breaks, at most 64 entries. Quotas behind these files count as missing.
  std::vector<std::string> notes;

  /// The folder of the cgroup that has that quota; empty when none was found.
  std::string quota_group = {};

  /// How many workers make sense here: the CPUs allowed or the quota rounded up, whichever is less, and at least 1.
  ///
  /// Rounded up, because rounding down wastes for good what was granted: under a quota of 1.5 CPUs one worker can never
  /// use more than two thirds. Two workers can use it all; the price is that both are stopped near the end of a period
  /// (100 ms by default), and work stealing evens out what one of them loses.
  [[nodiscard]] unsigned usable() const noexcept;
};

/// Reads affinity mask and cgroup CPU quota (v1 and v2, and both at once) of this process.
///
/// The mask is that of the calling thread, which the threads it starts inherit; cpusets are already part of it. The
/// quota is the smallest quota/period over the process's cgroup and all its ancestors up to the root, as far as the
/// mounted hierarchies show them (a container sees only its own part). On systems without cgroups there is no quota;
/// without affinity masks, all online CPUs are allowed.
///
/// @param root  prefix (no trailing slash) put before /proc/self/cgroup, /proc/self/mountinfo and the mount points read
///              there; empty means the real system. For tests.
/// @return      what was found; `allowed` is never empty.
/// @throws      std::bad_alloc only. Whatever cannot be read or understood is left out and gets a note.
/// Thread safety: any thread, at any time. Cost: two files in /proc and one or two per cgroup level, well below a
/// millisecond on usual systems; nothing is cached, since quota and mask may change while the process runs.
[[nodiscard]] cpus read_cpus(const std::string& root = "");

/// The same with a given affinity instead of the real one.
/// @param affinity  CPU numbers in any order; duplicates are dropped. An empty list is kept; usable() is 1 then.
[[nodiscard]] cpus read_cpus(const std::string& root, std::vector<unsigned> affinity);

/// `read_cpus().usable()`: the default number of workers. At least 1. Errors, thread safety and cost as read_cpus.
[[nodiscard]] unsigned available_cpus();

/// Fills `mask` (bit i % bits of word i / bits stands for CPU i) with the affinity of the calling thread.
/// Returns 0, or an errno value; EINVAL says that the mask is too short for this machine.
using mask_reader = int (*)(std::span<unsigned long> mask);

/// The CPU numbers that `read` reports, ascending. The mask starts at 1024 CPUs and doubles while `read` finds it too
/// short, up to 2^20 CPUs. Empty when `read` fails. Separate from read_cpus so that tests can stand in for a larger
/// machine. Throws std::bad_alloc only. Thread safety: any thread, if `read` allows it. Cost: one call of `read` and a
/// look at each bit, per doubling.
[[nodiscard]] std::vector<unsigned> affinity_from(mask_reader read);

}  // namespace leat::inline LEAT_ABI::topology
