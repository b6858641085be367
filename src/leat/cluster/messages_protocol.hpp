// What ranks and the manager do with steal requests that travel as messages: pure transition functions, as in
// leat/protocol/. Rules and reasons: docs/internals/cluster_engines.md, rules MESSAGE; Prell's thesis, 4.1 and 7.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// A rank's steal request. It is moved, never copied: the rank that holds it is the only one that may answer it
/// (MESSAGE-1).
struct request {
  rank_id thief = 0;
  std::uint32_t serial = 0;  ///< counts the requests of this thief
  std::uint32_t hops = 0;  ///< ranks that have been asked
  std::uint32_t spurned = 0;  ///< 1: it comes back from a rank that it was handed to, and that had no work itself
  std::uint32_t near_left = 0;  ///< ranks of the thief's node that are still to be asked, the holder among them
  rank_id beyond = 0;  ///< the first rank to ask after them; the thief, if there is none

  friend bool operator==(const request&, const request&) = default;
};

/// What the holder of a request knows of itself.
struct rank_state {
  rank_id self = 0;
  rank_id ranks = 1;
  std::size_t shared = 0;  ///< tasks that it could give away
  const std::vector<rank_id>* node_of = nullptr;  ///< see transport::nodes; null or empty: each rank has its own
};

/// What is to be done with a request.
struct routing {
  enum class kind : std::uint8_t {
    give,  ///< answer it with tasks
    forward,  ///< send it to rank `to`
    pool,  ///< send it to the manager, which puts it into the idle pool
  };
  kind what = kind::pool;
  rank_id to = 0;

  friend bool operator==(const routing&, const routing&) = default;
};

/// The rank after this one in the ring, the thief left out. There must be another.
constexpr rank_id next_in_ring(rank_id after, rank_id thief, rank_id ranks) {
  const rank_id next = (after + 1) % ranks;
  return next == thief ? (next + 1) % ranks : next;
}

/// The rank after this one in the ring that shares the thief's node, or that does not, as `near` says, and is not the
/// thief; the thief if there is none. O(ranks).
inline rank_id next_of_node(const std::vector<rank_id>& node_of, rank_id after, rank_id thief, bool near) {
  const auto ranks = static_cast<rank_id>(node_of.size());
  for (rank_id i = 1; i <= ranks; ++i) {
    const rank_id next = (after + i) % ranks;
    if (next != thief && (node_of[next] == node_of[thief]) == near) return next;
  }
  return thief;
}

/// MESSAGE-2: a new request goes to the last victim, at first the thief's neighbour in the ring.
constexpr routing begin_request(rank_id ranks, std::uint32_t attempts, rank_id last_victim) {
  if (ranks == 1 || attempts == 0) return {};
  return {routing::kind::forward, last_victim};
}

/// MESSAGE-3: a rank that has tasks to spare gives, a rank that has none passes on along the ring; after the last
/// attempt the request is pooled. A thief that is not asked itself leaves ranks - 1 to ask. Where ranks share nodes, as many
/// attempts are made on the thief's node, and then beyond it (VICTIM-1).
inline routing on_request(const rank_state& me, request& r, std::uint32_t attempts) {
  if (me.shared != 0) return {routing::kind::give, r.thief};
  if (me.node_of == nullptr || me.node_of->empty()) {
    ++r.hops;
    if (r.hops >= std::min(attempts, me.ranks - 1)) return {};
    return {routing::kind::forward, next_in_ring(me.self, r.thief, me.ranks)};
  }
  // VICTIM-1: the thief's node first.
  rank_id to = r.beyond;
  if (r.near_left != 0) {
    if (--r.near_left != 0) to = next_of_node(*me.node_of, me.self, r.thief, true);
  } else {
    ++r.hops;
    const auto near = static_cast<rank_id>(std::ranges::count(*me.node_of, (*me.node_of)[r.thief]));
    if (r.hops >= std::min(attempts, me.ranks - near)) return {};
    to = next_of_node(*me.node_of, me.self, r.thief, false);
  }
  return to == r.thief ? routing{} : routing{routing::kind::forward, to};
}

