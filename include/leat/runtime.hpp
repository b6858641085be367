// The runtime: a set of workers that execute the tasks of runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/counters.hpp"
#include "leat/entry/instances.hpp"
#include "leat/errors.hpp"
#include "leat/future.hpp"
#include "leat/options.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/platform/object.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI {

/// Options of one run. A value.
struct run_options {
  /// How many workers, compensating ones included, may execute tasks of the run at once: 1 to leat::workers_max; all
  /// workers if it is not set. The cap holds at every moment, also for user-level threads. A worker that waits in a
  /// task of the run, or blocks in one (leat::blocking), counts. Other runs may have the remaining workers. With 1 the
  /// tasks of the run execute one after the other. A thief that the cap turns away asks elsewhere. Forks, pushes and
  /// joins cost what they cost without a cap.
  std::optional<std::uint64_t> workers_max = std::nullopt;
};

/// A set of workers, and the scheduler that moves tasks between them. Several runtimes may exist side by side. Any
/// thread may call any member but the destructor.
class runtime {
 public:
  /// Starts the workers, which takes about 30 us each.
  /// \throws std::invalid_argument  a value makes no sense; the message names the option and the value
  /// \throws std::system_error      a thread could not be started; none is left behind
  /// \throws std::bad_alloc         memory is short
  explicit runtime(const options& o = {});
  template <class Number>
    requires std::is_arithmetic_v<Number>
  explicit runtime(Number) {
    static_assert(!std::is_arithmetic_v<Number>,
                  "leat::runtime: the number of workers is an option: leat::runtime rt({.workers = 4})");
  }

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Executes what was submitted, and joins the workers. No run should be in progress. If one is, as where a task calls
  /// std::exit and the runtime is static, the destructor leaves the workers alone, with all that they use, until the
  /// process ends. They then go on with their tasks while other static objects are destroyed, and must not use this
  /// one. (std::quick_exit destroys none.)
  ///
  /// In a forked child the destructor does nothing to the parent's threads. A child that a task forks is no worker of
  /// this runtime, and may use the default runtime. It must not return from the task, but end by exec or _exit.
  ~runtime();

  /// Executes f as the root of a run, on a worker, and returns its result when f and all tasks spawned from it,
  /// directly or not, are done. The caller sleeps meanwhile. Runs of several threads share the workers.
  ///
  /// - A worker of this runtime may call it. Then it only calls f, as part of the run that the worker is in: it does
  ///   not wait for what f spawns, and what f throws comes out at once.
  /// - A worker of another runtime may call it. Then it answers steal requests of its own runtime every 50 us, and
  ///   executes none of its tasks. So a chain of calls that comes back to a runtime whose workers all wait in the chain
  ///   hangs: a worker of A runs something in B, which runs something in A, and both have one worker. Calls by way of
  ///   leat::blocking hang only when the compensating workers have run out, too.
  ///
  /// Thread safety: any thread may call it; at most 1024 runs are under way at once, and further ones wait. Costs two
  /// thread wake-ups, 5 to 50 us, when all workers are idle.
  /// \throws the first exception that f or a spawned task let out, once everything has ended (the exception of an async
  ///         task goes to its future); forked_process in a forked child
  template <class F>
  std::invoke_result_t<F&> run(F&& f LEAT_SITE_PARAMETER);
  /// Executes f as the root of a run with options, in the same way.
  /// \throws also std::invalid_argument, naming the value, if one makes no sense, or if the scheduler is a published
  ///         one and the cap is below the number of its workers, compensating ones included; std::logic_error if the
  ///         caller is in a run of this runtime that may use more workers, as f would be part of that run
  template <class F>
  std::invoke_result_t<F&> run(const run_options& o, F&& f LEAT_SITE_PARAMETER);
  template <class F>
    requires(!std::is_invocable_v<F&>)
  void run(F&&) {
    static_assert(std::is_invocable_v<F&>, "leat::runtime::run: f must be callable without arguments");
  }
  template <class F>
  void run(F&&) const {
    static_assert(
        !std::is_same_v<F, F>,
        "leat::runtime::run: of a const runtime. The default runtime has no run: call loops, groups and the rest "
        "from the thread itself, or make a leat::runtime");
  }
  template <class F>
    requires(!std::is_invocable_v<F&>)
  void run(const run_options&, F&& f) {
    run(f);
  }
  template <class F>
  void run(const run_options&, F&& f) const {
    run(f);
  }

