#include "profiled_program.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace leat::cli {

namespace {

constexpr std::array<int, 2> of_terminal = {SIGINT, SIGQUIT};

// Ignores the signals by which a terminal ends the program in front: this process goes on to explain.
class patience {
 public:
  patience() {
    for (std::size_t i = 0; i < of_terminal.size(); ++i) before_[i] = std::signal(of_terminal[i], SIG_IGN);
  }
  patience(const patience&) = delete;
  patience& operator=(const patience&) = delete;
  ~patience() {
    for (std::size_t i = 0; i < of_terminal.size(); ++i) std::signal(of_terminal[i], before_[i]);
  }

  // Those that the program has as before.
  [[nodiscard]] sigset_t defaults() const {
    sigset_t set;
    sigemptyset(&set);
    for (std::size_t i = 0; i < of_terminal.size(); ++i) {
      if (before_[i] == SIG_DFL) sigaddset(&set, of_terminal[i]);
    }
    return set;
  }

 private:
  std::array<void (*)(int), of_terminal.size()> before_{};
};

// The environment with these variables in place of its own.
std::vector<std::string> environment_with(const std::vector<std::string>& set) {
  std::vector<std::string> variables = set;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    bool is_set = false;
    for (const std::string& other : set) is_set = is_set || text.starts_with(other.substr(0, other.find('=') + 1));
    if (!is_set) variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int run_profiled(const std::vector<std::string>& words, const std::string& file, bool one_worker) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> set = {"LEAT_PROFILE=" + file};
  if (one_worker) set.emplace_back("LEAT_NUM_WORKERS=1");
  std::vector<std::string> variables = environment_with(set);
  const patience meanwhile;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = meanwhile.defaults();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t id = -1;
  const int error = posix_spawnp(&id, words.front().c_str(), nullptr, &attributes, pointers_to(arguments).data(),
                                 pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot run " + words.front());
  int status = 0;
  while (waitpid(id, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for " + words.front());
  }
  constexpr int of_a_signal = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_a_signal + WTERMSIG(status);
}

}  // namespace leat::cli
