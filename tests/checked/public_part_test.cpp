// The public parts of the private deque and of the fork stack, between their owner and thieves: rules PUBLIC-1 to
// PUBLIC-4 of deque/public_part.hpp, DEQUE-5, FORK-4 and FORK-5; and what a thief reads of a public task before it
// takes one: EXPOSURE-1 and EXPOSURE-3 of scheduler/exposer.hpp.
#include "leat/deque/public_part.hpp"

#include <cstdint>
#include <optional>

#include "client.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/deque/private.hpp"
#include "leat/handshake/public_tag.hpp"

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
    while (const std::uint64_t* task = tasks->pop_without_poll()) execute(task);
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
    if (const std::uint64_t* task = d.pop_without_poll()) this->execute(task);
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
    this->push(), d.open(0);
    this->push(), d.open(0);
    pop();  // a thief that sees the lower end takes what lies beneath
    if (d.full()) return;
    this->push(), d.open(0);
    pop();
  }
  // As published/work_stealing.hpp.
  void pop() {
    deque& d = *this->tasks;
    const std::uint64_t* task = d.newest_public() == nullptr ? nullptr : d.pop_public();
    if (task != nullptr) return this->execute(task);
    d.close();
    d.rewind();
    d.open(0);
  }
};

// The same, and the deque grows while a thief may be about to read a slot of the memory that it leaves (DEQUE-3).
template <int thieves, int steals>
struct grows : shares<grows<thieves, steals>, thieves> {
  void before() { this->tasks.emplace(1, true); }
  void thread(unsigned i) {
    if (i != 0) {
      for (int n = 0; n < steals; ++n) this->steal();
      return;
    }
    deque& d = *this->tasks;
    d.open(0);
    for (int n = 0; n < 3; ++n) {
      if (d.full()) make_room();
      this->push(), d.open(0);
    }
    d.close();
    if (const std::uint64_t* task = d.pop_without_poll()) this->execute(task);
    d.rewind();
    d.open(0);
  }
  // As runner::spawn_on_full.
  void make_room() {
    deque& d = *this->tasks;
    d.close();
    if (d.room() == nullptr) d.grow();
    for (std::uint64_t at = d.oldest_index(); at != d.end_index(); ++at) checked::writes(&d.at(at));
    d.open(0);
  }
};

// The split deque of LCWS: what is public stays so, and the owner takes its newest public task back.
template <int thieves, int steals>
struct split : shares<split<thieves, steals>, thieves> {
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
    d.open(1);
    d.open(1);
    pop();
    if (d.full()) return;
    this->push();  // into a slot that was public
    d.open(1);
    pop();
  }
  // As published/lcws.hpp.
  void pop() {
    deque& d = *this->tasks;
    const std::uint64_t* task = d.pop();
    if (task == nullptr && d.newest_public() != nullptr) task = d.pop_public();
    if (task != nullptr) return this->execute(task);
    d.close();
    d.rewind();
  }
};

// The same, and others signal, maybe while the owner takes its newest back and moves the limit: no signal is overwritten (DEQUE-2).
template <int thieves>
struct is_asked : shares<is_asked<thieves>, thieves> {
  checked::atomic<std::uint32_t> requests{0};
  std::uint32_t seen = 0;

  void before() { this->tasks.emplace(4); }
  void thread(unsigned i) {
    deque& d = *this->tasks;
    if (i != 0) {
      requests.fetch_add(1, relaxed);
      d.signal();
      return this->steal();
    }
    this->push(), this->push();
    d.open(2);
    pop(), pop();
  }
  void pop() {
    deque& d = *this->tasks;
    const std::uint64_t* task = d.pop();
    if (task == nullptr && d.newest_public() != nullptr) task = d.pop_public();
    if (task != nullptr) this->execute(task);
    poll();
  }
  void poll() {
    if (!this->tasks->is_poll_requested()) return;
    this->tasks->acknowledge();
    seen = requests.load(relaxed);
    this->tasks->rearm(false);
  }
  void after() {
    poll();
    must(seen == thieves, "each thread that signals is seen");
    shares<is_asked, thieves>::after();
  }
};

// EXPOSURE-1, EXPOSURE-3: what is public is of one run, or group, and then of another. A thief takes what is of the
// first one.
template <bool of_another_run>
struct is_tagged : shares<is_tagged<of_another_run>, 1> {
  leat::handshake::public_tag<checked> tag;
  int words = 0;  // of the worker's thread, written before it works for any run
  const int group[2]{};

  void before() { this->tasks.emplace(2); }
  void thread(unsigned i) {
    if (i != 0) {
      for (int look = 0; look < 2; ++look) steal();
      return;
    }
    deque& d = *this->tasks;
    checked::writes(&words);
    tag.works_for(1);
    this->push();
    tag.open(d, 1, &group[0]);
    d.close();
    tag.end();
    if (const std::uint64_t* task = d.pop_without_poll()) this->execute(task);
    if (of_another_run) tag.works_for(2);
    this->push();
    tag.open(d, 1, of_another_run ? &group[0] : &group[1]);
  }
  void steal() {
    if (!tag.has_target(&group[0])) return;
    const auto stolen = tag.steal(*this->tasks, 1, &group[0]);
    if (stolen.count == 0) return;
    checked::reads(&words);
    must(*stolen.first == 1, "it is of the first run, and group");
    this->execute(stolen.first);
    this->tasks->give_back();
  }
};

// EXPOSURE-1: who hunts reads the words of a worker that works for its run, with nothing public.
struct is_hunted : client<is_hunted, 2> {
  leat::handshake::public_tag<checked> tag;
  int words = 0;

  void thread(unsigned i) {
    if (i == 0) {
      checked::writes(&words);
      tag.works_for(1);
    } else if (tag.is_of(1)) {
      checked::reads(&words);
    }
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

TEST(public_part, of_a_deque_may_grow) {
  expect_right<grows<1, 2>, preemptions<3>>();
  expect_right<grows<2, 1>, preemptions<2>>();
}

TEST(public_part, of_a_split_deque_gives_each_task_once) {
  expect_right<split<1, 2>, preemptions<4>>();
  expect_right<split<2, 1>, preemptions<3>>();
}

TEST(public_part, of_a_split_deque_lets_others_signal) {
  expect_right<is_asked<1>, preemptions<3>>();
  expect_right<is_asked<2>, drawn<10'000>>();
}

TEST(public_part, is_of_one_run_and_group) {
  expect_right<is_hunted>();
  expect_right<is_tagged<true>, preemptions<3>>();
  expect_right<is_tagged<false>, preemptions<3>>();
}

TEST(public_part, gives_each_task_once_long) {
  expect_right<some_public<2, 2>, preemptions<3>>();
  expect_right<all_public<2, 2>, preemptions<3>>();
  expect_right<all_public<2, 2>, drawn<5'000'000>>();
  expect_right<grows<1, 3>, preemptions<5>>();
  expect_right<grows<2, 2>, drawn<1'000'000>>();
  expect_right<is_asked<1>, preemptions<5>>();
  expect_right<is_asked<2>, drawn<1'000'000>>();
  expect_right<split<2, 2>, preemptions<3>>();
  expect_right<split<1, 2>, preemptions<5>>();
  expect_right<is_tagged<true>, preemptions<5>>();
  expect_right<is_tagged<false>, preemptions<5>>();
}

}  // namespace
