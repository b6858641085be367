// The checker itself: it finds what it is there to find, and nothing where nothing is.
#include "client.hpp"
#include "leat/platform/order.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;

template <class T>
using atomic = checked::atomic<T>;

// One thread writes and hands over by a word, the other reads when it sees it.
template <class Client>
struct hand_over : client<Client, 2> {
  int data = 0;
  atomic<std::uint32_t> word{0};

  void thread(unsigned i) {
    auto& self = static_cast<Client&>(*this);
    if (i == 0) {
      checked::writes(&data);
      self.give();
    } else if (self.taken()) {
      checked::reads(&data);
    }
  }
  void give() { word.store(1, release); }
  bool taken() { return word.load(acquire) == 1; }
};

struct released : hand_over<released> {};

struct relaxed_store : hand_over<relaxed_store> {
  void give() { word.store(1, relaxed); }
};

struct relaxed_load : hand_over<relaxed_load> {
  bool taken() { return word.load(relaxed) == 1; }
};

struct continued_by_a_store : hand_over<continued_by_a_store> {
  void give() { word.store(2, release), word.store(1, relaxed); }
};

struct continued_by_an_exchange : hand_over<continued_by_an_exchange> {
  void give() { word.store(2, release), word.exchange(1, relaxed); }
};

struct fenced_store : hand_over<fenced_store> {
  void give() { checked::fence(), word.store(1, relaxed); }
};

struct published_plainly : hand_over<published_plainly> {
  int* top = nullptr;
  void before() { checked::put(top, nullptr); }
  void give() { checked::publish(top, &data); }
  bool taken() { return checked::observe(top) == &data; }
};

struct put_plainly : hand_over<put_plainly> {
  int* top = nullptr;
  void before() { checked::put(top, nullptr); }
  void give() { checked::put(top, &data); }
  bool taken() { return checked::observe(top) == &data; }
};

TEST(checker, finds_what_is_not_released) {
  expect_right<released>();
  expect_found<relaxed_store>(rl::test_result_data_race);
  expect_found<relaxed_load>(rl::test_result_data_race);
}

TEST(checker, has_the_release_sequences_of_cpp20) {
  expect_found<continued_by_a_store>(rl::test_result_data_race);
  expect_right<continued_by_an_exchange>();
  expect_right<fenced_store>();
}

TEST(checker, sees_plain_words_that_are_published) {
  expect_right<published_plainly>();
  expect_found<put_plainly>(rl::test_result_data_race);
}

// Each says something and looks what the other has said.
template <bool fenced>
struct each_looks : client<each_looks<fenced>, 2> {
  atomic<std::uint32_t> said[2]{0, 0};
  bool seen[2]{};

  void thread(unsigned i) {
    said[i].store(1, relaxed);
    if (fenced) checked::fence();
    seen[i] = said[1 - i].load(relaxed) == 1;
  }
  void after() { must(seen[0] || seen[1], "one of the two sees the other"); }
};

TEST(checker, keeps_stores_behind_loads_without_a_fence) {
  expect_right<each_looks<true>>();
  expect_found<each_looks<false>>(rl::test_result_user_assert_failed);
}

struct sleeps_and_is_woken : client<sleeps_and_is_woken, 2> {
  atomic<std::uint32_t> word{0};
  void thread(unsigned i) {
    if (i == 0) {
      while (word.load(acquire) == 0) checked::wait(word, 0);
    } else {
      word.store(1, release);
      checked::wake_one(word);
    }
  }
};

struct is_not_woken : client<is_not_woken, 2> {
  atomic<std::uint32_t> word{0};
  void thread(unsigned i) {
    if (i == 1) return word.store(1, release);
    while (word.load(acquire) == 0) checked::wait(word, 0);
  }
};

struct trusts_a_wake_up : client<trusts_a_wake_up, 2> {
  atomic<std::uint32_t> word{0};
  void thread(unsigned i) {
    if (i == 0) {
      checked::wait(word, 0);
      must(word.load(acquire) == 1, "woken for a reason");
    } else {
      word.store(1, release);
      checked::wake_one(word);
    }
  }
};

TEST(checker, finds_lost_wake_ups_and_trust_in_wake_ups) {
  expect_right<sleeps_and_is_woken>();
  expect_found<is_not_woken>(rl::test_result_deadlock);
  expect_found<trusts_a_wake_up>(rl::test_result_user_assert_failed);
}

struct uses_what_has_gone : client<uses_what_has_gone, 2> {
  std::optional<atomic<std::uint32_t>> word{0};
  void thread(unsigned i) {
    if (i == 0) word.reset();
    else if (word) word->store(1, relaxed);
  }
};

TEST(checker, finds_the_use_of_a_word_that_has_gone) {
  expect_found<uses_what_has_gone>(rl::test_result_access_to_freed_memory);
}

}  // namespace
