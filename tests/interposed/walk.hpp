// Walks kinds of faults: each many times, one at a time and at random, with checks of what is left after each.
#pragma once

#include <span>

#include "interposed/faults.hpp"

namespace leat_test::interposed {

/// Does `work` until each of the kinds has happened in `times` runs of it. In every second run one call alone fails, the first, the
/// second and so on; in the others calls are drawn. Each run has to give what the kind allows, and after it a run without a
/// fault has to succeed, with no thread, file, mapping or object left behind. Prints a table of kinds and outcomes.
void walk(std::span<const kind> kinds, void (*work)(), int times);

}  // namespace leat_test::interposed
