// Memory for threads that are no workers: block caches, each with one thread at a time. Rule SUBMIT-5:
// docs/internals/submit.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "leat/memory/block_cache.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// A block cache for one thread at a time.
template <class P>
struct alignas(platform::cache_line) shelf {
  typename P::template atomic<std::uint32_t> taken{0};
  std::optional<memory::block_cache<P>> blocks;
};

/// Of one thread: the number of the shelf that it had last, plus one.
struct LEAT_SHARED last_shelf {
  std::uint32_t number;
};

/// All of one scheduler.
template <class P>
class shelves {
 public:
  static constexpr std::size_t count = 16;

  shelves() = default;
  shelves(const shelves&) = delete;
  shelves& operator=(const shelves&) = delete;

  /// A shelf that is the caller's until leave(); or null, with the same promise: all are taken, and the caller's blocks are its own.
  /// Any thread. Throws std::bad_alloc.
  /// \param owner  what the blocks belong to
  shelf<P>* take(const void* owner) {
    auto& last = P::template own<last_shelf>();
    // relaxed: a number, so that threads begin with different shelves
    if (last.number == 0) last.number = 1 + next_.fetch_add(1, platform::relaxed) % count;
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t at = (last.number - 1 + i) % count;
      shelf<P>& s = all_[at];
      // relaxed: a hint. acquire: pairs with leave.
      if (s.taken.load(platform::relaxed) != 0 || s.taken.exchange(1, platform::acquire) != 0) continue;
      last.number = static_cast<std::uint32_t>(at + 1);
      try {
        if (!s.blocks) s.blocks.emplace(owner);
      } catch (...) {
        leave(&s);
        throw;
      }
      return &s;
    }
    without_.fetch_add(1, platform::acquire);  // pairs with await_all
    return nullptr;
  }

  // release, both: pair with await_all; the caller has done with the scheduler.
  void leave(shelf<P>* mine) noexcept {
    if (mine != nullptr) mine->taken.store(0, platform::release);
    else without_.fetch_sub(1, platform::release);
  }

  /// Returns when no thread is between take and leave. Threads may come and go meanwhile; none with something left to do.
  void await_all() const noexcept {
    const auto await = [](const auto& word) {
      while (word.load(platform::acquire) != 0) P::yield();  // acquire: pairs with leave
    };
    for (const shelf<P>& s : all_) await(s.taken);
    await(without_);
  }

 private:
  std::array<shelf<P>, count> all_;
  typename P::template atomic<std::uint32_t> next_{0};
  typename P::template atomic<std::uint32_t> without_{0};  // threads that found all taken
};

}  // namespace leat::inline LEAT_ABI::scheduler
