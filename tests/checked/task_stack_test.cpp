// The words by which others ask a worker to poll: rule FORK-2 of deque/fork_stack.hpp, and DEQUE-2.
#include "leat/work/task_stack.hpp"

#include <cstdint>

#include "client.hpp"
#include "leat/task/fork_form.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using stack = leat::work::task_stack<checked>;

// A worker polls in its joins alone, all of one form. One of these joins finds each thief that has asked by a signal.
template <class Form>
struct joins : client<joins<Form>, 3> {
  stack s{nullptr, 1, false};
  stack::words& words = this->memory.template own<stack::words>(0);
  checked::atomic<std::uint32_t> requests[2]{};
  bool seen[2]{};

  void before() { s.attach(words); }
  void thread(unsigned i) {
    if (i != 0) {
      requests[i - 1].store(1, relaxed);
      return s.signal();
    }
    join();
    join();
  }
  void after() {
    join();
    for (const bool one : seen) must(one, "each thief that asked is seen");
  }
  void join() {
    auto* const oldest = Form::oldest(*this);
    if (stack::fork_stack::word(oldest) >= Form::limit(*this, oldest)) return;
    s.acknowledge();
    for (int i = 0; i < 2; ++i) seen[i] = seen[i] || requests[i].load(relaxed) == 1;
    s.rearm(false);
  }
};

struct plain {
  static auto* oldest(auto& of) { return of.s.tls_forks.base(); }
  static std::uintptr_t limit(auto& of, stack::slot*) { return checked::poll(of.words.limit); }
};
struct in_context {
  static auto* oldest(auto& of) { return of.s.context_forks.base(); }
  static std::uintptr_t limit(auto&, stack::slot* s) { return leat::task::context_form<checked>::limit(s); }
};

TEST(task_stack, has_the_joins_of_each_form_find_who_asks) {
  expect_right<joins<plain>, preemptions<3>>();
  expect_right<joins<in_context>, preemptions<3>>();
}

}  // namespace
