// The report of a hang: which worker waits in which construct, and since when.
//
// Page: docs/internals/deadlocks.md, rules DEADLOCK-7, DEADLOCK-8 and DEADLOCK-11 to DEADLOCK-14. It has a thread of its
// own, which exists only if hang_settings::report_ns is set, and sleeps between its checks. It reads hints that workers
// publish anyway, so workers pay nothing for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/events/counters.hpp"
#include "leat/platform/call_stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/waiting/broken_circle.hpp"
#include "leat/waiting/picture.hpp"
#include "leat/waiting/report.hpp"
#include "leat/waiting/take_picture.hpp"
#include "leat/waiting/wait.hpp"
#include "leat/waiting/wait_list.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// `Home` is the scheduler: under_way() tells whether there is a run, manager().roots_wait() whether a root waits;
/// worker_at(i) is a worker, of those below workers_started(), with its presence, monitor, requester and counts;
/// long_waits() is the list.
template <class P, class Home>
class hang_report {
 public:
  /// \param after_ns  how long nothing is executed before that is told; 0: it is never told; or report_on_request
  /// \param tell      what is called with the text, on the reporting thread; of a circle, on the thread that found it
  /// \param describe  makes the text of all runtimes; empty: this one alone is described
  hang_report(Home& home, std::uint64_t after_ns, std::function<void(const std::string&)> tell,
              std::function<std::string()> describe)
      : home_(home), after_ns_(after_ns), tell_(std::move(tell)), describe_(std::move(describe)) {}
  hang_report(const hang_report&) = delete;
  hang_report& operator=(const hang_report&) = delete;

  /// Whether waits are noted for reports.
  bool on() const noexcept { return after_ns_ != 0; }

  /// DEADLOCK-11, DEADLOCK-12: lists a wait, of the calling thread, where reports are on. If that breaks a circle it is told.
  /// \param run  in which it waits, or null
  [[gnu::noinline, gnu::cold]] void list(long_wait<P>& w, const void* run) noexcept {
    w.note_for_report(run);
    broken_circle broken;
    home_.long_waits().enter(w, &broken);
    if (broken.size == 0) return;
    try {
      tell_(describe(broken, P::now_ns()));
    } catch (...) {  // without memory nothing is told
    }
  }

  /// Begins to check, when the workers exist, on a thread of that name. Throws std::system_error if no thread can be started.
  void start(const std::string& name) {
    if (!on() || after_ns_ == report_on_request) return;
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

  // A hang is told once, until anything has changed: a thread that sleeps for a lock may wake for a moment, for an interrupt.
  void main() {
    std::optional<std::uint64_t> last, told;
    std::uint64_t since = 0, same = 0;  // checks that found the same
    while (ended_.load(platform::relaxed) == 0) {  // relaxed: as in stop
      P::wait_for(ended_, 0, after_ns_ / checks);
      const std::uint64_t now = P::now_ns();
      try {
        const std::optional<std::uint64_t> found = standing_still();
        if (!found || found != last) {
          last = found, since = now, same = 0;
        } else if (found != told && ++same >= checks && now - since >= after_ns_) {
          // So many checks and so much time: a check may come early, or late.
          told = found;
          tell_(headline_of_hang(after_ns_ / 1'000'000'000) + description());
        }
      } catch (const std::exception&) {
        last.reset();  // without memory, or if the system refuses something, nothing is told
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
      auto& w = home_.worker_at(i);
      const bool in_task = w.monitor.is_in_task() && !w.presence.blocked() && listed[i] != state::waits_abroad;
      if (in_task ? !sleeps_for_lock(w) : (listed[i] == state::none && !does_nothing(w))) return std::nullopt;
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

  // DEADLOCK-14: its thread sleeps for a word of memory, in a task.
  static bool sleeps_for_lock(auto& w) {
    if constexpr (platform::shows_calls<P>) {
      static_cast<void>(w.presence.begin_interrupt());  // the thread lives meanwhile, as in picture_taker
      bool sleeps = false;
      try {
        sleeps = w.monitor.has_thread() && w.thread.sleep().for_lock;
      } catch (...) {
        w.presence.end_interrupt();
        throw;
      }
      w.presence.end_interrupt();
      return sleeps;
    } else {
      return false;
    }
  }

  std::string description() { return describe_ ? describe_() : describe({picture_taker<P, Home>(home_).take()}); }

  Home& home_;
  const std::uint64_t after_ns_;
  const std::function<void(const std::string&)> tell_;
  const std::function<std::string()> describe_;
  std::unique_ptr<typename P::thread> thread_;
  typename P::template atomic<std::uint32_t> ended_{0};
};

}  // namespace leat::inline LEAT_ABI::waiting
