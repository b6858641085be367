// The cluster: the same work across ranks, processes that share no memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "leat/cluster/counters.hpp"   // IWYU pragma: export
#include "leat/cluster/engine.hpp"
#include "leat/cluster/errors.hpp"     // IWYU pragma: export
#include "leat/cluster/mail.hpp"
#include "leat/cluster/packing.hpp"    // IWYU pragma: export
#include "leat/cluster/progress.hpp"
#include "leat/cluster/rank_run.hpp"
#include "leat/cluster/rank_workers.hpp"
#include "leat/cluster/shared_bound.hpp"  // IWYU pragma: export
#include "leat/cluster/snapshot.hpp"   // IWYU pragma: export
#include "leat/cluster/transport.hpp"  // IWYU pragma: export
#include "leat/cluster/work.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/team.hpp"

namespace leat::inline LEAT_ABI {

/// The most ranks that one cluster may have.
inline constexpr std::uint32_t ranks_max = 65536;

/// The most microseconds between two polls of a busy rank: ten seconds.
inline constexpr std::uint64_t poll_us_max = 10'000'000;

/// The most that cluster_options::chunk and threshold may be.
inline constexpr std::uint64_t chunk_max = 1'000'000;

/// Options of a cluster: how it moves work. A value; the same on all ranks.
struct cluster_options {
  /// How ranks move work. "messages": steal requests and tasks are messages (Prell's thesis, 7.2). "rma": ranks read
  /// each other's status, and write requests and tasks one-sidedly (Machado et al., section 5). "two-sided": a rank
  /// asks one other rank, and gets its answer, as in the MPI program with which Machado et al., section 6, compare. The
  /// guide's page on clusters has the differences.
  std::string engine = "messages";

  /// Microseconds between two polls of a busy rank: 0 to poll_us_max; 0: a poll after each task. A poll answers other
  /// ranks, and lets the transport progress.
  std::uint64_t poll_us = 30;

  /// Engine `messages`: how many ranks of the thief's node a request asks, one after the other, and then how many
  /// beyond. After that it stays in the idle pool until a rank has work.
  std::uint64_t attempts = 8;

  /// Workers of each rank: 1 to workers_max. One is the thread that makes the cluster; the others are threads that it
  /// starts. They expand the rank's tasks, and execute what those fork, as a leat::team. With 1 no thread is started,
  /// and tasks execute on the thread that calls run(). If that is no worker of its own, forks, loops and groups in a
  /// task use the default runtime, and spawn and barrier throw not_a_worker.
  std::uint32_t workers = 1;

  /// Engine `rma`: whether a rank asks another one for work before its own has run out (Machado et al., 5.3).
  bool prefetch = true;

  /// Engine `rma`: which rank it asks ahead of time. "random": any other rank. "ring": the next in the ring, as in the
  /// paper.
  std::string prefetch_victim = "random";

  /// The order in which a rank asks others: first those of its own node, and then all beyond. "last": round the ring
  /// from the rank that gave last. "ring": round the ring from the next one. "random": an order that is drawn. Empty:
  /// "last", and "random" for the engine `two-sided`.
  std::string victims = "";

  /// How many ranks in a row share a node: 1 to ranks_max. 0: as the transport says (with MPI, those that can share
  /// memory).
  std::uint64_t ranks_per_node = 0;

  /// How many tasks a rank shares, takes back, and gives at a time: up to chunk_max. 0: half of those that it has or
  /// shares (Machado et al., section 5). With several workers: how many one answer brings at most.
  std::uint64_t chunk = 0;

  /// How many tasks of its own a rank has when it shares some: more than `chunk`, and chunk_max at most. 0: twice the
  /// chunk, or 2. With several workers: how many each of them has.
  std::uint64_t threshold = 0;
};

/// Returns the names that `cluster_options::engine` may have. Any thread may call it; costs nothing.
std::span<const std::string_view> engine_names() noexcept;

/// Return the names that `cluster_options::victims` and `prefetch_victim` may have. Any thread may call them; they cost
/// nothing.
std::span<const std::string_view> victim_names() noexcept;
std::span<const std::string_view> prefetch_victim_names() noexcept;

/// One rank's part of a cluster. The members are collective: every rank of the program makes a cluster, in the same
/// order if it makes several, and calls the same members in the same order. Without a launcher there is one rank, and
/// all works the same.
///
/// A rank has one worker, the thread that makes the cluster; or it has cluster_options::workers with that one, as a
/// leat::team. One worker at a time talks to other ranks. If the transport does not serve any thread, that is always
/// the thread that made the cluster. (MPI: leat/cluster_mpi.hpp.)
///
/// Thread safety: only the thread that makes it uses it.
class cluster {
 public:
  /// A cluster of one rank.
  /// \throws std::invalid_argument  an option makes no sense; the message names it and its value
  /// \throws what the constructor of team throws, if there are to be several workers
  explicit cluster(const cluster_options& o = {});

  /// A cluster of the ranks that this transport joins.
  /// \throws std::invalid_argument  an option makes no sense, there is no transport, or it joins more than ranks_max
  ///         ranks
  /// \throws what the constructor of team throws, if there are to be several workers
  explicit cluster(std::unique_ptr<ranks::transport> by, const cluster_options& o = {});

  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  ~cluster();

