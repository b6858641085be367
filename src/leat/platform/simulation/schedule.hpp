// Who goes next in a simulated world: the one with the least time, one drawn from a seed, or each one in turn.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "leat/platform/simulation/fibre.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Chooses among the fibres that can go on. A fibre that is among them goes on at its clock's time, not before.
///
/// It reads numbers and clocks, changes places, and moves clocks forward; no other field is its own. The world takes
/// the fibre that runs out of it by `next`, and puts it back by handing it to the next call; a fibre that sleeps for a
/// time puts itself back. It may allocate, from the host's memory: a world calls it with its own heap switched off. Thread safety: none.
class schedule {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  virtual ~schedule() = default;

  /// A world begins; no fibre has been added.
  virtual void begin() {}
  /// `f` can go on at its clock's time, which does not change until it is removed or chosen.
  virtual void add(fibre& f) = 0;
  /// `f` has been added, and not been chosen since.
  virtual void remove(fibre& f) = 0;

  /// The one that goes next, which is taken out; `now`, which has done `what` and goes on or has been added, or null if it
  /// waits. Null if no fibre can go on.
  virtual fibre* next(fibre* now, operation what) = 0;

  /// The time up to which the one that goes next need not ask again, in a schedule that goes by time.
  // It may be too early, which costs a call in vain, but not too late: a fibre with an earlier clock would be passed
  // over. The world asks again whenever it has added a fibre; a removal only moves the true one away.
  virtual std::uint64_t horizon_ps() const noexcept = 0;

  /// Whether a fibre that spins may be left out until it would find something new.
  virtual bool leaves_out_idlers() const noexcept { return false; }

  /// Whether the signal that is there for `f` is taken now.
  virtual bool takes_signal(const fibre& f) = 0;
};

/// In virtual time: the least clock next, and the lower number of two that are even. O(log n).
///
/// A heap. The place of each fibre in it is known, so that one that is woken before its time is found without a
/// search.
class by_time final : public schedule {
 public:
  void add(fibre& f) override;
  void remove(fibre& f) override;
  fibre* next(fibre* now, operation what) override;
  std::uint64_t horizon_ps() const noexcept override { return heap_.empty() ? never : heap_.front().clock_ps; }
  bool leaves_out_idlers() const noexcept override { return true; }
  bool takes_signal(const fibre&) override { return true; }

 private:
  // A fibre that waits for its turn: its clock, which stays as it is meanwhile, and its number. Nothing in the heap is a
  // pointer to follow, nor is a fibre written when it moves: the fibres of a large world do not fit into a cache.
  struct entry {
    std::uint64_t clock_ps;
    std::uint32_t number;
  };
  struct known {
    fibre* f = nullptr;
    std::uint32_t place = 0;  // in the heap
  };
  static constexpr std::size_t children =
      4;  // of an entry: half as many levels as with two, and four have 64 bytes together

  static entry entry_of(const fibre& f) noexcept { return {f.clock_ps, f.number}; }
  // Without a branch, which would be predicted wrongly every other time.
  static bool before(const entry& a, const entry& b) noexcept {
    return (a.clock_ps < b.clock_ps) | ((a.clock_ps == b.clock_ps) & (a.number < b.number));
  }
  void put(const entry& e, std::size_t place) noexcept {
    heap_[place] = e;
    known_[e.number].place = static_cast<std::uint32_t>(place);
  }
  std::size_t first_below(std::size_t place) const noexcept;
  void up(std::size_t place) noexcept;
  void down(std::size_t place) noexcept;

  std::vector<entry> heap_;
  std::vector<known> known_;  // by number
};

/// A choice that was not the usual one: thread `thread` would have gone on at its turn number `turn`, or, where it waits or gives
/// way, the next one by number; but `to` went. Or it did not take the signal that was there for it.
struct preemption {
  static constexpr std::uint32_t refuses_signal = ~std::uint32_t{0};
  std::uint32_t thread;
  std::uint64_t turn;  ///< it has one after each of its steps, and one for each time that it might take a signal
  std::uint32_t to;
  friend bool operator==(const preemption&, const preemption&) = default;
};

/// Where another fibre may come in between, and which: what the other schedules have in common. All clocks are one.
///
/// A step takes a list of the fibres whose time has come, O(n), so these schedules are for few threads. The horizon
/// is 0: every step of every fibre asks.
class by_choice : public schedule {
 public:
  void begin() override;
  void add(fibre& f) override;
  void remove(fibre& f) override;
  fibre* next(fibre* now, operation what) override;
  std::uint64_t horizon_ps() const noexcept override { return 0; }
  bool takes_signal(const fibre& f) final;

