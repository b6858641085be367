// The names of calls on a stack: function, file and line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leat/platform/call_stack.hpp"

namespace leat::inline LEAT_ABI::platform {

/// `addr2line` is ended after that time, and what it has not told stays unknown.
inline constexpr std::uint64_t addr2line_ns_max = 10'000'000'000;

/// The places of each stack, innermost first: the functions that are neither leat's nor the standard library's, a few of
/// them, as "solve.cpp:88 in solve(int)"; without debug information "solve(int) in program+0x1234"; without the program
/// addr2line, which is started for it, modules and offsets of all functions. None for an empty stack. Takes tens of
/// milliseconds, and seconds for large programs. Never in a signal's handler. Any thread.
/// \throws std::bad_alloc
std::vector<std::vector<std::string>> places_of(const std::vector<call_stack>& stacks);

/// Whether a function of that name, as addr2line prints it, is one of leat's or of the standard library's.
bool is_of_library(const std::string& function);

}  // namespace leat::inline LEAT_ABI::platform
