// What the system tells about the threads of this process, and about the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// The system's number of the calling thread. A system call, about 50 ns.
std::uint64_t thread_number() noexcept;

/// One thread of this process, seen from another thread. It keeps two files open. Where the system has no /proc, nothing is
/// known. Not synchronised.
class thread_view {
 public:
  /// \param thread  its number
  explicit thread_view(std::uint64_t thread) noexcept;
  thread_view(const thread_view&) = delete;
  thread_view& operator=(const thread_view&) = delete;
  ~thread_view();

  std::uint64_t thread() const noexcept { return thread_; }

  /// Nanoseconds that it had a CPU, and that it was ready and waited for one, since it began.
  struct times {
    std::uint64_t ran_ns;
    std::uint64_t queued_ns;
  };
  /// Nothing once the thread has ended. A system call.
  std::optional<times> read_times() const noexcept;

  /// The number of the system call in which it is blocked; nothing if it is in none. A system call.
  std::optional<std::uint64_t> blocking_call() const noexcept;

 private:
  std::uint64_t thread_;
  int times_ = -1;
  int call_ = -1;
};

/// What the process has used so far.
struct process_usage {
  std::uint64_t user_ns;
  std::uint64_t system_ns;
  std::uint64_t minor_faults;
  std::uint64_t major_faults;
};
process_usage read_usage() noexcept;

/// How long the process has existed, to about 10 ms; 0 if that is not known.
std::uint64_t process_age_ns() noexcept;

/// The program and its arguments, joined by blanks. Throws std::bad_alloc.
std::string command_line();

/// Has std::exit, and the end of main, call `f`. Returns whether the system does so.
bool at_exit(void (*f)()) noexcept;

}  // namespace leat::inline LEAT_ABI::platform
