// leat's tasks, for kernels that are written once for several libraries (calls.hpp).

#pragma once

#include <leat/task/fork_join.hpp>
#include <leat/task/future.hpp>
#include <leat/task/task_group.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace leat::kernels {

/// Fork/join, task groups and futures, in a run on the platform P.
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

  // A future for each task. One waits for the last ones that changed what it needs, whoever executes them by then.
  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    using done = task::shared_future<P, void>;
    std::vector<done> changed_by(items);
    start([&changed_by](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      std::array<done, dataflow_reads_max + 1> before = {changed_by[changed]};
      std::size_t next = 0;
      for (const std::size_t item : read) before.at(++next) = changed_by[item];
      changed_by[changed] = task::async<P>([task, before] {
        for (const done& d : before) {
          if (d.valid()) d.get();
        }
        task();
      });
    });
    for (const done& d : changed_by) {
      if (d.valid()) d.get();
    }
  }

  static constexpr std::size_t dataflow_reads_max = 2;  // items that a task reads
};

}  // namespace leat::kernels
