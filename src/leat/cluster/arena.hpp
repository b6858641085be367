// A rank's tasks: a private part that it works on, newest first, and a shared part, the oldest, that others may have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/cluster/cut.hpp"
#include "leat/cluster/packing.hpp"
#include "leat/cluster/work.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Tasks in one row: shared from the tail to the split, private from the split to the head (Machado et al., section 5).
///
/// - ARENA-1 The owner pushes and pops at the head. `release` moves the split up, to the middle of all, `reacquire`
///   moves it down.
/// - ARENA-2 What leaves for another rank leaves at the tail: the oldest tasks, which are the roots of the largest
///   subtrees.
/// - ARENA-3 With a chunk, both move the split by chunks.
///
/// At any time tail <= split <= the row's end. In front of the tail lie slots of tasks that have left, until close_gap.
/// The row grows. Only its own rank ever reads it, as victims write what they give, so it lies in plain memory.
/// Thread safety: none.
template <class Task>
class arena final : public work {
 public:
  explicit arena(const sharing& by = {}) noexcept : by_(by) {}

  /// Adds a task at the head. Amortised O(1).
  void push(Task task) { row_.push_back(std::move(task)); }

  /// Whether the private part has tasks.
  bool has_private() const noexcept { return row_.size() != split_; }

  /// Takes the newest private task, of which there must be one: the split is at most the end of the row.
  Task pop() {
    Task newest = std::move(row_.back());
    row_.pop_back();
    return newest;
  }

  /// All tasks that wait.
  std::size_t size() const noexcept { return row_.size() - tail_; }

  /// ARENA-1, ARENA-3: if as many tasks are private as the threshold says, at least half of all are shared afterwards; or,
  /// by chunks, so many chunks that fewer are private. The one at the head never is.
  void release() noexcept {
    const std::size_t own = row_.size() - split_;
    if (own < by_.threshold) return;
    if (by_.chunk != 0) {
      split_ += ((own - by_.threshold) / by_.chunk + 1) * by_.chunk;
    } else if (const std::size_t middle = tail_ + size() / 2; split_ < middle) {
      split_ = middle;
    }
  }

  /// ARENA-3: what an owner does at each poll. Returns whether there is more for others then. Half of all tasks is shared only
  /// when none is.
  bool share() noexcept {
    if (by_.chunk == 0 && split_ != tail_) return false;
    const std::size_t before = split_;
    release();
    return split_ != before;
  }

  /// All tasks are shared afterwards.
  void share_all() noexcept { split_ = row_.size(); }

  /// ARENA-1: the newer half of the shared tasks, at least one, or the newest chunk is private afterwards. Returns false
  /// if there were none.
  bool reacquire() noexcept {
    if (split_ == tail_) return false;
    const std::size_t shared = split_ - tail_;
    split_ -= by_.chunk == 0 ? shared - shared / 2 : std::min(by_.chunk, shared);
    return true;
  }

  /// Moves every other task, beginning with the oldest, half of all rounded down, to the head of another row: about
  /// half of the work, whether old tasks are larger than new ones or not. What stays keeps its order, and the split
  /// stays between the same two of them. The newest task stays. O(tasks).
  void move_half(arena& to) {
    std::size_t kept = tail_;
    std::size_t shared = tail_;  // of those kept, the end
    for (std::size_t i = tail_; i != row_.size(); ++i) {
      if (i == split_) shared = kept;
      const bool goes = (i - tail_) % 2 == 0 && i + 1 != row_.size();
      if (goes) to.push(std::move(row_[i]));
      else if (i != kept++) row_[kept - 1] = std::move(row_[i]);
    }
    split_ = split_ == row_.size() ? kept : shared;
    row_.erase(row_.begin() + static_cast<std::ptrdiff_t>(kept), row_.end());
  }

  /// Moves all tasks to the head of another row, in their order.
  void move_all(arena& to) {
    for (; tail_ != row_.size(); ++tail_) to.push(std::move(row_[tail_]));
    clear();
  }

  /// Drops all tasks.
  void clear() noexcept {
    row_.clear();
    tail_ = split_ = 0;
  }

  /// SNAPSHOT-1: while it holds, there is nothing for others.
  void hold(bool held) noexcept { held_ = held; }
  bool held() const noexcept { return held_; }

  /// What left and came so far.
  const moved_tasks& moved() const noexcept { return moved_; }

  /// Appends all tasks to `out`; they stay.
  void pack_all(std::vector<std::byte>& out) const {
    for (std::size_t i = tail_; i != row_.size(); ++i) pack_task(row_[i], out);
  }

  bool busy() const noexcept override { return size() != 0; }

  // None while it holds: so engines answer as if there were nothing to spare, and know of no cut.
  std::size_t shared() const noexcept override { return held_ ? 0 : split_ - tail_; }

  // A task that would make the batch too large is packed, and taken off again, as its size is known only then. It stays
  // for the next answer.
  std::size_t give(std::vector<std::byte>& out) override {
    if (shared() == 0) return 0;
    const std::size_t before = out.size();
    std::size_t given = 0;
    while (tail_ != split_ && (by_.chunk == 0 || given != by_.chunk)) {
      const std::size_t end = out.size();
      pack_task(row_[tail_], out);
      if (out.size() - before > batch_bytes_max) {
        if (given == 0) {
          throw std::length_error("leat::cluster: a task of " + std::to_string(out.size() - before) +
                                  " bytes; at most " + std::to_string(batch_bytes_max) + " travel to another rank");
        }
        out.resize(end);
        break;
      }
      ++tail_;
      ++given;
    }
    moved_.given += given;
    close_gap();
    release();
    return given;
  }

  // Some of it is shared at once, so that the next poll of a thief can give already.
  std::size_t take(std::span<const std::byte> tasks) override {
    const std::size_t before = size();
    while (!tasks.empty()) push(unpack_task<Task>(tasks));
    release();
    const std::size_t taken = size() - before;
    moved_.taken += taken;
    return taken;
  }

 private:
  // Every task is moved down once for each time that as many were given away.
  void close_gap() {
    if (tail_ <= row_.size() / 2) return;
    row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(tail_));
    split_ -= tail_;
    tail_ = 0;
  }

  sharing by_;
  std::vector<Task> row_;
  std::size_t tail_ = 0;
  std::size_t split_ = 0;
  bool held_ = false;
  moved_tasks moved_;
};

}  // namespace leat::inline LEAT_ABI::ranks
