// The profile that a program writes at its end, where LEAT_PROFILE names a file. Each program is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "child_threads.hpp"
#include "leat/leat.hpp"
#include "leat/team.hpp"

namespace {

using std::chrono::milliseconds;

std::string path_of(const std::string& name) { return testing::TempDir() + "leat-recording-" + name; }

// In the death test's process, where no runtime has been.
void profile_to(const std::string& file) { setenv("LEAT_PROFILE", file.c_str(), 1); }

void spin_for(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::vector<std::vector<std::string>> lines_of(const std::string& file) {
  std::vector<std::vector<std::string>> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    all.emplace_back();
    for (std::string word; words >> word;) all.back().push_back(word);
  }
  return all;
}

// What the sections say, by the letter of the activity.
struct profile {
  std::uint64_t elapsed = 0;
  std::map<std::string, std::uint64_t> sums;
  std::vector<std::string> kinds;
  std::vector<std::string> schedulers;
  std::size_t workers = 0;
  std::uint64_t tasks = 0;
};

profile read(const std::string& file) {
  profile p;
  std::uint64_t at = 0, in_section = 0;
  std::map<std::string, std::uint64_t> intervals;
  const auto lines = lines_of(file);
  EXPECT_FALSE(lines.empty()) << file;
  if (!lines.empty()) {
    EXPECT_EQ(lines[0], (std::vector<std::string>{"leat", "profile", "1"}));
  }
  for (const auto& words : lines) {
    const std::string& key = words.at(0);
    if (key == "elapsed") p.elapsed = std::stoull(words.at(1));
    if (key == "runtime") p.kinds.push_back(words.at(2)), p.schedulers.push_back(words.at(4));
    if (key == "worker") ++p.workers, in_section = 0, intervals.clear();
    if (key == "counter" && words.at(1) == "tasks") p.tasks += std::stoull(words.at(2));
    if (key == "at") at = std::stoull(words.at(1));
    if (key.size() == 1) in_section += std::stoull(words.at(1)), intervals[key] += std::stoull(words.at(1));
    if (key == "sum") {
      p.sums[words.at(1)] += std::stoull(words.at(2));
      EXPECT_EQ(intervals[words.at(1)], std::stoull(words.at(2))) << "of " << words.at(1) << ": nothing was merged";
    }
    if (key == "end") {
      EXPECT_EQ(at + in_section, p.elapsed) << "no time of a worker is left out";
    }
  }
  return p;
}

class recording : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(recording, shows_where_the_time_of_a_runtime_went) {
  const std::string file = path_of("runtime");
  EXPECT_EXIT(
      {
        profile_to(file);
        {
          leat::runtime three({.workers = 3});
          three.run([] {
            leat::task_group tasks;
            tasks.spawn([] { leat::blocking([] { std::this_thread::sleep_for(milliseconds(20)); }); });
            tasks.spawn([] { spin_for(milliseconds(20)); });
            tasks.wait();
          });
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
  const profile p = read(file);
  EXPECT_EQ(p.kinds, std::vector<std::string>{"runtime"});
  EXPECT_GE(p.workers, 3u) << "compensating ones are added";
  EXPECT_EQ(p.tasks, 2u);
  EXPECT_GE(p.sums.at("b"), 20'000'000u);
  EXPECT_GE(p.sums.at("r"), 20'000'000u);
}

TEST_F(recording, has_a_section_for_each_runtime_and_worker) {
  const std::string file = path_of("several");
  EXPECT_EXIT(
      {
        profile_to(file);
        leat::parallel_for(0, 100, [](int) {});
        leat::team two({.workers = 2});
        two.call([] { spin_for(milliseconds(1)); });
        leat::runtime one({.workers = 1, .scheduler = "lcws-signal"});
        one.run([] { spin_for(milliseconds(1)); });
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
  const profile p = read(file);
  EXPECT_EQ(p.kinds, (std::vector<std::string>{"default", "team", "runtime"}));
  EXPECT_EQ(p.schedulers.back(), "lcws-signal");
}

// Workers that wait, search and sleep while the process ends.
TEST_F(recording, is_written_while_workers_work_on) {
  const std::string file = path_of("exit");
  EXPECT_EXIT(
      {
        profile_to(file);
        auto* const two = new leat::runtime({.workers = 2});
        [[maybe_unused]] const auto never_done = two->submit([] {
          for (;;) leat::parallel_for(0, 100, [](int) {});
        });
        std::this_thread::sleep_for(milliseconds(30));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
  const profile p = read(file);
  EXPECT_GT(p.sums.at("r"), 0u);
}

TEST_F(recording, is_not_written_by_a_forked_child) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  const std::string file = path_of("child");
  EXPECT_EXIT(
      {
        profile_to(file);
        leat::parallel_for(0, 100, [](int) {});
        const pid_t child = fork();
        leat::parallel_for(0, 100, [](int) {});
        if (child != 0) {
          int status = 0;
          waitpid(child, &status, 0);
          std::exit(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1);
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
  EXPECT_EQ(read(file).kinds, std::vector<std::string>{"default"});
}

TEST_F(recording, does_not_hold_a_child_that_was_forked_while_it_began) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  const std::string file = path_of("pipe");
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        profile_to(file);
        std::thread other([] { const leat::runtime one({.workers = 1}); });  // begins when the pipe is read
        std::this_thread::sleep_for(milliseconds(50));
        const pid_t child = fork();
        if (child == 0) {
          alarm(20);
          unsetenv("LEAT_PROFILE");  // if the other thread is late, the child would begin a recording of its own
          leat::runtime one({.workers = 1});
          _exit(one.run([] { return 7; }));
        }
        int status = 0;
        waitpid(child, &status, 0);
        const int reader = open(file.c_str(), O_RDONLY);
        other.join();
        close(reader);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
      },
      testing::ExitedWithCode(7), "^$");
  std::filesystem::remove(file);
}

long open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST_F(recording, closes_what_it_reads_of_a_worker_that_has_ended) {
  if (!std::filesystem::exists("/proc/self/fd")) GTEST_SKIP() << "nothing tells which files are open";
  EXPECT_EXIT(
      {
        profile_to(path_of("files"));
        {
          leat::runtime first({.workers = 1});
        }
        const long before = open_files();
        for (int i = 0; i < 3; ++i) {
          leat::runtime four({.workers = 4});
          std::this_thread::sleep_for(milliseconds(30));  // the sampler comes
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (open_files() > before && std::chrono::steady_clock::now() < end)
          std::this_thread::sleep_for(milliseconds(1));
        std::fprintf(stderr, "%ld", std::max(open_files() - before, 0L));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^0$");
}

// Makes a runtime that cannot have that profile, and ends the process with what it says.
template <class E>
void make_runtime_with(const std::string& profile) {
  profile_to(profile);
  try {
    leat::runtime one({.workers = 1});
  } catch (const E& e) {
    std::fputs(e.what(), stderr);
    std::exit(3);
  }
}

TEST_F(recording, overwrites_no_file_that_is_no_profile) {
  const std::string other = ::testing::TempDir() + "leat_no_profile";
  std::ofstream(other) << "a program";
  EXPECT_EXIT(make_runtime_with<std::invalid_argument>(other), testing::ExitedWithCode(3),
              "leat_no_profile': is no profile, and is not overwritten");
  std::string kept;
  std::getline(std::ifstream(other), kept);
  EXPECT_EQ(kept, "a program");
  std::remove(other.c_str());
}

TEST_F(recording, refuses_a_file_that_cannot_be_written) {
  EXPECT_EXIT(make_runtime_with<std::system_error>("/no such folder/p.txt"), testing::ExitedWithCode(3),
              "LEAT_PROFILE = '/no such folder/p.txt': cannot be written: No such file");
}

}  // namespace
