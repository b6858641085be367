// Tasks that are not recorded one by one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/strands/frame.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Small tasks that one task spawns one after the other, with all that these make. In the recording they are one task, which is
/// their sums (SPAN-12). It frees itself with its last share.
template <class P>
class task_row {
 public:
  /// \param number     of the task in the recording
  /// \param group      of the tasks; 0: none
  /// \param at         where the first one begins
  /// \param operation  how many operations the frame that makes them has begun
  /// \param room       how many more it may take
  task_row(std::uint64_t number, std::uint64_t group, const instant& at, std::uint32_t operation, std::uint64_t room)
      : number_(number),
        group_(group),
        began_ns_(at.ns),
        session_(session<P>::number()),
        operation_(operation),
        room_(room) {}
  task_row(const task_row&) = delete;
  task_row& operator=(const task_row&) = delete;

  /// Whether the next task of the frame belongs to it, too. By the thread that executes the frame.
  bool takes(std::uint64_t group, std::uint32_t operation) noexcept {
    if (group != group_ || operation != operation_ + 1 || room_ == 0) return false;
    ++operation_, --room_;
    return true;
  }

  // -- any thread. relaxed, all but the last: the end of the last share makes them visible

  void share() noexcept { shares_.fetch_add(1, platform::relaxed); }
  void add(const row_sums& some) noexcept {
    ns_.fetch_add(some.ns, platform::relaxed);
    strands_.fetch_add(some.strands, platform::relaxed);
    forks_.fetch_add(some.forks, platform::relaxed);
  }
  /// One of its tasks has ended.
  void ended(const instant& at) noexcept { raise(latest_ns_, at.ns); }
  /// acq_rel: the last one reads what the others have added.
  void leave() {
    if (shares_.fetch_sub(1, platform::acq_rel) != 1) return;
    write();
    delete this;
  }

 private:
  using word = typename P::template atomic<std::uint64_t>;

  // relaxed, all: see leave().
  void write() {
    stream<P>* const out = words<P>().own_out;
    if (out == nullptr || session<P>::number() != session_) return;
    const std::uint64_t ns = ns_.load(platform::relaxed);
    const std::uint64_t latest = std::max(latest_ns_.load(platform::relaxed), began_ns_);
    out->put_sums(number_, ns, std::min(latest - began_ns_, ns), strands_.load(platform::relaxed),
                  forks_.load(platform::relaxed));
  }

  const std::uint64_t number_, group_, began_ns_;
  const std::uint32_t session_;
  std::uint32_t operation_;
  std::uint64_t room_;
  word shares_{0};
  word ns_{0}, strands_{0}, forks_{0}, latest_ns_{0};
};

/// What the thread executes from now on belongs to this row; null: to none, and is recorded.
template <class P>
inline void belongs_to(thread_words<P>& me, task_row<P>* row) noexcept {
  if (me.row == row) return;
  if (me.row != nullptr) me.row->add(me.in_row);
  me.in_row = {};
  me.row = row;
  me.out = row == nullptr ? me.own_out : nullptr;
}

/// While it lives, what the thread executes belongs to this row.
template <class P>
class executed_for {
 public:
  /// \param forked  whether another thread might execute it meanwhile, too
  explicit executed_for(task_row<P>* row, bool forked = true) noexcept : outer_(words<P>().row) {
    auto& me = words<P>();
    belongs_to(me, row);
    if (row != nullptr && forked) ++me.in_row.forks;
  }
  executed_for(const executed_for&) = delete;
  executed_for& operator=(const executed_for&) = delete;
  ~executed_for() { belongs_to(words<P>(), outer_); }

 private:
  task_row<P>* const outer_;
};

}  // namespace leat::inline LEAT_ABI::strands
