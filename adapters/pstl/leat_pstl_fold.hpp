// Reductions for std::execution::par. A range is halved by forks. A worker that comes to the right half when it has
// done the left one goes on with its value; a thief begins with a fresh one, and the two are joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// Without thieves a range is cut into so many pieces for each worker. A thief cuts what it takes into smaller ones.
inline constexpr std::size_t pieces_per_worker = 16;

/// - `step(begin, end, value)`: the value with that of elements [begin, end) added.
/// - `fresh(begin)`: the value of nothing, or of the first elements, past which it moves `begin`.
/// - `join(a, b)`: the value of both, of which a comes first.
///
/// Several workers call these at once. They move values, and copy none.
template <class T, class Step, class Fresh, class Join>
class folding {
 public:
  folding(const Step& step, const Fresh& fresh, const Join& join) : step_(step), fresh_(fresh), join_(join) {}

  /// The value of n elements, added to `value`. Pieces have `least` elements, as many as `fresh` takes.
  T run(std::size_t n, T value, std::size_t least) {
    std::optional<T> all(std::move(value));
    least_ = least;
    enter([&] { part(0, n, std::max(2 * least - 1, n / (pieces_per_worker * workers())), all); });
    return *std::move(all);
  }

 private:
  // `value`: of what is before `begin`; afterwards of what is before `end`, too.
  void part(std::size_t begin, std::size_t end, std::size_t grain, std::optional<T>& value) {
    if (end - begin <= grain) {
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
          if (from != end) part(from, end, std::max(2 * least_ - 1, grain / 2), right);
        });
    if (right) value.emplace(join_(*std::move(value), *std::move(right)));
  }

  const Step& step_;
  const Fresh& fresh_;
  const Join& join_;
  std::size_t least_ = 1;
  cancellation stop_;
};

template <class T, class Step, class Fresh, class Join>
folding<T, Step, Fresh, Join> fold(const Step& step, const Fresh& fresh, const Join& join) {
  return {step, fresh, join};
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
