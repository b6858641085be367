// The network of a simulated cluster: a transport whose messages, writes and reads take simulated time.

#pragma once

#include <leat/cluster.hpp>
#include <leat/protocol/random.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace leat::sim {

/// What a network's ways take. As of QDR InfiniBand through one switch.
struct network_times {
  double latency_us = 1.4;  ///< one way, between two nodes
  double same_node_us = 0.4;  ///< one way, between two ranks of a node
  double gb_s = 3.2;  ///< of one way, between any two ranks
  double call_us = 0.1;  ///< of a rank, for each call
  double word_ns = 0.5;  ///< of a rank, for each word of its own window that it loads
};

/// Joins ranks of one world, of which as many in a row share a node. Links are never full, and bytes land without the
/// calls of the rank that they come to, as with one-sided communication. All is in order between any two ranks.
///
/// The world has one thread at a time, which goes on at the first step of a call when no other is behind it in time. So
/// nothing in here is atomic, and nothing that is seen is of the future.
class network {
 public:
  /// \param seed  not 0: each way takes up to a hundredth longer, as is drawn from it, so that ranks meet otherwise
  network(ranks::rank_id ranks, ranks::rank_id ranks_of_a_node, const network_times&, std::uint64_t seed = 0);
  ~network();

  /// The end of this rank, which does not outlive the network. Its calls are made by threads of the world.
  std::unique_ptr<ranks::transport> end_of(ranks::rank_id);

 private:
  friend class network_end;
  struct parcel;
  struct box;

  std::uint64_t way_ns(ranks::rank_id from, ranks::rank_id to, std::size_t bytes);
  void post(ranks::rank_id from, ranks::rank_id to, parcel);
  void land(box& at, std::uint64_t now_ns);

  ranks::rank_id ranks_of_a_node_;
  network_times times_;
  std::optional<protocol::random> drawn_;
  std::uint64_t posted_ = 0;
  std::vector<box> boxes_;
};

}  // namespace leat::sim
