// Sums of work, span and burdened span.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/strands/list.hpp"
#include "leat/strands/site.hpp"

namespace leat::inline LEAT_ABI::strands {

/// The assumed cost of a steal in nanoseconds: from the thief's request to the first instruction of the stolen work, with that of
/// the join. A stated figure, the same on each machine. Burdened spans add it wherever work could be stolen.
inline constexpr std::uint64_t steal_ns = 2000;

/// When code would get to a point with an unlimited number of workers (SPAN-2): in nanoseconds since the program began, as if its
/// runs came one after the other. `burdened`: with the cost of steals.
struct instant {
  std::uint64_t ns = 0;
  std::uint64_t burdened = 0;

  void at_least(const instant& o) noexcept {
    ns = std::max(ns, o.ns);
    burdened = std::max(burdened, o.burdened);
  }
  /// The beginning of work that another worker may steal here.
  instant stolen() const noexcept { return {ns, burdened + steal_ns}; }
};

/// Sums over calls.
struct taken {
  std::uint64_t work = 0;
  std::uint64_t span = 0;
  std::uint64_t burdened = 0;
  std::uint64_t calls = 0;
};

/// Adds to a word that only the calling thread writes. relaxed: it is read when the thread is done.
template <class Word>
void add_own(Word& word, std::uint64_t n) noexcept {
  word.store(word.load(platform::relaxed) + n, platform::relaxed);
}
template <class Word>
void raise_own(Word& word, std::uint64_t n) noexcept {
  if (word.load(platform::relaxed) < n) word.store(n, platform::relaxed);
}
/// The same for a word that several threads write.
template <class Word>
void raise(Word& word, std::uint64_t n) noexcept {
  std::uint64_t old = word.load(platform::relaxed);  // relaxed, all: the reader has waited for the writers
  while (old < n && !word.compare_exchange_weak(old, n, platform::relaxed, platform::relaxed)) {
  }
}

/// The sums of one thread. It stays when the thread has ended. Other threads read it.
template <class P>
class account {
 public:
  using word = typename P::template atomic<std::uint64_t>;

  /// The most call sites with sums; later ones have none.
  static constexpr std::uint32_t sites_max = 4096;

  account() = default;
  account(const account&) = delete;
  account& operator=(const account&) = delete;

  void strand() noexcept { add_own(strands_, 1); }
  void work(std::uint64_t ns) noexcept { add_own(work_, ns); }
  void ended(const instant& at) noexcept {
    raise_own(latest_, at.ns);
    raise_own(latest_burdened_, at.burdened);
  }
  void call(const site<P>& at, const taken& t) {
    row* const of = row_of(at.number);
    if (of == nullptr) return;
    add_own((*of)[0], t.work);
    add_own((*of)[1], t.span);
    add_own((*of)[2], t.burdened);
    add_own((*of)[3], t.calls);
  }

  /// Adds the sums of the call site to `t`.
  void add_to(taken& t, const site<P>& at) const noexcept {
    if (at.number >= sites_max) return;
    const page* const p = pages_[at.number / page_rows].load(platform::acquire);  // acquire: pairs with row_of
    if (p == nullptr) return;
    const row& of = (*p)[at.number % page_rows];
    // relaxed: a thread that still runs may add to them
    t.work += of[0].load(platform::relaxed);
    t.span += of[1].load(platform::relaxed);
    t.burdened += of[2].load(platform::relaxed);
    t.calls += of[3].load(platform::relaxed);
  }
  void add_to(taken& t) const noexcept {
    t.work += work_.load(platform::relaxed);
    t.calls += strands_.load(platform::relaxed);
  }
  instant latest() const noexcept {
    return {latest_.load(platform::relaxed), latest_burdened_.load(platform::relaxed)};
  }

  account* next = nullptr;

 private:
  static constexpr std::uint32_t page_rows = 64;
  using row = std::array<word, 4>;
  using page = std::array<row, page_rows>;

  row* row_of(std::uint32_t number) {
    if (number >= sites_max) return nullptr;
    auto& place = pages_[number / page_rows];
    page* p = place.load(platform::relaxed);  // relaxed: only this thread stores it
    if (p == nullptr) {
      p = new page();
      place.store(p, platform::release);  // pairs with add_to
    }
    return &(*p)[number % page_rows];
  }

  word strands_{0};
  word work_{0};
  word latest_{0};
  word latest_burdened_{0};
  std::array<typename P::template atomic<page*>, sites_max / page_rows> pages_{};
};

/// The accounts of all threads.
template <class P>
class accounts {
 public:
  static account<P>& open() {
    auto* const made = new account<P>();
    all_.add(made);
    return *made;
  }
  /// From now on there are none.
  static void begin_anew() noexcept { all_.forget(); }

  template <class F>
  static void each(F f) {
    for (account<P>* a = all_.first(); a != nullptr; a = a->next) f(*a);
  }
  /// The latest instant at which anything has ended.
  static instant latest() {
    instant all;
    each([&all](const account<P>& a) { all.at_least(a.latest()); });
    return all;
  }

 private:
  static inline constinit list<P, account<P>> all_{};
};

}  // namespace leat::inline LEAT_ABI::strands