  /// From now on each world leaves its preemptions there; `replayed` makes the same world of them.
  void record(std::vector<preemption>& to) noexcept { recorded_ = &to; }

 protected:
  /// One of those that can go on; `now` is the first of them if it can. `gives_way`: it would rather not.
  // Called only where there is a choice, with two or more that are due. So what a subclass counts are choices, and
  // not steps.
  virtual std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) = 0;
  virtual bool takes(const fibre& f) = 0;

  /// The choice that is no preemption.
  std::size_t usual(const std::vector<fibre*>& due, const fibre* now, bool gives_way) const noexcept;

  /// Whose turn it was, and which of its turns.
  std::uint32_t last() const noexcept { return last_; }
  std::uint64_t turn_of(std::uint32_t thread) const noexcept { return thread < turns_.size() ? turns_[thread] : 0; }

 private:
  void find_due(fibre* now);

  std::vector<fibre*> ready_;
  std::vector<fibre*> due_;
  // The time that all have reached. It never goes back within a world; a fibre that is chosen is brought up to it.
  std::uint64_t time_ps_ = 0;
  std::uint32_t last_ = 0;
  // By fibre. Counted for each step and each question about a signal, whether or not there was a choice: so the turns of a fibre mean the same when a
  // world is run again with fewer preemptions.
  std::vector<std::uint64_t> turns_;
  std::vector<preemption>* recorded_ = nullptr;
};

/// The usual choice everywhere but for these preemptions, as far as the threads that they name can go on then.
/// A preemption that finds another world than it was recorded in is passed over. So a failing world may be made
/// smaller by leaving out some of its preemptions, as long as it still fails.
class replayed final : public by_choice {
 public:
  explicit replayed(std::vector<preemption> preemptions);

 private:
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  bool takes(const fibre& f) override;

  std::vector<preemption> preemptions_;  // by thread and turn
};

/// Drawn from a seed: at each step another fibre with a chance of 1/`rarity`, all equally likely.
class at_random final : public by_choice {
 public:
  at_random(std::uint64_t seed, std::uint32_t rarity) : state_(seed), rarity_(rarity) {}

 private:
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  bool takes(const fibre&) override { return below(8) == 0; }
  std::uint32_t below(std::uint32_t end) noexcept;

  std::uint64_t state_;
  const std::uint32_t rarity_;
};

/// By priorities drawn from a seed, which change at `changes` steps: finds what needs that many preemptions with a known
/// probability (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010).
///
/// In the paper, with n threads, k steps and a fault that needs d changes beside the order of the threads, a world
/// shows it with a probability of at least 1 / (n k^d). Threads that spin give way, and are put last: else one that
/// waits for another would keep it from running.
class by_priority final : public by_choice {
 public:
  /// `steps`: as many as the world is thought to make.
  by_priority(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps);

 private:
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  bool takes(const fibre&) override { return below(8) == 0; }
  std::uint64_t& priority_of(const fibre& f);
  std::uint64_t below(std::uint64_t end) noexcept;

  std::uint64_t state_;
  std::uint64_t steps_ = 0;
  static constexpr std::uint64_t lowest_at_first = std::uint64_t{1} << 62;
  // Priorities that are drawn lie above this, and each that is given later lies below all others: so the order in
  // which threads were put last is kept.
  std::uint64_t lowest_ = lowest_at_first;
  std::vector<std::uint64_t> change_at_;
  std::vector<std::uint64_t> priorities_;
};

/// All schedules with at most `preemptions` of them, one after the other: a world is run again and again until advance() says
/// that it was the last one. A fibre that waits, ends or gives way is not preempted.
///
/// A depth-first search over choices. `path_` has the choices of the world that is running; the next world makes the
/// same ones but for the last that has another possibility left. That finds all only if a world does the same when it
/// is given the same choices: it must draw nothing, and read no clock but its own. The number of worlds grows at
/// least with the steps to the power of `preemptions`.
class exhaustive final : public by_choice {
 public:
  explicit exhaustive(std::uint32_t preemptions) : bound_(preemptions) {}
  void begin() override {
    by_choice::begin();
    at_ = 0;
    spent_ = 0;
  }

  /// Prepares the next schedule. False if there is none.
  bool advance();

 private:
  /// One of `of` was possible, and number `taken` was taken.
  struct choice {
    std::uint32_t taken;
    std::uint32_t of;
    bool costs;  // another one than the first is a preemption
  };
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  bool takes(const fibre&) override { return pick(2, false) == 0; }
  std::uint32_t pick(std::uint32_t of, bool costs);

  const std::uint32_t bound_;
  std::uint32_t spent_ = 0;
  std::size_t at_ = 0;
  std::vector<choice> path_;
};

}  // namespace leat::inline LEAT_ABI::platform
