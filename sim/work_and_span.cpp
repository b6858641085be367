#include "work_and_span.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace leat::sim {

namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

// Walks with a list of the sequences that have begun, and not on the stack: recorded recursions may be deep.
class walker {
 public:
  explicit walker(const recording& r)
      : r_(r), group_ends_(r.groups + 1), future_ends_(r.futures), first_spawner_(r.groups + 1, none) {
    found_.group_waits.resize(r.groups + 1);
    found_.future_waits.resize(r.futures);
    is_done_.resize(r.futures);
  }

  walked all() {
    for (const recording::phase& p : r_.phases) {
      const std::uint64_t begun = time_;
      if (p.is_run) {
        run_end_ = begun;
        sequence(p.what);
        time_ = std::max(run_end_, ended_);
      } else {
        time_ = sum(begun, p.what);
        found_.whole.outside_ns += p.what;
        add_work(p.what);
      }
    }
    found_.whole.span_ns = time_;
    return std::move(found_);
  }

 private:
  enum class part : std::uint8_t { root, first, second, task, future, block };

  // A sequence that has begun: what it is of the one around it, and how far it has come.
  struct frame {
    part of;
    std::uint64_t begin;
    std::uint64_t at;
    std::uint64_t now;
    std::uint64_t maker = none;  // the word that made the task
    std::uint64_t kept = 0;   // the end of the first callable; the end of the blocks of a loop so far
    std::uint64_t block = 0;  // of a loop, that has begun
  };

  static std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (a > most - b) throw std::invalid_argument(fmt::format("the recorded times: more than {} ns together", most));
    return a + b;
  }

  void add_work(std::uint64_t ns, std::uint64_t strands = 1) {
    found_.whole.work_ns = sum(found_.whole.work_ns, ns);
    found_.whole.strands = sum(found_.whole.strands, strands);
  }

  void begin(part of, std::uint64_t at, const frame& in) { frames_.push_back({of, at, at, in.now}); }

  void sequence(std::uint64_t at) {
    frames_.push_back({part::root, at, at, time_});
    while (!frames_.empty()) step();
  }

  // One word of the innermost sequence. A word whose sequence ends only later is left where it is until then.
  void step() {
    frame& f = frames_.back();
    const strand_word w = r_.words[f.at];
    switch (w.code()) {
      case strand_code::end: return end(w.payload());
      case strand_code::strand:
        add_work(w.payload());
        f.now = sum(f.now, w.payload());
        break;
      case strand_code::jump: f.at = w.payload(); return;
      case strand_code::fork: return begin(part::first, f.at + 1, frame(f));
      case strand_code::spawn: spawned(f); return make(f, part::task);
      case strand_code::future: return make(f, part::future);
      case strand_code::wait: waited(f, static_cast<std::uint32_t>(w.payload())); break;
      case strand_code::barrier: f.now = std::max(f.now, run_end_); break;
      case strand_code::await: awaits(f, w.payload()); break;
      case strand_code::loop: return blocks(f, r_.loops[w.payload()]);
      case strand_code::blocking:
        found_.whole.blocking_ns = sum(found_.whole.blocking_ns, w.payload());
        f.now = sum(f.now, w.payload());
        break;
      case strand_code::sums: add_sums(f, r_.all_sums[w.payload()]); break;
    }
    ++f.at;
  }

  void end(std::uint64_t payload) {
    const frame ended = frames_.back();
    frames_.pop_back();
    run_end_ = std::max(run_end_, ended.now);
    if (frames_.empty()) {
      ended_ = ended.now;
      return;
    }
    frame& f = frames_.back();
    switch (ended.of) {
      case part::first:
        f.kept = ended.now;
        begin(part::second, r_.words[f.at].payload(), frame(f));
        frames_[frames_.size() - 2].at = payload;
        break;
      case part::second: f.now = std::max(f.kept, ended.now); break;
      case part::task:
        latest(group_ends_[r_.words[ended.maker + 1].payload()], ended.now);
        if (const auto name = r_.name_of_task(ended.maker)) task_ended(*name, ended.now);
        break;
      case part::future: latest(future_ends_[r_.words[ended.maker + 1].payload()], ended.now); break;
      case part::block: latest(f.kept, ended.now); break;
      case part::root: break;
    }
  }

  // A task, which may have to wait for others that are not done.
  void make(frame& f, part of) {
    frame task{of, r_.words[f.at].payload(), r_.words[f.at].payload(), f.now, f.at};
    f.at += 2;
    begin_when_ready(task);
  }

  void begin_when_ready(const frame& task) {
    for (const std::uint32_t name : r_.tasks_before(task.begin)) {
      if (!is_done_[name]) return late_[name].push_back(task);
    }
    frames_.push_back(task);
  }

  void task_ended(std::uint32_t name, std::uint64_t now) {
    latest(future_ends_[name], now);
    is_done_[name] = true;
    if (late_.empty()) return;
    const auto waiting = late_.extract(name);
    if (waiting.empty()) return;
    for (const frame& task : waiting.mapped()) begin_when_ready(task);
  }

  static void latest(std::uint64_t& end, std::uint64_t now) { end = std::max(end, now); }

  void spawned(const frame& f) {
    const std::uint64_t group = r_.words[f.at + 1].payload();
    if (first_spawner_[group] == none) first_spawner_[group] = f.begin;
    else if (first_spawner_[group] != f.begin) has_other_spawners_.insert({group, f.begin});
  }

  // Tasks that spawn into the group come before the wait, in the order of a serial execution.
  void waited(frame& f, std::uint32_t group) {
    latest(f.now, group_ends_[group]);
    const std::uint32_t waits = ++found_.group_waits[group];
    const bool is_early = first_spawner_[group] != f.begin || has_other_spawners_.contains(group);
    if (waits == 1 && is_early) found_.early_groups[f.begin].push_back(group);
  }

  void awaits(frame& f, std::uint64_t future) {
    latest(f.now, future_ends_[future]);
    if (!r_.is_task[future]) ++found_.future_waits[future];
  }

  void add_sums(frame& f, const recording::sums& s) {
    add_work(s.work_ns, s.strands);
    found_.sums_work_ns = sum(found_.sums_work_ns, s.work_ns);
    f.now = sum(f.now, s.span_ns);
  }

  // From the block that has begun on to the next that has operations, or to the end of the loop.
  void blocks(frame& f, const recording::loop& l) {
    const auto all = r_.blocks_of(l);
    while (f.block != all.size()) {
      const recording::block& b = all[f.block++];
      if (b.open) return begin(part::block, b.cost, frame(f));
      add_work(b.cost);
      const std::uint64_t iterations = std::max<std::uint64_t>(b.count, 1);
      latest(f.kept, sum(f.now, (b.cost + iterations - 1) / iterations));
    }
    latest(f.now, f.kept);
    f.kept = 0;
    f.block = 0;
    ++f.at;
  }

  const recording& r_;
  walked found_;
  std::vector<frame> frames_;
  std::vector<std::uint64_t> group_ends_;
  std::vector<std::uint64_t> future_ends_;
  std::vector<bool> is_done_;            // by the name of a task
  std::unordered_map<std::uint32_t, std::vector<frame>> late_;  // tasks, by the name of one that they wait for
  std::vector<std::uint64_t> first_spawner_;
  std::unordered_map<std::uint64_t, std::uint64_t> has_other_spawners_;
  std::uint64_t time_ = 0;
  std::uint64_t run_end_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace

walked walk(const recording& r) { return walker(r).all(); }

}  // namespace leat::sim
