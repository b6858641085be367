// A sitting: spells of operations, one after another, until the time is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "ledger.hpp"
#include "operations.hpp"
#include "resources.hpp"

namespace soak {

struct sitting_options {
  double seconds = 10;
  std::uint64_t workers = 2;
  std::uint64_t seed = 1;
  std::uint64_t first_spell = 0;  ///< spells before it are left out
  mix kinds;
};

/// Everything of a sitting is drawn from its seed: which spells there are, which options their runtimes have, which operations
/// their threads begin. The schedule is not, and the time decides which spell is the last.
///
/// In a spell 1 to 4 threads of the program begin operations, on a runtime that lives as long as the sitting and on one that lives
/// as long as the spell. Between spells nothing is under way: the ledger has to balance then, descriptors have to be as many as at
/// the beginning, and threads no more than the lasting runtime's workers and spares. The first spell performs each kind.
class sitting {
 public:
  explicit sitting(sitting_options o);

  /// Executes it. Fails (see ledger.hpp) if anything is not as it must be; returns when all has ended.
  void sit();

  /// When it has ended: fails if memory has grown, or if a kind of operations was left out.
  void judge() const;

  const sitting_options& options() const { return options_; }
  const ledger& book() const { return book_; }
  const samples& held() const { return held_; }
  std::uint64_t spells() const { return spells_.load(std::memory_order_relaxed); }
  std::uint64_t runtimes() const { return runtimes_; }
  /// How long it took.
  double seconds() const { return seconds_; }

  /// What the process held at the beginning, once it had made and destroyed a first runtime.
  const resources& before() const { return before_; }

 private:
  void spell(std::uint64_t number, leat::runtime& lasting);
  void check_held(std::uint64_t threads_max);
  double elapsed() const;

  const sitting_options options_;
  ledger book_;
  samples held_;
  resources before_;
  std::atomic<std::uint64_t> spells_{0};
  std::uint64_t runtimes_ = 0;
  double seconds_ = 0;
  const double begun_;
};

}  // namespace soak
