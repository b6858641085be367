// The constructs that a thread is in: frames on its stack, roots and calls.
#pragma once

#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

#include "leat/platform/profiled.hpp"
#include "leat/strands/frame.hpp"
#include "leat/strands/session.hpp"
#include "leat/strands/site.hpp"
#include "leat/strands/task_row.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

/// While it lives, `mine` is the innermost frame of the thread (SPAN-1). A strand of the frame around is interrupted.
template <class P>
class inside {
 public:
  explicit inside(frame<P>& mine) noexcept {
    auto& me = words<P>();
    interrupted_ = me.runs;
    if (interrupted_) stop(me);
    mine.outer = me.current;
    me.current = &mine;
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;
  ~inside() {
    auto& me = words<P>();
    me.current = me.current->outer;
    if (interrupted_) begin_strand(me);
  }

 private:
  bool interrupted_;  // a strand of the frame around
};

/// While it lives, the thread is in no strand: it waits, or the library works (SPAN-3).
template <class P>
class measured_pause {
 public:
  measured_pause() noexcept {
    if (!session<P>::on()) return;
    auto& me = words<P>();
    paused_ = me.runs;
    if (paused_) stop(me);
  }
  measured_pause(const measured_pause&) = delete;
  measured_pause& operator=(const measured_pause&) = delete;
  ~measured_pause() {
    if (paused_) begin_strand(words<P>());
  }

  /// The task that waits; null if none is measured.
  frame<P>* waiting() const noexcept { return paused_ ? words<P>().current : nullptr; }

 private:
  bool paused_ = false;
};

/// While it lives, the thread has left the stack on which this lies: that of a user-level thread, or of its carrier. The thread
/// that comes back ends it, and may be another one (SPAN-4).
template <class P>
class left_stack {
 public:
  left_stack() noexcept {
    if (!session<P>::on()) return;
    auto& me = words<P>();
    if (me.runs) {
      stop(me);
      ran_ = true;
    }
    row_ = me.row;
    belongs_to(me, static_cast<task_row<P>*>(nullptr));
    if (me.out != nullptr) me.out->stay();
    mine_ = std::exchange(me.current, nullptr);
    left_ = true;
  }
  left_stack(const left_stack&) = delete;
  left_stack& operator=(const left_stack&) = delete;
  ~left_stack() {
    if (!left_) return;
    auto& me = words<P>();
    if (me.out != nullptr) me.out->stay();
    belongs_to(me, row_);
    me.current = mine_;
    if (ran_) begin_strand(me);
  }

 private:
  frame<P>* mine_ = nullptr;
  task_row<P>* row_ = nullptr;
  bool left_ = false;
  bool ran_ = false;
};

// -- call sites

/// For the construct that this thread calls next.
template <class P>
inline void called_at(const call_site& at) noexcept {
  if (session<P>::on()) words<P>().called = at;
}

/// The call site of the construct that begins; null: its caller is the library.
template <class P>
inline const site<P>* take_site(thread_words<P>& me) {
  const call_site at = std::exchange(me.called, {});
  if (at.file == nullptr) return nullptr;
  const auto hash = reinterpret_cast<std::uintptr_t>(at.file) / 8 + at.line;
  auto& known = me.cache[hash % std::size(me.cache)];
  if (known.file != at.file || known.line != at.line) [[unlikely]]
    known = {at.file, at.line, sites<P>::at(at)};
  return known.at;
}

/// One call at a call site, from its beginning to its end (SPAN-6).
template <class P>
struct call {
  const site<P>* at = nullptr;
  bool outermost = false;

  /// `where`: the call site; `in`: the context around. Returns the context inside.
  const context<P>* begin(const site<P>* where, const context<P>* in) {
    at = where;
    outermost = at != nullptr && !context<P>::has(in, at);
    return outermost ? sites<P>::inside(in, at) : in;
  }
  void end(account<P>& sums, std::uint64_t work, const instant& from, const instant& to) const {
    if (at == nullptr) return;
    if (outermost) sums.call(*at, {work, to.ns - from.ns, to.burdened - from.burdened, 1});
    else sums.call(*at, {0, 0, 0, 1});
  }
};

// -- roots

/// A frame without another one around: that of a run, or of a construct on a thread that is in no task (SPAN-4).
template <class P>
class root {
 public:
  /// \param after  where it begins; null: at the latest instant at which anything has ended
  explicit root(const instant* after = nullptr) {
    if (!session<P>::on()) return;
    auto& me = words<P>();
    mine_.in = call_.begin(take_site(me), nullptr);  // before others know the frame: it may throw
    outer_ = me.current;
    me.current = &mine_;
    mine_.at = after != nullptr ? *after : accounts<P>::latest();
    began_ = mine_.at;
    if (me.out != nullptr) {
      if (const std::uint64_t ns = session<P>::outside_ends(); ns != 0) me.out->put(op::outside, ns);
      me.out->put(op::run);
    }
    on_ = true;
  }
  root(const root&) = delete;
  root& operator=(const root&) = delete;
  bool measured() const noexcept { return on_; }
  const instant& at() const noexcept { return mine_.at; }
  ~root() {
    if (!on_) return;
    auto& me = words<P>();
    if (me.out != nullptr) {
      me.out->put(op::run_end);
      session<P>::outside_begins();
    }
    me.sums->work(mine_.work);
    me.sums->ended(mine_.at);
    call_.end(*me.sums, mine_.work, began_, mine_.at);
    me.current = outer_;
  }

