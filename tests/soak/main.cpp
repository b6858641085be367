// leat_soak: a sitting from the command line. docs/internals/soak.md says what it does.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "alarm.hpp"
#include "sitting.hpp"
#include "table.hpp"

namespace {

constexpr std::string_view usage =
    "usage: leat_soak [--seconds S] [--workers N] [--seed S] [--first-spell N] [--only KIND,...] [--name TEXT] "
    "[--no-signals]\n";

/// Between two lines of progress, on a terminal and elsewhere.
constexpr std::chrono::seconds on_terminal{1};
constexpr std::chrono::seconds elsewhere{60};

/// A sitting in which nothing has ended for so long hangs: it is aborted, so that its state can be looked at.
constexpr std::chrono::seconds stall_max{600};

struct command {
  soak::sitting_options sitting;
  std::string name = "leat";
  bool signals = true;
};

std::uint64_t number_of(std::string_view option, const char* text, std::uint64_t min, std::uint64_t max) {
  char* end = nullptr;
  const unsigned long long n = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || n < min || n > max) {
    throw std::invalid_argument(std::string(option) + ": '" + text + "' is not between " + std::to_string(min) +
                                " and " + std::to_string(max));
  }
  return n;
}

soak::mix only(const std::string& list) {
  std::array<bool, soak::kind_count> kept{};
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    const auto found = std::find(soak::kind_names.begin(), soak::kind_names.end(), name);
    if (found == soak::kind_names.end()) throw std::invalid_argument("--only: no kind is called '" + name + "'");
    kept[static_cast<std::size_t>(found - soak::kind_names.begin())] = true;
    at = end + 1;
  }
  soak::mix kinds;
  kinds.keep_only(kept);
  return kinds;
}

command read(int argc, char** argv) {
  command c;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--no-signals") {
      c.signals = false;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + ": no such option, or its value is missing");
    const char* const value = argv[++i];
    if (option == "--seconds") c.sitting.seconds = static_cast<double>(number_of(option, value, 1, 1'000'000));
    else if (option == "--workers") c.sitting.workers = number_of(option, value, 1, leat::workers_max);
    else if (option == "--seed") c.sitting.seed = number_of(option, value, 0, UINT64_MAX);
    else if (option == "--first-spell") c.sitting.first_spell = number_of(option, value, 0, UINT64_MAX);
    else if (option == "--only") c.sitting.kinds = only(value);
    else if (option == "--name") c.name = value;
    else throw std::invalid_argument(std::string(option) + ": no such option");
  }
  return c;
}

/// Shows how far a sitting is until it is over.
class progress {
 public:
  explicit progress(const soak::sitting& s) : sitting_(s) {}

  void show_until_over() {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto lock = std::unique_lock(gate_);
    const auto begun = std::chrono::steady_clock::now();
    auto moved = begun;
    std::uint64_t ended = 0;
    while (!over_) {
      if (came_.wait_for(lock, terminal ? on_terminal : elsewhere) == std::cv_status::no_timeout) continue;
      const auto now = std::chrono::steady_clock::now();
      const std::uint64_t ended_now = sitting_.book().ended();
      if (ended_now != ended) moved = now;
      else if (now - moved > stall_max) {
        std::fprintf(stderr, "\nsoak: no operation has ended for %lld s\n", static_cast<long long>(stall_max.count()));
        std::abort();
      }
      ended = ended_now;
      std::fprintf(stderr, "%s%.0f of %.0f s, %llu spells, %llu operations%s", terminal ? "\r" : "",
                   std::chrono::duration<double>(now - begun).count(), sitting_.options().seconds,
                   static_cast<unsigned long long>(sitting_.spells()), static_cast<unsigned long long>(ended),
                   terminal ? "   " : "\n");
    }
    if (terminal) std::fprintf(stderr, "\n");
  }

  void end() {
    const std::lock_guard lock(gate_);
    over_ = true;
    came_.notify_one();
  }

 private:
  const soak::sitting& sitting_;
  std::mutex gate_;
  std::condition_variable came_;
  bool over_ = false;
};

}  // namespace

int main(int argc, char** argv) try {
  const command c = read(argc, argv);
  const auto alarm = c.signals ? std::make_unique<soak::alarm_clock>() : nullptr;
  const auto sitting = std::make_unique<soak::sitting>(c.sitting);
  progress shown(*sitting);
  std::exception_ptr thrown;
  // The sitting has a thread of its own, and this one gets no signals: so they go to those that work.
  std::thread sits([&] {
    try {
      sitting->sit();
    } catch (...) {
      thrown = std::current_exception();
    }
    shown.end();
  });
  soak::alarm_clock::leave_out_caller();
  shown.show_until_over();
  sits.join();
  if (thrown) std::rethrow_exception(thrown);
  std::fputs(soak::table_of(*sitting, c.name).c_str(), stdout);
  std::fflush(stdout);
  sitting->judge();  // after the table, which shows what it judges
  return 0;
} catch (const std::invalid_argument& e) {
  std::fprintf(stderr, "leat_soak: %s\n%.*s", e.what(), static_cast<int>(usage.size()), usage.data());
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "leat_soak: %s\n", e.what());
  return 1;
}
