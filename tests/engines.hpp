// What the runtime's tests run on: the scheduler on the native platform, in several shapes.
//
// The shape is a value: workers, capacity, spinning, scheduler. The platform is a type. A test whose subject is the number
// of fences and read-modify-writes takes `engine_on<counted>`; every other test takes `engine`.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/entry/bodies.hpp"
#include "leat/loop/deterministic.hpp"
#include "leat/loop/each.hpp"
#include "leat/loop/reduce.hpp"
#include "leat/loop/spawned.hpp"
#include "leat/platform/native.hpp"
#include "leat/runtime.hpp"
#include "leat/task/blocking.hpp"
#include "leat/task/fork_each.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/future.hpp"
#include "leat/task/graph.hpp"
#include "leat/task/spawn.hpp"
#include "leat/task/task_group.hpp"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LEAT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LEAT_TEST_SANITIZED 1
#endif
#endif

namespace leat_test {

#if defined(LEAT_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

#if defined(LEAT_TEST_EMULATED)
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

/// `n` repetitions; or a tenth under a sanitizer, which costs about ten times the time, and under an emulator, which
/// keeps some 290 KB for each thread that has ended.
constexpr int reps(int n) { return !sanitized && !emulated ? n : n < 10 ? 1 : n / 10; }

/// The scheduler that LEAT_SCHEDULER names.
inline leat::protocol::published published_scheduler() {
  return leat::protocol::published_of(leat::options().resolved().scheduler.value_or("channel"));
}

/// Options with that many workers, and nothing else set.
inline leat::options with_workers(std::uint64_t n) {
  leat::options o;
  o.workers = n;
  return o;
}

/// Whether others take what a worker has without its doing, so that each of its forks and tasks has to cost a fence.
inline bool all_is_public() { return published_scheduler() == leat::protocol::published::work_stealing; }

/// Waits until ready(), for ten seconds at most; whether it became so. Does not poll: other threads must do it alone.
template <class Ready>
bool comes_true(Ready ready) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// How many workers, how many tasks each one's deque holds, and how long an idle worker spins. One that spins asks other
/// workers first and gives them that time to answer; one that does not asks the manager.
struct shape {
  std::uint32_t workers = 1;
  std::size_t deque_capacity = leat::scheduler::settings{}.deque_capacity;
  std::uint64_t spin_ns = 0;
  std::optional<std::uint32_t> spares = std::nullopt;  ///< as many as workers, if not said
  std::uint64_t interrupt_after_ns = 50'000;
  std::optional<leat::protocol::published> published = std::nullopt;  ///< as LEAT_SCHEDULER says, if not said
  leat::protocol::exposure exposure = leat::protocol::exposure::none;
  leat::protocol::prell_choices prell = {};
  std::vector<std::uint32_t> places = {};  ///< as scheduler::settings has them
  leat::protocol::strategy strategy = leat::protocol::strategy::adaptive;

