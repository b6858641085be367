// The list of what other threads have submitted, and the count of the drains that empty it. Rules SUBMIT-1 to SUBMIT-4:
// docs/internals/submit.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Many threads put links in, several take them out. A link is the caller's; it is in one injector at a time.
template <class P>
class injector {
 public:
  struct link {
    link* next;
  };

  injector() = default;
  injector(const injector&) = delete;
  injector& operator=(const injector&) = delete;

  /// SUBMIT-1: false if the injector is closed; then nothing has happened. Any thread. One compare-and-swap if no other thread interferes.
  bool put(link& l) noexcept {
    link* top = newest_.load(platform::relaxed);  // relaxed: it is compared again before it counts
    do {
      if (top == &closed_) return false;
      l.next = top;
      // seq_cst: pairs with has_some (SUBMIT-3), and releases the link to take. relaxed failure: as the load.
    } while (!newest_.compare_exchange_weak(top, &l, platform::seq_cst, platform::relaxed));
    return true;
  }

  /// SUBMIT-2: the oldest links, as many as there are and as fit. Returns how many. Any thread.
  template <std::size_t N>
  std::size_t take(std::array<link*, N>& to) noexcept {
    const holding<P> one(gate_);
    link* oldest = oldest_.load(platform::relaxed);  // relaxed: written under the gate
    if (oldest == nullptr) oldest = turned_round();
    std::size_t taken = 0;
    for (; taken != N && oldest != nullptr; oldest = oldest->next) to[taken++] = oldest;
    // seq_cst: pairs with has_some: a taker that leaves some finds them itself (SUBMIT-4).
    oldest_.store(oldest, platform::seq_cst);
    return taken;
  }

  /// Whether a link was there at one moment of the call, which no call of take had in its hands. Any thread.
  // seq_cst, both: pair with put and take (SUBMIT-3, SUBMIT-4).
  bool has_some() const noexcept {
    if (oldest_.load(platform::seq_cst) != nullptr) return true;
    const link* const top = newest_.load(platform::seq_cst);
    return top != nullptr && top != &closed_;
  }

  /// SUBMIT-6: no put succeeds after this returns; what was put in before can be taken. A second call does nothing.
  void close() noexcept {
    const holding<P> one(gate_);
    link* const top = newest_.exchange(&closed_, platform::seq_cst);  // seq_cst: as in take
    if (top == &closed_) return;
    link* const all = in_order(top);
    link* oldest = oldest_.load(platform::relaxed);  // relaxed: written under the gate
    if (oldest != nullptr) {
      link* last = oldest;
      while (last->next != nullptr) last = last->next;
      last->next = all;
    } else {
      oldest = all;
    }
    oldest_.store(oldest, platform::seq_cst);  // pairs with has_some
  }

  // seq_cst: pairs with close. A drain that ends counts down first, and then reads this (SUBMIT-6).
  bool closed() const noexcept { return newest_.load(platform::seq_cst) == &closed_; }

 private:
  // Under the gate: all that has been put in, oldest first.
  link* turned_round() noexcept {
    link* const top = newest_.load(platform::relaxed);  // relaxed: the exchange acquires
    if (top == nullptr || top == &closed_) return nullptr;
    return in_order(newest_.exchange(nullptr, platform::acquire));  // pairs with put; close() is under the gate, too
  }

  static link* in_order(link* newest) noexcept {
    link* oldest = nullptr;
    while (newest != nullptr) {
      link* const before = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = before;
    }
    return oldest;
  }

  alignas(platform::cache_line) typename P::template atomic<link*> newest_{nullptr};  // or &closed_
  alignas(platform::cache_line) typename P::template atomic<link*> oldest_{nullptr};  // of those taken from there
  spin_lock<P> gate_;
  link closed_{nullptr};
};

/// How many drains are under way, and how many of these search: they will read the injector before they end. Any thread.
template <class P>
class drain_count {
 public:
  /// Drains that may be under way at once.
  static constexpr std::uint32_t max = 0xffff;

  /// SUBMIT-3: whether the caller has to start a drain, which is counted already, and searches.
  /// \param most  drains that may be under way, 1 to max
  bool begin(std::uint32_t most) noexcept {
    std::uint32_t found = word_.load(platform::seq_cst);  // pairs with found_some and leave
    do {
      if (found >= searching || found == most) return false;
    } while (!word_.compare_exchange_weak(found, found + searching + 1, platform::seq_cst, platform::seq_cst));
    return true;
  }

  // seq_cst, all: each pairs with begin. A drain reads the injector after it (SUBMIT-4).
  void found_some() noexcept { word_.fetch_sub(searching, platform::seq_cst); }
  void search_again() noexcept { word_.fetch_add(searching, platform::seq_cst); }
  void leave() noexcept { word_.fetch_sub(searching + 1, platform::seq_cst); }

 private:
  static constexpr std::uint32_t searching = max + 1;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> word_{0};
};

/// SUBMIT-4: the whole life of a drain, which is counted, and searches. Any thread.
/// \param most    as for begin
/// \param take    takes some links, and says whether there were any
/// \param run     executes them
/// \param linger  waits a little, and says whether something has come
/// \param start   starts another drain, if begin says so
template <class P, class Take, class Run, class Linger, class Start>
void drain(injector<P>& from, drain_count<P>& drains, std::uint32_t most, Take take, Run run, Linger linger,
           Start start) {
  for (;;) {
    if (take()) {
      drains.found_some();
      if (from.has_some()) start();
      run();
      drains.search_again();
      continue;
    }
    if (linger()) continue;
    drains.leave();
    if (!from.has_some() || !drains.begin(most)) return;
  }
}

}  // namespace leat::inline LEAT_ABI::handshake
