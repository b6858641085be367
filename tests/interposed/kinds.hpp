// All kinds of faults, in families.
#pragma once

#include <span>

#include "interposed/faults.hpp"

namespace leat_test::interposed {

/// Each kind of a family is walked by the same work.
std::span<const kind> kinds_of_memory() noexcept;
std::span<const kind> kinds_of_address_space() noexcept;
std::span<const kind> kinds_of_threads() noexcept;
std::span<const kind> kinds_of_signals() noexcept;
std::span<const kind> kinds_of_waits() noexcept;
std::span<const kind> kinds_of_the_machine() noexcept;
std::span<const kind> kinds_of_files() noexcept;

/// Happens in a process before its first runtime has started, and never after.
extern const kind atfork_without_memory;

}  // namespace leat_test::interposed
