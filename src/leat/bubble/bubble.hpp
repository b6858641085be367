// Bubbles as programs see them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/bubble/thread.hpp"

namespace leat::bubbles {

/// What a bubble is made with.
struct bubble_options {
  /// Where it bursts: the word for a level of the machine, as "numa" or "core"; empty: what `members` and their number say.
  std::string burst_level = {};
  /// Bubbles and threads of a higher priority go first. One of a lower priority than threads waits until those are done, or
  /// too few for the units.
  std::int32_t priority = 0;
  /// Microseconds after which it makes room, where its threads yield or poll, for others of its priority that wait where it was
  /// released; 0: never.
  std::uint64_t slice_us = 0;
  /// What its members are to each other.
  affinity members = affinity::data;
  /// How much there is to do in it, in any unit that bubbles beside each other share; 0: as much as it has threads. On its way down it goes
  /// where least has gone before, in proportion to the units; of two that may be moved to an idle unit, that with more is.
  double work = 0;
  /// Once it has burst, no idle unit takes it over, nor widens it: its members stay there until they end, or its slice does, or all
  /// workers there block and none stands in (T8).
  bool stays = false;
};

/// See leat::bubble.
template <class P>
class bubble {
 public:
  explicit bubble(const bubble_options& o = {}) : film_(this_carrier<P>("bubble").home(), o.priority) {
    film_.kind = o.members;
    film_.slice_ns = std::min(o.slice_us, UINT64_MAX / 1000) * 1000;
    film_.work = checked(o.work);
    film_.stays = o.stays;
    if (!o.burst_level.empty()) film_.depth = depth_of(o.burst_level);
  }
  bubble(const bubble&) = delete;
  bubble& operator=(const bubble&) = delete;
  ~bubble() {
    if (!film_.home.discard(film_))
      scheduler::abort_with(
          "leat: a leat::bubble is destroyed in which threads have not ended, and that was not joined\n");
  }

  void insert(thread<P>& t) {
    strand<P>& s = t.record("bubble::insert");
    check_home(s.home);
    film_.home.insert(film_, s);
  }
  void insert(bubble& inner) {
    check_home(inner.film_.home);
    film_.home.insert(film_, inner.film_);
  }

  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void spawn(F&& f, const thread_options& o = {}) {
    check_home(this_carrier<P>("bubble::spawn").home());  // copying f may leave the carrier
    auto t = thread<P>::made(std::forward<F>(f), o);
    strand<P>& s = t.record("bubble::spawn");
    s.has_handle = false;  // what it lets out is the bubble's
    film_.home.insert(film_, s);
    t.detach();
  }

  void wake() { film_.home.wake(film_); }

  void join() {
    const carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->current() != nullptr && film_.holds(*c->current()))
      throw std::logic_error("leat::bubble::join: a thread in it waits for its own end");
    while (!film_.home.join(film_, nullptr)) {
      block<P>([this](waiter<P>& w) { return !film_.home.join(film_, &w); });
    }
    if (const auto failure = film_.home.take_failure(film_)) std::rethrow_exception(failure);
  }

 private:
  static double checked(double work) {
    if (work >= 0 && !std::isinf(work)) return work;
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%g", work);
    throw std::invalid_argument(std::string("leat::bubble: work ") + digits.data() +
                                ": it must be finite, and not negative");
  }
  std::uint32_t depth_of(const std::string& level) const {
    const topology::machine& m = film_.home.machine();
    if (const auto depth = m.depth_of(level)) return *depth;
    std::string known;
    for (const topology::domain_id d : m.path(0)) known += (known.empty() ? "" : ", ") + m[d].kind;
    throw std::invalid_argument("leat::bubble: burst_level \"" + level + "\": the machine has none; it has " + known);
  }
  void check_home(const crew<P>& other) const {
    if (&other != &film_.home)
      throw std::logic_error("leat::bubble::insert: what is inserted belongs to another run_threads");
  }

  film<P> film_;
};

}  // namespace leat::bubbles
