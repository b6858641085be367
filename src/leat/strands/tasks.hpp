// Tasks, groups, futures, nodes of graphs, barriers and blocking calls, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/strands/thread.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Where a task was made, as its execution needs it.
template <class P>
struct task_start {
  instant at;
  const context<P>* in = nullptr;
  const site<P>* where = nullptr;
  std::uint64_t number = 0;  // in the recording; 0: it is not recorded
  bool made = false;  // by a task that is measured
  std::uint32_t depth = 0;  // how many tasks are around it
  share_of_row<P> row;  // to which it belongs

  /// Of a task that `by` makes. `what` and `more` are written to the recording, with the task's number at the end.
  template <class... More>
  static task_start of(const construct<P>& by, op what, More... more) {
    auto& me = words<P>();
    frame<P>& mine = by.mine();
    task_start s{mine.at.stolen(), mine.in, by.own(), 0, true, mine.depth + 1, share_of_row<P>(me.row)};
    if (me.out != nullptr) {
      s.number = me.out->new_id();
      me.out->put_at(by.at(), what, more..., s.number);
    }
    return s;
  }

  /// Of a task that is spawned. It may share a row with those that the same task makes before and after it (SPAN-12).
  static task_start spawned(const construct<P>& by, std::uint64_t group) {
    auto& me = words<P>();
    frame<P>& mine = by.mine();
    if (me.own_out != nullptr) me.own_out->depths.add(mine.depth + 1);
    if (me.out == nullptr) return of(by, op::spawn, group);
    const auto of_all = [](auto& counts) { streams<P>::each([&](const stream<P>& s) { s.depths.add_to(counts); }); };
    const std::uint64_t fit = me.out->depths.fit(mine.depth + 1, recorded_size<P>::grain(), of_all);
    task_row<P>* const before = mine.making.get();
    if (fit != 0 && before != nullptr && before->takes(group, mine.operations))
      return {mine.at.stolen(), mine.in, by.own(), 0, true, mine.depth + 1, mine.making};
    mine.making = {};
    task_start s = of(by, op::spawn, group);
    if (fit == 0) return s;
    mine.making = share_of_row<P>(new task_row<P>(s.number, group, s.at, mine.operations, fit - 1));
    s.row = mine.making;
    s.number = 0;
    return s;
  }
};

/// While it lives, the thread executes a task.
template <class P>
class executing_task {
 public:
  explicit executing_task(const task_start<P>& start) : from_(start.at), on_top_(mine_), recorded_(start.row.get()) {
    auto& me = words<P>();
    mine_.at = from_;
    mine_.depth = start.depth;
    mine_.in = call_.begin(start.where, start.in);
    if (me.out != nullptr) me.out->put(op::segment, start.number);
    begin_strand(me);
  }
  executing_task(const executing_task&) = delete;
  executing_task& operator=(const executing_task&) = delete;
  ~executing_task() {
    if (!ended_) end();
  }

  /// The task is over.
  const frame<P>& end() {
    auto& me = words<P>();
    if (me.runs) stop(me);
    if (me.out != nullptr) me.out->put(op::end);
    else if (me.row != nullptr) me.row->ended(mine_.at);
    call_.end(*me.sums, mine_.work, from_, mine_.at);
    ended_ = true;
    return mine_;
  }

 private:
  const instant from_;
  call<P> call_;
  frame<P> mine_;
  const inside<P> on_top_;
  const executed_for<P> recorded_;
  bool ended_ = false;
};

/// SPAN-5: a wait of the thread's innermost task, which is in no strand, is over. A wait outside of tasks is a run of its own (SPAN-4).
/// `work`, `at`: what the tasks behind the wait have taken, and when the last one ended. `what` and `more` go to the recording, if
/// it has these tasks.
template <class P, class... More>
void joined(bool recorded, std::uint64_t work, const instant& at, op what, More... more) {
  auto& me = words<P>();
  std::optional<root<P>> alone;
  if (me.current == nullptr) alone.emplace();
  frame<P>& mine = *me.current;
  ++mine.operations;
  mine.making = {};  // no later task belongs to the row, which may be written
  mine.work += work;
  mine.at.at_least(at);
  if (me.out != nullptr && recorded) me.out->put(what, more...);
}

