// A rival: a kernel on another library, in a process of its own that waits for its turn (bench/rivals/turns.hpp).

#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace leat::cli {

/// A rival's process, and those that it starts (a process group). It is stopped but for its turns, so that threads which it keeps spinning disturb nobody, and ends
/// with the object, or with this process: by itself, if it does so in time.
///
/// Thread safety: none; the thread that made it must outlive it.
class rival {
 public:
  /// Starts the program with this kernel and its parameters. Throws std::runtime_error, naming the rival, where it
  /// cannot be started or fails.
  rival(const std::filesystem::path& program, const std::string& kernel, unsigned workers,
        const nlohmann::ordered_json& parameters);
  ~rival();
  rival(const rival&) = delete;
  rival& operator=(const rival&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Why it has no program for this kernel; empty if it has.
  [[nodiscard]] const std::string& cannot() const noexcept { return cannot_; }

  struct turn {
    double seconds = 0;
    std::uint64_t found = 0;
  };

  /// Has it run the kernel once. Throws std::runtime_error, naming the rival, where it fails, gives no answer for
  /// turn_seconds_max, says anything else than its answer, or that it took longer than it was waited for.
  [[nodiscard]] turn run();

  static constexpr int turn_seconds_max = 600;
  static constexpr std::size_t answer_bytes_max = 4096;  // of a line
  static constexpr int end_ms_max = 1000;  // to end by itself; then it is killed

 private:
  void start(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  [[nodiscard]] std::string answer();
  bool hear(int flags);  // of recv; false where there is nothing more
  [[nodiscard]] siginfo_t wait_for_end() const noexcept;  // for end_ms_max; of no process if it goes on
  [[nodiscard]] std::string how_it_ended() const;
  void end() noexcept;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  std::string cannot_;
  pid_t process_ = -1;
  int line_ = -1;  // to it and from it
  std::string pending_;  // what it has written beyond the last answer
};

/// The rivals that are there, by name: programs in the folder that LEAT_RIVALS names, or else in rivals/ beside this
/// program. Throws std::invalid_argument where LEAT_RIVALS names none that can be read.
[[nodiscard]] std::vector<std::filesystem::path> found_rivals();

/// Their names, for people: "onetbb, openmp"; "(none was built)".
[[nodiscard]] std::string known_rivals();

}  // namespace leat::cli
