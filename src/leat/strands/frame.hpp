// The measurements of a thread: the strand that it is in, and the frame of the innermost task on its stack.
//
// Page with the rules SPAN-1 to SPAN-12: docs/internals/spans.md.
#pragma once

#include <cstdint>
#include <utility>

#include "leat/platform/order.hpp"
#include "leat/platform/profiled.hpp"
#include "leat/platform/shared.hpp"
#include "leat/strands/session.hpp"
#include "leat/strands/site.hpp"
#include "leat/strands/stream.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

template <class P>
class task_row;

/// Keeps a row of tasks under way. Null, or one share of it. One thread at a time uses the object; others may have shares of the same row.
template <class P>
class share_of_row {
 public:
  share_of_row() = default;
  explicit share_of_row(task_row<P>* row) noexcept : row_(row) {
    if (row_ != nullptr) row_->share();
  }
  share_of_row(const share_of_row& o) noexcept : share_of_row(o.row_) {}
  share_of_row(share_of_row&& o) noexcept : row_(std::exchange(o.row_, nullptr)) {}
  share_of_row& operator=(share_of_row o) noexcept {
    std::swap(row_, o.row_);
    return *this;
  }
  ~share_of_row() {
    if (row_ != nullptr) row_->leave();
  }
  task_row<P>* get() const noexcept { return row_; }

 private:
  task_row<P>* row_ = nullptr;
};

/// What a thread has executed of a row of tasks.
struct row_sums {
  std::uint64_t ns;
  std::uint64_t strands;
  std::uint64_t forks;

  void strand(std::uint64_t took) noexcept { ns += took, strands += took != 0; }
};

/// A task, a callable of a fork or a block of a loop that some worker executes. It lies on that worker's stack (SPAN-1).
template <class P>
struct frame {
  frame* outer = nullptr;  // beneath it on the stack
  instant at;
  std::uint64_t work = 0;
  const context<P>* in = nullptr;
  std::uint32_t operations = 0;
  std::uint32_t depth = 0;  // how many tasks, each made by the next, are around it
  share_of_row<P> making;  // the row of tasks that it made last (SPAN-12)
};

/// The state of one thread. All zero at first.
template <class P>
struct LEAT_SHARED thread_words {
  frame<P>* current;
  account<P>* sums;
  stream<P>* out;  // where the present code is recorded; null: it is not
  stream<P>* own_out;  // the thread's stream; null: nothing is recorded
  task_row<P>* row;  // that the present code belongs to; null: none
  row_sums in_row;  // what was executed of it since it was last added there
  std::uint64_t began;  // when the strand began
  std::uint32_t session;  // to which `sums` and `out` belong
  bool runs;  // whether a strand is under way
  call_site called;  // the call site of the construct that comes next
  struct known {
    const char* file;
    std::uint32_t line;
    const site<P>* at;
  } cache[32];
};

/// The calling thread's.
template <class P>
[[gnu::always_inline]] inline thread_words<P>& words() noexcept {
  auto& me = P::template own<thread_words<P>>();
  if (me.session != session<P>::number()) [[unlikely]]
    session<P>::enter(me);
  return me;
}

// -- strands (SPAN-3)

template <class P>
inline void begin_strand(thread_words<P>& me) noexcept {
  me.runs = true;
  me.began = P::strand_ns();
}
/// Returns how long it took.
template <class P>
inline std::uint64_t end_strand(thread_words<P>& me) noexcept {
  const std::uint64_t gone = P::strand_ns() - me.began;
  const std::uint64_t ns = gone > session<P>::clock_ns ? gone - session<P>::clock_ns : 0;
  me.runs = false;
  frame<P>& f = *me.current;
  f.work += ns;
  f.at.ns += ns;
  f.at.burdened += ns;
  me.sums->strand();
  return ns;
}
template <class P>
inline void stop(thread_words<P>& me) noexcept {
  const std::uint64_t ns = end_strand(me);
  if (me.out != nullptr) me.out->ran(ns);
  else if (me.row != nullptr) me.in_row.strand(ns);
}

}  // namespace leat::inline LEAT_ABI::strands
