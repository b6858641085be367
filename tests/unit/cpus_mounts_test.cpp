#include "cpus_fake_system.hpp"

namespace {

using namespace leat::testing;

class cpus_mounts : public cpus_fake_system {};

TEST_F(cpus_mounts, ContainerMountRoot) {
  // Without a cgroup namespace: the mount shows the container's cgroup, which is named by its path from the true root.
  tables("0::/box/17/inner\n", v2_mount("/box/17", "/cg"));
  write("/cg/cpu.max", "500000 100000\n");
  write("/cg/inner/cpu.max", "200000 100000\n");
  write("/cg/box/17/inner/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.0);
}

TEST_F(cpus_mounts, ContainerMountRootIsTheProcessCgroup) {
  tables("4:cpu:/box/17\n", v1_mount("/box/17", "/cg"));
  write("/cg/cpu.cfs_quota_us", "350000\n");
  write("/cg/cpu.cfs_period_us", "100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.5);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_mounts, MountRootWithTheSameLettersIsNotAnAncestor) {
  tables("0::/box/17\n", v2_mount("/box/1", "/cg"));
  write("/cg/cpu.max", "100000 100000\n");
  write("/cg/7/cpu.max", "100000 100000\n");
  const cpus found = read();
  EXPECT_EQ(found.quota, none);
  EXPECT_TRUE(mentions(found, root_ + "/cg", "does not show"));
}

TEST_F(cpus_mounts, NamespaceRoot) {
  tables("0::/\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 2.5);
}

TEST_F(cpus_mounts, NamespaceWithMountAndProcessAboveIt) {
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

TEST_F(cpus_mounts, NamespaceBelowTheMountHidesTheWayDown) {
  // The mount shows two unnamed levels more than the namespace: only the mount point is certainly an ancestor.
  tables("0::/x\n", v2_mount("/../..", "/cg"));
  write("/cg/cpu.max", "400000 100000\n");
  write("/cg/x/cpu.max", "100000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 4.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg", "hidden"));
}

TEST_F(cpus_mounts, ProcessOutsideOfTheMount) {
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

TEST_F(cpus_mounts, SeveralMountsOfOneHierarchy) {
  tables("0::/a/b\n", v2_mount("/elsewhere", "/one") + v2_mount("/a", "/two") + v2_mount("/", "/three"));
  write("/one/cpu.max", "100000 100000\n");
  write("/two/b/cpu.max", "300000 100000\n");
  write("/three/cpu.max", "200000 100000\n");
  make_directory("/three/a/b");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 2.0);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
}

TEST_F(cpus_mounts, OddNames) {
  // Blank, tab and backslash are octal in the mount table, and plain in the cgroup table, as a colon is.
  tables("0::/my box/a:b\n", v2_mount("/my\\040box", "/c\\040g\\134\\011x"));
  write("/c g\\\tx/a:b/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 3.0);
  // Not an escape: too short, not octal, NUL, more than a byte.
  tables("0::/\n", v2_mount("/", "/e\\04/\\08x/\\000/\\777/\\"));
  write("/e\\04/\\08x/\\000/\\777/\\/cpu.max", "500000 100000\n");
  EXPECT_DOUBLE_EQ(read().quota, 5.0);
}

TEST_F(cpus_mounts, MountTableForms) {
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

TEST_F(cpus_mounts, GarbageTables) {
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

TEST_F(cpus_mounts, DirectoryInPlaceOfAFile) {
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

// Runs `check` as a user whom file permissions bind, which root is not: in a child process that gives root up.
bool holds_without_privileges(const std::function<bool()>& check) {
  constexpr unsigned nobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool plain = ::geteuid() != 0 || (::setgid(nobody) == 0 && ::setuid(nobody) == 0);
    ::_exit(plain && check() ? 0 : 1);
  }
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(cpus_mounts, NoPermission) {
  tables("0::/job/inner\n", v2_mount("/", "/cg"));
  write("/cg/job/cpu.max", "300000 100000\n");
  write("/cg/job/inner/cpu.max", "200000 100000\n");
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  EXPECT_TRUE(holds_without_privileges([this] { return read().quota == 2.0 && read().notes.empty(); }));

  ASSERT_EQ(::chmod((root_ + "/cg/job/inner/cpu.max").c_str(), 0), 0);
  EXPECT_TRUE(holds_without_privileges([this] {
    const cpus found = read();
    return found.quota == 3.0 &&
           mentions(found, root_ + "/cg/job/inner/cpu.max", std::generic_category().message(EACCES));
  }));

  ASSERT_EQ(::chmod((root_ + "/cg/job").c_str(), 0), 0);
  EXPECT_TRUE(holds_without_privileges([this] {
    const cpus found = read();
    return found.quota == none && !found.notes.empty();
  }));
  ASSERT_EQ(::chmod((root_ + "/cg/job").c_str(), 0700), 0);
}

TEST_F(cpus_mounts, CgroupNotMountedWhereTheTableSays) {
  tables("0::/job\n", v2_mount("/", "/cg"));
  write("/cg/cpu.max", "300000 100000\n");
  const cpus found = read();
  EXPECT_DOUBLE_EQ(found.quota, 3.0);
  EXPECT_TRUE(mentions(found, root_ + "/cg/job", "not there"));
}

TEST_F(cpus_mounts, DepthIsLimited) {
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

TEST_F(cpus_mounts, MountsAndNotesAreLimited) {
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

TEST_F(cpus_mounts, TableLongerThanTheLimit) {
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
