// Engine `two-sided`: work stealing as MPI programs have it, a request to one rank and its answer. Rules TWOSIDED,
// docs/internals/cluster_engines.md; the reference that Machado et al., section 6, compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/cluster/engine.hpp"
#include "leat/cluster/two_sided_protocol.hpp"
#include "leat/cluster/victims.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// A rank without work sends a victim a request, and waits for the answer: tasks, or a refusal. Then it asks the next
/// one. One request at a time. It never asks before its own work has run out.
class two_sided_engine final : public engine {
 public:
  /// \param plan  which ranks share a node, and who is asked
  two_sided_engine(transport& by, mail& post, rank_counters& counters, victim_plan plan = {{}, victim_order::random});

  void begin() override;
  void deliver(const letter&, work&) override;
  void poll(work&) override {}  // requests are letters, and were answered as they came
  void seek() override;
  void running_low() override {}
  bool ended() const noexcept override { return ended_; }
  bool settled() const noexcept override { return true; }  // a refusal that comes late is dropped (TRANSPORT-4)

 private:
  void hear_request(const letter&, work&);
  void hear_work(const letter&, work&);
  void hear_refusal(const letter&);
  void hear_token(const letter&);
  void pass_token();
  void end();

  mail& post_;
  rank_counters& counters_;
  rank_id self_;
  rank_id ranks_;
  victim_plan plan_;
  victims others_;
  token_tour token_;
  bool asked_ = false;
  bool in_round_ = false;  // of victims; work ends it
  rank_id victim_ = 0;  // the rank that was asked
  bool ended_ = false;
  std::vector<std::byte> batch_;
};

}  // namespace leat::inline LEAT_ABI::ranks
