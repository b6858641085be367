// Engine `messages`: the steal protocol between ranks, by point-to-point messages alone. Rules MESSAGE,
// docs/internals/cluster_engines.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/cluster/engine.hpp"
#include "leat/cluster/messages_protocol.hpp"
#include "leat/cluster/victims.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Carries out what messages_protocol.hpp decides. A rank is in one of three states: it works; it has made its
/// request, which is out (`asked_`); or the run has ended. Its request is out only while it has no work
/// (MESSAGE-1): seek makes it, and only work that comes takes the mark away. Rank 0 has the manager besides, which it
/// sends messages like any other rank.
class messages_engine final : public engine {
 public:
  /// \param attempts  ranks that a request asks before it is pooled; all others, if there are fewer; 0: it is pooled at
  ///                  once
  /// \param plan      which ranks share a node, and in which order a thief asks them
  messages_engine(transport& by, mail& post, rank_counters& counters, std::uint32_t attempts, victim_plan plan = {});

  void begin() override;
  void deliver(const letter&, work&) override;
  void poll(work&) override;
  void seek() override;
  void running_low() override {}
  bool ended() const noexcept override { return ended_; }
  bool settled() const noexcept override { return true; }  // a pooled request is owed nothing once all are pooled

 private:
  // MESSAGE-5: a request of another rank, here until there is something to give.
  struct kept_request {
    request what;
    std::uint32_t polls;  // that it has been kept for
  };

  void hear_work(const letter& l, work& mine);
  void hear_pooled(const letter& l);
  void hear_served(const letter& l);
  void hear_request(request, work&);
  void hear_hand(request, work&);
  void hear_end();
  void manage();
  void pool(const request&);
  void tell_served(const request&);
  bool give(const request&, work&);

  mail& post_;
  rank_counters& counters_;
  rank_id self_;
  rank_id ranks_;
  std::uint32_t attempts_;
  std::uint32_t serial_ = 0;
  victim_plan plan_;
  victims others_;
  bool asked_ = false;  // its request is out
  bool spurned_ = false;  // a request, since it had work
  bool ended_ = false;
  std::vector<kept_request> kept_;  // MESSAGE-5
  request_manager manager_;  // of rank 0
  std::vector<std::byte> batch_;
};

}  // namespace leat::inline LEAT_ABI::ranks