/// The work and the instant of a group's tasks, until the wait for them (SPAN-5).
template <class P>
class measured_group {
 public:
  void ended(std::uint64_t work, const instant& at) noexcept {
    work_.fetch_add(work, platform::relaxed);  // relaxed, all: the end of the wait makes it visible
    raise(ns_, at.ns);
    raise(burdened_, at.burdened);
    if (left_.load(platform::relaxed) == 0) left_.store(1, platform::relaxed);
  }
  /// The wait is over.
  void joined() {
    if (!session<P>::on()) return;
    left_.store(0, platform::relaxed);
    const instant at{ns_.load(platform::relaxed), burdened_.load(platform::relaxed)};
    strands::joined<P>(true, work_.exchange(0, platform::relaxed), at, op::wait,
                       words<P>().out == nullptr ? 0 : number());
  }
  /// The group is destroyed, within a strand, and has no task to wait for. It may have the sums of tasks that have ended since the
  /// last wait.
  void join_left() {
    if (left_.load(platform::relaxed) == 0) return;
    const measured_pause<P> here;
    joined();
  }
  /// In the recording.
  std::uint64_t number() {
    std::uint64_t mine = number_.load(platform::relaxed);  // relaxed: only the number counts
    if (mine != 0) return mine;
    const std::uint64_t made = words<P>().out->new_id();
    return number_.compare_exchange_strong(mine, made, platform::relaxed, platform::relaxed) ? made : mine;
  }

 private:
  using word = typename P::template atomic<std::uint64_t>;
  word work_{0};
  word ns_{0};
  word burdened_{0};
  word left_{0};  // whether tasks have ended since the last wait
  word number_{0};
};

/// A spawned callable. Without a group, only the run waits for it.
template <class P, class F>
struct spawned_call {
  F f;
  task_start<P> start;
  measured_group<P>* group;

  void operator()() {
    executing_task<P> here(start);
    struct finish {
      executing_task<P>& here;
      measured_group<P>* group;
      ~finish() {
        const frame<P>& mine = here.end();
        if (group != nullptr) {
          group->ended(mine.work, mine.at);
        } else {
          words<P>().sums->work(mine.work);
          words<P>().sums->ended(mine.at);
        }
      }
    } const after{here, group};
    static_cast<void>(f());
  }
};

template <class F>
inline constexpr bool is_spawned = false;
template <class P, class F>
inline constexpr bool is_spawned<spawned_call<P, F>> = true;

/// Calls add(callable), which spawns the callable. `group`: null if it is in none.
template <class P, class F, class Add>
void spawn(measured_group<P>* group, F&& f, Add add) {
  const construct<P> here(false);
  const std::uint64_t of = group == nullptr || words<P>().out == nullptr ? 0 : group->number();
  add(spawned_call<P, std::decay_t<F>>{std::forward<F>(f), task_start<P>::spawned(here, of), group});
}

/// The task of a future, and when it ended. Written by the worker that executes the task, before its result is there.
template <class P>
class measured_future {
 public:
  measured_future() = default;
  measured_future(const measured_future&) = delete;
  measured_future& operator=(const measured_future&) = delete;
  ~measured_future() {
    if (const std::uint64_t left = work_.exchange(0, platform::relaxed); left != 0) words<P>().sums->work(left);
  }

  void made(const construct<P>& by) { start_ = task_start<P>::of(by, op::future); }
  const task_start<P>& start() const noexcept { return start_; }

  void ended(const frame<P>& f) noexcept {
    ended_ = f.at;
    work_.store(f.work, platform::relaxed);  // relaxed: the result makes it visible
    words<P>().sums->ended(f.at);
  }
  /// The same worker has left the task.
  void left() noexcept { start_.row = {}; }
  /// The thread's innermost task, which is in no strand, has got the result. The first wait takes the work (SPAN-5).
  void joined() {
    if (!session<P>::on()) return;
    const std::uint64_t work = work_.exchange(0, platform::relaxed);
    if (start_.made) strands::joined<P>(start_.number != 0, work, ended_, op::await, start_.number);
  }
  /// The same, called within a strand.
  void join_here() {
    if (!session<P>::on()) return;
    const measured_pause<P> here;
    joined();
  }

 private:
  task_start<P> start_;
  instant ended_;
  typename P::template atomic<std::uint64_t> work_{0};
};

/// A construct, if anything is measured. `is_call`: see there.
template <class P, bool is_call>
class measured_construct {
 public:
  measured_construct() {
    if (session<P>::on()) here_.emplace(is_call);
  }
  /// `task` is made here.
  template <class Made, class... Args>
  void made(Made& task, Args... args) const {
    if (here_) task.made(*here_, args...);
  }
  /// Null: nothing is measured.
  const construct<P>* here() const noexcept { return here_ ? &*here_ : nullptr; }

 private:
  std::optional<construct<P>> here_;
};

