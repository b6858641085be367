// The lines of a profile about a program's work and span.
#pragma once

#include <cstdio>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Writes the lines `span` and `site`. While no task runs.
void write_spans(std::FILE* to);

}  // namespace leat::inline LEAT_ABI::strands
