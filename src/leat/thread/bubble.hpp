// Handles of bubbles, as programs see them.
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

#include "leat/thread/thread.hpp"
#include "leat/thread/waiting.hpp"

namespace leat::inline LEAT_ABI::threads {

/// Options of a bubble.
struct bubble_options {
  /// Where it bursts: the word for a level of the machine, as "numa" or "core"; empty: `members` and their
  /// number say it (BUBBLE-2).
  std::string burst_level = {};
  /// Bubbles and threads of a higher priority go first. One of a lower priority than threads waits until
  /// those are done, or too few for the units.
  std::int32_t priority = 0;
  /// Microseconds after which it makes room, where its threads yield or poll, for others of its priority that
  /// wait where it was released; 0: never.
  std::uint64_t slice_us = 0;
  /// How its members belong together.
  bubbles::affinity members = bubbles::affinity::data;
  /// How much there is to do in it, in any unit that bubbles beside each other share; 0: as much as it has
  /// threads. On its way down it goes where least has gone before, in proportion to the units; of two that
  /// may be moved to an idle unit, that with more is.
  double work = 0;
  /// Once it has burst, no idle unit takes it over, nor widens it: its members stay there until they end, or
  /// its slice does, or all workers there block and none compensates (REGENERATION-1).
  bool stays = false;
  /// What decides where it goes down, bursts, and goes for idle units; null: that of run_threads. It outlives the bubble, and
  /// the call of run_threads.
  const bubbles::policy* policy = nullptr;
};

/// The depth of that level on this machine; depth_open for an empty word.
/// \throws std::invalid_argument  the machine has none; the message begins with `what`, and names the levels that it has
inline std::uint32_t depth_of_level(const char* what, const std::string& level, const topology::machine& m) {
  if (level.empty()) return bubbles::bubble_plan::depth_open;
  if (const auto depth = m.depth_of(level)) return *depth;
  std::string known;
  for (const topology::domain_id d : m.path(0)) known += (known.empty() ? "" : ", ") + m[d].kind;
  throw std::invalid_argument(std::string("leat::") + what + " \"" + level + "\": the machine has none; it has " +
                              known);
}

/// See leat::bubble. Its node lies in the handle, so a bubble costs no allocation. The node keeps its home,
/// which may be over.
template <class P>
class bubble {
 public:
  explicit bubble(const bubble_options& o = {}) : bubble(this_carrier<P>("bubble").home(), o) {}
  bubble(bubbles::thread_scheduler<P>& home, const bubbles::bubble_plan& p)
      : node_(home.shared_from_this(), home.threads.number_bubble(), p) {}
  bubble(const bubble&) = delete;
  bubble& operator=(const bubble&) = delete;
  ~bubble() {
    if (!home().members.discard(node_))
      platform::abort_with(
          "leat: a leat::bubble is destroyed in which threads have not ended, and that was not joined\n");
  }

  void insert(thread<P>& t) {
    bubbles::green_thread<P>& s = t.record("bubble::insert");
    check_home(s.home);
    home().members.insert(node_, s);
  }
  void insert(bubble& inner) {
    check_home(inner.home());
    home().members.insert(node_, inner.node_);
  }

  /// A thread without handle. It may end before this returns, so it gives up its handle's say before it is inserted. If
  /// inserting throws, the handle here discards it.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void spawn(F&& f, const thread_options& o = {}) {
    check_home(this_carrier<P>("bubble::spawn").home());  // copying f may leave the carrier
    auto t = thread<P>::made(std::forward<F>(f), o);
    bubbles::green_thread<P>& s = t.record("bubble::spawn");
    s.has_handle = false;  // an exception of it is the bubble's
    home().members.insert(node_, s);
    t.give_up();
  }

  void remove(thread<P>& t) { home().members.remove(node_, t.record("bubble::remove")); }
  void remove(bubble& inner) {
    check_home(inner.home(), "remove");
    home().members.remove(node_, inner.node_);
  }

  void wake() { home().members.wake(node_); }
  void recall() { home().members.recall(node_); }
  void close() noexcept { home().members.close(node_); }
  void set_priority(std::int32_t priority) { home().members.set_priority(node_, priority); }

  /// Asks without a waiter first where a wait blocks the worker, which costs an offer. Asks again after each wait, as threads may
  /// have come in since.
  void join() {
    const carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->current() != nullptr && node_.holds(*c->current()))
      throw std::logic_error("leat::bubble::join: a thread in it waits for its own end");
    bool joined = false;
    for (bool asks = c == nullptr || !c->may_switch(); !joined; asks = true) {
      joined = asks && home().members.join(node_, nullptr);
      if (joined) break;
      block<P>([&](bubbles::waiter<P>& w) { return !(joined = home().members.join(node_, &w)); });
    }
    if (const auto failure = home().members.take_failure(node_)) std::rethrow_exception(failure);
  }

 private:
  static double checked(double work) {
    if (work >= 0 && !std::isinf(work)) return work;
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%g", work);
    throw std::invalid_argument(std::string("leat::bubble: work ") + digits.data() +
                                ": it must be finite, and not negative");
  }
  // A time that 64 bits do not hold in nanoseconds is cut to the longest that they do.
  static bubbles::bubble_plan plan_of(const bubble_options& o, const topology::machine& m) {
    return {.priority = o.priority,
            .members = o.members,
            .depth = depth_of_level("bubble: burst_level", o.burst_level, m),
            .slice_ns = std::min(o.slice_us, UINT64_MAX / 1000) * 1000,
            .work = checked(o.work),
            .stays = o.stays,
            .policy = o.policy};
  }
  bubble(bubbles::thread_scheduler<P>& home, const bubble_options& o) : bubble(home, plan_of(o, home.machine())) {}

  bubbles::thread_scheduler<P>& home() const noexcept { return *node_.home; }
  void check_home(const bubbles::thread_scheduler<P>& other, const char* call = "insert") const {
    if (&other != &home())
      throw std::logic_error(std::string("leat::bubble::") + call +
                             ": what it is called with belongs to another run_threads");
  }

  bubbles::bubble_node<P> node_;
};

}  // namespace leat::inline LEAT_ABI::threads
