#include "kernels/calls.hpp"
#include "kernels/lu_tasks.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace leat::kernels::lu {

namespace {

// Counts the tasks.
struct counting {
  static inline std::uint64_t made = 0;

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    const auto shared = share([](const auto& task) {
      ++made;
      task();
    });
    start(shared);
  }
};

}  // namespace

bool is_there_at_first(std::size_t i, std::size_t j) {
  const std::size_t apart = i > j ? i - j : j - i;
  if (apart <= 1) return true;
  if (i % 2 == 1 || j % 2 == 1) return false;
  return std::min(i, j) % 3 == 0;
}

decomposition::decomposition(std::int64_t n, std::int64_t block)
    : size_(static_cast<std::size_t>(block)), blocks_(static_cast<std::size_t>(n / block)), all_(blocks_ * blocks_) {
  restore();
  counting::made = 0;
  lu::decompose<counting>(*this);
  tasks_ = counting::made;
  digest_of_serial_ = digest();
  restore();
}

void decomposition::restore() {
  std::mt19937 source(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same matrix each time
  for (std::size_t i = 0; i < blocks_; ++i) {
    for (std::size_t j = 0; j < blocks_; ++j) {
      block_of_doubles& b = at(i, j);
      b.clear();
      if (!is_there_at_first(i, j)) continue;
      b.resize(size_ * size_);
      for (double& value : b) value = static_cast<double>(source()) * 0x1p-32 - 0.5;
      // So that no pivots are needed.
      if (i == j) {
        for (std::size_t k = 0; k < size_; ++k) b[k * size_ + k] += static_cast<double>(size_ * blocks_);
      }
    }
  }
}

std::uint64_t decomposition::digest() const {
  std::uint64_t sum = 0;
  for (const block_of_doubles& b : all_) {
    for (const double value : b) sum = std::rotl(sum, 5) * 0x9e3779b97f4a7c15 + std::bit_cast<std::uint64_t>(value);
  }
  return sum;
}

}  // namespace leat::kernels::lu
