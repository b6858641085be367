// Faults of the system and of the C library, which the functions of this folder stand in for. Page: docs/internals/faults.md.
#pragma once

#include <atomic>
#include <cstdint>

namespace leat_test::interposed {

/// What is called.
enum class call : std::uint8_t {
  malloc,
  aligned_alloc,
  mmap,
  munmap,
  mprotect,
  madvise,
  pthread_create,
  thread_begins,
  pthread_join,
  pthread_kill,
  pthread_sigmask,
  pthread_atfork,
  sigaction,
  sigaltstack,
  futex_wait,
  futex_wake,
  sched_yield,
  nanosleep,
  clock_gettime,
  sched_getaffinity,
  sched_setaffinity,
  sysconf,
  fopen,
  fread,
  stat,
  open,
  read,
  write,
  fsync,
  fchmod,
  fstat,
  rename,
  count
};

/// How it fails.
enum class way : std::uint8_t {
  fails,  ///< it does nothing, and returns an error
  late,  ///< it does what it should, some time after
  at_once,  ///< a wait ends although nothing has happened
  twice,  ///< it does what it should two times
  for_all,  ///< it does it for more than it should
  in_part,  ///< of what is asked for comes, or is taken, a part
  empty,  ///< nothing comes, without an error
  garbage,  ///< something else comes
  leaps,  ///< a clock goes on an hour
};

/// What may come of it.
enum class outcome : std::uint8_t {
  goes_on,  ///< nothing but the right result
  may_refuse,  ///< that, or an exception that says what has happened
};

/// A kind of fault: a call and a way.
struct kind {
  const char* name;
  call what;
  way how;
  int error = 0;  ///< an errno value, of one that fails
  outcome allowed = outcome::goes_on;
};

/// When an armed fault happens.
struct schedule {
  std::int64_t at = -1;  ///< at that call, counted from 0, and at no other; or
  std::uint32_t per_million = 0;  ///< at so many of a million calls, drawn
  std::uint64_t seed = 0;
};

/// While it lives, a fault happens as scheduled, on whatever thread of the process. One at a time. The object is made and destroyed
/// while no other thread is about to end a call of that kind.
class armed {
 public:
  armed(const kind& k, const schedule& s) noexcept;
  armed(const armed&) = delete;
  armed& operator=(const armed&) = delete;
  ~armed();

  /// How often it has happened.
  static std::uint64_t met() noexcept;
};

/// While it lives, no fault happens on the calling thread.
class spared {
 public:
  spared() noexcept;
  spared(const spared&) = delete;
  spared& operator=(const spared&) = delete;
  ~spared();
};

/// How often the process has called that function, on threads that are not spared.
std::uint64_t calls(call c) noexcept;

// -- for the functions of this folder; all of it may be called inside signal handlers

/// The fault that is to happen at this call; null: none. One that is late has waited already, and comes back as none.
const kind* meets(call c) noexcept;

/// A number below `n`, drawn from the schedule's seed.
std::uint64_t drawn_below(std::uint64_t n) noexcept;

/// The same function of the next library: a constant of the program, which is looked up when it is first called. A static object of
/// a function would wait for its construction by a futex, which is one of the functions.
void* real(const char* name) noexcept;

template <class Function>
class next_function {
 public:
  explicit constexpr next_function(const char* name) noexcept : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) noexcept {
    Function* found = found_.load();
    if (found == nullptr) found_ = found = reinterpret_cast<Function*>(real(name_));
    return found(arguments...);
  }

 private:
  const char* const name_;
  std::atomic<Function*> found_{nullptr};
};

/// The clock shows the time again, after a fault by which it has leapt.
void end_leaps() noexcept;

/// Whether a call that returns there is a sanitizer's, which asks for address space and signal stacks, too, and ends the process where
/// it is refused.
bool is_of_sanitizer(const void* returns_to) noexcept;

/// For a function that says by -1 and errno that it fails. Whether it is to.
bool refuses(call c) noexcept;

// -- what the program has, for the checks after a fault

/// Bytes that were mapped and not unmapped by mmap and munmap of this folder; what a refused munmap has left does not count.
std::int64_t bytes_mapped() noexcept;

/// Pieces of memory that were allocated and not freed. 0 under a sanitizer, which has its own malloc.
std::int64_t pieces_allocated() noexcept;

/// Whether malloc and its kin are among the functions of this folder.
extern const bool has_malloc;

}  // namespace leat_test::interposed
