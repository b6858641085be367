// A fork of two callables, measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "leat/strands/thread.hpp"

namespace leat::inline LEAT_ABI::strands {

/// One fork, in the frame of the function that makes it. Another worker may execute the second callable. The join makes
/// visible what that worker writes here.
template <class P>
class measured_fork {
 public:
  measured_fork() : row_(words<P>().row), number_(0) {
    auto& me = words<P>();
    if (me.own_out != nullptr) me.own_out->depths.add_other(here_.mine().depth);
    if (me.out == nullptr) return;
    number_ = me.out->new_id();
    from_ = me.out->put_fork(here_.at(), number_);
    out_ = me.out;
  }
  measured_fork(const measured_fork&) = delete;
  measured_fork& operator=(const measured_fork&) = delete;
  /// SPAN-5: the join.
  ~measured_fork() {
    frame<P>& mine = here_.mine();
    const std::uint64_t began = mine.at.ns;
    for (const branch& b : branches_) {
      mine.work += b.work;
      mine.at.at_least(b.ended);
    }
    if (auto& me = words<P>(); me.out != nullptr) {
      if (!first_ended_) me.out->put(op::branch);
      if (elsewhere_) me.out->put(op::elsewhere, number_);
      else if (me.out != out_) me.out->put(op::join);
      else me.out->end_subtree(from_, mine.at.ns - began, op::join);
    }
  }

  /// A callable of the fork, while it is executed, on any worker.
  class executing {
   public:
    executing(measured_fork& of, bool second)
        : of_(of),
          second_(second),
          elsewhere_(second && words<P>().current != &of.here_.mine()),
          frame_{nullptr, second ? of.here_.mine().at.stolen() : of.here_.mine().at,
                 0,       of.here_.mine().in,
                 0,       of.here_.mine().depth,
                 {}},
          on_top_(frame_),
          recorded_(of.row_, second) {
      auto& me = words<P>();
      if (elsewhere_ && me.out != nullptr) me.out->put(op::segment, of.number_);
      begin_strand(me);
    }
    executing(const executing&) = delete;
    executing& operator=(const executing&) = delete;
    ~executing() {
      auto& me = words<P>();
      if (me.runs) stop(me);
      of_.branches_[second_] = {frame_.work, frame_.at};
      if (!second_) of_.first_ended_ = true;
      if (elsewhere_) of_.elsewhere_ = true;
      if (me.out == nullptr) return;
      if (!second_) me.out->put(op::branch);
      else if (elsewhere_) me.out->put(op::end);
    }

   private:
    measured_fork& of_;
    const bool second_;
    const bool elsewhere_;
    frame<P> frame_;
    const inside<P> on_top_;
    const executed_for<P> recorded_;
  };

 private:
  struct branch {
    std::uint64_t work = 0;
    instant ended;
  };

  const construct<P> here_;
  task_row<P>* const row_;  // to which it belongs
  std::uint64_t number_;
  stream<P>* out_ = nullptr;  // where it begins, if it is recorded
  recorded_subtree from_;
  branch branches_[2];
  bool first_ended_ = false;
  bool elsewhere_ = false;
};

/// A callable of a fork, for either form of it.
template <class P, class F, bool second>
struct branch_call {
  F& f;
  measured_fork<P>& of;

  template <class... Context>
    requires std::is_invocable_v<F&, Context...>
  decltype(auto) operator()(Context... c) const {
    const typename measured_fork<P>::executing here(of, second);
    return f(c...);
  }
};

}  // namespace leat::inline LEAT_ABI::strands
