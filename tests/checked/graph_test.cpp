// What graphs and dependent tasks count: rules GRAPH-2, GRAPH-3 and AFTER-1 to AFTER-4 of docs/internals/graphs.md.
#include <array>
#include <cstdint>
#include <optional>

#include "client.hpp"
#include "leat/task/dependent.hpp"
#include "leat/task/graph_nodes.hpp"

namespace {

using namespace leat_test;

// GRAPH-2, GRAPH-3: all predecessors end at once, twice. The worker that counts down last sees what the others wrote.
template <int predecessors>
struct counts_down : client<counts_down<predecessors>, predecessors> {
  leat::task::graph_node<checked> n;
  std::array<int, predecessors> wrote{};
  int begun = 0;

  void before() {
    const auto call = [this] {
      for (int& w : wrote) checked::reads(&w);
      checked::writes(&begun);
      ++begun;
    };
    n.template keep<decltype(call)>(call);
    n.wait_for(predecessors);
  }
  void thread(unsigned i) {
    checked::writes(&wrote[i]);
    if (n.counts_down()) n.begin();
  }
  void after() {
    must(begun == 1, "a node is begun once");
    n.drop();
  }
};

// Without a group: the client counts the threads that get the right to spawn the task.
class plain_task final : public leat::task::dependent<checked> {
 public:
  explicit plain_task(std::uint32_t waits) : dependent(nullptr, &act, nullptr, waits) {}
  std::array<link, 2> links{};
  int wrote = 0;
  std::array<int, 2> used{};  // by the task, and by the handle, before they drop it
  int freed = 0;

 private:
  static void act(dependent& of, action what) {
    if (what != action::free) return;
    auto& self = static_cast<plain_task&>(of);
    for (int& u : self.used) checked::writes(&u);
    ++self.freed;
  }
};

// AFTER-1 to AFTER-4: two tasks end while a third is made that waits for both. A handle of the first is dropped meanwhile.
struct waits_for_two : client<waits_for_two, 3> {
  std::array<plain_task, 2> first{plain_task(0), plain_task(0)};
  plain_task waits{2};
  int begun = 0;

  void begin() {
    for (plain_task& t : first) checked::reads(&t.wrote);  // a race, if that is not done
    checked::writes(&begun);
    ++begun;
  }
  void thread(unsigned i) {
    if (i < 2) {
      checked::writes(&first[i].wrote);
      checked::writes(&first[i].used[0]);
      first[i].end([this](auto& ready) {
        must(&ready == &waits, "the task that waits");
        begin();
        return true;
      });
      return;
    }
    std::uint32_t done = 1;  // the call itself
    for (std::size_t t = 0; t != 2; ++t)
      if (!waits.wait_for(first[t], waits.links[t])) ++done;
    if (waits.counts_down(done)) begin();
    // A handle may be asked and dropped at any time.
    if (first[0].done()) checked::reads(&first[0].wrote);
    checked::writes(&first[0].used[1]);
    first[0].drop();
  }
  void after() {
    must(begun == 1, "a task is begun once");
    must(first[0].freed == 1 && first[1].freed == 0, "the last that knows a task frees it");
  }
};

TEST(graph, counts_nodes_down) {
  expect_right<counts_down<2>>();
  expect_right<counts_down<3>, preemptions<4>>();
}

TEST(graph, begins_a_dependent_task_after_both) { expect_right<waits_for_two, preemptions<3>>(); }

}  // namespace
