// The private deque: what others ask for and are lent. Rules DEQUE-2 and DEQUE-3 of deque/private.hpp.
#include "leat/deque/private.hpp"

#include <cstdint>

#include "client.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using deque = leat::deque::private_deque<checked, std::uint64_t>;

void push(deque& d, std::uint64_t task) {
  std::uint64_t* const slot = d.room();
  checked::writes(slot);
  *slot = task;
  d.push();
}

std::uint64_t read(const std::uint64_t* slot) {
  checked::reads(slot);
  return *slot;
}

// DEQUE-2: a request that was sent before a raise is seen by the poll that acknowledges it; and who asked is not
// forgotten.
struct asks : client<asks, 3> {
  deque d{4};
  checked::atomic<std::uint32_t> requests[2]{0, 0};
  bool seen[2]{};

  void thread(unsigned i) {
    if (i != 0) {
      requests[i - 1].store(1, relaxed);
      return d.signal();
    }
    push(d, 1);
    push(d, 2);
    poll();
    d.pop_without_poll();
    poll();
  }
  void after() {
    poll();
    must(seen[0] && seen[1], "whoever asked is seen");
  }
  void poll() {
    if (!d.is_poll_due()) return;
    d.acknowledge();
    for (int i = 0; i < 2; ++i) seen[i] = seen[i] || requests[i].load(relaxed) == 1;
    d.lend(d.empty() ? 0 : 1);
    d.rearm(false);
  }
};

// DEQUE-3: a slot is not written again while a thief may still read it.
struct lends : client<lends, 2> {
  deque d{1};
  checked::atomic<std::uint64_t*> answer{nullptr};
  std::uint64_t stolen = 0;
  std::uint64_t executed = 0;

  void before() {
    push(d, 1);
    d.signal();
  }
  void thread(unsigned i) {
    if (i == 1) {
      std::uint64_t* const lent = answer.load(acquire);
      if (lent == nullptr) return;
      stolen = read(lent);
      return d.give_back();
    }
    d.acknowledge();
    answer.store(d.lend(1).first, release);
    d.rearm(false);
    must(d.pop() == nullptr, "it was lent");
    d.rewind();
    if (d.full()) d.grow();
    push(d, 2);
    const std::uint64_t* const own = d.pop();
    must(own != nullptr, "nobody asks");
    executed = read(own);
    d.rewind();
    push(d, 3);
  }
  void after() { must((stolen == 0 || stolen == 1) && executed == 2, "each task is what was pushed"); }
};

// The same where the deque makes room by moving its tasks down.
struct moves_down : client<moves_down, 2> {
  deque d{2};
  checked::atomic<std::uint64_t*> answer{nullptr};

  void before() {
    push(d, 1);
    push(d, 2);
  }
  void thread(unsigned i) {
    if (i == 1) {
      std::uint64_t* const lent = answer.load(acquire);
      if (lent == nullptr) return;
      must(read(lent) == 1, "the oldest task");
      return d.give_back();
    }
    d.acknowledge();
    answer.store(d.lend(1).first, release);
    d.rearm(false);
    std::uint64_t* const slot = d.room();
    if (slot == nullptr) return;
    checked::writes(slot - 1);  // where the task has moved to
    push(d, 3);
  }
};

TEST(private_deque, sees_who_asks) { expect_right<asks>(); }

TEST(private_deque, keeps_what_is_lent) {
  expect_right<lends>();
  expect_right<moves_down>();
}

}  // namespace
