// Snapshots of a cluster's runs: files that are whole or not there, and runs that are cut off anywhere and gone on with by
// any number of ranks. Every tree is counted exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster_world.hpp"
#include "engines.hpp"
#include "leat/cluster.hpp"
#include "leat/cluster/replacement.hpp"

namespace {

using leat::ranks::snapshot;
using leat_test::plan;
using leat_test::rank_id;
using leat_test::twig;

// In memory, where there is such a file system: each snapshot is flushed, for which a disk takes tens of milliseconds.
std::filesystem::path place_of_folders() {
  const std::filesystem::path in_memory = "/dev/shm";
  return ::access(in_memory.c_str(), W_OK) == 0 ? in_memory : std::filesystem::path(testing::TempDir());
}

// A folder of this test alone.
class SnapshotFiles : public testing::Test {
 protected:
  SnapshotFiles() {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name =
        std::string("leat_") + info->test_suite_name() + '_' + info->name() + '_' + std::to_string(::getpid());
    std::ranges::replace(name, '/', '_');
    folder_ = place_of_folders() / name;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SnapshotFiles() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return (folder_ / "cut").string(); }

  // The names of all that is in the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) all.push_back(entry.path().filename());
    return all;
  }

  void spoil(std::uintmax_t at) const {
    std::fstream f(file(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const auto was = static_cast<char>(f.get());
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(was ^ 1));
  }

 private:
  std::filesystem::path folder_;
};

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST_F(SnapshotFiles, HoldWhatWasWrittenLast) {
  const snapshot first{"a tree", bytes_of("12"), bytes_of("many tasks")};
  leat::ranks::write(file(), first);
  EXPECT_EQ(leat::ranks::read(file(), "a tree"), first);
  const snapshot second{"a tree", {}, {}};
  leat::ranks::write(file(), second);
  EXPECT_EQ(leat::ranks::read(file(), "a tree"), second);
  EXPECT_THAT(names(), testing::ElementsAre("cut"));
}

TEST_F(SnapshotFiles, AreRefusedWhereAnyByteIsWrong) {
  leat::ranks::write(file(), {"a tree", bytes_of("12"), bytes_of("tasks")});
  const auto size = std::filesystem::file_size(file());
  for (std::uintmax_t at = 0; at < size; ++at) {
    spoil(at);
    EXPECT_NE(complaint([&] { (void)leat::ranks::read(file(), "a tree"); }), "") << at;
    spoil(at);
  }
  (void)leat::ranks::read(file(), "a tree");
  for (std::uintmax_t bytes = 0; bytes < size; ++bytes) {
    std::filesystem::copy_file(file(), file() + "2", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file() + "2", bytes);
    EXPECT_NE(complaint([&] { (void)leat::ranks::read(file() + "2", "a tree"); }), "") << bytes;
  }
}

TEST_F(SnapshotFiles, ComplaintsNameTheFile) {
  EXPECT_THAT(complaint([&] { (void)leat::ranks::read(file(), ""); }), testing::HasSubstr(file()));
  EXPECT_THAT(complaint([&] { leat::ranks::write(file() + "/not/there", {}); }), testing::HasSubstr(file()));
  leat::ranks::write(file(), {"a tree", {}, {}});
  EXPECT_THAT(complaint([&] { (void)leat::ranks::read(file(), "a bush"); }),
              testing::HasSubstr("is of 'a tree', not of 'a bush'"));
  std::filesystem::create_directory(file() + "-folder");
  EXPECT_THAT(complaint([&] { (void)leat::ranks::read(file() + "-folder", ""); }), testing::HasSubstr(file()));
}

TEST_F(SnapshotFiles, TakeThePlaceOfNothingElse) {
  using leat::ranks::check_writable;
  check_writable(file(), "a tree");
  EXPECT_THAT(names(), testing::IsEmpty()) << "it is only tried";
  std::ofstream(file()).flush();
  check_writable(file(), "a tree");  // empty, as mktemp makes it
  leat::ranks::write(file(), {"a tree", {}, {}});
  check_writable(file(), "a tree");
  EXPECT_THAT(complaint([&] { check_writable(file(), "a bush"); }), testing::HasSubstr("it is not overwritten"));
  std::ofstream(file()) << "a letter to somebody";
  EXPECT_THAT(complaint([&] { check_writable(file(), "a tree"); }), testing::HasSubstr("is no snapshot"));
  EXPECT_THAT(complaint([&] { check_writable(file() + "-no/cut", "a tree"); }), testing::HasSubstr(file() + "-no/cut"));
}

TEST_F(SnapshotFiles, AreFilesAndNotPipes) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_THAT(complaint([&] { (void)leat::ranks::read(file(), ""); }), testing::HasSubstr("no regular file"));
  EXPECT_THAT(complaint([&] { leat::ranks::check_writable(file(), ""); }), testing::HasSubstr("no regular file"));
}

