#include "rival.hpp"

#include "kernels/busy_loop.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace leat::cli {

namespace {

// key=value, as a rival reads it.
std::string in_word(const std::string& key, const nlohmann::ordered_json& value) {
  return key + '=' + (value.is_string() ? value.get<std::string>() : value.dump());
}

std::vector<std::string> arguments_of(const std::string& kernel, unsigned workers,
                                      const nlohmann::ordered_json& parameters) {
  // All do the same work: as many steps a microsecond as were measured here.
  constexpr std::int64_t many_us = 1'000'000;
  const double ns_per_step =
      1e3 * static_cast<double>(many_us) / static_cast<double>(kernels::busy_loop::steps_of(many_us));
  std::vector<std::string> words = {kernel, fmt::format("workers={}", workers),
                                    fmt::format("ns_per_step={:.9g}", ns_per_step)};
  for (const auto& [key, value] : parameters.items()) words.push_back(in_word(key, value));
  return words;
}

}  // namespace

rival::rival(const std::filesystem::path& program, const std::string& kernel, unsigned workers,
             const nlohmann::ordered_json& parameters)
    : name_(program.filename().string()) {
  try {
    start(program, arguments_of(kernel, workers, parameters));
    const std::string first = answer();
    constexpr std::string_view refusal = "cannot ";
    if (first.starts_with(refusal)) {
      cannot_ = first.substr(refusal.size());
    } else if (first != "ready") {
      fail(fmt::format("began with '{}'", first));
    }
    kill(process_, SIGSTOP);
  } catch (...) {
    end();
    throw;
  }
}

rival::~rival() { end(); }

// Between fork and exec only what a signal handler may call, too: other threads may hold locks.
void rival::start(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const std::string path = program.string();
  std::vector<const char*> words = {path.c_str()};
  for (const std::string& word : arguments) words.push_back(word.c_str());
  words.push_back(nullptr);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(fmt::format("has no socket: {}", std::strerror(errno)));
  }
  line_ = ends[0];
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a stopped process would stay for ever
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execv(path.c_str(), const_cast<char* const*>(words.data()));
    _exit(127);
  }
  const int why = errno;
  close(ends[1]);
  if (process_ < 0) fail(fmt::format("could not be started: {}", std::strerror(why)));
}

std::string rival::answer() {
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      const std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{line_, POLLIN, 0};
    const int ready = poll(&waiting, 1, turn_seconds_max * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail(fmt::format("gave no answer for {} s", turn_seconds_max));
    std::array<char, 256> text{};
    const ssize_t got = read(line_, text.data(), text.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("ended without an answer");
    pending_.append(text.data(), static_cast<std::size_t>(got));
  }
}

rival::turn rival::run() {
  kill(process_, SIGCONT);
  constexpr std::string_view order = "run\n";
  // No SIGPIPE if it has gone: then there is no answer either.
  static_cast<void>(send(line_, order.data(), order.size(), MSG_NOSIGNAL));
  const std::string text = answer();
  kill(process_, SIGSTOP);
  turn t;
  std::istringstream numbers(text);
  if (!(numbers >> t.seconds >> t.found)) fail(fmt::format("answered '{}'", text));
  return t;
}

void rival::end() noexcept {
  if (line_ >= 0) close(line_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void rival::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("leat: the rival {} {}", name_, what));
}

namespace {

std::filesystem::path folder_of_rivals() {
  const char* const named = std::getenv("LEAT_RIVALS");
  if (named != nullptr && *named != '\0') return named;
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "rivals";
}

}  // namespace

std::vector<std::filesystem::path> found_rivals() {
  std::error_code none;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_rivals(), none)) {
    if (entry.is_regular_file(none) && access(entry.path().c_str(), X_OK) == 0) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string known_rivals() {
  std::string names;
  for (const auto& program : found_rivals()) names += (names.empty() ? "" : ", ") + program.filename().string();
  return names.empty() ? "(none was built)" : names;
}

}  // namespace leat::cli