/// The manager: keeps the idle pool of requests, hands them to busy ranks, and knows when all are pooled. It runs on
/// rank 0. Pure.
///
/// For each thief it has a place: away, until its request comes to the pool; pooled; handed, until it comes back or the
/// holder says that it was served. For the end of the run it matters only whether a request is pooled (MESSAGE-7). All
/// else are hints about which ranks may have work, and may be late.
///
/// `news_` keeps requests from going to and fro for ever: a rank that spurned one is handed none while the news is
/// still the one of when that was handed out. Each request that is pooled without being spurned, and each answer that
/// the manager is told of, is news.
class request_manager {
 public:
  explicit request_manager(rank_id ranks) : thieves_(ranks) {}

  /// What it wants sent: this request to this rank.
  struct hand {
    request what;
    rank_id to;
  };

  /// Whether the request of this thief is pooled. By MESSAGE-1 no other of it can come, then.
  bool is_pooled(rank_id thief) const noexcept { return thieves_[thief].where == place::pooled; }

  /// MESSAGE-4: a request is pooled, or is back from a rank to which it was handed, `from`.
  void pool(const request& r, rank_id from) {
    entry& e = thieves_[r.thief];
    if (r.spurned == 0) {
      ++news_;
    } else {
      thieves_[from].idle_at = e.handed_at;  // what has come since may say that it has work
    }
    e.where = place::pooled;
    e.last = r;
    e.with = from;
    ++pooled_;
  }

  /// MESSAGE-6: a request that was handed out has been answered, or one of a thief that had spurned another. A late
  /// word about an earlier request of the thief has another serial, and changes no place.
  void served(rank_id thief, std::uint32_t serial) {
    entry& e = thieves_[thief];
    if (e.where == place::handed && e.last.serial == serial) e.where = place::away;
    ++news_;
  }

  /// MESSAGE-7: every rank's request is pooled: no rank has work, and none is on its way.
  bool ended() const noexcept { return pooled_ == thieves_.size(); }

  /// MESSAGE-5, MESSAGE-8: one request to hand to a rank that may have work, in turn, and another than it had been with, if there
  /// is one. A rank that has spurned any since the last news has none. O(ranks); where no rank may be handed any, as
  /// often as requests are pooled.
  std::optional<hand> next_hand() {
    if (pooled_ == 0 || ended()) return std::nullopt;
    for (entry& e : thieves_) {
      if (e.where != place::pooled) continue;
      const std::optional<rank_id> to = next_away(e);
      if (!to) continue;
      e.where = place::handed;
      e.last.spurned = 0;
      e.with = *to;
      e.handed_at = news_;
      --pooled_;
      return hand{e.last, *to};
    }
    return std::nullopt;
  }

 private:
  enum class place : std::uint8_t {
    away,  ///< its thief works, or the request travels
    pooled,
    handed,
  };

  struct entry {
    place where = place::away;
    request last{};
    rank_id with = 0;  ///< the rank that had the request last
    std::uint64_t handed_at = 0;  ///< the number of the news when the request was handed out
    std::uint64_t idle_at = 0;  ///< the same of what this rank, its thief, was handed and spurned
  };

  // The next rank in turn that may have work; the one that had the request last only if there is no other. It is never
  // the request's own thief, which is pooled.
  std::optional<rank_id> next_away(const entry& e) {
    const auto ranks = static_cast<rank_id>(thieves_.size());
    std::optional<rank_id> second;
    for (rank_id step = 1; step <= ranks; ++step) {
      const rank_id candidate = (turn_ + step) % ranks;
      if (thieves_[candidate].where != place::away || thieves_[candidate].idle_at == news_) continue;
      if (candidate != e.with) {
        turn_ = candidate;
        return candidate;
      }
      second = candidate;
    }
    return second;
  }

  std::vector<entry> thieves_;
  std::size_t pooled_ = 0;
  std::uint64_t news_ = 1;  // changes when a rank may have got work, or lost it
  rank_id turn_ = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