 private:
  bool on_ = false;
  frame<P> mine_;
  frame<P>* outer_ = nullptr;
  instant began_;
  call<P> call_;
};

/// The root of a run, with its code.
template <class P>
class running_root : root<P> {
 public:
  /// \param after  as in root
  /// \param ended  is set to the root's end, unless null
  explicit running_root(const instant* after = nullptr, instant* ended = nullptr) : root<P>(after), ended_(ended) {
    if (this->measured()) begin_strand(words<P>());
  }
  running_root(const running_root&) = delete;
  running_root& operator=(const running_root&) = delete;
  ~running_root() {
    if (!this->measured()) return;
    if (auto& me = words<P>(); me.runs) stop(me);
    if (ended_ != nullptr) *ended_ = this->at();
  }

 private:
  instant* const ended_;
};

/// Calls a function as the root of a run, whose strands are measured. Within a strand it only calls it.
template <class P, class F>
decltype(auto) call_root(F& f, const call_site& at) {
  if (!session<P>::on() || words<P>().runs) return f();
  called_at<P>(at);
  const running_root<P> here;
  return f();
}

/// A call of runtime::run by any thread. Its strand pauses, as the call may wait for a run of another runtime: that is a root which
/// begins at the caller's instant, and the caller goes on at its end (SPAN-4).
template <class P>
class measured_run {
 public:
  measured_run() noexcept : caller_(paused_.waiting()) {
    if (caller_ != nullptr) began_ = caller_->at;
  }
  measured_run(const measured_run&) = delete;
  measured_run& operator=(const measured_run&) = delete;
  ~measured_run() {
    if (caller_ == nullptr) return;
    ++caller_->operations;
    caller_->at.at_least(ended_);
  }

  /// Calls f as the root of the run; on the thread of the call, which is in a run of the same runtime, as its next strand.
  template <class F>
  decltype(auto) call_root(F& f, const call_site& at) {
    if (!session<P>::on()) return f();
    if (caller_ != nullptr && words<P>().current == caller_) {
      const next_strand inside;
      return f();
    }
    called_at<P>(at);
    const running_root<P> here(caller_ == nullptr ? nullptr : &began_, &ended_);
    return f();
  }

 private:
  struct next_strand {
    next_strand() noexcept { begin_strand(words<P>()); }
    next_strand(const next_strand&) = delete;
    next_strand& operator=(const next_strand&) = delete;
    ~next_strand() {
      if (auto& me = words<P>(); me.runs) stop(me);
    }
  };

  const measured_pause<P> paused_;
  frame<P>* const caller_;  // null: the thread is in no task
  instant began_;
  instant ended_;
};

/// One call of a construct, by the thread's innermost frame: from the end of its strand to the beginning of the next (SPAN-3). On a
/// thread that is in no task the construct is a run of its own (SPAN-4).
template <class P>
class construct {
 public:
  /// \param is_call  whether its time belongs to the call site; false: it makes a task, whose time does
  explicit construct(bool is_call = true) {
    auto& me = words<P>();
    if (me.runs) {
      stop(me);
    } else {
      alone_ = true;
      ::new (static_cast<void*>(&root_)) root<P>();
    }
    mine_ = me.current;
    ++mine_->operations;
    from_ = mine_->at;
    work_ = mine_->work;
    outer_ = mine_->in;
    try {
      at_ = alone_ ? nullptr : take_site(me);
      if (is_call) mine_->in = call_.begin(at_, outer_);
    } catch (...) {  // there is no memory for a new site
      leave(me);
      throw;
    }
  }
  construct(const construct&) = delete;
  construct& operator=(const construct&) = delete;
  ~construct() {
    auto& me = words<P>();
    mine_->in = outer_;
    call_.end(*me.sums, mine_->work - work_, from_, mine_->at);
    leave(me);
  }

  frame<P>& mine() const noexcept { return *mine_; }
  /// The call site, or the one around.
  const site<P>* at() const noexcept {
    if (at_ != nullptr) return at_;
    return mine_->in == nullptr ? nullptr : mine_->in->at;
  }
  /// The call site; null: the library is the caller.
  const site<P>* own() const noexcept { return at_; }

 private:
  void leave(thread_words<P>& me) {
    if (alone_) root_.~root();
    else begin_strand(me);
  }

  frame<P>* mine_ = nullptr;
  instant from_;
  std::uint64_t work_ = 0;
  const context<P>* outer_ = nullptr;
  const site<P>* at_ = nullptr;
  call<P> call_;
  bool alone_ = false;
  union {
    root<P> root_;
  };
};

}  // namespace leat::inline LEAT_ABI::strands
