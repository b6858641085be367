// Scans for std::execution::par, over blocks. A range of blocks is halved by forks. Where the sum before the right half
// is known when it is begun, as it is without thieves, its blocks are summed up and scanned while they are in the cache.
// Else a thief sums its blocks up meanwhile, and they are scanned side by side as soon as the sum before them is known.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "leat_pstl_fold.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// Elements of a block at most: a block is to stay in a core's own cache while it is read twice.
inline constexpr std::size_t scan_block_max = 8192;

/// - `blocks.sum(begin, end)`: the sum of elements [begin, end), one at least. Once for each block at most.
/// - `blocks.join(a, b)`: the sum of two sums, of which a comes first.
/// - `blocks.scan(begin, end, before)`: scans a block that has been summed up.
/// - `blocks.pass(begin, end, before)`: scans a block that has not, and returns `before` with its sum added.
///
/// Several workers call these at once.
template <class T, class Blocks>
class block_scan {
 public:
  /// \throws std::bad_alloc  there is no memory for the sums
  block_scan(Blocks& blocks, std::size_t n, std::size_t block)
      : blocks_(blocks), n_(n), block_(block), sums_((n + block - 1) / block) {}

  T run(T before) { return pass(0, sums_.size(), std::move(before)); }

 private:
  std::size_t begin_of(std::size_t i) const { return i * block_; }
  std::size_t end_of(std::size_t i) const { return std::min(n_, (i + 1) * block_); }

  // The right half of a range of blocks: what its two workers tell each other.
  struct right_half {
    std::optional<T> before;  // the sum of all before it, once that is known
    std::atomic<bool> known{false};  // that it is
    std::optional<T> after;  // the sum of all up to its end, once it is scanned
  };

  // Scans blocks [first, last), none of which has a sum.
  T pass(std::size_t first, std::size_t last, T before) {
    if (last - first == 1) return blocks_.pass(begin_of(first), end_of(first), std::move(before));
    const std::size_t middle = first + (last - first) / 2;
    right_half right;
    fork(
        [&] {
          right.before.emplace(pass(first, middle, std::move(before)));
          right.known.store(true, std::memory_order_release);  // pairs with is_known: `before` comes first
        },
        [&] {
          if (!is_known(right)) sum_up(middle, last, right);
          if (is_known(right)) right.after.emplace(finish(middle, last, *std::move(right.before)));
        });
    // The thief has come to the end before the left half did.
    if (!right.after) right.after.emplace(finish(middle, last, *std::move(right.before)));
    return *std::move(right.after);
  }

  static bool is_known(const right_half& r) {
    return r.known.load(std::memory_order_acquire);  // pairs with pass: `before` is read next
  }

  // Gives sums to blocks [first, last), as long as the sum before them is not known.
  void sum_up(std::size_t first, std::size_t last, const right_half& right) {
    if (is_known(right)) return;
    if (last - first == 1) return static_cast<void>(sums_[first].emplace(blocks_.sum(begin_of(first), end_of(first))));
    const std::size_t middle = first + (last - first) / 2;
    fork([&] { sum_up(first, middle, right); }, [&] { sum_up(middle, last, right); });
  }

  // Scans blocks [first, last), some of which have sums: rows of those with, and of those without.
  T finish(std::size_t first, std::size_t last, T before) {
    std::optional<T> all(std::move(before));
    while (first != last) {
      std::size_t end = first + 1;
      while (end != last && sums_[end].has_value() == sums_[first].has_value()) ++end;
      if (sums_[first].has_value()) {
        // Each block's sum becomes that of all before it.
        for (std::size_t i = first; i != end; ++i) {
          T after = blocks_.join(*all, *sums_[i]);
          sums_[i].emplace(*std::move(all));
          all.emplace(std::move(after));
        }
        scan(first, end);
      } else {
        all.emplace(pass(first, end, *std::move(all)));
      }
      first = end;
    }
    return *std::move(all);
  }

  void scan(std::size_t first, std::size_t last) {
    if (last - first == 1) return blocks_.scan(begin_of(first), end_of(first), *std::move(sums_[first]));
    const std::size_t middle = first + (last - first) / 2;
    fork([&] { scan(first, middle); }, [&] { scan(middle, last); });
  }

  Blocks& blocks_;
  const std::size_t n_;
  const std::size_t block_;
  std::vector<std::optional<T>> sums_;
};

/// Scans n elements, and returns the sum of all. \throws std::bad_alloc  there is no memory for the sums
template <class T, class Blocks>
T scan_blocks(Blocks& blocks, std::size_t n, T before) {
  if (n == 0) return before;
  constexpr std::size_t pieces = 64;
  block_scan<T, Blocks> all(blocks, n, std::clamp<std::size_t>(n / pieces, 1, scan_block_max));
  std::optional<T> sum;
  enter([&] { sum.emplace(all.run(std::move(before))); });
  return *std::move(sum);
}

/// Blocks that are summed up before they are scanned, always.
template <class Index, class T, class Reduce, class Join, class Scan>
struct strict_blocks {
  Reduce& reduce;
  Join& combine;
  Scan& rescan;

  T join(const T& a, const T& b) const { return combine(a, b); }
  T sum(std::size_t begin, std::size_t end) const {
    return reduce(static_cast<Index>(begin), static_cast<Index>(end - begin));
  }
  void scan(std::size_t begin, std::size_t end, T before) const {
    rescan(static_cast<Index>(begin), static_cast<Index>(end - begin), std::move(before));
  }
  T pass(std::size_t begin, std::size_t end, T before) const {
    T after = combine(before, sum(begin, end));
    scan(begin, end, std::move(before));
    return after;
  }
};

/// Blocks whose scan makes their sum.
template <class Index, class T, class Unary, class Join, class Reduce, class Scan>
struct transform_blocks {
  Unary& unary;
  Join& combine;
  Reduce& reduce;
  Scan& rescan;

  T join(const T& a, const T& b) const { return combine(a, b); }
  T sum(std::size_t begin, std::size_t end) const {
    T one = unary(static_cast<Index>(begin));
    if (end - begin == 1) return one;
    return reduce(static_cast<Index>(begin + 1), static_cast<Index>(end), std::move(one));
  }
  void scan(std::size_t begin, std::size_t end, T before) const {
    static_cast<void>(rescan(static_cast<Index>(begin), static_cast<Index>(end), std::move(before)));
  }
  T pass(std::size_t begin, std::size_t end, T before) const {
    return rescan(static_cast<Index>(begin), static_cast<Index>(end), std::move(before));
  }
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
