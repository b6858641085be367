// A trace of bubbles: the events of each, with time and place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// Events that a trace keeps, unless it is made for others.
inline constexpr std::size_t trace_events_usual = 100'000;
inline constexpr std::size_t trace_events_max = 100'000'000;

/// The kinds of events.
enum class incident : std::uint8_t {
  inserted,  ///< into the bubble `other`
  woken,  ///< by the program, and put on the list of `at`
  released,  ///< by the bubble that it is in, to the list of `at`
  down,  ///< it went a level down, into `at`: onto its list if that is not on the side of its carrier
  burst,  ///< its members are released to the list of `at`
  moved,  ///< for an idle unit (REGENERATION-1): to the list of `at`, when it is closed
  widened,  ///< for an idle unit (REGENERATION-2): all that it has released may be executed anywhere in `at`
  sliced,  ///< its slice is over (REGENERATION-3)
  recalled,  ///< all that it has released comes back
  closed,  ///< all is back; it is held, or on the list of `at`
  ended
};

/// By their kind, in the same order: as a trace's file has them.
inline constexpr std::array<const char*, 11> incident_names{
    "inserted", "woken", "released", "down", "burst", "moved", "widened", "sliced", "recalled", "closed", "ended"};

/// One of these.
struct trace_event {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  std::uint64_t ns = 0;  ///< by the platform's clock
  std::uint32_t bubble = 0;  ///< its number, from 0, in the order in which they were made
  std::uint32_t other = nobody;  ///< another bubble's
  topology::domain_id at = topology::root_domain;
  std::uint32_t threads = 0;  ///< in it, and in the bubbles in it, that have not ended
  incident what = incident::inserted;
};

/// See leat::bubble_trace. Written under the bubbles' lock; read when run_threads has returned. All memory is taken
/// when it is made, so that an event costs no allocation and nothing throws under the lock. When it is full it keeps
/// the events that came first, and counts the others.
class trace {
 public:
  /// A domain of the machine.
  struct place {
    std::array<char, 16> kind{};
    topology::domain_id parent = topology::root_domain;
    std::uint32_t index = 0, first_unit = 0, units = 0;
  };

  /// \param events  how many it has room for, of 32 bytes each
  /// \throws std::invalid_argument  none, or more than trace_events_max
  explicit trace(std::size_t events = trace_events_usual) {
    if (events == 0 || events > trace_events_max) {
      throw std::invalid_argument("leat::bubble_trace: of " + std::to_string(events) + " events; it takes 1 to " +
                                  std::to_string(trace_events_max));
    }
    events_.reserve(events);
    places_.reserve(places_max);
  }

  const std::vector<trace_event>& events() const noexcept { return events_; }
  std::uint64_t left_out() const noexcept { return left_out_; }  ///< events, as there was no room
  const std::vector<place>& places() const noexcept { return places_; }  ///< by their number

  /// Forgets all events, and is on this machine from now on. Allocates nothing, so that it may outlive a
  /// simulated world.
  /// \throws std::invalid_argument  the machine has more than places_max domains
  void begin(const topology::machine& m) {
    if (m.domains().size() > places_max) {
      throw std::invalid_argument("leat::bubble_trace: a machine of " + std::to_string(m.domains().size()) +
                                  " domains; it takes " + std::to_string(places_max) + " at most");
    }
    events_.clear();
    left_out_ = 0;
    places_.clear();
    for (const topology::domain& d : m.domains()) {
      place p{{}, d.parent, d.index, d.first_unit, d.units};
      // The kind of a domain may be a program's word, of any length: it is cut to the room, before a character that
      // would not be whole.
      std::size_t length = std::min(d.kind.size(), p.kind.size() - 1);
      while (length < d.kind.size() && length != 0 && goes_on(d.kind[length])) --length;
      d.kind.copy(p.kind.data(), length);
      places_.push_back(p);
    }
  }

  void add(const trace_event& e) noexcept {
    if (events_.size() == events_.capacity()) ++left_out_;
    else events_.push_back(e);
  }

  /// Domains of a machine that a trace has room for.
  static constexpr std::size_t places_max = 8192;

 private:
  // Whether a byte is inside a character of UTF-8, which is not to be cut.
  static bool goes_on(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

  std::vector<trace_event> events_;
  std::vector<place> places_;
  std::uint64_t left_out_ = 0;
};

}  // namespace leat::inline LEAT_ABI::bubbles
