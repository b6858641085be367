// Scans: every prefix of a sum, by one pass over the elements that no thief takes and two over those that one takes
// (Blelloch, "Prefix sums and their applications", 1990; that the second pass is only for stolen elements is oneTBB's
// idea).
//
// A range is halved by forks. The left half is scanned first. If its sum is known when the right half is begun, as it
// is where no worker steals, the right half is scanned from there. Else a thief has it, and sums it up in blocks
// meanwhile. As soon as the left half is done, the blocks that have sums before them are scanned side by side, and
// elements that have not been summed are scanned as if they had never been stolen.
//
// Cost: n operations on one worker. A stolen element costs two, one to sum it up and one to scan it, so two workers
// are 4/3 times as fast as one, and p workers, if p is large, p/2 times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/loop/block.hpp"
#include "leat/loop/each.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::loop {

/// One scan. Only the calling thread uses the object itself; the body is called by several workers at once:
/// - `body.scan(begin, end, before)`: scans elements [begin, end), where `before` is the sum of all before them, and
///   returns it with theirs added. It is called once for each element.
/// - `body.sum(begin, end)`: the sum of the elements, one at least. It writes nothing: a thief may call it before
///   `before` is known.
/// - `body.add(a, b)`: the sum of two sums, of which a comes first.
template <class P, class T, class Body>
class scan {
 public:
  using index = std::ptrdiff_t;
  using context = task::context<P>;

  /// Between two forks lie elements that take about so long, or so many: a fork costs some nanoseconds, and thieves
  /// wait for the end of a block.
  static constexpr std::uint64_t block_ns = 1'000;
  static constexpr index block_max = 4096;

  /// Fewer blocks of cheap elements are scanned by the caller alone: a thief would not save the time that it takes to
  /// get going.
  static constexpr index shared_blocks_min = 16;

  /// Blocks that a thief sums up, at most: the sums are an array, whose size must not grow with the range.
  static constexpr index sums_max = 64;

  explicit scan(const Body& body) : body_(body) {}

  /// Scans elements [begin, end), none if that ends before it begins. Returns the sum of all, `before` included.
  /// \throws what the body throws, the earliest of those that threw at once; then some elements have been scanned
  T run(context c, index begin, index end, T before) {
    if (end <= begin) return before;
    // The first blocks tell how long an element takes. They grow until one was slow, and the next of the same length
    // was, too: an interruption may slow down one.
    constexpr index growth = 4;
    int slow = 0;
    std::uint64_t time = P::now_ns();
    while (begin != end && block_ < block_max && slow < 2) {
      const index stop = begin + std::min(block_, end - begin);
      before = body_.scan(begin, stop, std::move(before));
      begin = stop;
      const std::uint64_t start = std::exchange(time, P::now_ns());
      slow = time - start < block_ns ? 0 : slow + 1;
      if (slow == 0) block_ *= growth;
    }
    if (begin == end) return before;
    // With `slow < 2` the blocks reached block_max, so elements are cheap. Few dear ones are worth a thief.
    if (end - begin < shared_blocks_min * block_ && slow < 2) return body_.scan(begin, end, std::move(before));
    return scan_from(c, begin, end, std::move(before));
  }

 private:
  // A range [begin, end) whose left neighbour may still be at work, in the frame of the fork that has made the two
  // halves. `known` is false: `before` is the left half's, `sums` the thief's. After that both belong to the one
  // worker that calls scan_right.
  struct right_half {
    right_half(index b, index e) : begin(b), end(e) {}
    ~right_half() { delete[] sums; }

    index begin;
    index end;
    std::optional<T> before;  // the sum of all before it, once that is known
    typename P::template atomic<bool> known{false};
    std::optional<T>* sums = nullptr;  // of its blocks; its own
    index blocks = 0;
    std::optional<T> after;  // the sum of all up to its end, once it is scanned

    // Where block i of `blocks` begins. The remainder of the division makes the first blocks longer by one, so
    // lengths differ by one at most, and no product exceeds the range's length.
    index block_begin(index i) const {
      const index count = end - begin;
      return begin + count / blocks * i + std::min(count % blocks, i);
    }
    std::optional<T>& sum_of(index i) const { return sums[static_cast<std::size_t>(i)]; }
  };

