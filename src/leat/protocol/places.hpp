// Places of prell: workers that are near one another (thesis, 7.2). Pure: no atomics, no clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leat/protocol/prell.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::protocol {

using place_id = std::uint16_t;

/// Which worker is in which place. Places are counted from 0, which worker 0 is in. A value; it does not change.
class place_map {
 public:
  /// Workers are in one place where `domain_of` has the same number for them. It has one for each worker, at least one. If worker 0 had
  /// a place for itself, it is in that of worker 1: it executes the root, and some other worker must be its manager.
  place_map(std::span<const std::uint32_t> domain_of, const prell_choices& c) : place_of_(domain_of.size()) {
    std::vector<std::uint32_t> domains;
    for (std::size_t w = 0; w < domain_of.size(); ++w) {
      const auto at = std::find(domains.begin(), domains.end(), domain_of[w]);
      place_of_[w] = static_cast<place_id>(at - domains.begin());
      if (at == domains.end()) domains.push_back(domain_of[w]);
    }
    const bool alone = std::count(place_of_.begin(), place_of_.end(), 0) == 1 && place_of_.size() > 1;
    if (alone) std::for_each(place_of_.begin() + 1, place_of_.end(), [](place_id& p) { --p; });
    members_.resize(domains.size() - (alone ? 1 : 0));
    for (worker_id w = 0; w < place_of_.size(); ++w) {
      rank_.push_back(static_cast<std::uint32_t>(members_[place_of_[w]].size()));
      members_[place_of_[w]].push_back(w);
    }
    for (const auto& workers : members_) {
      const auto size = static_cast<std::uint32_t>(workers.size());
      const std::optional<worker_id> rank = manager_of(c, size);
      managers_.push_back(rank ? std::optional(workers[*rank]) : std::nullopt);
      works_.push_back(!is_dedicated(c, size));
    }
  }

  place_id places() const noexcept { return static_cast<place_id>(members_.size()); }
  place_id of(worker_id w) const noexcept { return place_of_[w]; }
  std::uint32_t workers(place_id p) const noexcept { return static_cast<std::uint32_t>(members_[p].size()); }

  /// The place of a worker among those of its place.
  std::uint32_t rank(worker_id w) const noexcept { return rank_[w]; }

  /// The second worker of a place, or its only one; as prell_choices says in a place of all.
  std::optional<worker_id> manager(place_id p) const noexcept { return managers_[p]; }

  /// The manager, if it executes nothing.
  std::optional<worker_id> dedicated(place_id p) const noexcept { return works_[p] ? std::nullopt : managers_[p]; }

  /// The manager that finds the end of all tasks: that of worker 0.
  std::optional<worker_id> head() const noexcept { return managers_[0]; }

  /// The next worker of the place on that way.
  std::optional<worker_id> next(itinerary& way, place_id p, worker_id holder) const {
    const auto here = [this, p](worker_id w) { return of(w) == p ? std::optional(rank(w)) : std::nullopt; };
    const std::optional<worker_id> idler = dedicated(p);
    const auto found = way.next(here(holder), idler ? here(*idler) : std::nullopt);
    return found ? std::optional(members_[p][*found]) : std::nullopt;
  }

  /// The place that a request tries after `last`: all but its thief's, in turn, from one that is drawn.
  place_id after(place_id last, place_id home, std::uint32_t drawn) const noexcept {
    if (last == home) return static_cast<place_id>((home + 1u + drawn % (places() - 1u)) % places());
    const auto next = static_cast<place_id>((last + 1u) % places());
    return next == home ? static_cast<place_id>((next + 1u) % places()) : next;
  }

 private:
  std::vector<place_id> place_of_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::vector<worker_id>> members_;
  std::vector<std::optional<worker_id>> managers_;
  std::vector<bool> works_;
};

}  // namespace leat::inline LEAT_ABI::protocol
