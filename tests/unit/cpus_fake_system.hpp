// A made-up /proc and cgroup file system, for the tests of the CPU count.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>
#include "leat/topology/cpus.hpp"

namespace leat::testing {

namespace fs = std::filesystem;
using leat::topology::cpus;

inline constexpr double none = std::numeric_limits<double>::infinity();
inline const std::vector<unsigned> eight{0, 1, 2, 3, 4, 5, 6, 7};

// One line of mountinfo for the cgroup v2 hierarchy.
inline std::string v2_mount(std::string_view root, std::string_view point) {
  return "30 23 0:26 " + std::string(root) + " " + std::string(point) +
         " rw,nosuid shared:9 master:3 - cgroup2 cgroup2 rw,nsdelegate\n";
}

// One line of mountinfo for the v1 hierarchy of the cpu controller.
inline std::string v1_mount(std::string_view root, std::string_view point) {
  return "33 25 0:30 " + std::string(root) + " " + std::string(point) + " rw,relatime - cgroup cgroup rw,cpuacct,cpu\n";
}

// A root directory with a made-up /proc and cgroup file system.
class cpus_fake_system : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "leat-cpus-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }

  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void write(const std::string& path, std::string_view content) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << content;
  }

  void make_directory(const std::string& path) { fs::create_directories(root_ + path); }

  void tables(std::string_view cgroup, std::string_view mountinfo) {
    write("/proc/self/cgroup", cgroup);
    write("/proc/self/mountinfo", mountinfo);
  }

  // A v2 system whose process sits in /job, with this cpu.max.
  cpus with_cpu_max(std::string_view content) {
    tables("0::/job\n", v2_mount("/", "/cg"));
    write("/cg/job/cpu.max", content);
    return read();
  }

  // A v1 system whose process sits in /job.
  cpus with_cfs(std::string_view quota, std::string_view period) {
    tables("4:cpu,cpuacct:/job\n", v1_mount("/", "/cg"));
    write("/cg/job/cpu.cfs_quota_us", quota);
    write("/cg/job/cpu.cfs_period_us", period);
    return read();
  }

  cpus read() { return leat::topology::read_cpus(root_, eight); }

  std::string root_;
};

inline bool mentions(const cpus& found, std::string_view path, std::string_view reason = "") {
  for (const std::string& note : found.notes) {
    if (note.find(path) != std::string::npos && note.find(reason) != std::string::npos) return true;
  }
  return false;
}

}  // namespace leat::testing
