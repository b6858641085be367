// What workers of Prell's scheduler send each other. Rules PRELL-1 to PRELL-9: prell.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "leat/protocol/census.hpp"
#include "leat/protocol/places.hpp"
#include "leat/protocol/prell.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::published {

/// What a message in a channel of requests is.
enum class message : std::uint8_t {
  request,
  update,  ///< to the thief's manager: the thief is not idle any more
  asks,  ///< the head asks a manager for the sums of its place (PRELL-9)
  tells,  ///< a manager tells the head
};

/// A thief's request (thesis, Listing 3.3 and Figure 4.1). It is forwarded. An update is a copy that the manager applies and drops.
struct steal_request {
  protocol::worker_id thief = 0;
  message is = message::request;
  protocol::status status = protocol::status::working;  ///< registered_idle without a manager: not counted (PRELL-6)
  protocol::amount amount = protocol::amount::one;
  bool stays = false;  ///< worker 0 is to keep it (PRELL-5)
  std::uint32_t failed = 0;  ///< tries in this place
  std::uint32_t samples = 0;  ///< victims that are still to be seen before one is asked (7.2)
  protocol::worker_id fullest = 0;  ///< of those seen
  protocol::place_id place = 0;  ///< where it is tried; of an update: the place of its sender
  protocol::place_id places_left = 0;  ///< that it goes to before it goes back to its thief (PRELL-7)
  std::size_t tasks_there = 0;
  protocol::itinerary way;  ///< draws on the thief's behalf, wherever the request is
  protocol::outside
      sums;  ///< `answered` by the thief, when it says that it is idle; of a place, in an answer to the head

  /// Begins a round, with the thief's own place.
  void begin_round(const protocol::place_map& map, const protocol::prell_choices& c, protocol::random& draws) {
    const protocol::place_id home = map.of(thief);
    way = protocol::itinerary(c.tries, map.rank(thief), map.workers(home), draws());
    places_left = static_cast<protocol::place_id>(map.places() - 1);
    enter(home, c);
  }

  /// It is back at its thief: begins the next round if it has been in each place.
  void come_back(const protocol::place_map& map, const protocol::prell_choices& c, protocol::random& draws) {
    if (map.places() != 1) {
      if (places_left == 0) begin_round(map, c, draws);
      return;
    }
    way.restart();
    enter(place, c);
  }

  /// Goes on to the next place of the round.
  void leave(const protocol::place_map& map, const protocol::prell_choices& c, protocol::random& draws) {
    const protocol::place_id next = map.after(place, map.of(thief), draws.below(map.places() - 1u));
    way = protocol::itinerary(c.tries, std::nullopt, map.workers(next), draws());
    --places_left;
    enter(next, c);
  }

  /// A request that is sampling (7.2), with `samples` not 0, notes the worker with the most tasks. Then, or when no victim is left, it goes there. The
  /// worker that has it, `holder` with so many tasks, sends it on to the one that this gives, or handles it.
  std::optional<protocol::worker_id> sample(const protocol::place_map& map, protocol::worker_id holder,
                                            std::size_t tasks) {
    if (tasks > tasks_there) {
      tasks_there = tasks;
      fullest = holder;
    }
    if (const auto further = --samples != 0 ? map.next(way, place, holder) : std::nullopt) return further;
    samples = 0;
    const bool other = tasks_there != 0 && fullest != holder;
    tasks_there = 0;
    return other ? std::optional(fullest) : std::nullopt;
  }

  /// For a manager: applies what is no request.
  protocol::census::step apply(protocol::census& here, const protocol::place_map& map) const {
    if (is == message::asks) return here.asked();
    if (is == message::tells) return here.told(sums);
    here.unregisters(map.rank(thief), place != map.of(thief));
    return protocol::census::step::none;
  }

  /// Whether it has failed in its place: as often as there are workers.
  bool has_failed(const protocol::place_map& map) const { return failed >= map.workers(place); }
  bool has_failed_at_home(const protocol::place_map& map) const { return place == map.of(thief) && has_failed(map); }

 private:
  void enter(protocol::place_id p, const protocol::prell_choices& c) {
    place = p;
    failed = 0;
    samples = c.samples > 1 ? c.samples : 0;
  }
};

/// A task on its way to a thief, and how many come after it.
struct sent_task {
  work::record task;
  protocol::worker_id victim = 0;
  std::size_t more = 0;
  bool counted = false;  ///< its sender has counted the thief (PRELL-6)
  bool dummy = false;  ///< there is no task (PRELL-5)
};

}  // namespace leat::inline LEAT_ABI::published
