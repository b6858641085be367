// Who goes next in a simulated world: the one with the least time, one drawn from a seed, or each one in turn.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "leat/platform/simulation/fibre.hpp"

namespace leat::platform {

/// Chooses among the fibres that can go on. A fibre that is among them goes on at its clock's time, not before.
class schedule {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  virtual ~schedule() = default;

  /// A world begins; nobody has been added.
  virtual void begin() {}
  virtual void add(fibre& f) = 0;
  virtual void remove(fibre& f) = 0;

  /// The one that goes next, which is taken out; `now`, which has done `what` and goes on or has been added, or null if it
  /// waits. Null if nobody can go on.
  virtual fibre* next(fibre* now, operation what) = 0;

  /// The time up to which the one that goes next need not ask again, whoever goes by its own time.
  virtual std::uint64_t horizon_ps() const noexcept = 0;

  /// Whether the signal that is there for `f` is taken now.
  virtual bool takes_signal(const fibre& f) = 0;
};

/// In virtual time: the least clock next, and the lower number of two that are even. O(log n).
class by_time final : public schedule {
 public:
  void add(fibre& f) override;
  void remove(fibre& f) override;
  fibre* next(fibre* now, operation what) override;
  std::uint64_t horizon_ps() const noexcept override { return heap_.empty() ? never : heap_.front()->clock_ps; }
  bool takes_signal(const fibre&) override { return true; }

 private:
  static bool before(const fibre& a, const fibre& b) noexcept {
    return a.clock_ps != b.clock_ps ? a.clock_ps < b.clock_ps : a.number < b.number;
  }
  void put(fibre& f, std::size_t place) noexcept {
    heap_[place] = &f;
    f.place = static_cast<std::uint32_t>(place);
  }
  void up(std::size_t place) noexcept;
  void down(std::size_t place) noexcept;

  std::vector<fibre*> heap_;
};

/// Where somebody else may come in between, and who: what the other schedules have in common. All clocks are one.
class by_choice : public schedule {
 public:
  void begin() override { time_ps_ = 0; }
  void add(fibre& f) override;
  void remove(fibre& f) override;
  fibre* next(fibre* now, operation what) override;
  std::uint64_t horizon_ps() const noexcept override { return 0; }

 protected:
  /// One of those that can go on; `now` is the first of them if it can. `gives_way`: it would rather not.
  virtual std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) = 0;

 private:
  std::vector<fibre*> ready_;
  std::vector<fibre*> due_;
  std::uint64_t time_ps_ = 0;
};

/// Drawn from a seed: at each step somebody else with a chance of 1/`rarity`, all equally likely.
class at_random final : public by_choice {
 public:
  at_random(std::uint64_t seed, std::uint32_t rarity) : state_(seed), rarity_(rarity) {}
  bool takes_signal(const fibre&) override { return below(8) == 0; }

 private:
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  std::uint32_t below(std::uint32_t end) noexcept;

  std::uint64_t state_;
  const std::uint32_t rarity_;
};

/// By priorities drawn from a seed, which change at `changes` steps: finds what needs that many preemptions with a known
/// probability (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010).
class by_priority final : public by_choice {
 public:
  /// `steps`: as many as the world is thought to make.
  by_priority(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps);
  bool takes_signal(const fibre&) override { return below(8) == 0; }

 private:
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  std::uint64_t& priority_of(const fibre& f);
  std::uint64_t below(std::uint64_t end) noexcept;

  std::uint64_t state_;
  std::uint64_t steps_ = 0;
  static constexpr std::uint64_t lowest_at_first = std::uint64_t{1} << 62;
  std::uint64_t lowest_ = lowest_at_first;
  std::vector<std::uint64_t> change_at_;
  std::vector<std::uint64_t> priorities_;
};

/// All schedules with at most `preemptions` of them, one after the other: a world is run again and again until advance() says
/// that it was the last one. A fibre that waits, ends or gives way is not preempted.
class exhaustive final : public by_choice {
 public:
  explicit exhaustive(std::uint32_t preemptions) : bound_(preemptions) {}
  void begin() override {
    by_choice::begin();
    at_ = 0;
    spent_ = 0;
  }
  bool takes_signal(const fibre& f) override;

  /// Prepares the next schedule. False if there is none.
  bool advance();

 private:
  struct choice {
    std::uint32_t taken;
    std::uint32_t of;
    bool costs;  // another one than the first is a preemption
  };
  std::size_t choose(const std::vector<fibre*>& due, const fibre* now, bool gives_way) override;
  std::uint32_t pick(std::uint32_t of, bool costs);

  const std::uint32_t bound_;
  std::uint32_t spent_ = 0;
  std::size_t at_ = 0;
  std::vector<choice> path_;
};

}  // namespace leat::platform
