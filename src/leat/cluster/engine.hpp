// How work moves between ranks, and how all learn that there is none left: one interface, three engines.
// docs/internals/cluster_engines.md.
#pragma once

#include <cstdint>

#include "leat/cluster/counters.hpp"
#include "leat/cluster/mail.hpp"
#include "leat/cluster/work.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// One rank's part of an engine. Its calls do not wait for others. Thread safety: none.
///
/// rank_run calls it in this order. `begin`, once. Then, as long as the run has not ended for this rank, `deliver`
/// for each message that has come; if the rank has work it expands tasks, and calls `running_low` when they become
/// few; then `poll`, and if it still has no work `seek`. When `ended` and `settled` both hold the rank goes over to
/// the results, and calls `poll` on, as others may still be owed answers (RMA-7). Work comes in `deliver` and `poll`
/// only.
class engine {
 public:
  engine() = default;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  /// A new run begins.
  virtual void begin() = 0;

  /// Takes a message of one of the engine's kinds.
  virtual void deliver(const letter&, work&) = 0;

  /// Answers ranks that ask. Called between tasks, and without a task, too: every few tens of microseconds.
  virtual void poll(work&) = 0;

  /// The rank has no task, also after `poll`: takes one more step towards having some. (A thief that went on with its
  /// tour while it has work would count itself among the idle.)
  virtual void seek() = 0;

  /// The rank works, but its tasks are about to run out, or one of its workers has nothing (RMA-4). Called again at each poll
  /// while that is so.
  virtual void running_low() = 0;

  /// Whether no rank has work any more, nor will have any. Then it stays so.
  virtual bool ended() const noexcept = 0;

  /// Whether no rank owes this one an answer: else one could write to this rank's window after it has left the run.
  virtual bool settled() const noexcept = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
