#include "progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace leat::cli {

namespace {

// To the start of the line, and clear it to its end.
constexpr const char* clear_line = "\r\x1b[K";

// A step that is wider than the terminal ends at its edge: on a second line it could not be cleared.
constexpr const char* no_wrap = "\x1b[?7l";
constexpr const char* wrap = "\x1b[?7h";

}  // namespace

progress::progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (terminal_) std::fputs(clear_line, stderr);
}

void progress::say(std::string_view step) {
  if (!terminal_) return;
  std::fprintf(stderr, "%s%s%.*s%s", clear_line, no_wrap, static_cast<int>(step.size()), step.data(), wrap);
  std::fflush(stderr);
}

}  // namespace leat::cli
