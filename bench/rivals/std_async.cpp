// std::async. Each call of it starts a thread, so that only the first forks are in parallel: as many of them under each
// other as make threads_per_worker threads for each worker. Those further down are calls. The threads share as many CPUs
// as there are to be workers.

#include "programs.hpp"

#include <sched.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <future>
#include <system_error>

namespace {

// Keeps the calling thread, and all that it will start, to so many of its CPUs; to all if it has no more.
void keep_to_cpus(int many) {
  cpu_set_t may_use;
  if (sched_getaffinity(0, sizeof may_use, &may_use) == 0) {
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &may_use) && many-- <= 0) CPU_CLR(cpu, &may_use);
    }
    if (sched_setaffinity(0, sizeof may_use, &may_use) == 0) return;
  }
  throw std::system_error(errno, std::generic_category(), "std::async cannot be kept to some CPUs");
}

class std_async {
 public:
  explicit std_async(int workers) {
    keep_to_cpus(workers);
    depth_max = std::bit_width(static_cast<unsigned>(threads_per_worker * workers - 1));
  }

  template <class Root>
  void run(Root root) const {
    root();
  }

  template <class F, class G>
  static void both(const F& f, const G& g) {
    if (depth == depth_max) {
      f();
      g();
      return;
    }
    ++depth;
    const auto other = std::async(std::launch::async, [&f, below = depth] {
      depth = below;
      f();
    });
    g();
    --depth;
    other.wait();
  }

  template <class Body>
  void loop(std::int64_t iterations, Body body) const {
    halve(0, iterations, body);
  }

 private:
  static constexpr int threads_per_worker = 16;

  template <class Body>
  static void halve(std::int64_t first, std::int64_t last, Body body) {
    if (depth == depth_max) {
      for (std::int64_t i = first; i < last; ++i) body(i);
      return;
    }
    const std::int64_t middle = first + (last - first) / 2;
    both([=] { halve(first, middle, body); }, [=] { halve(middle, last, body); });
  }

  inline static int depth_max = 0;
  inline static thread_local int depth = 0;  // forks in parallel around the caller
};

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns_with<std_async>(argc, argv); }