  // Scans [begin, end) by halves. The right callable is called by this worker or by a thief; `known` tells it whether
  // the left one is done. Exactly one worker calls scan_right: the one in the right callable, if it sees `known`, and
  // else the owner after the join, which sees that `after` is empty.
  T scan_from(context c, index begin, index end, T before) const {
    if (begin == end) return before;
    if (end - begin <= block_) return body_.scan(begin, end, std::move(before));
    const index middle = begin + (end - begin) / 2;
    right_half right(middle, end);
    task::fork_join<P>(
        c,
        [&](context inner) {
          right.before.emplace(scan_from(inner, begin, middle, std::move(before)));
          // After `before`: a thief that sees `known` reads that.
          right.known.store(true, platform::release);  // pairs with is_known
        },
        [&](context inner) {
          if (!is_known(right)) sum_up(inner, right);
          if (is_known(right)) scan_right(inner, right);
        });
    if (!right.after) scan_right(c, right);
    return *std::move(right.after);
  }

  static bool is_known(const right_half& r) {
    return r.known.load(platform::acquire);  // acquire: `before` is read next; pairs with scan_from
  }

  // The thief's part: sums up the blocks until the sum before them is known. Without memory for the sums it leaves
  // all to the owner, which scans the half in one pass.
  void sum_up(context c, right_half& r) const {
    // Blocks of block_ elements, or fewer and longer ones, one at least.
    r.blocks = std::min(sums_max, (r.end - r.begin + block_ - 1) / block_);
    try {
      r.sums = new std::optional<T>[static_cast<std::size_t>(r.blocks)];
    } catch (const std::bad_alloc&) {
      return;
    }
    sum_blocks(c, r, 0, r.blocks);
  }

  // Sums up blocks [first, last), in parallel if this worker is robbed itself. Blocks that are not begun when `known`
  // comes are left out, also between summed ones: scan_right uses sums only up to the first gap.
  void sum_blocks(context c, right_half& r, index first, index last) const {
    if (is_known(r)) return;
    if (last - first == 1) {
      r.sum_of(first).emplace(sum(c, r.block_begin(first), r.block_begin(last)));
      return;
    }
    const index middle = first + (last - first) / 2;
    task::fork_join<P>(
        c, [&, first, middle](context inner) { sum_blocks(inner, r, first, middle); },
        [&, middle, last](context inner) { sum_blocks(inner, r, middle, last); });
  }

  // The sum of a long block, by halves, so that thieves need not wait for its end.
  T sum(context c, index begin, index end) const {
    if (end - begin <= block_) return body_.sum(begin, end);
    const index middle = begin + (end - begin) / 2;
    auto [left, right] = task::fork_join<P>(
        c, [=, this](context inner) { return sum(inner, begin, middle); },
        [=, this](context inner) { return sum(inner, middle, end); });
    return body_.add(std::move(left), std::move(right));
  }

  // Scans the half, of which the sum before is known. The loop is the only serial part: sums_max additions at most.
  void scan_right(context c, right_half& r) const {
    T before = *std::move(r.before);
    index summed = 0;  // blocks from the first on; their sums become the sums before them
    while (r.sums != nullptr && summed != r.blocks && r.sum_of(summed)) {
      T after = body_.add(before, *std::move(r.sum_of(summed)));
      r.sum_of(summed++).emplace(std::exchange(before, std::move(after)));
    }
    // block_begin divides by the number of blocks, which is 0 if no worker has summed up any.
    const index rest = summed == 0 ? r.begin : r.block_begin(summed);
    task::fork_join<P>(
        c, [&](context inner) { scan_blocks(inner, r, 0, summed); },
        [&](context inner) { r.after.emplace(scan_from(inner, rest, r.end, std::move(before))); });
  }

  // Scans blocks [first, last), each from the sum before it. The sums that this makes again are dropped.
  void scan_blocks(context c, right_half& r, index first, index last) const {
    if (first == last) return;
    if (last - first == 1) {
      scan_from(c, r.block_begin(first), r.block_begin(last), *std::move(r.sum_of(first)));
      return;
    }
    const index middle = first + (last - first) / 2;
    task::fork_join<P>(
        c, [&, first, middle](context inner) { scan_blocks(inner, r, first, middle); },
        [&, middle, last](context inner) { scan_blocks(inner, r, middle, last); });
  }

  const Body& body_;
  index block_ = 1;
};

/// What element i of a scan becomes: the sum up to it, itself included, or the sum before it.
enum class scan_kind { inclusive, exclusive };

/// The body of a scan from one range into another, or into itself: in[i] is read before out[i] is written, and each
/// element is scanned once, after it was summed up.
template <scan_kind kind, class T, class In, class Out, class Op>
struct elements_scan {
  In in;
  Out out;
  Op& op;

