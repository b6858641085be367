// A child process whose stderr a test reads while the child goes on, or hangs.
#pragma once

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace leat_test {

/// A child process that calls `body`, and what it writes to stderr.
class printing_child {
 public:
  template <class Body>
  explicit printing_child(Body body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    id_ = fork();
    if (id_ == 0) {
      alarm(60);
      dup2(ends[1], STDERR_FILENO);
      body();
      _exit(0);
    }
    close(ends[1]);
    out_ = ends[0];
  }
  printing_child(const printing_child&) = delete;
  printing_child& operator=(const printing_child&) = delete;
  ~printing_child() {
    send(SIGKILL);
    if (!ended_) waitpid(id_, nullptr, 0);
    close(out_);
  }

  void send(int signal) const { kill(id_, signal); }

  /// Waits for its end. Returns what waitpid says.
  int status() {
    int s = 0;
    waitpid(id_, &s, 0);
    ended_ = true;
    return s;
  }

  /// What it has written so far when all of `words` are in that, or when it has ended.
  std::string read_until(const std::vector<std::string>& words) {
    const auto lacks = [&](const std::string& w) { return text_.find(w) == std::string::npos; };
    for (std::array<char, 256> part{}; std::ranges::any_of(words, lacks);) {
      const ssize_t n = read(out_, part.data(), part.size());
      if (n <= 0) break;
      text_.append(part.data(), static_cast<std::size_t>(n));
    }
    return text_;
  }

  /// Sends `signal` again and again until one answer has all of `words`: what they describe may come a little later.
  void expect_answer(int signal, const std::vector<std::string>& words) {
    constexpr int answers_max = 500, answer_ms = 100;
    for (int i = 0; i < answers_max; ++i) {
      const std::size_t before = text_.size();
      send(signal);
      pollfd there{out_, POLLIN, 0};
      for (std::array<char, 256> part{}; poll(&there, 1, answer_ms) > 0;) {
        const ssize_t n = read(out_, part.data(), part.size());
        if (n <= 0) break;
        text_.append(part.data(), static_cast<std::size_t>(n));
      }
      const std::string answer = text_.substr(before);
      if (std::ranges::all_of(words, [&](const std::string& w) { return answer.find(w) != std::string::npos; })) return;
    }
    ADD_FAILURE() << "no answer has all words; they are\n" << text_;
  }

  void expect(const std::vector<std::string>& words) {
    const std::string text = read_until(words);
    for (const std::string& w : words)
      EXPECT_NE(text.find(w), std::string::npos) << "'" << w << "' is not in:\n" << text;
  }

 private:
  pid_t id_ = -1;
  int out_ = -1;
  bool ended_ = false;
  std::string text_;
};

}  // namespace leat_test