TEST_F(SnapshotFiles, NothingIsLeftOfOneThatCannotBeWritten) {
  std::filesystem::create_directories(file() + "/full");
  EXPECT_THAT(complaint([&] { leat::ranks::write(file(), {}); }), testing::HasSubstr(file()));
  EXPECT_THAT(names(), testing::ElementsAre("cut"));
}

TEST_F(SnapshotFiles, NothingIsLeftOfOneThatTheDiskHasNoRoomFor) {
  leat::ranks::write(file(), {"a tree", {}, {}});
  struct ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct ::rlimit small{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string told =
      complaint([&] { leat::ranks::write(file(), {"a tree", bytes_of(std::string(1000, 'x')), {}}); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_THAT(told, testing::HasSubstr("cannot write the snapshot '" + file() + "': File too large"));
  EXPECT_THAT(names(), testing::ElementsAre("cut"));
  EXPECT_EQ(leat::ranks::read(file(), "a tree"), (snapshot{"a tree", {}, {}}));
}

TEST_F(SnapshotFiles, LeaveWhatLiesBesideAlone) {
  const auto write_letter = [](const std::string& name) { std::ofstream(name) << "a letter"; };
  const std::string own = file() + '.' + std::to_string(::getpid()) + '.';
  const std::vector<std::string> letters = {file() + ".new", own + '0', own + '1'};
  for (const std::string& letter : letters) write_letter(letter);
  std::filesystem::create_symlink(file() + "-elsewhere", own + '2');
  leat::ranks::check_writable(file(), "a tree");
  leat::ranks::write(file(), {"a tree", {}, {}});
  for (const std::string& letter : letters) {
    std::string text;
    std::getline(std::ifstream(letter), text);
    EXPECT_EQ(text, "a letter") << letter;
  }
  EXPECT_THAT(names(), testing::SizeIs(letters.size() + 2));
  EXPECT_FALSE(std::filesystem::exists(file() + "-elsewhere"));
}

TEST_F(SnapshotFiles, AreGivenUpWhereEveryNameIsTaken) {
  const std::string own = file() + '.' + std::to_string(::getpid()) + '.';
  for (int i = 0; i < leat::ranks::replacement::names_max; ++i) std::ofstream(own + std::to_string(i)).flush();
  EXPECT_THAT(complaint([&] { leat::ranks::write(file(), {}); }),
              testing::HasSubstr("cannot open the snapshot '" + file() + "': File exists"));
  EXPECT_THAT(names(), testing::SizeIs(leat::ranks::replacement::names_max));
}

TEST_F(SnapshotFiles, AreWhatALinkNames) {
  const std::string elsewhere = file() + "-elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_symlink("cut-elsewhere/second", file());
  std::filesystem::create_symlink(elsewhere + "/third", elsewhere + "/second");
  // First there is nothing behind the links, then a snapshot.
  for (const snapshot& s : {snapshot{"a tree", bytes_of("1"), {}}, snapshot{"a tree", bytes_of("2"), {}}}) {
    leat::ranks::check_writable(file(), "a tree");
    leat::ranks::write(file(), s);
    EXPECT_TRUE(std::filesystem::is_symlink(file()));
    EXPECT_TRUE(std::filesystem::is_symlink(elsewhere + "/second"));
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(elsewhere + "/third")));
    EXPECT_EQ(leat::ranks::read(file(), "a tree"), s);
  }
  EXPECT_THAT(names(), testing::UnorderedElementsAre("cut", "cut-elsewhere"));
  const std::string circle = std::filesystem::path(file()).replace_filename("circle");
  std::filesystem::create_symlink("circle", circle);
  EXPECT_THAT(complaint([&] { leat::ranks::write(circle, {}); }),
              testing::HasSubstr("'" + circle + "': Too many levels of symbolic links"));
  EXPECT_TRUE(std::filesystem::is_symlink(circle));
}

TEST_F(SnapshotFiles, KeepTheirPermissions) {
  leat::ranks::write(file(), {"a tree", {}, {}});
  using std::filesystem::perms;
  const perms only_owner = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(file(), only_owner);
  leat::ranks::write(file(), {"a tree", bytes_of("12"), {}});
  EXPECT_EQ(std::filesystem::status(file()).permissions(), only_owner);
}

// A clock that goes on by a microsecond whenever it is read, so that cuts do not depend on how fast the machine is.
struct ticking : leat::platform::chosen {
  static std::uint64_t now_ns() noexcept { return ticks += 1000; }
  static inline std::uint64_t ticks = 0;
};

// A world whose ranks count a tree, keep snapshots of it as often as they can, and may be cut off.
class kept_run {
 public:
  kept_run(const plan& p, const leat::snapshots& keep) : plan_(p), world_(p.ranks, {p.seed, p.delay_max}) {
    for (rank_id r = 0; r < p.ranks; ++r) {
      ranks_.push_back(std::make_unique<leat_test::stepped_rank>(world_, r, p));
      leat::ranks::rank_parts parts = ranks_.back()->begin();
      parts.keep = keep;
      runs_.push_back(std::make_unique<run_type>(parts, std::uint64_t{0}, expand_, combine_));
      if (keep.resume) runs_.back()->resume();
    }
  }

  void add_root(const twig& root) { runs_[plan_.seed % plan_.ranks]->add_root(root); }

  // The results of all ranks, if the run is over after so many steps.
  std::vector<std::uint64_t> run(std::uint64_t steps) {
    leat_test::turns next(plan_);
    std::vector<bool> over(plan_.ranks);
    std::size_t left = plan_.ranks;
    for (; left != 0; --steps) {
      if (steps == 0) return {};
      const rank_id r = next.next();
      if (!over[r] && runs_[r]->step()) {
        over[r] = true;
        --left;
      }
    }
    std::vector<std::uint64_t> results;
    for (auto& r : runs_) results.push_back(r->take_result());
    return results;
  }

  std::uint64_t snapshots() const { return ranks_.front()->counters()[leat::rank_event::snapshots]; }

 private:
  using expand_call = std::function<std::uint64_t(const twig&, const std::function<void(twig)>&)>;
  using run_type = leat::ranks::rank_run<ticking, twig, std::uint64_t, expand_call, std::plus<>>;

  plan plan_;
  leat::ranks::local_world world_;
  expand_call expand_ = [](const twig& t, const std::function<void(twig)>& emit) {
    leat_test::grow(t, emit);
    return std::uint64_t{1};
  };
  std::plus<> combine_;
  std::vector<std::unique_ptr<leat_test::stepped_rank>> ranks_;
  std::vector<std::unique_ptr<run_type>> runs_;
};

// Beyond these a run counts as hung.
constexpr std::uint64_t steps_max = 4'000'000;

// The first root from this seed on of which there is something to count.
twig large_root(std::uint64_t seed) {
  constexpr std::uint64_t nodes_min = 200;
  twig root{seed * 1000, 0};
  while (leat_test::count_twigs(root) < nodes_min) ++root.seed;
  return root;
}

class Snapshots : public SnapshotFiles, public testing::WithParamInterface<const char*> {
 protected:
  plan planned(rank_id ranks, std::uint64_t seed) const {
    plan p;
    p.engine = GetParam();
    p.ranks = ranks;
    p.seed = seed;
    p.delay_max = static_cast<std::uint32_t>(seed % 40);
    return p;
  }
  leat::snapshots kept(std::uint64_t every_us) const { return {.file = file(), .every_us = every_us}; }
};

constexpr rank_id rank_counts[] = {1, 2, 3, 8};

TEST_P(Snapshots, LeaveTheResultAsItIs) {
  const std::uint64_t seeds = leat_test::reps(20);
  std::uint64_t written = 0;
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      const twig root = large_root(seed);
      kept_run run(planned(ranks, seed), kept(200));
      run.add_root(root);
      ASSERT_EQ(run.run(steps_max), std::vector<std::uint64_t>(ranks, leat_test::count_twigs(root)));
      written += run.snapshots();
    }
  }
  EXPECT_GT(written, seeds);
}

