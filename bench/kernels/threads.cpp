#include "kernels/threads.hpp"

#include <stdexcept>

#if defined(LEAT_BENCH_THREADS)
#include <leat/bubble.hpp>
#include <leat/platform/native.hpp>
#include <leat/thread.hpp>

#include <sched.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#endif

namespace leat::kernels::threads {

std::string_view name(kind k) noexcept {
  switch (k) {
    case kind::thread: return "thread";
    case kind::bubble: return "bubble";
    case kind::nptl: return "nptl";
  }
  return "unknown";
}

std::string_view name(operation o) noexcept {
  switch (o) {
    case operation::yield_alone: return "yield_alone";
    case operation::switching: return "switching";
    case operation::switching_apart: return "switching_apart";
    case operation::create_and_join: return "create_and_join";
  }
  return "unknown";
}

#if defined(LEAT_BENCH_THREADS)

bool available() noexcept { return true; }

namespace {

using platform::native;

// The processor's time-stamp counter, whose cycles are those of its nominal frequency; 0 where it has none.
std::uint64_t cycles_now() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// Calls f, which does `count` operations and returns how many it knows of.
template <class F>
outcome timed(std::uint64_t count, F f) {
  const std::uint64_t start = native::now_ns(), first = cycles_now();
  const std::uint64_t done = f();
  const std::uint64_t last = cycles_now(), end = native::now_ns();
  const auto of_each = [count](std::uint64_t all) { return static_cast<double>(all) / static_cast<double>(count); };
  return {of_each(end - start), of_each(last - first), done};
}

// Two threads, on one CPU, yield until they have gone from one to the other so often: a yield need not do that.
class switches {
 public:
  explicit switches(std::uint64_t count) : count_(count) {}

  template <class Yield>
  void take_part(int me, Yield yield) {
    // Relaxed, and in two steps: what is lost between the two makes one switch more.
    while (made() < count_) {
      if (last_.load(std::memory_order_relaxed) != me) {
        last_.store(me, std::memory_order_relaxed);
        made_.store(made() + 1, std::memory_order_relaxed);
      }
      yield();
    }
  }

  [[nodiscard]] std::uint64_t made() const noexcept { return made_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t count_;
  std::atomic<int> last_ = 0;
  std::atomic<std::uint64_t> made_ = 0;
};

// Each of these makes threads that call f() and g(), and returns when they have ended.

struct of_leat {
  static void yield() { leat::thread::yield(); }

  template <class F>
  static void call(F f) {
    leat::thread(f).join();
  }

  template <class F, class G>
  static void call(F f, G g) {
    leat::thread first(f);
    leat::thread second(g);
    first.join();
    second.join();
  }
};

struct of_bubble {
  static void yield() { leat::thread::yield(); }

  template <class... F>
  static void call(F... f) {
    leat::bubble all;
    (all.spawn(f), ...);
    all.wake();
    all.join();
  }
};

struct of_system {
  static void yield() { sched_yield(); }

  template <class F>
  static void call(F f) {
    std::thread(f).join();
  }

  template <class F, class G>
  static void call(F f, G g) {
    std::thread([f, g] {
      bind_to_one_cpu();
      const std::jthread other(g);  // inherits the CPU
      f();
    }).join();
  }

 private:
  static void bind_to_one_cpu() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
      throw std::system_error(errno, std::generic_category(), "leat: cannot bind a thread to a CPU");
    }
  }
};

// Two threads that come back from a yield to one place in the program.
template <class Threads>
struct part {
  switches& all;
  int me;
  void operator()() const { all.take_part(me, Threads::yield); }
};

template <class Threads>
outcome run_with(operation o, std::uint64_t count) {
  switch (o) {
    case operation::yield_alone: {
      outcome found;
      Threads::call([&found, count] {
        found = timed(count, [count] {
          for (std::uint64_t i = 0; i < count; ++i) Threads::yield();
          return count;
        });
      });
      return found;
    }
    case operation::switching:
      return timed(count, [count] {
        switches all(count);
        Threads::call(part<Threads>{all, 1}, part<Threads>{all, 2});
        return all.made();
      });
    case operation::switching_apart:
      return timed(count, [count] {
        switches all(count);
        Threads::call([&all] { all.take_part(1, Threads::yield); }, [&all] { all.take_part(2, Threads::yield); });
        return all.made();
      });
    case operation::create_and_join:
      return timed(count, [count] {
        std::uint64_t ran = 0;
        for (std::uint64_t i = 0; i < count; ++i) Threads::call([&ran] { ++ran; });
        return ran;
      });
  }
  return {};
}

}  // namespace

outcome run(runtime& rt, const std::string& machine, kind k, operation o, std::uint64_t count) {
  if (k == kind::nptl) return run_with<of_system>(o, count);
  return rt.run([&] {
    return leat::run_threads(
        [&] { return k == kind::thread ? run_with<of_leat>(o, count) : run_with<of_bubble>(o, count); },
        {.machine = machine});
  });
}

#else

bool available() noexcept { return false; }

outcome run(runtime&, const std::string&, kind, operation, std::uint64_t) {
  throw std::logic_error("leat: this program was built without user-level threads, which need Boost.Context");
}

#endif

}  // namespace leat::kernels::threads
