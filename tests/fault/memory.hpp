// What the fault tests know and decide about memory.
#pragma once

#include <cstdint>

namespace leat_test {

// Functions, since g++ may test the address of a thread-local word of another file by flags that the linker's choice of
// instructions does not set, so that UBSan sees a null reference.

/// The calling thread's next allocations: after so many that succeed, one throws std::bad_alloc. -1: none does.
long& allocations_left() noexcept;

/// How many allocations the calling thread has made.
std::uint64_t allocations() noexcept;

/// How many allocations all threads together have made.
std::uint64_t allocations_of_all();

/// Lets the (k+1)-th allocation of the calling thread fail while it lives.
class failing_allocation {
 public:
  explicit failing_allocation(long k) { allocations_left() = k; }
  ~failing_allocation() { allocations_left() = -1; }
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;

  /// Whether it came to that.
  bool met() const { return allocations_left() < 0; }
};

}  // namespace leat_test
