// OpenMP's tasks and loops; GCC's and LLVM's are two programs made from this.

#include "programs.hpp"

#include <omp.h>

#include <stdexcept>
#include <string>

namespace {

class openmp {
 public:
  explicit openmp(int workers) : workers_(workers) {
    int got = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
    got = omp_get_num_threads();
    if (got == workers) return;
    throw std::runtime_error("OpenMP has " + std::to_string(got) + " of " + std::to_string(workers) + " threads");
  }

  static int worker() { return omp_get_thread_num(); }

  template <class Root>
  void run(Root root) const {
#pragma omp parallel num_threads(workers_)
#pragma omp single nowait
    root();
  }

  template <class F, class G>
  static void both(const F& f, const G& g) {
#pragma omp task shared(f) default(none)
    f();
    g();
#pragma omp taskwait
  }

  struct maker {
    template <class Task>
    void operator()(const Task& task) const {
#pragma omp task firstprivate(task) default(none)
      task();
    }
  };

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    const auto shared = share(maker{});
#pragma omp taskgroup
    start(shared);
  }

  template <class Body>
  void loop(std::int64_t iterations, Body body) const {
#pragma omp parallel for num_threads(workers_) schedule(guided)
    for (std::int64_t i = 0; i < iterations; ++i) body(i);
  }

 private:
  int workers_;
};

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns_with<openmp>(argc, argv); }
