// A rival: a program that runs a kernel on another library's workers whenever it is its turn.
//
// A rival is a process of its own, so that libraries which keep their threads spinning, or which cannot live side by side
// (two OpenMPs), do not meet. Whoever compares (cli/rival.hpp) starts it as
//
//     NAME KERNEL workers=2 ns_per_step=0.9 n=38 ...
//
// and it answers with one line, "ready", or "cannot" and why. Then each line "run" that it reads is a turn: it runs the
// kernel once, and answers with a line of two numbers, the seconds that this took and what the kernel found. It ends
// when there is nothing more to read.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leat::rivals {

/// What a rival was started with: the kernel's parameters, by their names.
class parameters {
 public:
  /// `words` are key=value. Throws std::invalid_argument, naming what is no such word.
  parameters(const char* const* words, int count);

  /// Throws std::invalid_argument, naming the parameter, where it was not given or is no number.
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;

  /// Throws std::invalid_argument where it was not given.
  [[nodiscard]] const std::string& word(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// What a rival does not do, as a sentence: it answers "cannot".
class cannot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What one turn took and found.
struct turn {
  double seconds = 0;
  std::uint64_t found = 0;
};

/// A kernel that is ready to run.
using program = std::function<turn()>;

/// Calls f, which returns what it found.
template <class F>
[[nodiscard]] turn timed(F f) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t found = f();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), found};
}

/// Makes the program of a kernel. Throws `cannot`, or std::invalid_argument.
using maker = std::function<program(std::string_view kernel, const parameters&)>;

/// The main function of a rival. Returns the exit status.
[[nodiscard]] int take_turns(int argc, char** argv, const maker&);

}  // namespace leat::rivals
