// oneTBB's task groups and loops.

#include "programs.hpp"

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

namespace {

class onetbb {
 public:
  explicit onetbb(int workers)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)),
        stack_(tbb::global_control::thread_stack_size, stack_bytes),
        arena_(workers) {}

  static int worker() { return tbb::this_task_arena::current_thread_index(); }

  template <class Root>
  void run(Root root) {
    arena_.execute(root);
  }

  template <class F, class G>
  static void both(const F& f, const G& g) {
    tbb::parallel_invoke(f, g);
  }

  struct maker {
    tbb::task_group* group;

    template <class Task>
    void operator()(const Task& task) const {
      group->run(task);
    }
  };

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    tbb::task_group group;
    const auto shared = share(maker{&group});
    start(shared);
    group.wait();
  }

  // A graph, which begins when it is whole: an edge from a node that has run already would say nothing.
  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    using message = tbb::flow::continue_msg;
    using node = tbb::flow::continue_node<message>;
    tbb::flow::graph graph;
    std::deque<node> nodes;
    std::vector<node*> changed_by(items);
    std::vector<node*> first;
    start([&](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      node& made = nodes.emplace_back(graph, [task](const message&) { task(); });
      bool waits = false;
      const auto wait_for = [&](node* before) {
        if (before == nullptr) return;
        tbb::flow::make_edge(*before, made);
        waits = true;
      };
      wait_for(changed_by[changed]);
      for (const std::size_t item : read) wait_for(changed_by[item]);
      if (!waits) first.push_back(&made);
      changed_by[changed] = &made;
    });
    for (node* n : first) n->try_put(message());
    graph.wait_for_all();
  }

  template <class At>
  void sort(At first, At last) {
    arena_.execute([&] { tbb::parallel_sort(first, last); });
  }

  template <class Body>
  void loop(std::int64_t iterations, Body body) {
    arena_.execute([&] { tbb::parallel_for(std::int64_t{0}, iterations, body); });
  }

 private:
  // Its threads run other tasks while one waits, and have stacks of their own choice. Address space alone.
  static constexpr std::size_t stack_bytes = std::size_t{1} << 30;

  tbb::global_control limit_;
  tbb::global_control stack_;
  tbb::task_arena arena_;
};

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns_with<onetbb>(argc, argv); }
