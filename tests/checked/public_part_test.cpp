// The public parts of the private deque and of the fork stack, between their owner and thieves: rules E1-E4 of
// deque/public_part.hpp, D5, K4 and K5.
#include "leat/deque/public_part.hpp"

#include <cstdint>
#include <optional>

#include "client.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/deque/private.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using deque = leat::deque::private_deque<checked, std::uint64_t>;

constexpr auto any = [] { return true; };

// An owner and thieves, and what becomes of each task.
template <class Client, int thieves>
struct shares : client<Client, 1 + thieves> {
  static constexpr std::uint64_t tasks_max = 8;
  std::optional<deque> tasks;
  bool taken[tasks_max]{};
  std::uint64_t pushed = 0;

  void push() {
    std::uint64_t* const slot = tasks->room();
    checked::writes(slot);
    *slot = ++pushed;
    tasks->push();
  }
  // Ours alone, if it is right; so nothing but the tasks themselves is a shared word.
  void execute(const std::uint64_t* slot) {
    checked::reads(slot);
    must(0 < *slot && *slot < tasks_max && !taken[*slot], "each task is executed once");
    taken[*slot] = true;
  }
  void steal() {
    const auto stolen = tasks->steal(any);
    if (stolen.count == 0) return;
    execute(stolen.first);
    tasks->give_back();
  }
  void after() {
    tasks->close();
    while (const std::uint64_t* task = tasks->pop_unasked()) execute(task);
    for (std::uint64_t n = 1; n <= pushed; ++n) must(taken[n], "each task is executed");
  }
};

// The split deque: some of the oldest tasks are public while the owner is in a task.
template <int thieves, int steals>
struct some_public : shares<some_public<thieves, steals>, thieves> {
  void before() {
    this->tasks.emplace(2);
    this->push(), this->push();
  }
  void thread(unsigned i) {
    if (i != 0) {
      for (int n = 0; n < steals; ++n) this->steal();
      return;
    }
    deque& d = *this->tasks;
    d.open(2);
    if (d.pop() == nullptr) d.close();
    if (const std::uint64_t* task = d.pop_unasked()) this->execute(task);
    d.rewind();
    if (d.full()) return;
    this->push();  // into a slot that was public
    d.open(1);
  }
};

// The deque of Chase and Lev: every task is public.
template <int thieves, int steals>
struct all_public : shares<all_public<thieves, steals>, thieves> {
  void before() { this->tasks.emplace(2, true); }
  void thread(unsigned i) {
    if (i != 0) {
      for (int n = 0; n < steals; ++n) this->steal();
      return;
    }
    deque& d = *this->tasks;
    d.open(0);
    this->push(), d.publish();
    this->push(), d.publish();
    pop();  // a thief that sees the lower end takes what lies beneath
    if (d.full()) return;
    this->push(), d.publish();
    pop();
  }
  // As a worker does: without closing if nobody can come to it.
  void pop() {
    deque& d = *this->tasks;
    if (d.newest() == nullptr) return;
    const std::uint64_t* task = d.pop_public();
    if (task != nullptr) return this->execute(task);
    d.close();
    task = d.pop_unasked();
    if (task != nullptr) this->execute(task);
    d.rewind();
    d.open(0);
  }
};

TEST(public_part, of_a_deque_gives_each_task_once) {
  expect_right<some_public<1, 2>, preemptions<4>>();
  expect_right<some_public<2, 1>, preemptions<3>>();
}

TEST(public_part, of_a_deque_where_all_is_public_gives_each_task_once) {
  expect_right<all_public<1, 2>, preemptions<4>>();
  expect_right<all_public<2, 1>, preemptions<2>>();
}

TEST(public_part, gives_each_task_once_long) {
  expect_right<some_public<2, 2>, preemptions<3>>();
  expect_right<all_public<2, 2>, preemptions<3>>();
  expect_right<all_public<2, 2>, drawn<5'000'000>>();
}

}  // namespace
