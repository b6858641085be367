// A trace of bubbles as a file.

#pragma once

#include <leat/bubble.hpp>

#include <string>

namespace leat::cli {

/// Writes JSON: `bubble_trace`, the title; `left_out`, how many events there was no room for; `places`, the domains, each a word, the
/// number of its parent, its own among those of its kind, its first unit and its units; `events`, each a time in nanoseconds since
/// the first, what happened, the bubble, another bubble or null, a domain, and threads.
/// Throws std::runtime_error, naming the file, if it cannot be written.
void write_trace(const bubble_trace&, const std::string& title, const std::string& file);

}  // namespace leat::cli