TEST_P(Snapshots, AreGoneOnWithByAnyNumberOfRanks) {
  const std::uint64_t seeds = leat_test::reps(20);
  leat::protocol::random draw(7);
  std::uint64_t resumed = 0;
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      const twig root = large_root(seed);
      std::filesystem::remove(file());
      std::vector<std::uint64_t> results;
      rank_id now = ranks;
      // Cut off and gone on with, over and over, until one comes to the end.
      for (std::uint32_t steps_most = 200; results.empty(); steps_most *= 2) {
        leat::snapshots keep = kept(20);
        keep.resume = std::filesystem::exists(file());
        kept_run run(planned(now, seed), keep);
        if (!keep.resume) run.add_root(root);
        results = run.run(1 + draw.below(steps_most));
        if (keep.resume) ++resumed;
        if (results.empty()) now = rank_counts[draw.below(std::size(rank_counts))];
      }
      ASSERT_EQ(results, std::vector<std::uint64_t>(now, leat_test::count_twigs(root)));
    }
  }
  EXPECT_GT(resumed, seeds);
}

TEST_P(Snapshots, DoNotKeepARunFromGoingOn) {
  const twig root = large_root(1);
  const leat::snapshots keep = kept(1);
  kept_run run(planned(3, 5), keep);
  run.add_root(root);
  EXPECT_EQ(run.run(steps_max), std::vector<std::uint64_t>(3, leat_test::count_twigs(root)));
  EXPECT_GT(run.snapshots(), 10U);
}