  // Not inlined: in a function of its own the sum stays in a register.
  [[gnu::noinline]] T scan(std::ptrdiff_t begin, std::ptrdiff_t end, T before) const {
    for (std::ptrdiff_t i = begin; i != end; ++i) {
      if constexpr (kind == scan_kind::inclusive) {
        before = as_function(op)(std::move(before), in[i]);
        out[i] = before;
      } else {
        T up_to = as_function(op)(before, in[i]);  // before out[i] is written, which may be in[i]
        out[i] = std::move(before);
        before = std::move(up_to);
      }
    }
    return before;
  }

  [[gnu::noinline]] T sum(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    T all = in[begin];
    for (std::ptrdiff_t i = begin + 1; i != end; ++i) all = as_function(op)(std::move(all), in[i]);
    return all;
  }

  template <class A, class B>
  T add(A&& a, B&& b) const {
    return as_function(op)(std::forward<A>(a), std::forward<B>(b));
  }
};

/// The body of a scan that the user wrote. The last argument of f says whether the call is final, with the true sum
/// before.
template <class T, class F, class Combine>
struct user_scan {
  const T& identity;
  F& f;
  Combine& combine;

  T scan(std::ptrdiff_t begin, std::ptrdiff_t end, T before) const { return f(begin, end, std::move(before), true); }
  T sum(std::ptrdiff_t begin, std::ptrdiff_t end) const { return f(begin, end, identity, false); }

  template <class A, class B>
  T add(A&& a, B&& b) const {
    return combine(std::forward<A>(a), std::forward<B>(b));
  }
};

/// Runs a scan on the calling worker, which is known to be one.
template <class P, class T, class Body>
T run_scan(const Body& body, std::ptrdiff_t begin, std::ptrdiff_t end, T before) {
  return task::with_context<P>(
      [&](task::context<P> c) { return scan<P, T, Body>(body).run(c, begin, end, std::move(before)); });
}

/// See leat::parallel_scan.
template <class P, class T, class F, class Combine>
T parallel_scan(std::ptrdiff_t first, std::ptrdiff_t last, T identity, F& f, Combine& combine) {
  const task::insider<P> in("parallel_scan");
  constexpr std::size_t elements_max = std::numeric_limits<std::ptrdiff_t>::max();
  // last - first may be more than std::ptrdiff_t holds. In unsigned arithmetic it is right, since last > first.
  if (last > first && static_cast<std::size_t>(last) - static_cast<std::size_t>(first) > elements_max)
    throw_too_many_elements("parallel_scan");
  auto&& sum = as_function(combine);
  const user_scan<T, F, std::remove_reference_t<decltype(sum)>> body{identity, f, sum};
  return run_scan<P, T>(body, first, last, identity);
}

template <class P, scan_kind kind, class In, class Out, class Op, class T>
Out scan_elements(std::ptrdiff_t begin, In first, In last, Out out, Op& op, T before) {
  const elements_scan<kind, T, In, Out, Op> body{first, out, op};
  const std::ptrdiff_t count = count_of(first, last, "parallel_scan");
  run_scan<P, T>(body, begin, count, std::move(before));
  return out + count;
}

/// See leat::parallel_inclusive_scan.
template <class P, class In, class Out, class Op, class T>
Out parallel_inclusive_scan(In first, In last, Out out, Op& op, T init) {
  const task::insider<P> in("parallel_inclusive_scan");
  return scan_elements<P, scan_kind::inclusive>(0, first, last, out, op, std::move(init));
}

template <class P, class In, class Out, class Op>
Out parallel_inclusive_scan(In first, In last, Out out, Op& op) {
  const task::insider<P> in("parallel_inclusive_scan");
  if (last - first <= 0) return out;
  // Without init the first element is its own prefix; the scan begins behind it.
  std::iter_value_t<In> before = *first;
  *out = before;
  return scan_elements<P, scan_kind::inclusive>(1, first, last, out, op, std::move(before));
}

/// See leat::parallel_exclusive_scan.
template <class P, class In, class Out, class T, class Op>
Out parallel_exclusive_scan(In first, In last, Out out, T init, Op& op) {
  const task::insider<P> in("parallel_exclusive_scan");
  return scan_elements<P, scan_kind::exclusive>(0, first, last, out, op, std::move(init));
}

}  // namespace leat::inline LEAT_ABI::loop
