// The numbers of Linux's system calls, on the processor that this program is for.

#pragma once

#include <string>

namespace leat::cli {

/// Whether threads wait in this call for a lock or for another thread.
[[nodiscard]] bool is_futex(unsigned number);

/// Whether it only gives the CPU away, or takes memory.
[[nodiscard]] bool is_of_memory_or_cpu(unsigned number);

/// Its name, if it is one that programs often wait in; else "system call N".
[[nodiscard]] std::string system_call_name(unsigned number);

}  // namespace leat::cli
