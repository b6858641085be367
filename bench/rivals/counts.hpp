// What the workers of a library count, each by itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::rivals {

/// A number for each worker, a cache line apart.
template <class Library>
class counts {
 public:
  explicit counts(std::size_t workers) : of_(workers) {}

  void add(std::uint64_t n = 1) noexcept { of_[static_cast<std::size_t>(Library::worker())].value += n; }

  [[nodiscard]] std::uint64_t sum() const noexcept {
    std::uint64_t all = 0;
    for (const slot& s : of_) all += s.value;
    return all;
  }

 private:
  struct alignas(64) slot {
    std::uint64_t value = 0;
  };
  std::vector<slot> of_;
};

}  // namespace leat::rivals
