// Parlay's forks and loops, on its own scheduler.

#include "programs.hpp"

#include <parlay/parallel.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

class parlay_library {
 public:
  explicit parlay_library(int workers) {
    setenv("PARLAY_NUM_THREADS", std::to_string(workers).c_str(), 1);  // read when they start
    const std::size_t got = parlay::num_workers();
    if (got == static_cast<std::size_t>(workers)) return;
    throw std::runtime_error("Parlay has " + std::to_string(got) + " of " + std::to_string(workers) + " workers");
  }

  template <class Root>
  void run(Root root) const {
    root();
  }

  template <class F, class G>
  static void both(const F& f, const G& g) {
    parlay::par_do(f, g);
  }

  template <class Body>
  void loop(std::int64_t iterations, Body body) const {
    parlay::parallel_for(0, static_cast<std::size_t>(iterations),
                         [body](std::size_t i) { body(static_cast<std::int64_t>(i)); });
  }
};

// Parlay ends a program in which more tasks wait in a deque than it has places, 1000, and one waits for each level.
leat::rivals::program make(std::string_view kernel, const leat::rivals::parameters& p) {
  if (kernel == "uts" && leat::rivals::tree_of(p)->parameters().type != leat::kernels::uts::kind::geometric) {
    throw leat::rivals::cannot("a binomial tree has more levels than its deques have places");
  }
  return leat::rivals::make_with<parlay_library>(kernel, p);
}

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns(argc, argv, make); }
