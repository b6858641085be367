#include "leat/waiting/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "leat/platform/call_places.hpp"
#include "leat/waiting/picture.hpp"

namespace leat::inline LEAT_ABI::waiting {

namespace {

std::string with_place(const std::vector<std::string>& places) { return places.empty() ? "" : ", at " + places[0]; }

// A text about pictures, with the places of all their stacks.
class description {
 public:
  explicit description(const std::vector<picture>& of) : of_(of) {
    std::vector<platform::call_stack> stacks;
    for (const picture& p : of) {
      for (const pictured_wait& w : p.waits) stacks.push_back(w.calls);
      for (const pictured_worker& w : p.workers_at) stacks.push_back(w.calls);
    }
    places_ = platform::places_of(stacks);
  }

  std::string text() {
    for (std::size_t p = 0; p < of_.size(); ++p) add_runtime(p);
    for (const auto& circle : circles_of(of_)) add_circle(circle);
    return text_;
  }

 private:
  const pictured_wait& at(wait_place w) const { return of_[w.picture].waits[w.wait]; }

  // Of which runtime, where there are several.
  std::string home_of(std::size_t p) const {
    return of_.size() == 1 ? "" : " of runtime " + std::to_string(of_[p].runtime);
  }

  const std::vector<std::string>& places_of(wait_place w) const {
    std::size_t before = 0;
    for (std::size_t p = 0; p < w.picture; ++p) before += of_[p].waits.size() + of_[p].workers_at.size();
    return places_[before + w.wait];
  }
  const std::vector<std::string>& places_of_worker(std::size_t p, std::size_t worker) const {
    return places_of({p, of_[p].waits.size() + worker});
  }

  void add_places(const std::vector<std::string>& places) {
    for (std::size_t i = 0; i < places.size(); ++i)
      text_ += std::string(i == 0 ? "      at " : "      from ") + places[i] + "\n";
  }

  void add_runtime(std::size_t p) {
    const picture& of = of_[p];
    text_ += "  runtime " + std::to_string(of.runtime) + " (" + of.kind + ", " + std::to_string(of.workers) +
             (of.workers == 1 ? " worker" : " workers") + (of.scheduler.empty() ? "" : ", scheduler " + of.scheduler) +
             "): " + (of.under_way ? "a run is under way" : "no run is under way") +
             (of.roots_wait ? ", and a run waits for a worker" : "") + "\n";
    for (std::size_t i = 0; i < of.workers_at.size(); ++i) add_worker(p, i);
    for (std::size_t i = 0; i < of.waits.size(); ++i) {
      if (of.waits[i].worker) continue;
      text_ += "    a thread outside " + does(of.waits[i], p) + "\n";
      add_places(places_of({p, i}));
    }
  }

  // The innermost wait comes first.
  void add_worker(std::size_t p, std::size_t i) {
    const picture& of = of_[p];
    const pictured_worker& w = of.workers_at[i];
    std::vector<wait_place> its;
    for (std::size_t k = 0; k < of.waits.size(); ++k) {
      if (of.waits[k].worker == w.id) its.push_back({p, k});
    }
    const auto begun = [&](wait_place a) { return at(a).since_ns == 0 ? ~std::uint64_t{0} : at(a).since_ns; };
    std::ranges::stable_sort(its, [&](wait_place a, wait_place b) { return begun(a) > begun(b); });
    if (w.state == worker_state::outside && its.empty()) return;
    const std::string name = "    worker " + std::to_string(w.id) + " ";
    const bool waits_above = !its.empty() && is_innermost_in_task(at(its[0]));
    if (its.empty() || (w.state == worker_state::task && !waits_above)) {
      text_ += name + name_of_state(w.state) + " [" + w.thread + "]\n";
      add_places(places_of_worker(p, i));
    }
    for (const wait_place k : its) {
      text_ += name + does(at(k), p) + " [" + w.thread + "]\n";
      add_places(places_of(k));
    }
  }

  // Whether it is no wait on top of which tasks are executed: the thread is in this one.
  static bool is_innermost_in_task(const pictured_wait& w) {
    return w.since_ns == 0 || w.kind == wait_kind::foreign_run || w.kind == wait_kind::foreign_future;
  }

  static const char* name_of_state(worker_state s) {
    switch (s) {
      case worker_state::task: return "executes a task";
      case worker_state::runtime: return "is in the runtime, where it searches for work, or has begun to wait";
      case worker_state::idle: return "has nothing to do";
      case worker_state::blocked: return "is in leat::blocking";
      case worker_state::outside: return "is no thread";
    }
    return "";
  }

  static std::string duration(const pictured_wait& w, std::uint64_t now_ns) {
    if (w.since_ns == 0) return "";
    char time[32];
    const std::uint64_t lasted = now_ns > w.since_ns ? now_ns - w.since_ns : 0;  // it may have begun later
    std::snprintf(time, sizeof time, " for %.1f s", static_cast<double>(lasted) * 1e-9);
    return time;
  }