/// While it lives, the thread executes the task of a future. If no task has made that one, it is a run of its own.
template <class P>
class executing_future {
 public:
  /// \param joins  the task beneath on the stack waits for this one
  executing_future(measured_future<P>& of, bool joins) : of_(of), joins_(joins) {
    if (!session<P>::on()) return;
    kind_ = of.start().made ? kind::task : kind::root;
    if (kind_ == kind::task) ::new (static_cast<void*>(&task_)) executing_task<P>(of.start());
    else ::new (static_cast<void*>(&root_)) running_root<P>();
  }
  executing_future(const executing_future&) = delete;
  executing_future& operator=(const executing_future&) = delete;
  ~executing_future() {
    if (kind_ == kind::root) root_.~running_root();
    if (kind_ != kind::task) return;
    of_.ended(task_.end());
    task_.~executing_task();
    of_.left();
    if (joins_) of_.joined();
  }

 private:
  enum class kind : std::uint8_t { none, task, root };
  measured_future<P>& of_;
  const bool joins_;
  kind kind_ = kind::none;
  union {
    executing_task<P> task_;
    running_root<P> root_;
  };
};

/// A node of a graph, or a task that waits for others: it begins when the last of those has ended.
template <class P>
class measured_node {
 public:
  using word = typename P::template atomic<std::uint64_t>;

  void made(const task_start<P>& s) noexcept {
    start_ = s;
    awaits_.clear();
    // relaxed, all: the worker that begins the node has seen the ends of those before it
    ns_.store(s.at.ns, platform::relaxed);
    burdened_.store(s.at.burdened, platform::relaxed);
  }
  /// One of those before it has ended.
  void follows(const instant& at) noexcept {
    raise(ns_, at.ns);
    raise(burdened_, at.burdened);
  }
  task_start<P> ready() const noexcept {
    task_start<P> s = start_;
    s.at = {ns_.load(platform::relaxed), burdened_.load(platform::relaxed)};
    return s;
  }
  /// The same for the recording.
  void awaits(const measured_node& other) {
    if (start_.number != 0 && other.start_.number != 0) awaits_.push_back(other.start_.number);
  }
  const std::vector<std::uint64_t>& awaits() const noexcept { return awaits_; }
  bool made() const noexcept { return start_.made; }

  /// By the worker that has executed it, before those that follow can know.
  void ended(const instant& at) noexcept {
    ended_ = at;
    left();
  }
  /// It is not executed any more.
  void left() noexcept { start_.row = {}; }
  const instant& ended() const noexcept { return ended_; }

 private:
  task_start<P> start_;
  instant ended_;
  std::vector<std::uint64_t> awaits_;
  word ns_{0};
  word burdened_{0};
};

/// The thread's innermost task makes a node of the group, within the construct `here`. Later nodes may follow it.
template <class P>
void make_node(measured_node<P>& n, measured_group<P>& group, const construct<P>& here) {
  n.made(task_start<P>::of(here, op::spawn, words<P>().out == nullptr ? 0 : group.number()));
}

template <class P>
void make_node(measured_node<P>& n, measured_group<P>& group) {
  if (session<P>::on()) make_node<P>(n, group, construct<P>(false));
}

/// Calls f as such a node.
template <class P, class F>
void call_node(measured_node<P>& n, measured_group<P>& group, F f) {
  const task_start<P> start = n.ready();
  executing_task<P> here(start);
  if (auto& me = words<P>(); me.out != nullptr) {
    for (const std::uint64_t other : n.awaits()) me.out->put(op::await, other);
  }
  struct finish {
    executing_task<P>& here;
    measured_group<P>& group;
    measured_node<P>& node;
    ~finish() {
      const frame<P>& mine = here.end();
      group.ended(mine.work, mine.at);
      node.ended(mine.at.stolen());
    }
  } const after{here, group, n};
  f();
}

/// The innermost task of the thread, the root of a run, has waited for all tasks.
template <class P>
void barrier_ended() {
  if (session<P>::on()) joined<P>(true, 0, accounts<P>::latest(), op::barrier);
}

/// While it lives, the thread is in a call that blocks, which its task, if one is measured, waits for.
template <class P>
class blocked_strand {
 public:
  explicit blocked_strand(bool measured) : measured_(measured) {
    if (measured_) begin_strand(words<P>());
  }
  blocked_strand(const blocked_strand&) = delete;
  blocked_strand& operator=(const blocked_strand&) = delete;
  ~blocked_strand() {
    auto& me = words<P>();
    if (!measured_ || !me.runs) return;
    ++me.current->operations;
    const std::uint64_t ns = end_strand(me);
    if (me.out != nullptr) me.out->put(op::blocking, ns);
    else if (me.row != nullptr) me.in_row.strand(ns);
  }

 private:
  const bool measured_;
};

}  // namespace leat::inline LEAT_ABI::strands
