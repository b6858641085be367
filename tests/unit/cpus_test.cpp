#include "cpus_fake_system.hpp"
#include "leat/topology/cgroups.hpp"

namespace {

namespace fs = std::filesystem;
using namespace leat::testing;

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
  EXPECT_EQ(found.quota_group, root_ + "/sys/fs/cgroup/a/b");
  EXPECT_EQ(found.usable(), 2u);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_fake_system, ThrottledOfBothVersions) {
  write("/two/cpu.stat", "usage_usec 100\nnr_periods 4\nnr_throttled 3\nthrottled_usec 250\n");
  write("/one/cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 250\n");
  write("/none/cpu.stat", "usage_usec 100\nthrottled_usec\n");
  write("/bad/cpu.stat", "throttled_usec -1\n");
  EXPECT_EQ(leat::topology::throttled_ns(root_ + "/two"), 250'000u);
  EXPECT_EQ(leat::topology::throttled_ns(root_ + "/one"), 250u);
  for (const char* group : {"/none", "/bad", "/not there"})
    EXPECT_FALSE(leat::topology::throttled_ns(root_ + group)) << group;
  EXPECT_FALSE(leat::topology::throttled_ns(""));
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

}  // namespace