  // A blocked worker does not wait in a construct of leat, but is in the program's own call.
  std::string does(const pictured_wait& w, std::size_t p) const {
    if (w.kind == wait_kind::lock) return "waits for a mutex that " + holder_of(w, p) + " holds";
    if (w.kind == wait_kind::system) return "sleeps in a task, in a call of the system";
    std::string line = std::string(w.kind == wait_kind::blocking ? "is in " : "waits in ") + name_of(w.kind) +
                       duration(w, of_[p].now_ns);
    if (w.target == nullptr) return line;
    for (std::size_t q = 0; q < of_.size(); ++q) {
      if (const auto worker = executes(of_[q], w.target))
        return line + ", for what worker " + std::to_string(*worker) + (q == p ? "" : home_of(q)) + " executes";
    }
    return line;
  }

  // The worker of that runtime on whose stack the target lies.
  static std::optional<std::uint32_t> executes(const picture& in, const void* target) {
    const auto has = [target](const auto& of) { return std::ranges::find(of.beneath, target) != of.beneath.end(); };
    for (const pictured_wait& o : in.waits) {
      if (o.worker && (has(o) || o.run == target)) return o.worker;
    }
    for (const pictured_worker& o : in.workers_at) {
      if (has(o) || o.run == target) return o.id;
    }
    return std::nullopt;
  }

  std::string holder_of(const pictured_wait& w, std::size_t p) const {
    for (std::size_t q = 0; q < of_.size(); ++q) {
      for (const pictured_worker& o : of_[q].workers_at) {
        if (o.sleep.thread != w.holder) continue;
        return q == p && w.worker == o.id ? "the same thread"
                                          : "worker " + std::to_string(o.id) + (q == p ? "" : home_of(q));
      }
    }
    return "thread " + std::to_string(w.holder);
  }

  void add_circle(const std::vector<wait_place>& circle) {
    text_ += "  circle of waits, which never ends:\n";
    for (const wait_place k : circle) {
      const pictured_wait& w = at(k);
      text_ +=
          "    " +
          (w.worker ? "worker " + std::to_string(*w.worker) + home_of(k.picture) : std::string("a thread outside")) +
          " " + does(w, k.picture) + with_place(places_of(k)) + "\n";
      if (w.kind == wait_kind::lock && circle.size() == 1) add_what_lies_beneath(k);
    }
  }

  // Of a thread that waits for its own mutex: how it came to execute the task.
  void add_what_lies_beneath(wait_place k) {
    const auto& places = places_of(k);
    for (std::size_t i = 1; i < places.size(); ++i)
      text_ += "    which lies on the same stack above " + places[i] + "\n";
  }

  const std::vector<picture>& of_;
  std::vector<std::vector<std::string>> places_;
  std::string text_;
};

}  // namespace

const char* name_of(wait_kind k) {
  switch (k) {
    case wait_kind::join: return "fork_join or a loop";
    case wait_kind::future: return "future::wait";
    case wait_kind::group: return "task_group::wait";
    case wait_kind::barrier: return "barrier";
    case wait_kind::blocking: return "leat::blocking";
    case wait_kind::run: return "runtime::run";
    case wait_kind::foreign_run: return "runtime::run of another runtime";
    case wait_kind::foreign_future: return "future::wait for another runtime's task";
    case wait_kind::channel: return "a call of leat::channel";
    case wait_kind::lock: return "a mutex";
    case wait_kind::system: return "a call of the system";
  }
  return "";
}

std::string describe(const std::vector<picture>& pictures) { return description(pictures).text(); }

// The parts are in the order of needs read backwards.
std::string describe(const broken_circle& c, std::uint64_t now_ns) {
  std::vector<platform::call_stack> stacks;
  const std::uint32_t shown = std::min(c.size, broken_circle::parts_max);
  for (std::uint32_t i = 0; i < shown; ++i) stacks.push_back(c.parts[i].calls);
  const std::vector<std::vector<std::string>> places = platform::places_of(stacks);
  std::string text = "leat: a circle of " + std::to_string(c.size) + (c.size == 1 ? " wait" : " waits") +
                     ", which one of them leaves by leat::deadlock (LEAT_HANG_REPORT):\n";
  if (shown != c.size) text += "  (" + std::to_string(c.size - shown) + " more)\n";
  for (std::uint32_t i = shown; i-- != 0;) {
    const broken_circle::part& p = c.parts[i];
    const auto& next = c.parts[i == 0 ? shown - 1 : i - 1];
    char time[32];
    std::snprintf(time, sizeof time, " for %.1f s",
                  static_cast<double>(now_ns > p.since_ns ? now_ns - p.since_ns : 0) * 1e-9);
    text += "  " + (p.worker ? "worker " + std::to_string(*p.worker) : std::string("a thread outside")) + " waits in " +
            name_of(p.kind) + time;
    if (next.worker && (i != 0 || shown == c.size))
      text += ", for what worker " + std::to_string(*next.worker) + " executes";
    text += with_place(places[i]) + (p.chosen ? " (this one leaves)" : "") + "\n";
  }
  return text;
}

std::string headline_of_hang(std::uint64_t seconds) {
  return "leat: a run is under way, and no worker has executed anything for " + std::to_string(seconds) +
         " s (LEAT_HANG_REPORT):\n";
}

void tell_hang(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace leat::inline LEAT_ABI::waiting
