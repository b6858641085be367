// leat's tasks, for kernels that are written once for several libraries (calls.hpp).

#pragma once

#include <leat/task/fork_join.hpp>
#include <leat/task/task_group.hpp>

namespace leat::kernels {

/// Fork/join and task groups, in a run on the platform P.
template <class P>
struct on_leat {
  template <class F, class G>
  static void both(const F& f, const G& g) {
    task::fork_join<P>(f, g);
  }

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    task::task_group<P> group;
    const auto shared = share([&group](const auto& task) { group.spawn(task); });
    start(shared);
    group.wait();
  }
};

}  // namespace leat::kernels