TEST_P(Snapshots, ThatCannotBeReadEndTheRunOnAllRanks) {
  std::ofstream(file()) << "no snapshot";
  leat::snapshots keep = kept(1);
  keep.resume = true;
  kept_run run(planned(3, 1), keep);
  EXPECT_THAT(complaint([&] { (void)run.run(steps_max); }), testing::HasSubstr("is no snapshot"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Snapshots, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

TEST_F(SnapshotFiles, AProgramGoesOnWithWhatAnotherKept) {
  const auto expand = [](const twig& t, auto&& emit) {
    leat_test::grow(t, emit);
    return std::uint64_t{1};
  };
  const twig root = large_root(3);
  // Once it has kept something, the first program fails.
  std::uint64_t left = leat_test::count_twigs(root);
  const auto fails = [&](const twig& t, auto&& emit) {
    if (--left == 0) throw std::runtime_error("the last node");
    return expand(t, emit);
  };
  leat::cluster_options polls_often;
  polls_often.poll_us = 0;
  leat::cluster first(polls_often);
  EXPECT_THROW(
      (void)first.run(std::vector{root}, std::uint64_t{0}, fails, std::plus<>{}, {.file = file(), .every_us = 1}),
      std::runtime_error);
  leat::cluster second;
  EXPECT_EQ(second.run(std::vector<twig>{}, std::uint64_t{0}, expand, std::plus<>{}, {.file = file(), .resume = true}),
            leat_test::count_twigs(root));
  EXPECT_LT(second.counters()[leat::rank_event::tasks], leat_test::count_twigs(root));
}

TEST(SnapshotOptions, NeedAFile) {
  leat::cluster on;
  const auto expand = [](int, auto&&) { return 0; };
  const auto run = [&](const leat::snapshots& keep) {
    return complaint([&] { (void)on.run(std::vector<int>{}, 0, expand, std::plus<>{}, keep); });
  };
  EXPECT_THAT(run({.file = "", .every_us = 1}), testing::HasSubstr("file = ''"));
  EXPECT_THAT(run({.file = "", .resume = true}), testing::HasSubstr("file = ''"));
}

}  // namespace
