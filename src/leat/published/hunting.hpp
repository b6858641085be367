// A processor that steals from the deques of others: what LCWS and work stealing have in common (LCWS, Listing 1).
//
// It takes its own newest task first. With none left it takes the oldest public task of another processor, chosen at random,
// again and again. A wait executes whatever it finds in the same way, so it may run a task that has nothing to do with what it
// waits for.
#pragma once

#include <cstdint>

#include "leat/deque/fork_stack.hpp"
#include "leat/protocol/random.hpp"
#include "leat/published/turns.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
class hunting : public work::processor<P> {
 public:
  using worker = scheduler::worker<P>;
  using typename work::processor<P>::slot;
  using typename work::processor<P>::forks;
  using typename work::processor<P>::wanted_task;

  /// `takes_half`: a thief takes up to half of the public tasks that it sees, one after the other (Prell and Rauber, Figure 3).
  hunting(worker& me, turns<P>& all, protocol::worker_id id, std::uint64_t seed, bool takes_half = false)
      : me_(me), all_(all), id_(id), takes_half_(takes_half), random_(seed + id) {}

  void attached() override { attached_.store(1, platform::release); }  // pairs with take_from
  void main() override;
  void work_until(work::asked<> ready, work::asked<> begins_task, bool runs) override;
  void barrier() override;
  void block_begins() override { all_.block_begins(); }
  void block_ends() override { all_.block_ends(); }
  void comes_back() override { me_.stack().tls_forks.signal(); }

 protected:
  /// The worker is about to hunt in a wait. What forks it has, thieves should find.
  virtual void open_forks() noexcept {}
  /// It is about to wait without executing anything: all that it has.
  virtual void open_all() noexcept {}
  /// A thief has found nothing public here; `urgent` now and then. Called by that thief's thread. Returns whether it has sent this
  /// worker a signal.
  virtual bool found_private(bool urgent) = 0;
  /// A thief has taken something that was public here. Called by that thief's thread.
  virtual void taken_from() = 0;
  /// Workers that have nothing to execute. An estimate: thieves are counted out between their attempts alone.
  std::size_t idle_others() const noexcept {
    const std::size_t active = all_.active();
    return active < me_.workers() ? me_.workers() - active : 0;
  }

  worker& me_;

 private:
  enum class as : std::uint8_t { active, idle };

  bool rests() const noexcept;
  void work_off(work::record& stolen);
  void execute_root(work::run<P>& r);
  void hunt_until_all_idle();
  void rest_until(work::asked<> ready);
  template <class Over>
  bool hunt(as how, work::record& stolen, Over over);
  bool attempt(as how, hunting& victim, work::record& stolen);
  bool take_from(hunting& victim, work::record& stolen);
  void take_more(hunting& victim);
  static hunting& of(worker& w) noexcept { return static_cast<hunting&>(*w.published); }

  turns<P>& all_;
  const protocol::worker_id id_;
  const bool takes_half_;
  static constexpr std::uint32_t tries_until_urgent = 1024;

  std::uint32_t tries_ = 0;
  protocol::random random_;
  typename P::template atomic<std::uint32_t> attached_{0};
};

}  // namespace leat::inline LEAT_ABI::published
