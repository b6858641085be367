// Low-cost work stealing (LCWS): a deque whose newest tasks are its owner's alone, and whose owner makes the oldest public when
// a thief wants one. docs/guide/lcws.md sets these lines beside the paper's Listings 1 to 3.
//
// Rules, cited in the code:
//  LCWS-1  `targeted_` says whether a thief wants tasks. A thief that finds only private ones sets it, and then tells the
//      victim: in lcws-user it raises the victim's limits, so that the next pop, push or join polls; in the others it sends a
//      signal. While the word is set no other thief tells the victim.
//  LCWS-2  The victim exposes tasks in its poll, or in the handler of the signal. lcws-user clears the word there. In the others it
//      is cleared when a task leaves the public part, when a poll finds nothing to expose, and when the deque runs out or
//      moves. Why: what is public already serves the next thief.
//  LCWS-3  A handler that comes while the thread is inside the runtime clears the word: a thief tells anew when the worker is in a
//      task. One that finds nothing to expose raises the worker's own limits, so that the next push, pop or join polls. After
//      many failed attempts a thief raises the limits, in case a signal was lost.
//  LCWS-4  What is public stays so until a thief takes it, or the owner, which takes its newest public task back when it has no
//      private one. (Its deque is closed to move to other memory, as no thief may read the old one meanwhile.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/protocol/published.hpp"
#include "leat/published/hunting.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
class lcws final : public hunting<P> {
 public:
  using typename hunting<P>::worker;
  using typename hunting<P>::slot;
  using typename hunting<P>::forks;
  using typename hunting<P>::wanted_task;

  lcws(worker& me, turns<P>& all, protocol::worker_id id, std::uint64_t seed, protocol::published which)
      : hunting<P>(me, all, id, seed), which_(which) {}

  void pushed() override { poll(); }
  void poll() override;
  work::record* next(wanted_task wanted) override;
  bool keeps(forks& of, slot* s) override;

  void interrupted(bool in_task) noexcept override;
  void tasks_move() override;
  void block_begins() override;
  bool has_tasks() override;
  void comes_back() override {
    hunting<P>::comes_back();
    forget();  // a signal may have been lost
  }
  // relaxed: a hint
  std::size_t unserved() override { return targeted_.load(platform::relaxed) == notice::given ? 1 : 0; }

 private:
  // LCWS-1. `vain`: the victim was told, and had nothing.
  enum class notice : std::uint32_t { none, given, vain };

  bool found_private(bool urgent) override;
  void taken_from() override;
  std::size_t seen_private_forks() noexcept;
  bool update_public_bottom() noexcept;
  void open_forks() noexcept override;
  void open_all() noexcept override;
  void forget() noexcept { targeted_.store(notice::none, platform::relaxed); }  // relaxed: a hint

  const protocol::published which_;
  alignas(platform::cache_line) typename P::template atomic<notice> targeted_{notice::none};
};

}  // namespace leat::inline LEAT_ABI::published
