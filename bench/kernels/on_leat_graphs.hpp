// leat's graphs and dependent tasks, for kernels that are dataflows (calls.hpp).

#pragma once

#include <leat/task/graph.hpp>
#include <leat/task/task_group.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace leat::kernels {

/// A graph, which runs when it is whole.
template <class P>
struct on_leat_graph {
  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    using node = typename task::graph<P>::node;
    task::graph<P> graph;
    std::vector<node> changed_by(items);
    start([&](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      node made = graph.add(task);
      const auto wait_for = [&made](const node& before) {
        if (before != node()) made.succeed(before);
      };
      wait_for(changed_by[changed]);
      for (const std::size_t item : read) wait_for(changed_by[item]);
      changed_by[changed] = made;
    });
    graph.run();
  }
};

/// Tasks of a group, each of which begins when others have ended. Thieves execute some while others are made.
template <class P>
struct on_leat_after {
  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    using handle = task::task_handle<P>;
    task::task_group<P> group;
    std::vector<handle> changed_by(items);
    start([&](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      std::array<handle, reads_max + 1> before = {changed_by[changed]};
      std::size_t next = 0;
      for (const std::size_t item : read) before.at(++next) = changed_by[item];
      changed_by[changed] = group.spawn_after(before, task);
    });
    group.wait();
  }

  static constexpr std::size_t reads_max = 2;  // items that a task reads
};

}  // namespace leat::kernels
