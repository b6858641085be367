// The report of a hang: which worker waits in which construct, and since when.
//
// Page: docs/internals/deadlocks.md, rules DEADLOCK-7 and DEADLOCK-8. It has a thread of its own, which exists only if
// settings::hang_report_ns is set, and sleeps between its checks. It reads hints that workers publish anyway, so
// workers pay nothing for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/events/counters.hpp"
#include "leat/platform/order.hpp"
#include "leat/waiting/report.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// `Home` is the scheduler: under_way() tells whether there is a run, manager().roots_wait() whether a root waits;
/// worker_at(i) is a worker, of those below workers_started(), with its presence, monitor, requester and counts;
/// long_waits() is the list.
template <class P, class Home>
class hang_report {
 public:
  /// \param after_ns  how long nothing is executed before that is told; 0: it is never told
  /// \param tell      what is called with the text, on the reporting thread
  hang_report(Home& home, std::uint64_t after_ns, std::function<void(const std::string&)> tell)
      : home_(home), after_ns_(after_ns), tell_(std::move(tell)) {}
  hang_report(const hang_report&) = delete;
  hang_report& operator=(const hang_report&) = delete;

  bool on() const noexcept { return after_ns_ != 0; }

  /// Begins to check, when the workers exist, on a thread of that name. Throws std::system_error if no thread can be started.
  void start(const std::string& name) {
    if (!on()) return;
    thread_ = std::make_unique<typename P::thread>([this, name] {
      P::name_thread(name.c_str());
      main();
    });
  }

  /// Ends that, before the workers end.
  void stop() noexcept {
    if (!thread_) return;
    ended_.store(1, platform::relaxed);  // relaxed: nothing is read because of it
    P::wake_all(ended_);
    thread_->join();
    thread_.reset();
  }

  /// In a forked child, where the thread does not exist.
  void abandon() noexcept { static_cast<void>(thread_.release()); }

 private:
  static constexpr std::uint64_t checks = 8;  // in that time

  // A hang is told once: `same` stops at `checks`, and begins anew when anything has changed.
  void main() {
    std::optional<std::uint64_t> last;
    std::uint64_t since = 0, same = 0;  // checks that found the same
    while (ended_.load(platform::relaxed) == 0) {  // relaxed: as in stop
      P::wait_for(ended_, 0, after_ns_ / checks);
      const std::uint64_t now = P::now_ns();
      try {
        const std::optional<std::uint64_t> found = standing_still();
        if (!found || found != last) {
          last = found, since = now, same = 0;
        } else if (same < checks && ++same >= checks) {
          // So many checks and so much time: a check may come early, or late.
          if (now - since < after_ns_) same = checks - 1;
          else tell_(report_of_hang(after_ns_ / 1'000'000'000, waits_now()));
        }
      } catch (const std::bad_alloc&) {
        last.reset();  // without memory nothing is told
      }
    }
  }

  // DEADLOCK-7: a number that changes with all that is executed, if no worker executes anything at this moment though a
  // run is under way.
  std::optional<std::uint64_t> standing_still() {
    if (!home_.under_way()) return std::nullopt;
    enum class state : std::uint8_t { none, waits, waits_abroad };
    std::vector<state> listed(home_.workers_started(), state::none);
    bool any_abroad = false;
    home_.long_waits().each([&](const long_wait<P>& w) {
      if (!w.worker() || *w.worker() >= listed.size()) return;
      auto& of = listed[*w.worker()];
      of = std::max(of, is_abroad(w) ? state::waits_abroad : state::waits);
      any_abroad = any_abroad || is_abroad(w);
    });
    if (any_abroad && !home_.manager().roots_wait()) return std::nullopt;
    std::uint64_t executed = 0;
    for (std::uint32_t i = 0; i < listed.size(); ++i) {
      // Hints; what is wrong in one check is right in another.
      const auto& w = home_.worker_at(i);
      const bool executes = w.monitor.is_in_task() && !w.presence.blocked() && listed[i] != state::waits_abroad;
      if (executes || (listed[i] == state::none && !does_nothing(w))) return std::nullopt;
      executed += w.counts.read()[event::tasks];
    }
    return executed + home_.long_waits().changes() + 1;
  }

  // A worker without a listed wait.
  static bool does_nothing(const auto& w) noexcept {
    return w.presence.blocked() || w.requester.ownership().is_pooled() || w.monitor.is_outside();
  }

  // DEADLOCK-10.
  static bool is_abroad(const long_wait<P>& w) noexcept {
    return w.about().kind == wait_kind::foreign_run || w.about().kind == wait_kind::foreign_future;
  }

  // DEADLOCK-8: a line for each wait, and for each worker that has none. The list changes meanwhile, so waits may be
  // missing or over; no memory is allocated under its lock, as all waits would stand still for that long.
  std::vector<reported_wait> waits_now() {
    const std::uint64_t now = P::now_ns();
    std::vector<reported_wait> all;
    std::vector<const void*> targets;
    std::vector<bool> waits(home_.workers_started());
    // Room for all, as nothing is to be allocated under the lock.
    std::size_t listed = 0;
    home_.long_waits().each([&](const long_wait<P>&) { ++listed; });
    all.reserve(listed);
    targets.reserve(listed);
    home_.long_waits().each([&](const long_wait<P>& w) {
      if (all.size() == listed) return;
      const std::uint64_t lasted = now > w.since_ns() ? now - w.since_ns() : 0;  // it may have begun after `now`
      reported_wait line{std::nullopt, w.about().kind, static_cast<double>(lasted) * 1e-9, std::nullopt};
      if (w.worker()) {
        line.worker = w.worker();
        if (*w.worker() < waits.size()) waits[*w.worker()] = true;
      }
      all.push_back(line);
      targets.push_back(w.about().target);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint32_t steps = 0;
      home_.long_waits().each([&](const long_wait<P>& w) {
        if (targets[i] != nullptr && w.lies_above(targets[i], steps)) all[i].executed_by = w.worker();
      });
    }
    for (std::uint32_t i = 0; i < waits.size(); ++i) {
      if (!waits[i] && !home_.worker_at(i).monitor.is_outside()) all.push_back({i, std::nullopt, 0, std::nullopt});
    }
    return all;
  }

  Home& home_;
  const std::uint64_t after_ns_;
  const std::function<void(const std::string&)> tell_;
  std::unique_ptr<typename P::thread> thread_;
  typename P::template atomic<std::uint32_t> ended_{0};
};

}  // namespace leat::inline LEAT_ABI::waiting
