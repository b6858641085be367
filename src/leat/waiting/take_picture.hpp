// How a picture of a runtime is taken, on any thread, while its workers go on.
//
// Page: docs/internals/deadlocks.md, rules DEADLOCK-11 to DEADLOCK-14.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/call_stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/waiting/picture.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// `Home` as in hang_report.hpp; also config() and runs().
template <class P, class Home>
class picture_taker {
 public:
  explicit picture_taker(Home& home) : home_(home) {}

  /// Throws std::bad_alloc. The caller keeps the scheduler from ending meanwhile.
  picture take() {
    taken_.runtime = home_.config().number;
    taken_.workers = home_.config().at_once();
    taken_.under_way = home_.under_way();
    taken_.one_run = taken_.under_way && home_.runs().of_callers() <= 1;
    taken_.roots_wait = home_.manager().roots_wait();
    taken_.now_ns = P::now_ns();
    for (std::uint32_t i = 0; i < home_.workers_started(); ++i) add_worker(i);
    add_listed();
    for (const pictured_worker& w : taken_.workers_at) add_sleep(w);
    return std::move(taken_);
  }

 private:
  // Of the executions on a stack. More than that are left out.
  struct stack_below {
    std::array<const void*, 64> targets;
    std::size_t size = 0;
    const void* run = nullptr;
    const void* worker = nullptr;  // that is asked
    bool add(const void* target) noexcept {
      targets[size] = target;
      return ++size != targets.size();
    }
  };

  // All of it hints.
  static worker_state state_of(const auto& w) noexcept {
    if (w.presence.blocked()) return worker_state::blocked;
    if (w.monitor.is_outside()) return worker_state::outside;
    if (w.monitor.is_in_task()) return worker_state::task;
    return w.requester.ownership().is_pooled() ? worker_state::idle : worker_state::runtime;
  }

  void add_worker(std::uint32_t id) {
    auto& w = home_.worker_at(id);
    pictured_worker& is = taken_.workers_at.emplace_back();
    is.id = id;
    is.thread = home_.config().name_of_thread(id);
    is.state = state_of(w);
    if constexpr (platform::shows_calls<P>) {
      if (is.state != worker_state::outside) look_at(w, is);
    }
  }

  // DEADLOCK-14: as monitor::interrupt. A thread that is about to leave waits meanwhile, so it lives.
  void look_at(auto& w, pictured_worker& is) {
    const bool present = w.presence.begin_interrupt();
    try {
      if (w.monitor.has_thread()) is.sleep = w.thread.sleep();
      // A call of the system that is no wait for memory might end early.
      const bool disturbed = is.sleep.sleeps && !is.sleep.for_lock;
      stack_below below;
      below.worker = &w;
      if (present && w.monitor.is_in_task() && !disturbed &&
          w.thread.note_calls(is.calls, note_below<decltype(w)>, &below)) {
        is.run = below.run;
        is.beneath.assign(below.targets.begin(), below.targets.begin() + static_cast<std::ptrdiff_t>(below.size));
      }
    } catch (...) {
      w.presence.end_interrupt();
      throw;
    }
    w.presence.end_interrupt();
  }

  // On the worker's own thread, in the handler. The thread may be another worker by now, or inside the runtime, where its
  // scopes and waits change.
  template <class Worker>
  static void note_below(void* into) noexcept {
    auto& below = *static_cast<stack_below*>(into);
    auto* const me = static_cast<std::remove_reference_t<Worker>*>(P::self());
    if (me != below.worker || !me->monitor.is_in_task()) return;
    below.run = me->runner.current_run();
    const execution* const innermost = me->ancestry.innermost();
    each_execution<P>(innermost, me->ancestry.open(), [&](const void* target) { return below.add(target); });
  }

  // No memory is allocated under the lock of the list, as all waits would stand still for that long. The list changes
  // meanwhile, so waits may be missing.
  void add_listed() {
    std::size_t listed = 0;
    home_.long_waits().each([&](const long_wait<P>&) { ++listed; });
    std::vector<stack_below> below(listed);
    taken_.waits.resize(listed);
    std::size_t n = 0;
    home_.long_waits().each([&](const long_wait<P>& w) {
      if (n == listed) return;
      pictured_wait& is = taken_.waits[n];
      is.worker = w.worker(), is.kind = w.about().kind, is.since_ns = w.since_ns();
      is.target = w.about().target != nullptr ? w.about().target : w.about().reported;
      is.run = w.run();
      if (w.calls() != nullptr) is.calls = *w.calls();
      w.each_beneath([&](const void* target) { return below[n].add(target); });
      ++n;
    });
    taken_.waits.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      taken_.waits[i].beneath.assign(below[i].targets.begin(),
                                     below[i].targets.begin() + static_cast<std::ptrdiff_t>(below[i].size));
  }

  // A thread that sleeps in a task waits as well, above all that is listed of its worker.
  void add_sleep(const pictured_worker& w) {
    const bool in_program = w.state == worker_state::task || w.state == worker_state::blocked;
    if (!in_program || !w.sleep.sleeps) return;
    if (w.sleep.holder == 0 && (w.state == worker_state::blocked || waits_abroad(w.id))) return;  // the list says more
    pictured_wait& is = taken_.waits.emplace_back();
    is.worker = w.id;
    is.kind = w.sleep.holder != 0 ? wait_kind::lock : wait_kind::system;
    is.holder = w.sleep.holder;
    is.run = w.run;
    is.beneath = w.beneath;
    is.calls = w.calls;
  }

  // Such a wait sleeps between its checks, and nothing is executed on top of it.
  bool waits_abroad(std::uint32_t worker) const {
    return std::ranges::any_of(taken_.waits, [worker](const pictured_wait& w) {
      return w.worker == worker && (w.kind == wait_kind::foreign_run || w.kind == wait_kind::foreign_future);
    });
  }

  Home& home_;
  picture taken_;
};

}  // namespace leat::inline LEAT_ABI::waiting
