// Faults of MPI, by its profiling interface. Page: docs/internals/faults.md.
#pragma once

#include <cstdint>
#include <span>

namespace leat_test::mpi {

enum class call : std::uint8_t {
  init_thread,
  comm_dup,
  comm_free,
  barrier,
  ibarrier,
  iprobe,
  irecv,
  isend,
  test,
  rget,
  rget_accumulate,
  fetch_and_op,
  win_allocate,
  win_lock_all,
  win_unlock_all,
  win_flush,
  win_flush_local,
  win_sync,
  win_free,
  count
};

enum class way : std::uint8_t {
  late,    ///< it does what it should, some time after
  hides,   ///< it says that nothing has come, or is done, though it may have
  fails,   ///< it does nothing, and calls the handler of errors, which ends all ranks
  refuses, ///< the same where the program has chosen that errors are returned
  lowers,  ///< it gives less support of threads than it was asked for
};

struct kind {
  const char* name;
  call what;
  way how;
};

/// All kinds after which a run goes on.
std::span<const kind> kinds_that_go_on() noexcept;

/// All kinds by which MPI ends the program.
std::span<const kind> kinds_that_end() noexcept;

extern const kind refused_copy, low_support, failed_start;

/// While it lives, so many of a million calls meet the fault, drawn; or the one call of that number, counted from 0, if `per_million`
/// is 0.
class armed {
 public:
  armed(const kind& k, std::uint32_t per_million, std::uint64_t seed_or_number) noexcept;
  armed(const armed&) = delete;
  armed& operator=(const armed&) = delete;
  ~armed();

  static std::uint64_t met() noexcept;
};

}  // namespace leat_test::mpi
