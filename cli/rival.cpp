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
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace leat::cli {

namespace {

// key=value, as a rival reads it.
std::string in_word(const std::string& key, const nlohmann::ordered_json& value) {
  return key + '=' + (value.is_string() ? value.get<std::string>() : value.dump());
}

std::vector<std::string> arguments_of(const std::string& kernel, unsigned workers,
                                      const nlohmann::ordered_json& parameters) {
  // All do the same work: as many steps a microsecond as were measured here.
  std::vector<std::string> words = {kernel, fmt::format("workers={}", workers),
                                    fmt::format("ns_per_step={}", kernels::busy_loop::ns_per_step())};
  for (const auto& [key, value] : parameters.items()) words.push_back(in_word(key, value));
  return words;
}

// An answer's two numbers, and nothing else; none where it is no such line, or the seconds are none that a run can take.
std::optional<rival::turn> turn_in(std::string_view answer) {
  rival::turn t;
  const char* const end = answer.data() + answer.size();
  const auto [seconds_end, bad_seconds] = std::from_chars(answer.data(), end, t.seconds);
  constexpr double least = 1e-9;
  if (bad_seconds != std::errc{} || !std::isfinite(t.seconds) || t.seconds < least) return std::nullopt;
  if (seconds_end == end || *seconds_end != ' ') return std::nullopt;
  const auto [found_end, bad_found] = std::from_chars(seconds_end + 1, end, t.found);
  if (bad_found != std::errc{} || found_end != end) return std::nullopt;
  return t;
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
    kill(-process_, SIGSTOP);
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
  // Not where the rival's input and output are to be, if ours were closed.
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int closed = std::exchange(end, fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    close(closed);
  }
  line_ = ends[0];
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a stopped process would stay for ever
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execv(path.c_str(), const_cast<char* const*>(words.data()));
    _exit(127);
  }
  const int why = errno;
  close(ends[1]);
  if (process_ > 0) setpgid(process_, process_);  // here, too: whichever comes first. It may be a script, with a child
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
    if (!hear(0)) fail(fmt::format("ended without an answer: {}", how_it_ended()));
    if (pending_.size() > answer_bytes_max && pending_.find('\n') == std::string::npos) {
      fail(fmt::format("wrote {} bytes without the end of a line", pending_.size()));
    }
  }
}

bool rival::hear(int flags) {
  std::array<char, 256> text{};
  ssize_t got = 0;
  do got = recv(line_, text.data(), text.size(), flags);
  while (got < 0 && errno == EINTR);
  if (got > 0) pending_.append(text.data(), static_cast<std::size_t>(got));
  return got > 0;
}

siginfo_t rival::wait_for_end() const noexcept {
  siginfo_t end{};
  for (int waited_ms = 0; waited_ms < end_ms_max && end.si_pid == 0; ++waited_ms) {
    if (waited_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED | WNOHANG | WNOWAIT);
  }
  return end;
}

std::string rival::how_it_ended() const {
  // Its side of the line is closed a moment before it is known how it ended.
  const siginfo_t end = wait_for_end();
  if (end.si_pid == 0) return "it goes on, but has closed its output";
  if (end.si_code == CLD_EXITED) return fmt::format("exit status {}", end.si_status);
  return fmt::format("signal {} ({})", end.si_status, strsignal(end.si_status));
}

rival::turn rival::run() {
  // What it says unasked would be taken for the answer.
  if (pending_.empty()) static_cast<void>(hear(MSG_DONTWAIT));
  if (!pending_.empty()) fail(fmt::format("wrote '{}' without being asked", pending_.substr(0, pending_.find('\n'))));
  kill(-process_, SIGCONT);
  const auto begun = std::chrono::steady_clock::now();
  constexpr std::string_view order = "run\n";
  // No SIGPIPE if it has gone: then there is no answer either.
  static_cast<void>(send(line_, order.data(), order.size(), MSG_NOSIGNAL));
  const std::string text = answer();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  kill(-process_, SIGSTOP);
  const std::optional<turn> t = turn_in(text);
  if (!t) fail(fmt::format("answered '{}'", text));
  constexpr double clocks_differ = 1.01, slack_seconds = 1e-3;
  if (t->seconds > took.count() * clocks_differ + slack_seconds)
    fail(fmt::format("says that it took {} s, but answered after {} s", t->seconds, took.count()));
  return *t;
}

void rival::end() noexcept {
  if (line_ >= 0) close(line_);
  if (process_ <= 0) return;
  // It ends by itself where there is nothing more to read. Some libraries leave files behind when they are killed.
  kill(-process_, SIGCONT);
  static_cast<void>(wait_for_end());
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void rival::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("leat: the rival {} {}", name_, what));
}

namespace {

// Where the environment says that rivals are; null where it says nothing.
const char* named_folder() {
  const char* const named = std::getenv("LEAT_RIVALS");
  return named != nullptr && *named != '\0' ? named : nullptr;
}

std::vector<std::filesystem::path> programs_of_rivals(std::error_code& error) {
  std::error_code none;
  const std::filesystem::path folder =
      named_folder() != nullptr ? std::filesystem::path(named_folder())
                                : std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "rivals";
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(none) && access(entry.path().c_str(), X_OK) == 0) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::filesystem::path> found_rivals() {
  std::error_code error;
  std::vector<std::filesystem::path> found = programs_of_rivals(error);
  if (error && named_folder() != nullptr) {
    throw std::invalid_argument(fmt::format("LEAT_RIVALS = '{}': {}", named_folder(), error.message()));
  }
  return found;
}

std::string known_rivals() {
  std::error_code none;
  std::string names;
  for (const auto& program : programs_of_rivals(none)) {
    names += (names.empty() ? "" : ", ") + program.filename().string();
  }
  return names.empty() ? "(none was built)" : names;
}

}  // namespace leat::cli
