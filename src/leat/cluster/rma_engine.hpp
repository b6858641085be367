// Engine `rma`: status read, requests and work written one-sidedly, termination by a global counter. Rules RMA,
// docs/internals/cluster_engines.md; Machado et al., section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/cluster/engine.hpp"
#include "leat/cluster/rma_protocol.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Carries out what rma_protocol.hpp decides. Without work a rank reads a status (`reading_`), waits for an answer
/// (`asked_`), or pauses. With work it may wait for the answer to a prefetch only (`ahead_`). One read and one
/// request at a time: so one victim at most writes to the landing zone, and the answer word needs no sender.
///
/// `entered_` says that the rank is in the counter. It never is while it has work or a request out (RMA-5).
class rma_engine final : public engine {
 public:
  /// Opens the window: by all ranks together, once for all runs. It has five words, one for each rank, and
  /// batch_bytes_max bytes.
  /// \param prefetch  whether to ask before the rank's own work has run out
  /// \param plan      which ranks share a node, and who is asked
  rma_engine(transport& by, const mail& post, rank_counters& counters, bool prefetch, victim_plan plan = {});

  void begin() override;
  void deliver(const letter&, work&) override {}
  void poll(work&) override;
  void seek() override;
  void running_low() override;
  bool ended() const noexcept override { return ended_; }
  bool settled() const noexcept override { return !asked_ && !reading_; }

 private:
  void answer_requests(work&);
  void collect(work&);
  void ask(rank_id victim);
  void follow(tour::move);
  void idle_after_tour();
  void enter();
  bool leave();

  transport& by_;
  const mail& post_;
  rank_counters& counters_;
  rank_id ranks_;
  bool prefetch_;
  victim_plan plan_;

  protocol::random drawn_;  // the rank that a prefetch asks
  tour tour_;
  bool reading_ = false;  // a status
  bool stale_read_ = false;  // of a run that failed
  bool asked_ = false;
  rank_id victim_ = 0;  // that was asked
  bool ahead_ = false;  // what was asked is a prefetch
  bool entered_ = false;  // counted as idle
  bool told_ = false;  // by the counter, that the run has ended; the end word is on its way
  bool ended_ = false;
  std::uint32_t serial_ = 0;
  std::uint32_t pause_ = 0;  // calls of seek between two tours
  std::uint32_t paused_ = 0;
  std::vector<std::uint64_t> requests_;  // as they stand in the window, by thief
  std::vector<std::uint64_t> answered_;  // the last that was, by thief
  std::vector<std::byte> batch_;
};

}  // namespace leat::inline LEAT_ABI::ranks
