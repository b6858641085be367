// OpenMP's tasks and loops; GCC's and LLVM's are two programs made from this.

#include "programs.hpp"

#include <omp.h>

#if __has_include(<parallel/algorithm>) && !defined(__clang__)
#define LEAT_PARALLEL_MODE  // of GCC's standard library
#include <parallel/algorithm>
#endif

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

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

  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    std::vector<char> places(items);  // one for each item: OpenMP's dependences are between addresses
    char* const item = places.data();
#pragma omp taskgroup
    start([item](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      const std::size_t* const numbers = read.begin();
      const std::size_t many = read.size();
#pragma omp task firstprivate(task) depend(iterator(std::size_t i = 0 : many), in : item[numbers[i]]) \
    depend(inout : item[changed])
      task();
    });
  }

#if defined(LEAT_PARALLEL_MODE)
  template <class At>
  void sort(At first, At last) const {
    __gnu_parallel::sort(first, last, __gnu_parallel::default_parallel_tag(static_cast<unsigned>(workers_)));
  }

  template <class At>
  void stable_sort(At first, At last) const {
    __gnu_parallel::stable_sort(first, last, __gnu_parallel::default_parallel_tag(static_cast<unsigned>(workers_)));
  }
#endif

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