  std::string name() const {
    return std::to_string(workers) + " workers, deques of " + std::to_string(deque_capacity) + ", spinning " +
           std::to_string(spin_ns) + " ns";
  }
};

inline std::vector<shape> shapes(std::vector<std::uint32_t> workers = {1, 2, 3, 8, 64}) {
  constexpr std::uint64_t spin = 20'000;
  std::vector<shape> all;
  for (const std::uint32_t w : workers) {
    const std::size_t large = shape{}.deque_capacity;
    for (const shape& s : {shape{w, 1, 0}, shape{w, 1, spin}, shape{w, 2, spin}, shape{w, 4, 0}, shape{w, large, 0},
                           shape{w, large, spin}}) {
      all.push_back(s);
    }
  }
  return all;
}

/// The same for tests that put nothing into the deque.
inline std::vector<shape> worker_shapes(std::vector<std::uint32_t> workers = {1, 2, 3, 8, 64}) {
  std::vector<shape> all;
  for (const std::uint32_t w : workers) {
    for (const std::uint64_t spin_ns : {std::uint64_t{0}, std::uint64_t{20'000}}) {
      all.push_back({w, shape{}.deque_capacity, spin_ns});
    }
  }
  return all;
}

/// The scheduler on one platform, with the interface of leat::runtime and of the free functions beside it.
template <class P>
class engine_on {
 public:
  using platform = P;
  using scheduler = leat::scheduler::channel_scheduler<P>;

  template <class T>
  using future = leat::task::future<P, T>;

  using task_group = leat::task::task_group<P>;
  using stop_token = leat::task::stop_token<P>;
  using task_handle = leat::task::task_handle<P>;
  using graph = leat::task::graph<P>;
  template <class T>
  using shared_future = leat::task::shared_future<P, T>;
  using context = leat::task::context<P>;

  explicit engine_on(shape s) : scheduler_(settings_of(s), leat::published::processors<P>::of) {}
  engine_on(shape s, leat::handshake::budget<P>& shared)
      : scheduler_(settings_of(s), leat::published::processors<P>::of, &shared) {}
  engine_on(shape s, leat::protocol::strategy strategy) : engine_on((s.strategy = strategy, s)) {}

  template <class F>
  decltype(auto) run(F&& f) {
    return leat::entry::execute_run(scheduler_, f);
  }

  template <class F>
  decltype(auto) run_capped(std::uint32_t workers_max, F&& f) {
    return leat::entry::execute_run(scheduler_, f, workers_max);
  }

  template <class F>
  static void spawn(F&& f) {
    leat::task::spawn<P>(std::forward<F>(f));
  }

  template <class F, class... Args>
  static auto async(F&& f, Args&&... args) {
    return leat::task::async<P>(std::forward<F>(f), std::forward<Args>(args)...);
  }

  template <class... F>
  static auto fork_join(F&&... f) {
    return leat::task::fork_join<P>(std::forward<F>(f)...);
  }

  template <unsigned Level, class... F>
  static auto fork_join(leat::task::context<P, Level> c, F&&... f) {
    return leat::task::fork_join<P>(c, std::forward<F>(f)...);
  }

  template <class F, std::size_t N>
  static auto fork_join(std::array<F, N>& callables) {
    return leat::task::fork_join_row<P, N>(callables.data());
  }

  template <class F, std::size_t N>
  static auto fork_join(context c, std::array<F, N>& callables) {
    return leat::task::fork_join_row<P, N>(c, callables.data());
  }

  template <class F>
  static decltype(auto) with_context(F&& f) {
    return leat::task::with_context<P>(f);
  }

  template <class F>
  static decltype(auto) blocking(F&& f) {
    return leat::task::blocking<P>(f);
  }

  using loop_options = leat::loop::options<P>;

  template <class First, class Last, class Body>
  static void parallel_for(First first, Last last, Body&& body, const loop_options& options = {}) {
    leat::loop::for_block<P>(leat::loop::between(first, last, "parallel_for"), body, options);
  }

  template <unsigned Level, class It, class F>
  static void parallel_for_each(leat::task::context<P, Level> c, It first, It last, F&& f) {
    leat::task::fork_each<P>(c, first, last, f);
  }

  template <std::size_t N, class Body>
  static void parallel_for(const leat::box<N>& range, Body&& body, const loop_options& options = {}) {
    leat::loop::for_box<P>(range, body, options);
  }

  template <class First, class Last, class Body>
  static void spawn_for(task_group& group, First first, Last last, Body&& body, const loop_options& options = {}) {
    leat::loop::spawn_block<P>(&group, leat::loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                               options);
  }

  template <class First, class Last, class Body>
  static void spawn_for(First first, Last last, Body&& body, const loop_options& options = {}) {
    leat::loop::spawn_block<P>(nullptr, leat::loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                               options);
  }

  template <class Index, class T, class Map, class Combine>
  static T parallel_reduce(Index first, Index last, const T& identity, Map&& map, Combine&& combine,
                           const loop_options& options = {}) {
    return leat::loop::from<Index>(identity, map, combine, [&](const auto& how) {
      return leat::loop::reduce(leat::block<Index>(first, last), how, options);
    });
  }

  template <class Index, class Map, class Combine>
  static auto parallel_reduce(Index first, Index last, Map&& map, Combine&& combine) {
    return leat::loop::from_nothing<Index>(map, combine, [&](const auto& how) {
      return leat::loop::reduce(leat::block<Index>(first, last), how, loop_options());
    });
  }

  template <class Index, class T, class Map, class Combine>
  static T deterministic_reduce(Index first, Index last, const T& identity, Map&& map, Combine&& combine) {
    return leat::loop::from<Index>(identity, map, combine, [&](const auto& how) {
      return leat::loop::deterministic_reduce<P>(leat::block<Index>(first, last), how);
    });
  }

  static void barrier() { leat::task::barrier<P>(); }
  static void poll() { leat::task::poll<P>(); }

  /// The calling worker's number.
  static std::uint32_t here() { return leat::task::this_worker<P>("here").id(); }

  /// The workers, and the spares that were started.
  std::uint32_t workers_started() const { return scheduler_.workers_started(); }

  /// What leat::team is: the thread that makes it is worker 0 inside call().
  class team {
   public:
    explicit team(shape s) : scheduler_(with_primary(settings_of(s)), leat::published::processors<P>::of) {}

    template <class F>
    decltype(auto) call(F&& f) {
      if (primary_.has_caller()) return f();
      const typename primary::visit inside(primary_);
      return f();
    }
    bool has_caller() const { return primary_.has_caller(); }
    bool admits_caller() const { return primary_.admits_caller(); }

   private:
    using primary = leat::entry::primary<P>;
    static leat::scheduler::settings with_primary(leat::scheduler::settings s) {
      s.primaries = 1;
      return s;
    }
    scheduler scheduler_;
    primary primary_{scheduler_};
  };

  /// What the default runtime is: threads that are no workers take one of two primaries, with a worker that has a thread for
  /// each of the shape but one. The last thread to leave a place need not be there when the next one takes it.
  class places {
   public:
    static constexpr std::uint32_t number = 2;

    explicit places(shape s) : scheduler_(with_primaries(settings_of(s)), leat::published::processors<P>::of) {}
    ~places() {
      const auto second = [this] { second_.reset(); };
      typename P::thread other;
      try {
        other = typename P::thread(second);
      } catch (const std::bad_alloc&) {
        other = typename P::thread(second);  // a world has one allocation fail at most
      }
      first_.reset();
      other.join();
    }

    /// On the place `at`, which no other thread has.
    template <class F>
    void call(std::uint32_t at, F&& f) {
      primary& p = at == 0 ? *first_ : *second_;
      p.be_for_caller();
      const typename primary::visit inside(p);
      f();
    }
    leat::counters counters() const { return scheduler_.read_counters(); }

   private:
    using primary = leat::entry::primary<P>;
    static leat::scheduler::settings with_primaries(leat::scheduler::settings s) {
      s.workers += number - 1;
      s.primaries = number;
      return s;
    }
    scheduler scheduler_;
    std::optional<primary> first_{std::in_place, scheduler_, 0u};
    std::optional<primary> second_{std::in_place, scheduler_, 1u};
  };

  auto& worker_at(std::uint32_t worker) { return scheduler_.worker_at(worker); }
  std::uint32_t workers() const { return scheduler_.config().workers; }
  leat::counters counters() const { return scheduler_.read_counters(); }
  leat::counters counters(std::uint32_t worker) const { return scheduler_.read_counters(worker); }

 private:
  static leat::scheduler::settings settings_of(shape s) {
    leat::scheduler::settings made;
    made.workers = s.workers;
    made.spares = s.spares.value_or(s.workers);
    made.deque_capacity = s.deque_capacity;
    made.spin_ns = s.spin_ns;
    made.patience_ns = s.spin_ns;
    made.interrupt_after_ns = s.interrupt_after_ns;
    made.list_waits_after_ns = 0;  // every wait that comes to sleep is looked at
    // As in leat::runtime.
    made.exposure = s.exposure;
    made.published = s.published ? *s.published : published_scheduler();
    if (s.spin_ns == 0) made.attempts = 0;
    made.strategy = s.strategy;
    made.prell = s.prell;
    made.places = s.places;
    return made;
  }

  scheduler scheduler_;
};

using engine = engine_on<leat::platform::native>;

/// Calls test(engine, shape) for an engine of each shape.
template <class Engine, class Test>
void on_each_shape(const std::vector<shape>& all, Test test) {
  for (const shape& s : all) {
    SCOPED_TRACE(s.name());
    Engine e(s);
    test(e, s);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace leat_test
