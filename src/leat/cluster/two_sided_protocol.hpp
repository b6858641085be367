// How ranks of the engine `two-sided` find out that no rank has work: pure, as leat/protocol/ is. Rules TWOSIDED,
// docs/internals/cluster_engines.md.
#pragma once

#include <cstdint>
#include <utility>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a token says when it comes to a rank. A number that travels: others are refused (TRANSPORT-5).
enum class colour : std::uint32_t {
  white,  ///< no rank on its way has given work away since the token's last visit
  black,  ///< some rank has, so another may have work that had none when the token passed
};

/// One rank's part in the tour of a token round the ring of ranks (Dijkstra, Feijen, van Gasteren 1983). Rank 0 has it
/// first. A rank keeps the token until it has no work and no request out, and then it passes the token on (TWOSIDED-4).
///
/// *Exact.* Suppose that the token is back, white, on a rank 0 that is white, and that some rank has work, or will get
/// some that is on its way. When the token passed that rank it had neither, as it had no request out. So it was given
/// work later. Of all ranks that were given work after the token had passed them on this tour, take the first. Its
/// giver was given nothing after the token had passed it, so it had work when it gave, and the token had not passed it
/// then. Then the token found it black, and came back black.
class token_tour {
 public:
  constexpr token_tour(rank_id self, rank_id ranks) noexcept : self_(self), ranks_(ranks), here_(self == 0) {}

  /// Whether this rank has the token.
  constexpr bool here() const noexcept { return here_; }

  /// This rank has given work away.
  constexpr void gave() noexcept { mine_ = colour::black; }

  /// The token has come.
  constexpr void take(colour c) noexcept {
    here_ = true;
    came_ = c;
  }

  struct move {
    enum class act : std::uint8_t { pass, end } what;
    rank_id to;
    colour as;
  };

  /// What a rank with the token, but without work and without a request out, does with it. Afterwards the token is no
  /// longer here, and the rank is white.
  constexpr move pass() noexcept {
    here_ = false;
    const colour was = std::exchange(mine_, colour::white);
    const bool all_white = was == colour::white && came_ == colour::white;
    // On rank 0 a tour ends, and another begins. There is nothing to tell of the first one, which has not begun.
    if (self_ != 0) return {move::act::pass, (self_ + 1) % ranks_, all_white ? colour::white : colour::black};
    if ((toured_ && all_white) || ranks_ == 1) return {move::act::end, 0, colour::white};
    toured_ = true;
    return {move::act::pass, 1, colour::white};
  }

 private:
  rank_id self_;
  rank_id ranks_;
  bool here_;
  bool toured_ = false;  // rank 0 has sent it round
  colour mine_ = colour::white;
  colour came_ = colour::white;
};

}  // namespace leat::inline LEAT_ABI::ranks
