// The words by which others ask a worker to poll: rule FORK-6 of deque/fork_stack.hpp.
#include "leat/work/task_stack.hpp"

#include <cstdint>

#include "client.hpp"
#include "leat/task/fork_form.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using stack = leat::work::task_stack<checked>;

// A worker begins to use the context form while others ask. Its next join in that form finds who has asked, or a later one does.
template <int others>
struct begins_contexts : client<begins_contexts<others>, 1 + others> {
  stack s{nullptr, 1, false};
  stack::words words{};
  checked::atomic<std::uint32_t> requests[others]{};
  bool seen[others]{};

  void before() { s.attach(words); }
  void thread(unsigned i) {
    if (i != 0) {
      requests[i - 1].store(1, relaxed);
      return s.signal();
    }
    s.use_contexts();
    join();
  }
  void after() {
    join();
    for (const bool one : seen) must(one, "whoever asked is seen");
  }
  // In context form.
  void join() {
    auto* const first = s.context_forks.base();
    if (stack::fork_stack::word(first) >= leat::task::context_form<checked>::limit(first)) return;
    s.acknowledge();
    for (int i = 0; i < others; ++i) seen[i] = seen[i] || requests[i].load(relaxed) == 1;
    s.rearm(false);
  }
};

TEST(task_stack, is_signalled_in_context_form_when_it_begins_to_use_that) {
  expect_right<begins_contexts<1>, all>();
  expect_right<begins_contexts<2>, preemptions<3>>();
}

}  // namespace
