#include "progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace leat::cli {

namespace {

// To the start of the line, and clear it to its end.
constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

progress::progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (terminal_) std::fputs(clear_line, stderr);
}

void progress::say(std::string_view step) {
  if (!terminal_) return;
  std::fprintf(stderr, "%s%.*s", clear_line, static_cast<int>(step.size()), step.data());
  std::fflush(stderr);
}

}  // namespace leat::cli
