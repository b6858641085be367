// Reductions for std::execution::par by few pieces, where to add elements to a value may cost what the value has cost so far:
// partition moves elements then. A range is halved by forks. A worker that comes to the right half when it has done the left
// one goes on with its value; a thief begins with a fresh one, and the two are joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// Without thieves a range is cut into so many pieces for each worker. A thief cuts what it takes into smaller ones.
inline constexpr std::size_t pieces_per_worker = 16;

/// The callables are those of folding; `fresh` takes no elements.
template <class T, class Step, class Fresh, class Join>
class folding_by_pieces {
 public:
  folding_by_pieces(const Step& step, const Fresh& fresh, const Join& join) : step_(step), fresh_(fresh), join_(join) {}

  /// The value of n elements, added to `value`.
  T run(std::size_t n, T value) {
    std::optional<T> all(std::move(value));
    enter([&] { part(0, n, std::max<std::size_t>(1, n / (pieces_per_worker * workers())), all); });
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
          std::size_t none = middle;
          right.emplace(fresh_(none));
          part(middle, end, std::max<std::size_t>(1, grain / 2), right);
        });
    if (right) value.emplace(join_(*std::move(value), *std::move(right)));
  }

  const Step& step_;
  const Fresh& fresh_;
  const Join& join_;
  cancellation stop_;
};

template <class T, class Step, class Fresh, class Join>
folding_by_pieces<T, Step, Fresh, Join> fold_by_pieces(const Step& step, const Fresh& fresh, const Join& join) {
  return {step, fresh, join};
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
