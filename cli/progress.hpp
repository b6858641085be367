// What the program is doing, for someone who waits at a terminal.

#pragma once

#include <string_view>

namespace leat::cli {

/// One line on standard error that shows the latest step and goes away at the end. Silent unless standard error is a
/// terminal.
class progress {
 public:
  progress();
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// Replaces the line.
  void say(std::string_view step);

 private:
  bool terminal_;
};

}  // namespace leat::cli