  /// This rank's number, 0 to ranks() - 1, and how many ranks there are.
  std::uint32_t rank() const noexcept { return by_->rank(); }
  std::uint32_t ranks() const noexcept { return by_->ranks(); }

  /// Expands the roots, and the tasks that they emit, and so on, on all ranks, and combines the results. Tasks and
  /// results travel as leat::packing says; a task has batch_bytes_max bytes at most, 64 KiB. A rank works on its newest
  /// task, so it holds about as many tasks as a depth-first search does.
  ///
  /// \param roots     the tasks to begin with, a random-access range, the same on every rank: root i begins on rank i
  ///          mod ranks()
  /// \param identity  the result of no task: combine(identity, x) must be x. A copy of it must not throw, as the other
  ///          ranks would wait
  /// \param expand    expand(task, emit) returns the task's result. It calls emit(task) for each further task, itself,
  ///          before it returns: not in tasks that it forks or spawns. It may take any time, but a rank answers others
  ///          only between tasks. While the rank's first worker is in a long task, other workers answer between theirs;
  ///          workers without tasks do not. If a rank has several workers, they call it at once, and it may use all
  ///          constructs of leat but barriers. Best are those that run no task but what they wait for: a worker that
  ///          waits for any task answers no other rank meanwhile
  /// \param combine   combine(result, result): associative and commutative, as no order of tasks is kept. Workers call
  ///          it at once, too
  /// \param keep      what is to be kept of the run, so that a later one can go on with it. With keep.resume the roots
  ///          are not used
  ///
  /// Costs, beyond a serial loop with a stack: a poll, about 1 us, every poll_us; and at the end two trips along a tree
  /// of ranks. With several workers also a poll every 5 us on each but the first, and time in proportion to one
  /// worker's tasks whenever it opens tasks or another takes them.
  /// \return the combined result of all tasks, on every rank
  ///
  /// \throws the first exception that roots, expand, combine, packing or show_progress's function let out, on the rank
  ///         where it did; with several workers, one of those that were thrown. All other ranks throw rank_failed,
  ///         which names that rank and the cause. All work is dropped. If only unpacking the result of all ranks fails,
  ///         that rank alone throws, and the others have their result. The cluster may be used again, unless a rank has
  ///         not come to hear of a failure for eight seconds. Then every further call throws std::logic_error, and with
  ///         MPI the end of the cluster ends all ranks.
  /// \throws std::logic_error  inside another run of this cluster; with several workers, also on another thread than
  ///         the one that made the cluster
  /// \throws std::invalid_argument  keep asks for snapshots, or to go on with one, and names no file
  /// \throws std::system_error, std::runtime_error  on rank 0: a snapshot cannot be written or read, or it is of a run
  ///         of another name; on all others rank_failed
  template <std::ranges::random_access_range Roots, class Result, class Expand, class Combine>
  Result run(const Roots& roots, const Result& identity, Expand&& expand, Combine&& combine,
             const snapshots& keep = {});

  /// Expands tasks that share a bound, in the same way. Tasks prune by bound.read(), and call bound.improve(value) when
  /// they have found a solution. When the run begins, it sets the bound to `start`; or, with keep.resume, to what the
  /// result that was kept stands for.
  ///
  /// \param bound     this rank's copy, which outlives the call
  /// \param value_of  value_of(result) returns the value of the bound for which a result holds the solution; for the
  ///          identity, a value that is not better than bound.start(). It is called when a run goes on with a snapshot,
  ///          and at the end
  ///
  /// A task that improves the bound returns the solution in its result, or one that is as good (rule BOUND-1). So the
  /// bound never prunes the only copy of a solution. That copy is in the result, and a rank that is lost takes its
  /// result, and with it the run, away from all ranks.
  ///
  /// Costs a load at each poll. An improvement is a message for each other rank at most, and one at most from a rank to
  /// each neighbour in each poll.
  ///
  /// \throws std::logic_error  also on a rank that knows a better bound at the end than the result stands for: some
  ///         task improved the bound, and did not return its solution
  template <std::ranges::random_access_range Roots, class Result, class Expand, class Combine, class ValueOf>
  Result run(const Roots& roots, const Result& identity, Expand&& expand, Combine&& combine, shared_bound& bound,
             ValueOf&& value_of, const snapshots& keep = {});

  /// Shows the program how far this rank is, in each `run` from now on. The rank's first worker calls show(counters())
  /// about every `every_us` microseconds, and once when its part of the run is over, so a short run is shown, too. Not
  /// collective: each rank decides for itself. Nothing is shown of a `reduce`, or after a failure.
  ///
  /// \param every_us  microseconds from one call to the next; 0: nothing is shown any more
  /// \param show      is called between two tasks, and also while the rank has none, so a long task of the first worker
  ///          delays it. While a call lasts, the rank answers no other. Empty: nothing is shown any more. An exception
  ///          of it fails the run, as one of expand does
  ///
  /// The counters are this rank's, from when it was made, and do not begin anew with a run. With several workers
  /// rank_event::tasks and rank_event::open_takes are as of each worker's last poll, and whole in the last call. A
  /// program hears nothing of other ranks in a run. A time, such as `idle_seeking_ns`, is added when the rank's phase
  /// ends: the phase that lasts is not in it.
  ///
  /// Costs a reading of the clock at each poll, and also each time that the rank polls for messages while it has no
  /// work. If nothing is shown: one test.
  ///
  /// \throws std::logic_error  in a run
  void show_progress(std::uint64_t every_us, std::function<void(const rank_counters&)> show);

