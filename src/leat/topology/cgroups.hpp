// CPU quotas of the cgroups that this process is in (v1 and v2, and both at once).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::topology {

struct quota {
  double cpus = std::numeric_limits<double>::infinity();  ///< CPU time per wall time; infinity: there is none
  std::string group = {};  ///< the folder of the cgroup that has it
};

/// The smallest quota over this process's cgroup and all its ancestors, as read_cpus says. `notes` and `root` as there.
/// Throws std::bad_alloc. Any thread; a few files.
quota tightest_quota(const std::string& root, std::vector<std::string>& notes);

/// Nanoseconds for which the quota of that cgroup has stopped its threads so far, summed over the CPUs. Nothing if the system
/// does not tell, or `group` is empty. Any thread; one file.
std::optional<std::uint64_t> throttled_ns(const std::string& group);

}  // namespace leat::inline LEAT_ABI::topology
