#include "leat/topology/cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;
using leat::topology::cpus;

constexpr double none = std::numeric_limits<double>::infinity();
const std::vector<unsigned> eight{0, 1, 2, 3, 4, 5, 6, 7};

// One line of mountinfo for the cgroup v2 hierarchy.
std::string v2_mount(std::string_view root, std::string_view point) {
  return "30 23 0:26 " + std::string(root) + " " + std::string(point) +
         " rw,nosuid shared:9 master:3 - cgroup2 cgroup2 rw,nsdelegate\n";
}

// One line of mountinfo for the v1 hierarchy of the cpu controller.
std::string v1_mount(std::string_view root, std::string_view point) {
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

bool mentions(const cpus& found, std::string_view path, std::string_view reason = "") {
  for (const std::string& note : found.notes) {
    if (note.find(path) != std::string::npos && note.find(reason) != std::string::npos) return true;
  }
  return false;
}

TEST(CpusUsable, QuotaRoundsUpAndStaysBetweenOneAndTheAffinity) {
  const auto usable = [](double quota) { return cpus{eight, quota, {}}.usable(); };
  EXPECT_EQ(usable(none), 8u);
  EXPECT_EQ(usable(0.3), 1u);
  EXPECT_EQ(usable(1.0), 1u);
  EXPECT_EQ(usable(1.5), 2u);
  EXPECT_EQ(usable(2.5), 3u);
  EXPECT_EQ(usable(7.01), 8u);
  EXPECT_EQ(usable(8.0), 8u);
  EXPECT_EQ(usable(100.0), 8u);
  EXPECT_EQ(usable(1e300), 8u);
  EXPECT_EQ(usable(0.0), 1u);
  EXPECT_EQ(usable(-3.0), 1u);
  EXPECT_EQ(usable(std::nan("")), 8u);
  EXPECT_EQ((cpus{{}, none, {}}).usable(), 1u);
  EXPECT_EQ((cpus{{}, 4.0, {}}).usable(), 1u);
}

TEST(CpusReal, AffinityIsThatOfTheCallingThread) {
  const cpus found = leat::topology::read_cpus();
  ASSERT_FALSE(found.allowed.empty());
  EXPECT_TRUE(std::is_sorted(found.allowed.begin(), found.allowed.end()));
  EXPECT_GE(found.usable(), 1u);
  EXPECT_LE(found.usable(), found.allowed.size());
  EXPECT_EQ(leat::topology::available_cpus(), found.usable());

  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) GTEST_SKIP() << "a machine of more than 1024 CPUs";
  EXPECT_EQ(found.allowed.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(found.allowed.back(), &last);
  if (sched_setaffinity(0, sizeof last, &last) != 0) GTEST_SKIP() << "not allowed to narrow the affinity";
  const cpus one = leat::topology::read_cpus();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(one.allowed, std::vector<unsigned>{found.allowed.back()});
  EXPECT_EQ(one.usable(), 1u);
}

TEST(CpusAffinity, MaskGrowsForLargeMachines) {
  const auto large = [](std::span<unsigned long> mask) {
    constexpr std::size_t bits = sizeof(unsigned long) * 8;
    if (mask.size() * bits < 4096) return EINVAL;
    for (const std::size_t cpu : {0u, 63u, 64u, 1023u, 1024u, 4095u}) mask[cpu / bits] |= 1ul << (cpu % bits);
    return 0;
  };
  EXPECT_EQ(leat::topology::affinity_from(large), (std::vector<unsigned>{0, 63, 64, 1023, 1024, 4095}));
}

TEST(CpusAffinity, FailureAndEndlessGrowthGiveNothing) {
  EXPECT_TRUE(leat::topology::affinity_from([](std::span<unsigned long>) { return EINVAL; }).empty());
  const auto refused = [](std::span<unsigned long> mask) {
    mask[0] = 1;
    return EPERM;
  };
  EXPECT_TRUE(leat::topology::affinity_from(refused).empty());
}

TEST_F(cpus_fake_system, GivenAffinityIsSortedWithoutDuplicates) {
  const cpus found = leat::topology::read_cpus(root_, {9, 2, 5, 2, 9});
  EXPECT_EQ(found.allowed, (std::vector<unsigned>{2, 5, 9}));
}

TEST_F(cpus_fake_system, NothingThere) {
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_EQ(found.usable(), 8u);
  EXPECT_TRUE(mentions(found, root_ + "/proc/self/cgroup"));
  EXPECT_FALSE(leat::topology::read_cpus(root_).allowed.empty());
  EXPECT_FALSE(leat::topology::read_cpus(root_ + "/no/such/folder").allowed.empty());
}

TEST_F(cpus_fake_system, MountTableMissing) {
  write("/proc/self/cgroup", "0::/\n");
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_TRUE(mentions(found, root_ + "/proc/self/mountinfo"));
}

TEST_F(cpus_fake_system, V2TightestInTheMiddle) {
  tables("0::/a/b/c\n", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + v2_mount("/", "/sys/fs/cgroup"));
  write("/sys/fs/cgroup/a/cpu.max", "600000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  write("/sys/fs/cgroup/a/sibling/cpu.max", "10000 100000\n");
  write("/sys/fs/cgroup/a/b/c/child/cpu.max", "10000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 1.5);
  EXPECT_EQ(found.usable(), 2u);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_fake_system, V2TightestAtTheMountPoint) {
  tables("0::/a\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "200000 100000\n");
  write("/cg/a/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_fake_system, V2QuotaContents) {
  EXPECT_EQ(with_cpu_max("max 100000\n").quota, none);
  EXPECT_TRUE(with_cpu_max("max 100000\n").notes.empty());
  EXPECT_EQ(with_cpu_max("30000 100000\n").usable(), 1u);
  EXPECT_EQ(with_cpu_max("250000 100000\n").usable(), 3u);
  EXPECT_EQ(with_cpu_max("150000 50000\n").usable(), 3u);
  EXPECT_EQ(with_cpu_max("300000 100000").usable(), 3u);
  EXPECT_EQ(with_cpu_max("6400000 100000\n").usable(), 8u);
  EXPECT_DOUBLE_EQ(with_cpu_max("6400000 100000\n").quota, 64.0);
}

TEST_F(cpus_fake_system, V2GarbageIsNotedAndIgnored) {
  // The two that need std::string: NUL inside, and longer than is read.
  const std::vector<std::string> contents{"",
                                          "\n",
                                          "max",
                                          "100000",
                                          "0 100000",
                                          "100000 0",
                                          "1e5 10",
                                          "maximum 1",
                                          "max 1 2",
                                          "1 2 3",
                                          "0x10 100000",
                                          "1.5 1",
                                          "100000,100000",
                                          "max x",
                                          "\xff\xfe\x01 garbage",
                                          "99999999999999999999999 1",
                                          std::string("1\0 1", 4),
                                          "100000 100000 " + std::string(5000, '7')};
  for (const std::string& content : contents) {
    const cpus found = with_cpu_max(content);
    EXPECT_EQ(found.quota, none) << content;
    EXPECT_EQ(found.usable(), 8u) << content;
    EXPECT_TRUE(mentions(found, root_ + "/cg/job/cpu.max", "not understood")) << content;
    for (const std::string& note : found.notes) {
      for (const char c : note) EXPECT_TRUE(c >= ' ' && c <= '~') << note;
    }
  }
}

TEST_F(cpus_fake_system, V2PeriodThatIsNone) {
  for (const std::string content : {"100000 -5", "100000 max"}) {
    const cpus found = with_cpu_max(content);
    EXPECT_EQ(found.quota, none) << content;
    EXPECT_TRUE(mentions(found, root_ + "/cg/job/cpu.max", "period")) << content;
  }
}

TEST_F(cpus_fake_system, GarbageInOneLevelLeavesTheOthers) {
  tables("0::/a/b\n", v2_mount("/", "/cg"));
  write("/cg/a/cpu.max", "300000 100000\n");
  write("/cg/a/b/cpu.max", "what?\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  EXPECT_TRUE(mentions(found, "/cg/a/b/cpu.max", "what?"));
}

TEST_F(cpus_fake_system, V1TightestInTheMiddle) {
  tables("5:memory:/m\n4:cpu,cpuacct:/a/b/c\n1:name=systemd:/s\n",
         "32 25 0:29 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n" + v1_mount("/", "/cg/cpu,cpuacct"));
  const std::string base = "/cg/cpu,cpuacct";
  write(base + "/cpu.cfs_quota_us", "-1\n");
  write(base + "/cpu.cfs_period_us", "100000\n");
  write(base + "/a/cpu.cfs_quota_us", "500000\n");
  write(base + "/a/cpu.cfs_period_us", "100000\n");
  write(base + "/a/b/cpu.cfs_quota_us", "125000\n");
  write(base + "/a/b/cpu.cfs_period_us", "50000\n");
  write(base + "/a/b/c/cpu.cfs_quota_us", "-1\n");
  write(base + "/a/b/c/cpu.cfs_period_us", "100000\n");
  // The cpu controller is neither cpuset nor cpuacct alone, nor any other hierarchy.
  write("/cg/cpuset/a/b/c/cpu.cfs_quota_us", "1000\n");
  write("/cg/cpuset/a/b/c/cpu.cfs_period_us", "100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 2.5);
  EXPECT_EQ(found.usable(), 3u);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_fake_system, V1Contents) {
  EXPECT_EQ(with_cfs("-1\n", "100000\n").quota, none);
  EXPECT_TRUE(with_cfs("-1\n", "100000\n").notes.empty());
  EXPECT_EQ(with_cfs("30000\n", "100000\n").usable(), 1u);
  EXPECT_EQ(with_cfs("150000", "100000").usable(), 2u);
  EXPECT_EQ(with_cfs("9900000\n", "100000\n").usable(), 8u);
  for (const std::string garbage : {"", "abc", "0", "1 2", "99999999999999999999"}) {
    EXPECT_TRUE(mentions(with_cfs(garbage, "100000\n"), "cpu.cfs_quota_us", "not understood")) << garbage;
    EXPECT_EQ(with_cfs(garbage, "100000\n").quota, none) << garbage;
    EXPECT_TRUE(mentions(with_cfs("100000\n", garbage), "cpu.cfs_period_us", "not understood")) << garbage;
    EXPECT_EQ(with_cfs("100000\n", garbage).quota, none) << garbage;
  }
  EXPECT_EQ(with_cfs("100000\n", "-100000\n").quota, none);
  EXPECT_TRUE(mentions(with_cfs("100000\n", "-100000\n"), "cpu.cfs_quota_us", "period"));
}

TEST_F(cpus_fake_system, V1PeriodMissing) {
  tables("4:cpu:/job\n", v1_mount("/", "/cg"));
  write("/cg/job/cpu.cfs_quota_us", "100000\n");
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_TRUE(mentions(found, "/cg/job/cpu.cfs_quota_us", "period"));
}

TEST_F(cpus_fake_system, HybridTakesTheTighterOfBoth) {
  tables("4:cpu,cpuacct:/one\n0::/two\n", v1_mount("/", "/cg/cpu") + v2_mount("/", "/cg/unified"));
  make_directory("/cg/unified/two");
  write("/cg/cpu/one/cpu.cfs_quota_us", "400000\n");
  write("/cg/cpu/one/cpu.cfs_period_us", "100000\n");
  const cpus only_v1 = read();
  EXPECT_DOUBLE_EQ(only_v1.quota, 4.0);
  EXPECT_TRUE(only_v1.notes.empty()) << only_v1.notes.front();

  write("/cg/unified/two/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 3.0);
  write("/cg/cpu/one/cpu.cfs_quota_us", "200000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_fake_system, ContainerMountRoot) {
  // Without a cgroup namespace: the mount shows the container's cgroup, which is named by its path from the true root.
  tables("0::/box/17/inner\n", v2_mount("/box/17", "/cg"));
  write("/cg/cpu.max", "500000 100000\n");
  write("/cg/inner/cpu.max", "200000 100000\n");
  write("/cg/box/17/inner/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_fake_system, ContainerMountRootIsTheProcessCgroup) {
  tables("4:cpu:/box/17\n", v1_mount("/box/17", "/cg"));
  write("/cg/cpu.cfs_quota_us", "350000\n");
  write("/cg/cpu.cfs_period_us", "100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.5);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_fake_system, MountRootWithTheSameLettersIsNotAnAncestor) {
  tables("0::/box/17\n", v2_mount("/box/1", "/cg"));
  write("/cg/cpu.max", "100000 100000\n");
  write("/cg/7/cpu.max", "100000 100000\n");
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_TRUE(mentions(found, root_ + "/cg", "does not show"));
}

TEST_F(cpus_fake_system, NamespaceRoot) {
  tables("0::/\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.5);
}

TEST_F(cpus_fake_system, NamespaceWithMountAndProcessAboveIt) {
  // Both named upwards from the namespace's root, by the same way.
  tables("0::/../../x/y\n", v2_mount("/../..", "/cg"));
  write("/cg/cpu.max", "700000 100000\n");
  write("/cg/x/cpu.max", "300000 100000\n");
  write("/cg/x/y/cpu.max", "500000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 3.0);

  tables("0::/../../x/y\n", v2_mount("/../../x", "/cg"));
  write("/cg/y/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_fake_system, NamespaceBelowTheMountHidesTheWayDown) {
  // The mount shows two unnamed levels more than the namespace: only the mount point is certainly an ancestor.
  tables("0::/x\n", v2_mount("/../..", "/cg"));
  write("/cg/cpu.max", "400000 100000\n");
  write("/cg/x/cpu.max", "100000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 4.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg", "hidden"));
}

TEST_F(cpus_fake_system, ProcessOutsideOfTheMount) {
  for (const std::string path : {"/../../x", "/..", "/../y"}) {
    tables("0::" + path + "\n", v2_mount("/", "/cg"));
    write("/cg/cpu.max", "100000 100000\n");
    write("/cg/x/cpu.max", "100000 100000\n");
    const cpus found = read();
    EXPECT_EQ(found.quota, none) << path;
    EXPECT_TRUE(mentions(found, root_ + "/cg", "does not show")) << path;
  }
  // Nor does a subtree beside the way up.
  tables("0::/\n", v2_mount("/../other", "/cg"));
  EXPECT_EQ(read().quota, none);
}

TEST_F(cpus_fake_system, SeveralMountsOfOneHierarchy) {
  tables("0::/a/b\n", v2_mount("/elsewhere", "/one") + v2_mount("/a", "/two") + v2_mount("/", "/three"));
  write("/one/cpu.max", "100000 100000\n");
  write("/two/b/cpu.max", "300000 100000\n");
  write("/three/cpu.max", "200000 100000\n");
  make_directory("/three/a/b");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 2.0);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_fake_system, OddNames) {
  // Blank, tab and backslash are octal in the mount table, and plain in the cgroup table, as a colon is.
  tables("0::/my box/a:b\n", v2_mount("/my\\040box", "/c\\040g\\134\\011x"));
  write("/c g\\\tx/a:b/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 3.0);
  // Not an escape: too short, not octal, NUL, more than a byte.
  tables("0::/\n", v2_mount("/", "/e\\04/\\08x/\\000/\\777/\\"));
  write("/e\\04/\\08x/\\000/\\777/\\/cpu.max", "500000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 5.0);
}

TEST_F(cpus_fake_system, MountTableForms) {
  // No optional fields, and an empty source: two spaces in a row.
  tables("4:cpu:/\n", "33 25 0:30 / /cg rw -  bad\n33 25 0:30 / /cg rw - cgroup  rw,cpu\n");
  write("/cg/cpu.cfs_quota_us", "300000\n");
  write("/cg/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 3.0);
  // A mount at the root directory.
  tables("0::/a\n", v2_mount("/", "/"));
  write("/a/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_fake_system, GarbageTables) {
  const std::vector<std::string> garbage{"x",
                                         ":::::",
                                         "0::relative\n",
                                         "0::/a/../b\n",
                                         "0:",
                                         "\n\n\n",
                                         std::string("0::/a\0b\n", 8),
                                         "\xff\xfe\xfd",
                                         "30 23 0:26 / /cg rw",
                                         "30 23 0:26 / /cg rw -",
                                         "30 23 0:26 / /cg rw - cgroup2",
                                         "30 23 0:26 / /cg rw - cgroup2 cgroup2",
                                         "30 23 0:26 nowhere /cg rw - cgroup2 cgroup2 rw",
                                         "30 23 0:26 / cg rw - cgroup2 cgroup2 rw",
                                         "- - - - - - - - - -",
                                         std::string(100000, ' '),
                                         std::string(100000, '/'),
                                         std::string(100000, '\\')};
  write("/cg/cpu.max", "100000 100000\n");
  for (const std::string& content : garbage) {
    tables(content, v2_mount("/", "/cg"));
    EXPECT_EQ(read().quota, none) << content.substr(0, 60);
    tables("0::/\n", content);
    EXPECT_EQ(read().quota, none) << content.substr(0, 60);
    tables("0::/\n", content + "\n" + v2_mount("/", "/cg"));
    EXPECT_DOUBLE_EQ(read().quota, 1.0) << content.substr(0, 60);
  }
  tables("one\ntwo\n0::/\n", v2_mount("/", "/cg"));
  EXPECT_EQ(read().notes.size(), 1u);
}

TEST_F(cpus_fake_system, DirectoryInPlaceOfAFile) {
  tables("0::/job\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "300000 100000\n");
  make_directory("/cg/job/cpu.max");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg/job/cpu.max", std::generic_category().message(EISDIR)));

  fs::remove(root_ + "/proc/self/cgroup");
  make_directory("/proc/self/cgroup");
  EXPECT_EQ(read().quota, none);
  EXPECT_TRUE(mentions(read(), root_ + "/proc/self/cgroup"));
}

TEST_F(cpus_fake_system, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  tables("0::/job/inner\n", v2_mount("/", "/cg"));
  write("/cg/job/cpu.max", "300000 100000\n");
  write("/cg/job/inner/cpu.max", "200000 100000\n");
  ASSERT_EQ(::chmod((root_ + "/cg/job/inner/cpu.max").c_str(), 0), 0);
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg/job/inner/cpu.max", std::generic_category().message(EACCES)));

  ASSERT_EQ(::chmod((root_ + "/cg/job").c_str(), 0), 0);
  const cpus closed = read();
  ASSERT_EQ(::chmod((root_ + "/cg/job").c_str(), 0700), 0);
  EXPECT_EQ(closed.quota, none);
  EXPECT_FALSE(closed.notes.empty());
}

TEST_F(cpus_fake_system, CgroupNotMountedWhereTheTableSays) {
  tables("0::/job\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "300000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg/job", "not there"));
}

TEST_F(cpus_fake_system, DepthIsLimited) {
  // 255 levels below the mount point are the last that are read whole.
  std::string path;
  for (int i = 0; i < 255; ++i) path += "/d";
  tables("0::" + path + "\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "100000 100000\n");
  write("/cg/d/cpu.max", "200000 100000\n");
  write("/cg" + path + "/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 1.0);
  EXPECT_TRUE(read().notes.empty());

  write("/cg" + path + "/d/cpu.max", "400000 100000\n");
  tables("0::" + path + "/d\n", v2_mount("/", "/cg"));
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 2.0);
  EXPECT_TRUE(mentions(found, "/cg", "levels"));

  std::string endless;
  for (int i = 0; i < 100000; ++i) endless += "/d";
  tables("0::" + endless + "\n", v2_mount("/", "/cg"));
  EXPECT_EQ(read().quota, none);
  EXPECT_LE(read().notes.size(), 64u);
}

TEST_F(cpus_fake_system, MountsAndNotesAreLimited) {
  std::string mounts;
  for (int i = 0; i < 200; ++i) mounts += v2_mount("/", "/cg" + std::to_string(i));
  tables("0::/\n", mounts);
  for (int i = 0; i < 200; ++i) write("/cg" + std::to_string(i) + "/cpu.max", "garbage");
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_EQ(found.notes.size(), 64u);
  EXPECT_TRUE(mentions(found, root_ + "/proc/self/mountinfo", "cgroup mounts"));
  EXPECT_EQ(found.notes.back(), "more notes were left out");
}

TEST_F(cpus_fake_system, TableLongerThanTheLimit) {
  std::string filler;
  while (filler.size() < (std::size_t{17} << 20)) filler += "22 1 8:1 / /a/long/mount/point rw - ext4 /dev/sda1 rw\n";
  tables("0::/\n", v2_mount("/", "/one") + filler + v2_mount("/", "/two"));
  write("/one/cpu.max", "300000 100000\n");
  write("/two/cpu.max", "100000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_TRUE(mentions(found, root_ + "/proc/self/mountinfo", "longer"));

  tables(std::string(std::size_t{17} << 20, 'x'), v2_mount("/", "/one"));
  EXPECT_EQ(read().quota, none);
}

}  // namespace
