#include "child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat::cli {

namespace {

constexpr int cannot_run = 127;
constexpr int of_a_signal = 128;

int made(const std::filesystem::path& file) {
  constexpr mode_t all_may_read = 0644;
  const int descriptor = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, all_may_read);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  return descriptor;
}

// The environment without leat's variables: a definition says all. Rivals lie elsewhere.
std::vector<char*> clean_environment() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LEAT_") || text.starts_with("LEAT_RIVALS=")) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

}  // namespace

child_process::child_process(const std::string& program, const std::vector<std::string>& words,
                             std::filesystem::path output, std::filesystem::path errors)
    : output_(std::move(output)), errors_(std::move(errors)), begun_(std::chrono::steady_clock::now()) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::vector<char*> variables = clean_environment();
  const int out = made(output_), err = made(errors_);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ == 0) {
    // Only what a signal handler may call: other threads of the parent may hold locks.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(cannot_run);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execve(program.c_str(), arguments.data(), variables.data());
    const char* const why = strerrordesc_np(errno);
    const char* const parts[] = {"cannot run ", program.c_str(), ": ", why == nullptr ? "unknown" : why, "\n"};
    for (const char* const part : parts) static_cast<void>(!write(STDERR_FILENO, part, std::strlen(part)));
    _exit(cannot_run);
  }
  const int error = errno;
  close(out);
  close(err);
  if (id_ < 0) throw std::system_error(error, std::generic_category(), "cannot start " + program);
}

child_process::~child_process() {
  if (id_ <= 0) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

std::optional<child_process::ending> child_process::ended(std::chrono::seconds limit) {
  if (!too_long_ && std::chrono::steady_clock::now() - begun_ > limit) {
    too_long_ = true;
    kill(id_, SIGKILL);
  }
  int status = 0;
  if (waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  id_ = -1;
  return ending{WIFEXITED(status) ? WEXITSTATUS(status) : of_a_signal + WTERMSIG(status), too_long_};
}

}  // namespace leat::cli
