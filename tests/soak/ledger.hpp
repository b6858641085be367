// The ledger: what was begun, what has ended, and what it came to.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>

#include "kinds.hpp"
#include "leat/counters.hpp"

namespace soak {

/// Numbers of one kind.
struct entry {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
  std::uint64_t parts = 0;
};

/// Every operation is written down when it begins and when it ends. All members may be called by any thread; what they give is
/// exact while no operation is under way.
class ledger {
 public:
  void begin(kind k) { cell(k).begun.fetch_add(1, std::memory_order_relaxed); }
  void end(kind k) { cell(k).ended.fetch_add(1, std::memory_order_relaxed); }

  /// `n` parts of an operation of this kind were executed and were right.
  void parts(kind k, std::uint64_t n) { cell(k).parts.fetch_add(n, std::memory_order_relaxed); }

  /// What the workers of a runtime that is about to end have counted.
  void add(const leat::counters& c);

  entry operator[](kind k) const;
  leat::counters events() const;

  /// Operations of all kinds that have ended.
  std::uint64_t ended() const;

  /// The first kind of which not all that was begun has ended, in words; empty if there is none.
  std::string imbalance() const;

 private:
  struct cells {
    std::atomic<std::uint64_t> begun{0}, ended{0}, parts{0};
  };
  // One row for so many threads in turn: relaxed additions suffice, as nobody reads a sum before the threads are joined.
  static constexpr std::size_t rows = 32;
  struct alignas(64) row {
    std::array<cells, kind_count> kinds;
  };
  cells& cell(kind k) { return rows_[own_row()].kinds[index_of(k)]; }
  static std::size_t own_row();

  std::array<row, rows> rows_;
  mutable std::mutex gate_;
  leat::counters events_;
};

/// Says on the standard error what is wrong, with the place in this program and where the sitting is (see set_place), and ends the
/// process with status 1 at once. Any thread.
[[noreturn]] void fail(std::string_view what, const std::source_location& where = std::source_location::current());

/// Fails unless both are equal.
void expect(std::uint64_t got, std::uint64_t wanted, std::string_view what,
            const std::source_location& where = std::source_location::current());

/// What `fail` says of the place: how to begin the sitting again there. Called while no operation is under way.
void set_place(std::string place);

}  // namespace soak
