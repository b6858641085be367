#include "progress.hpp"

#include <cstdio>
#include <new>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace leat::cli {

namespace {

// To the start of the line, and clear it to its end.
constexpr const char* clear_line = "\r\x1b[K";

// A step that is wider than the terminal ends at its edge: on a second line it could not be cleared.
constexpr const char* no_wrap = "\x1b[?7l";
constexpr const char* wrap = "\x1b[?7h";

}  // namespace

progress::progress(bool wanted) : terminal_(wanted && isatty(STDERR_FILENO) == 1) {
  if (!terminal_) return;
  try {
    clock_ = std::thread([this] { tell_the_time(); });
  } catch (const std::system_error&) {
    // No further thread is to be had: then steps show no seconds.
  }
}

progress::~progress() {
  if (!terminal_) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ends_.notify_one();
  if (clock_.joinable()) clock_.join();
}

progress::step::step(progress& shown, std::string_view text, detail more) : shown_(shown) {
  shown_.say(text, std::move(more));
}

progress::step::~step() {
  if (!shown_.terminal_) return;
  const std::lock_guard lock(shown_.mutex_);
  shown_.text_.clear();
  shown_.more_ = {};
  std::fputs(clear_line, stderr);
  std::fflush(stderr);
}

void progress::say(std::string_view text, detail more) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  text_ = text;
  more_ = std::move(more);
  begun_ = std::chrono::steady_clock::now();
  write(text_);
}

void progress::write(const std::string& line) {
  std::fprintf(stderr, "%s%s%s%s", clear_line, no_wrap, line.c_str(), wrap);
  std::fflush(stderr);
}

void progress::tell_the_time() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, every, [this] { return ended_; })) {
    if (text_.empty()) continue;
    const auto taken = std::chrono::steady_clock::now() - begun_;
    if (taken < every) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(taken).count();
    try {
      std::string line = text_ + ", " + std::to_string(seconds) + " s";
      if (more_) line += more_();
      write(line);
    } catch (const std::bad_alloc&) {
      // Nothing is shown then. The run may need the memory.
    }
  }
}

void add_no_progress(CLI::App& command, bool& no_progress) {
  command.add_flag("--no-progress", no_progress, "Show no progress on a terminal");
}

}  // namespace leat::cli
