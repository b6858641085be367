// Another program, and what it prints.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// A program that has been started, with its output in two files. It is killed when the object goes, or when this process
/// ends.
///
/// Thread safety: none.
class child_process {
 public:
  /// Starts it, without the variables of the environment that begin with LEAT_, but for LEAT_RIVALS. `words` begin with its
  /// name. A program that cannot be run ends with status 127, and its file of errors says why. Throws std::system_error if no
  /// process is to be had, or a file cannot be made.
  child_process(const std::string& program, const std::vector<std::string>& words, std::filesystem::path output,
                std::filesystem::path errors);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// Its end, if it has come. It is killed if it has lasted longer than `limit`.
  struct ending {
    int status = 0;  ///< as exit has it; the signal's number and 128, if a signal ended it
    bool too_long = false;
  };
  [[nodiscard]] std::optional<ending> ended(std::chrono::seconds limit);

  [[nodiscard]] const std::filesystem::path& output() const { return output_; }
  [[nodiscard]] const std::filesystem::path& errors() const { return errors_; }

 private:
  std::filesystem::path output_;
  std::filesystem::path errors_;
  std::chrono::steady_clock::time_point begun_;
  pid_t id_ = -1;
  bool too_long_ = false;
};

}  // namespace leat::cli
