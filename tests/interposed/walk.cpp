#include "interposed/walk.hpp"

#include <gtest/gtest.h>

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>

#include "engines.hpp"
#include "interposed/workload.hpp"

namespace leat_test::interposed {

namespace {

// A run that hangs is told by its name. In static memory: a signal handler writes it.
std::array<char, 160> under_way{};
constexpr unsigned run_s_max = 120;

void tell_hang(int) {
  const auto ignored = write(STDERR_FILENO, under_way.data(), std::strlen(under_way.data()));
  static_cast<void>(ignored);
  _exit(3);
}

int entries(const char* folder) {
  int count = 0;
  DIR* const all = opendir(folder);
  while (const dirent* entry = readdir(all)) count += entry->d_name[0] != '.';
  closedir(all);
  return count;
}

/// What a process has that a run must give back.
struct possessions {
  int threads = entries("/proc/self/task");
  int files = entries("/proc/self/fd");
  std::int64_t bytes = bytes_mapped();
  long objects = objects_alive();

  /// Fewer threads are no fault: one that was joined is gone a moment later, and may have been counted before.
  bool is_again(const possessions& before) const {
    return threads <= before.threads && files == before.files && bytes == before.bytes && objects == before.objects;
  }
  std::string text() const {
    return std::to_string(threads) + " threads, " + std::to_string(files) + " files, " + std::to_string(bytes) +
           " bytes mapped, " + std::to_string(objects) + " objects";
  }
};

void expect_again(const possessions& before, const std::string& where) {
  if (!comes_true([&] { return possessions().is_again(before); })) {
    ADD_FAILURE() << where << ": had " << before.text() << ", has " << possessions().text();
  }
}

// The name of an exception's type if it is one that leat documents, and says what has happened.
std::string told_by(const std::exception& e) {
  const std::string text = e.what();
  if (dynamic_cast<const std::bad_alloc*>(&e) != nullptr) return "bad_alloc";
  if (!text.starts_with("leat")) return "";
  if (dynamic_cast<const std::system_error*>(&e) != nullptr) return "system_error";
  if (dynamic_cast<const std::invalid_argument*>(&e) != nullptr) return "invalid_argument";
  if (typeid(e) == typeid(std::runtime_error)) return "runtime_error";
  return "";
}

class walker {
 public:
  walker(const kind& k, void (*work)(), std::uint64_t calls) : kind_(k), work_(work), calls_(calls) {}

  void run(int times) {
    constexpr int runs_per_time = 60;
    for (int i = 0; met_ < times && i < runs_per_time * times && !::testing::Test::HasFailure(); ++i) one(i);
    EXPECT_GE(met_, times) << kind_.name << ": the call is too rare";
  }

  void print() const {
    std::string text;
    for (const auto& [what, count] : outcomes_) text += "  " + what + " " + std::to_string(count);
    std::printf("%-46s %6d met %8llu times:%s\n", kind_.name, met_, static_cast<unsigned long long>(faults_),
                text.c_str());
    std::fflush(stdout);
  }

 private:
  // Of the calls of a run a half, three or one, on average. Never all: a sleep that is always interrupted does not end.
  schedule schedule_of(int i) const {
    constexpr std::uint64_t half = 500'000, million = 1'000'000;
    const std::array<std::uint64_t, 3> shares{half, 3 * million / calls_ + 1, million / calls_ + 1};
    const auto seed = static_cast<std::uint64_t>(i);
    if (i % 2 == 0) return {static_cast<std::int64_t>(seed / 2 % calls_), 0, seed};
    return {-1, static_cast<std::uint32_t>(std::min(shares[seed / 2 % shares.size()], half)), seed};
  }

  void one(int i) {
    const schedule s = schedule_of(i);
    std::snprintf(under_way.data(), under_way.size(), "%s, run %d, at %lld: has not ended\n", kind_.name, i,
                  static_cast<long long>(s.at));
    const std::string where(under_way.data(), std::strlen(under_way.data()) - sizeof(": has not ended\n") + 1);
    const possessions before;
    alarm(run_s_max);
    std::uint64_t met = 0;
    std::string came;
    {
      const armed now(kind_, s);
      came = outcome_of(where);
      met = armed::met();
    }
    alarm(0);
    expect_again(before, where);
    if (met == 0) {
      EXPECT_EQ(came, "went on") << where << ": without a fault";
      return;
    }
    ++met_;
    faults_ += met;
    ++outcomes_[came];
    if (kind_.allowed == outcome::goes_on) {
      EXPECT_EQ(came, "went on") << where;
    }
    if (i % 8 == 0) expect_whole(where);
  }

  std::string outcome_of(const std::string& where) {
    try {
      work_();
      return "went on";
    } catch (const wrong& w) {
      const spared none;
      ADD_FAILURE() << where << ": " << w.what;
    } catch (const std::exception& e) {
      const spared none;
      std::string told = told_by(e);
      if (!told.empty()) return told;
      ADD_FAILURE() << where << ": " << e.what();
    }
    return "failed";
  }

  // Without a fault all is as ever.
  void expect_whole(const std::string& where) {
    const possessions before;
    EXPECT_EQ(outcome_of(where + ", and then"), "went on");
    expect_again(before, where + ", and then");
  }

  const kind kind_;
  void (*const work_)();
  const std::uint64_t calls_;
  int met_ = 0;
  std::uint64_t faults_ = 0;
  std::map<std::string, int> outcomes_;
};

}  // namespace

void walk(std::span<const kind> kinds, void (*work)(), int times) {
  constexpr int runs_before = 5;
  for (int i = 0; i < runs_before; ++i) work();  // what is made once is made
  signal(SIGALRM, tell_hang);
  for (const kind& k : kinds) {
    const std::uint64_t calls_before = calls(k.what);
    constexpr int runs_counted = 4;
    for (int i = 0; i < runs_counted; ++i) work();
    const std::uint64_t made = (calls(k.what) - calls_before + runs_counted - 1) / runs_counted;
    if (made == 0) {
      ADD_FAILURE() << k.name << ": nothing calls it";
      continue;
    }
    const std::int64_t pieces = pieces_allocated();
    walker w(k, work, made);
    w.run(times);
    w.print();
    // The walker's own notes and the C library's are some; a leak of each fault would be more.
    constexpr std::int64_t pieces_of_walker = 100;
    EXPECT_LE(pieces_allocated() - pieces, pieces_of_walker) << k.name << ": memory is lost";
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace leat_test::interposed
