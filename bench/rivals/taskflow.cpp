// Taskflow's task groups, graphs and loops.

#include "programs.hpp"

#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace {

class taskflow {
 public:
  explicit taskflow(int workers) : executor_(static_cast<std::size_t>(workers)) { running = &executor_; }

  static int worker() { return running->this_worker_id(); }

  template <class Root>
  void run(Root root) {
    executor_.async(root).wait();
  }

  template <class F, class G>
  static void both(const F& f, const G& g) {
    tf::TaskGroup group = running->task_group();
    group.silent_async([&f] { f(); });
    g();
    group.corun();
  }

  struct maker {
    tf::TaskGroup* group;

    template <class Task>
    void operator()(const Task& task) const {
      group->silent_async(task);
    }
  };

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    tf::TaskGroup group = running->task_group();
    const auto shared = share(maker{&group});
    start(shared);
    group.corun();
  }

  // A graph, which begins when it is whole.
  template <class Start>
  static void dataflow(std::size_t items, const Start& start) {
    tf::Taskflow flow;
    std::vector<tf::Task> changed_by(items);  // empty: no task changes the item yet
    start([&](const auto& task, std::size_t changed, std::initializer_list<std::size_t> read) {
      tf::Task made = flow.emplace(task);
      const auto wait_for = [&](tf::Task& before) {
        if (!before.empty()) before.precede(made);
      };
      wait_for(changed_by[changed]);
      for (const std::size_t item : read) wait_for(changed_by[item]);
      changed_by[changed] = made;
    });
    running->corun(flow);
  }

  template <class Body>
  void loop(std::int64_t iterations, Body body) {
    tf::Taskflow flow;
    flow.for_each_index(std::int64_t{0}, iterations, std::int64_t{1}, body);
    executor_.run(flow).wait();
  }

 private:
  inline static tf::Executor* running = nullptr;  // there is one, but tasks are not told which

  tf::Executor executor_;
};

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns_with<taskflow>(argc, argv); }
