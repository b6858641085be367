#include "leat/platform/thread_view.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace leat::inline LEAT_ABI::platform {

namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;
constexpr std::uint64_t ns_per_us = 1000;

using line = std::array<char, 512>;

int open_of_thread(std::uint64_t thread, const char* file) noexcept {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%llu/%s", static_cast<unsigned long long>(thread), file);
  return open(path.data(), O_RDONLY | O_CLOEXEC);
}

// Each reading from the beginning has the system write the file anew.
std::string_view read_again(int file, line& into) noexcept {
  const ssize_t bytes = file < 0 ? -1 : pread(file, into.data(), into.size(), 0);
  return {into.data(), bytes < 0 ? 0 : static_cast<std::size_t>(bytes)};
}

// The number at the beginning of `text`, which begins behind it afterwards.
std::optional<std::uint64_t> take_number(std::string_view& text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::uint64_t thread_number() noexcept {
#if defined(SYS_gettid)
  return static_cast<std::uint64_t>(syscall(SYS_gettid));
#else
  return 0;
#endif
}

thread_view::thread_view(std::uint64_t thread) noexcept
    : thread_(thread), times_(open_of_thread(thread, "schedstat")), call_(open_of_thread(thread, "syscall")) {}

thread_view::~thread_view() {
  if (times_ >= 0) close(times_);
  if (call_ >= 0) close(call_);
}

std::optional<thread_view::times> thread_view::read_times() const noexcept {
  line buffer;
  std::string_view text = read_again(times_, buffer);
  const auto ran = take_number(text);
  const auto queued = take_number(text);
  if (!ran || !queued) return std::nullopt;
  return times{*ran, *queued};
}

// The file says "running", or the number of the call and its arguments, or -1 where the thread is blocked outside of calls.
std::optional<std::uint64_t> thread_view::blocking_call() const noexcept {
  line buffer;
  std::string_view text = read_again(call_, buffer);
  return take_number(text);
}

process_usage read_usage() noexcept {
  rusage of{};
  getrusage(RUSAGE_SELF, &of);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * ns_per_s + static_cast<std::uint64_t>(t.tv_usec) * ns_per_us;
  };
  return {ns(of.ru_utime), ns(of.ru_stime), static_cast<std::uint64_t>(of.ru_minflt),
          static_cast<std::uint64_t>(of.ru_majflt)};
}

// The name of the program may have blanks and parentheses, so fields are counted from the last one.
std::uint64_t process_age_ns() noexcept {
#if defined(CLOCK_BOOTTIME)
  line buffer;
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  std::string_view text = read_again(file, buffer);
  if (file >= 0) close(file);
  if (const auto name_end = text.rfind(')'); name_end != text.npos) text.remove_prefix(name_end + 1);
  constexpr int fields_before = 19;  // the state, and 18 more
  for (int i = 0; i < fields_before && !text.empty(); ++i) {
    const auto blank = text.find(' ', 1);
    text.remove_prefix(blank == text.npos ? text.size() : blank);
  }
  const auto ticks = take_number(text);
  const long per_s = sysconf(_SC_CLK_TCK);
  timespec now{};
  if (!ticks || per_s <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const std::uint64_t begun = *ticks * (ns_per_s / static_cast<std::uint64_t>(per_s));
  const std::uint64_t at = static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
  return at > begun ? at - begun : 0;
#else
  return 0;
#endif
}

std::string command_line() {
  constexpr std::size_t bytes_max = 4096;
  std::string text(bytes_max, '\0');
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? 0 : read(file, text.data(), text.size());
  if (file >= 0) close(file);
  text.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

bool at_exit(void (*f)()) noexcept { return std::atexit(f) == 0; }

}  // namespace leat::inline LEAT_ABI::platform
