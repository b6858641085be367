// Victim selection: at random without repetition, near first, the last victim first (thesis 3.4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// A predicate that says of every worker that it may have something.
struct anybody {
  constexpr bool operator()(worker_id) const noexcept { return true; }
};

/// The victims of one thief's request. They belong to the thief and travel with the request: its holder draws the
/// next victim, so holders that forward the request carry on the shuffle that the thief began (thesis 3.4.2). Thread
/// safety: the holder's alone (REQUEST-2).
class victims {
 public:
  /// \param others     every worker but the thief, nearest first
  /// \param level_ends where in `others` each distance ends, ascending; the last is others.size()
  /// \param seed       of the random numbers
  /// \param attempts   draws per request at most; with 0 every request goes to the manager at once
  victims(std::vector<worker_id> others, std::vector<std::uint32_t> level_ends, std::uint64_t seed,
          std::uint32_t attempts);

  /// All victims are equally near.
  static victims flat(worker_id thief, std::uint32_t workers, std::uint64_t seed, std::uint32_t attempts);

  /// By distance(thief, other), a small number: the nearest first, and those that are equally near at random. The order within
  /// a distance does not depend on the others, so that one distance for all is flat().
  template <class Distance>
  static victims near(worker_id thief, std::uint32_t workers, const Distance& distance, std::uint64_t seed,
                      std::uint32_t attempts) {
    std::vector<std::vector<worker_id>> rings;
    for (worker_id id = 0; id < workers; ++id) {
      if (id == thief) continue;
      const std::size_t d = distance(thief, id);
      if (d >= rings.size()) rings.resize(d + 1);
      rings[d].push_back(id);
    }
    std::vector<worker_id> others;
    std::vector<std::uint32_t> level_ends;
    others.reserve(workers);
    for (const auto& ring : rings) {
      others.insert(others.end(), ring.begin(), ring.end());
      level_ends.push_back(static_cast<std::uint32_t>(others.size()));
    }
    return victims(std::move(others), std::move(level_ends), seed, attempts);
  }

  /// Begins a new request, which tries `first`, if given, before any other.
  void restart(std::optional<worker_id> first) noexcept {
    drawn_ = 0;
    position_ = 0;
    level_ = 0;
    first_ = first;
  }

  /// Draws a victim that this request has not tried, other than `holder`, which holds the request, and of which
  /// `may(victim)` says that it may have something; the others are passed over for good, and are no attempts.
  /// Nothing, after the last attempt or the last victim. O(1) amortised over those passed over.
  template <class May = anybody>
  std::optional<worker_id> next(worker_id holder, const May& may = {}) noexcept {
    if (drawn_ == attempts_) return std::nullopt;
    if (position_ == 0 && drawn_ == 0 && first_ && *first_ != holder && may(*first_)) {
      ++drawn_;
      return first_;
    }
    while (position_ < order_.size()) {
      // Within one distance only: so near victims are drawn before far ones, each in random order.
      while (position_ == level_ends_[level_]) ++level_;
      // One step of a shuffle: the part before position_ has been tried.
      std::swap(order_[position_], order_[position_ + random_.below(level_ends_[level_] - position_)]);
      const worker_id victim = order_[position_++];
      if (victim == holder || victim == first_ || !may(victim)) continue;
      ++drawn_;
      return victim;
    }
    return std::nullopt;
  }

  friend bool operator==(const victims&, const victims&) = default;

 private:
  // A permutation that is never reset: each request goes on shuffling the order that the last one left.
  std::vector<worker_id> order_;
  std::vector<std::uint32_t> level_ends_;
  random random_;
  std::uint32_t attempts_;
  std::uint32_t drawn_ = 0;
  std::uint32_t position_ = 0;
  std::uint32_t level_ = 0;
  std::optional<worker_id> first_;
};

}  // namespace leat::inline LEAT_ABI::protocol