  /// Combines one value of each rank. All else is as in run.
  /// \return the combined value, the same on all ranks
  /// \throws what run throws
  template <class Value, class Combine>
  Value reduce(const Value& mine, Combine&& combine);

  /// What this rank has counted since it was made. Costs nothing. In a run only the function of show_progress may call
  /// it.
  const rank_counters& counters() const noexcept { return *counters_; }

 private:
  // prepare(rank_run) comes before there are tasks.
  template <class Roots, class Result, class Expand, class Combine, class Prepare>
  Result run_prepared(const Roots& roots, const Result& identity, Expand& expand, Combine& combine,
                      const snapshots& keep, const Prepare& prepare);

  template <class Run, class Roots, class Result, class Expand, class Combine, class Prepare>
  Result finish(const snapshots& keep, const Roots& roots, const Result& identity, Expand& expand, Combine& combine,
                const Prepare& prepare);

  // Ends a run, whatever becomes of it.
  struct ended {
    bool& running;
    ~ended() { running = false; }
  };

  ranks::rank_parts begin_run(const snapshots&);
  void give_up_if(const std::string& left_behind);
  [[noreturn]] void refuse_thread() const;

  std::unique_ptr<ranks::transport> by_;
  std::uint64_t poll_ns_;
  ranks::sharing shares_;
  std::unique_ptr<rank_counters> counters_;
  std::unique_ptr<ranks::mail> post_;
  std::unique_ptr<ranks::engine> moves_;
  std::shared_ptr<team> team_;  // of several workers
  ranks::progress progress_;
  bool running_ = false;
  bool given_up_ = false;  // a rank did not hear of a failure in time
};

// ---------------------------------------------------------------------------------------------------------------------

template <std::ranges::random_access_range Roots, class Result, class Expand, class Combine>
Result cluster::run(const Roots& roots, const Result& identity, Expand&& expand, Combine&& combine,
                    const snapshots& keep) {
  return run_prepared(roots, identity, expand, combine, keep, [this](auto& r) { r.show(progress_); });
}

template <std::ranges::random_access_range Roots, class Result, class Expand, class Combine, class ValueOf>
Result cluster::run(const Roots& roots, const Result& identity, Expand&& expand, Combine&& combine, shared_bound& bound,
                    ValueOf&& value_of, const snapshots& keep) {
  return run_prepared(roots, identity, expand, combine, keep, [&](auto& r) {
    r.show(progress_);
    r.share(bound, [&value_of](const Result& of) { return value_of(of); });
  });
}

template <class Roots, class Result, class Expand, class Combine, class Prepare>
Result cluster::run_prepared(const Roots& roots, const Result& identity, Expand& expand, Combine& combine,
                             const snapshots& keep, const Prepare& prepare) {
  using task = std::ranges::range_value_t<Roots>;
  using alone = ranks::rank_run<platform::chosen, task, Result, Expand, Combine>;
  if constexpr (ranks::may_have_workers<platform::chosen>) {
    using others = ranks::rank_workers<platform::chosen, task, Result, Expand, Combine>;
    using together = ranks::rank_run<platform::chosen, task, Result, Expand, Combine, others>;
    if (team_ != nullptr) {
      if (!team_->admits_caller()) refuse_thread();
      return team_->call([&] {
        return ranks::as_task<platform::chosen>(
            [&] { return finish<together>(keep, roots, identity, expand, combine, prepare); });
      });
    }
  }
  return finish<alone>(keep, roots, identity, expand, combine, prepare);
}

template <class Run, class Roots, class Result, class Expand, class Combine, class Prepare>
Result cluster::finish(const snapshots& keep, const Roots& roots, const Result& identity, Expand& expand,
                       Combine& combine, const Prepare& prepare) {
  const ranks::rank_parts parts = begin_run(keep);
  const ended after{running_};
  Run r(parts, identity, expand, combine);
  prepare(r);
  if (keep.resume) {
    r.resume();
  } else {
    r.add_roots(roots);
  }
  if (keep.every_us != 0) r.prepare_to_keep();
  while (!r.step()) {
  }
  give_up_if(r.left_behind());
  return r.take_result();
}

template <class Value, class Combine>
Value cluster::reduce(const Value& mine, Combine&& combine) {
  struct no_task {};
  const auto expand = [&mine](const no_task&, auto&&) { return mine; };
  return run_prepared(std::span<const no_task>{}, mine, expand, combine, {}, [](auto&) {});
}

}  // namespace leat::inline LEAT_ABI