  /// Hands f(args...) to the workers, and returns the future of its result at once. As with leat::async, f and the
  /// arguments are copied or moved into the task and passed on as rvalues, and an exception goes to the future.
  ///
  /// Called by a worker of this runtime, it is leat::async: the task is part of the worker's run. Elsewhere the task is
  /// of no run. Workers begin such tasks in about the order in which they came. A worker that waits for one that has
  /// not begun executes it. The destructor executes what was submitted before, unless a run is in progress.
  ///
  /// Thread safety: any thread may call it, and does not wait. Costs the caller 70 to 180 ns while workers are awake,
  /// else the wake-up of one of them. No allocation unless callable and result together exceed about 200 bytes.
  /// Submissions are not limited in number: a program that submits faster than its tasks are executed needs memory.
  /// \return a future<T>, where T is what f returns
  /// \throws closed_runtime once the destructor has begun; forked_process in a forked child; what copying f and args or
  ///         allocating throws; std::system_error if the scheduler is a published one, and the thread that begins
  ///         submissions cannot be started
  template <class F, class... Args>
  [[nodiscard]] auto submit(F&& f, Args&&... args) {
    if constexpr (task::is_async_call<F, Args...>())
      return task::submit<platform>(*scheduler_, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The options that are in force, all of them set. Costs nothing.
  const leat::options& options() const noexcept;
  /// The number of workers that were asked for, without compensating ones.
  std::uint32_t workers() const noexcept;
  const std::string& scheduler() const noexcept { return *options().scheduler; }

  /// Totals since the start: over all workers, with the compensating ones that were started; or for one worker that is
  /// none of these. Any thread may ask. Cheap: it adds up the workers' numbers. Exact
  /// between runs.
  /// \throws std::out_of_range if there is no such worker
  leat::counters counters() const;
  leat::counters counters(std::uint32_t worker) const;

 private:
  template <class T>
  friend class worker_local;
  friend class team;
  friend class callers;

  /// A runtime in which threads of the program are workers while they are inside. One of the options' workers is such a
  /// thread.
  runtime(const leat::options& o, std::uint32_t primaries);

  /// The workers that have numbers below it are no compensating ones.
  std::uint32_t numbers() const noexcept;

  std::uint64_t number() const noexcept;  // scheduler::settings::number

  using platform = platform::chosen;
  using engine = scheduler::channel_scheduler<platform>;

  // Both are owned. Raw pointers, because <memory> is slow to compile.
  const leat::options* options_;
  engine* scheduler_;
};

// ---------------------------------------------------------------------------------------------------------------------

namespace entry {

/// run_options::workers_max as execute_run takes it. Throws std::invalid_argument.
std::uint32_t cap_of(const std::optional<std::uint64_t>& workers_max);

/// Executes `f` as the root of a run of `engine`, on so many workers at most, and gives its result; see runtime::run.
template <class P, class F>
std::invoke_result_t<F&> execute_run(scheduler::channel_scheduler<P>& engine, F& f,
                                     std::uint32_t workers_max = uncapped<P>) {
  using result = std::invoke_result_t<F&>;
  if (is_inside<P>(engine, workers_max)) return f();

  using slot = std::conditional_t<
      std::is_void_v<result>, char,
      std::conditional_t<std::is_reference_v<result>, std::remove_reference_t<result>*, std::optional<result>>>;
  // What the root needs and makes; on this stack, which waits for it.
  struct body {
    F& f;
    slot value{};
  } b{f};
  const auto root = [](void* p) {
    body& call = *static_cast<body*>(p);
    if constexpr (std::is_void_v<result>) {
      call.f();
    } else if constexpr (std::is_reference_v<result>) {
      auto&& referred = call.f();
      call.value = platform::address_of(referred);
    } else {
      call.value.emplace(call.f());
    }
  };
  execute_root<P>(engine, root, &b, workers_max);
  if constexpr (std::is_reference_v<result>) {
    return static_cast<result>(*b.value);
  } else if constexpr (!std::is_void_v<result>) {
    return std::move(*b.value);
  }
}

}  // namespace entry

template <class F>
std::invoke_result_t<F&> runtime::run(F&& f LEAT_SITE_TAKEN) {
  if constexpr (strands::profiles<platform>) {
    [[maybe_unused]] strands::run_call<platform> here;
    auto root = [&]() -> std::invoke_result_t<F&> { return LEAT_CALL_ROOT_OF(here, f); };
    return entry::execute_run(*scheduler_, root);
  } else {
    return entry::execute_run(*scheduler_, f);
  }
}

template <class F>
std::invoke_result_t<F&> runtime::run(const run_options& o, F&& f LEAT_SITE_TAKEN) {
  if constexpr (strands::profiles<platform>) {
    [[maybe_unused]] strands::run_call<platform> here;
    auto root = [&]() -> std::invoke_result_t<F&> { return LEAT_CALL_ROOT_OF(here, f); };
    return entry::execute_run(*scheduler_, root, entry::cap_of(o.workers_max));
  } else {
    return entry::execute_run(*scheduler_, f, entry::cap_of(o.workers_max));
  }
}

}  // namespace leat::inline LEAT_ABI
