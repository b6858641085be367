// The task record: which callables travel as bytes, and what happens to those that do not.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/work/record.hpp"

namespace {

using leat::work::record;

template <class F>
record written(F&& f) {
  record r;
  record::write(&r, std::forward<F>(f));
  return r;
}

void invoke(const record& r) {
  record once = r;
  once.invoke(once);
}

// Moves between deques: the bytes are all there is.
record moved(const record& r) {
  record other;
  std::memcpy(static_cast<void*>(&other), &r, sizeof r);
  return other;
}

template <std::size_t N>
struct sized {
  int* out;
  std::array<unsigned char, N - sizeof(int*)> bytes;
  void operator()() {
    int sum = 0;
    for (const unsigned char b : bytes) sum += b;
    *out = sum;
  }
};

TEST(record, keeps_small_trivial_callables_in_itself) {
  EXPECT_EQ(record::payload_bytes, 56u);
  EXPECT_TRUE(record::fits<sized<56>>);
  EXPECT_TRUE(record::fits<void (*)()>);
  int a = 0;
  const auto captures_a_reference = [&a] { ++a; };
  EXPECT_TRUE(record::fits<std::remove_const_t<decltype(captures_a_reference)>>);
}

TEST(record, keeps_no_others) {
  struct alignas(64) aligned {
    int a;
    void operator()() const {}
  };
  struct destroyed {
    ~destroyed() { destroyed_ = true; }
    bool destroyed_ = false;
  };
  EXPECT_FALSE(record::fits<sized<64>>);
  EXPECT_FALSE(record::fits<aligned>);
  EXPECT_FALSE(record::fits<destroyed>);
  EXPECT_FALSE(record::fits<std::shared_ptr<int>>);
  EXPECT_FALSE(record::fits<std::string>);
}

template <std::size_t N>
void expect_whole() {
  int sum = 0;
  sized<N> call{&sum, {}};
  int expected = 0;
  for (std::size_t i = 0; i < call.bytes.size(); ++i) {
    call.bytes[i] = static_cast<unsigned char>(i + 1);
    expected += static_cast<int>(i + 1);
  }
  invoke(moved(written(call)));
  EXPECT_EQ(sum, expected) << N;
}

TEST(record, carries_every_byte_of_a_callable) {
  expect_whole<16>();
  expect_whole<48>();
  expect_whole<56>();
  expect_whole<64>();
  expect_whole<200>();
}

int called = 0;
void function() { ++called; }

TEST(record, calls_functions) {
  called = 0;
  invoke(written(function));
  invoke(written(&function));
  EXPECT_EQ(called, 2);
}

TEST(record, may_be_overwritten_by_the_callable_that_it_held) {
  record r;
  int after = 0;
  struct overwriting {
    record* slot;
    int* out;
    int value;
    void operator()() const {
      std::memset(static_cast<void*>(slot), 0xee, sizeof *slot);
      *out = value;
    }
  };
  static_assert(record::fits<overwriting>);
  record::write(&r, overwriting{&r, &after, 7});
  r.invoke(r);
  EXPECT_EQ(after, 7);
}

TEST(record, calls_move_only_callables) {
  int got = 0;
  invoke(moved(written([p = std::make_unique<int>(5), &got] { got = *p; })));
  EXPECT_EQ(got, 5);
}

TEST(record, calls_mutable_callables) {
  int got = 0;
  invoke(written([n = 1, &got]() mutable { got = ++n; }));
  EXPECT_EQ(got, 2);
}

TEST(record, aligns_what_asks_for_it) {
  struct alignas(256) aligned {
    std::uintptr_t* out;
    void operator()() const { *out = reinterpret_cast<std::uintptr_t>(this); }
  };
  std::uintptr_t address = 1;
  invoke(moved(written(aligned{&address})));
  EXPECT_EQ(address % 256, 0u);
}

struct census {
  int alive = 0;
  int called = 0;
  int destroyed = 0;
};

struct resident {
  explicit resident(census& c) : c_(&c) { ++c_->alive; }
  resident(const resident& o) : c_(o.c_) { ++c_->alive; }
  ~resident() { --c_->alive, ++c_->destroyed; }
  void operator()() const { ++c_->called; }
  census* c_;
};

TEST(record, destroys_its_callable_once) {
  census c;
  {
    const resident original(c);
    record r = written(original);
    EXPECT_EQ(c.alive, 2) << "one copy, no more";
    invoke(moved(r));
    EXPECT_EQ(c.alive, 1);
    EXPECT_EQ(c.called, 1);
  }
  EXPECT_EQ(c.alive, 0);
}

TEST(record, destroys_its_callable_once_when_it_throws) {
  census c;
  const record r = written([original = resident(c)] { throw std::runtime_error("from the task"); });
  EXPECT_EQ(c.alive, 1);
  EXPECT_THROW(invoke(r), std::runtime_error);
  EXPECT_EQ(c.alive, 0);
}

TEST(record, is_as_before_when_copying_throws) {
  struct uncopyable {
    uncopyable() = default;
    uncopyable(const uncopyable&) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  int got = 0;
  record r = written([&got] { got = 1; });
  std::array<unsigned char, sizeof r> before{};
  std::memcpy(before.data(), &r, sizeof r);
  const uncopyable original;
  EXPECT_THROW(record::write(&r, original), std::runtime_error);
  EXPECT_EQ(std::memcmp(before.data(), &r, sizeof r), 0);
  invoke(r);
  EXPECT_EQ(got, 1);
}

}  // namespace
