// Reductions for std::execution::par by few pieces. To add elements to a value may cost as much as the value has cost so far:
// partition moves elements, and strings are copied. A range is halved by forks. A worker that comes to the right half when it
// has done the left one goes on with its value. A thief begins with a fresh one, and the two are joined.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// Without thieves a range is cut into so many pieces for each worker. A thief cuts what it takes into smaller ones.
inline constexpr std::size_t pieces_per_worker = 16;

/// The callables are those of folding.
template <class T, class Step, class Fresh, class Join>
class folding_by_pieces {
 public:
  folding_by_pieces(const Step& step, const Fresh& fresh, const Join& join) : step_(step), fresh_(fresh), join_(join) {}

  /// The value of n elements, added to `value`. `chunk_min`: as many elements as `fresh` takes, and 1 at least.
  T run(std::size_t n, T value, std::size_t chunk_min) {
    std::optional<T> all(std::move(value));
    whole_below_ = 2 * chunk_min;
    enter([&] { part(0, n, n / (pieces_per_worker * workers()), all); });
    return *std::move(all);
  }

 private:
  // `value`: of what is before `begin`; afterwards of what is before `end`, too.
  void part(std::size_t begin, std::size_t end, std::size_t grain, std::optional<T>& value) {
    if (end - begin <= grain || end - begin < whole_below_) {
      return stop_.guard([&] { value.emplace(step_(begin, end, *std::move(value))); });
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const void* const owner = this_worker();
    bool left_done = false;  // read by the owner alone
    std::optional<T> right;  // the thief's
    fork(
        [&] {
          part(begin, middle, grain, value);
          left_done = true;
        },
        [&] {
          if (this_worker() == owner && left_done) return part(middle, end, grain, value);
          std::size_t from = middle;
          right.emplace(fresh_(from));
          if (from != end) part(from, end, grain / 2, right);
        });
    if (right) value.emplace(join_(*std::move(value), *std::move(right)));
  }

  const Step& step_;
  const Fresh& fresh_;
  const Join& join_;
  std::size_t whole_below_ = 2;  // elements that are not cut, as a thief's value begins with chunk_min
  cancellation stop_;
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
