// What the program is doing, for someone who waits at a terminal.

#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace leat::cli {

/// One line on standard error that shows a step while it lasts. A step that takes long shows its seconds, too,
/// once a second: by a thread that sleeps in between. Silent, and without a thread, unless standard error is a terminal.
///
/// Thread safety: none; one thread tells it all.
class progress {
 public:
  /// \param wanted  whether to show anything at all
  explicit progress(bool wanted = true);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// What more there is to say of a step that takes long; empty for nothing. The thread that sleeps calls it, while the step
  /// goes on.
  using detail = std::function<std::string()>;

  /// A step, from its beginning to its end, when the line goes away. It must end before the progress, and before the next step
  /// begins.
  class step {
   public:
    step(progress& shown, std::string_view text, detail more = {});
    ~step();
    step(const step&) = delete;
    step& operator=(const step&) = delete;

   private:
    progress& shown_;
  };

  /// Between two looks at a step, and so the first time that is shown.
  static constexpr std::chrono::seconds every{1};

 private:
  void say(std::string_view text, detail more);
  void write(const std::string& line);
  void tell_the_time();

  bool terminal_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable ends_;
  bool ended_ = false;
  std::string text_;  // of the step; empty between two
  detail more_;
  std::chrono::steady_clock::time_point begun_;
  std::thread clock_;
};

/// Adds the flag --no-progress; the flag must outlive the parsing.
void add_no_progress(CLI::App& command, bool& no_progress);

}  // namespace leat::cli
