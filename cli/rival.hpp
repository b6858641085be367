// A rival: a kernel on another library, in a process of its own that waits for its turn (bench/rivals/turns.hpp).

#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace leat::cli {

/// A rival's process. It is stopped but for its turns, so that threads which it keeps spinning disturb nobody, and ends
/// with the object, or with this process.
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

  /// Has it run the kernel once. Throws std::runtime_error, naming the rival, where it fails or gives no answer for
  /// turn_seconds_max.
  [[nodiscard]] turn run();

  static constexpr int turn_seconds_max = 600;

 private:
  void start(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  [[nodiscard]] std::string answer();
  void end() noexcept;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  std::string cannot_;
  pid_t process_ = -1;
  int line_ = -1;  // to it and from it
  std::string pending_;  // what it has written beyond the last answer
};

/// The rivals that are there, by name: programs in the folder that LEAT_RIVALS names, or else in rivals/ beside this
/// program.
[[nodiscard]] std::vector<std::filesystem::path> found_rivals();

/// Their names, for people: "onetbb, openmp"; "(none was built)".
[[nodiscard]] std::string known_rivals();

}  // namespace leat::cli
