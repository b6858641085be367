// The caches of memory blocks: used again, aligned, bounded, sent home, and given back in the end (which ASan checks).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "leat/memory/block_cache.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::memory::block_sizes;
using leat::platform::counted;
using leat::platform::native;

template <std::size_t Bytes>
using bytes = std::array<std::byte, Bytes>;
struct alignas(128) wide {
  std::byte byte;
};

static_assert(block_sizes::of<char>() == 0);
static_assert(block_sizes::of<bytes<64>>() == 0);
static_assert(block_sizes::of<bytes<65>>() == 1);
static_assert(block_sizes::of<bytes<256>>() == 2);
static_assert(block_sizes::of<bytes<257>>() == block_sizes::count, "too large");
static_assert(block_sizes::of<wide>() == block_sizes::count, "too strictly aligned");

class block_cache : public ::testing::Test {
 protected:
  using cache = leat::memory::block_cache<native>;
};
using platforms = ::testing::Types<leat::platform::native, counted>;

TEST_F(block_cache, uses_again_what_was_released_last) {
  block_cache::cache c;
  void* a = c.template allocate<bytes<100>>();
  void* b = c.template allocate<bytes<128>>();
  ASSERT_NE(a, b);
  c.template release<bytes<100>>(a, c.home());
  c.template release<bytes<128>>(b, c.home());
  EXPECT_EQ(c.template allocate<bytes<70>>(), b);
  EXPECT_EQ(c.template allocate<bytes<70>>(), a);
  c.template release<bytes<70>>(a, c.home());
  c.template release<bytes<70>>(b, c.home());
}

template <class T, class Cache>
void fill_and_check(Cache& c) {
  std::vector<void*> blocks;
  for (int lap = 0; lap < 2; ++lap) {
    for (int i = 0; i < 100; ++i) {
      void* block = c.template allocate<T>();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % leat::platform::cache_line, 0u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(T), 0u);
      std::memset(block, i, sizeof(T));
      blocks.push_back(block);
    }
    for (int i = 0; i < 100; ++i) {
      const auto* contents = static_cast<unsigned char*>(blocks[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < sizeof(T); ++k) ASSERT_EQ(contents[k], i);
    }
    for (void* block : blocks) c.template release<T>(block, c.home());
    blocks.clear();
  }
}

TEST_F(block_cache, gives_whole_aligned_blocks_that_do_not_overlap) {
  block_cache::cache c;
  fill_and_check<bytes<1>>(c);
  fill_and_check<bytes<64>>(c);
  fill_and_check<bytes<128>>(c);
  fill_and_check<bytes<256>>(c);
  fill_and_check<bytes<1000>>(c);
  fill_and_check<wide>(c);
}

TEST_F(block_cache, gets_back_what_others_release) {
  block_cache::cache from;
  block_cache::cache other;
  std::set<void*> made;
  constexpr std::size_t n = 5 * block_cache::cache::batch_max;
  for (std::size_t i = 0; i < n; ++i) made.insert(from.template allocate<bytes<64>>());
  ASSERT_EQ(made.size(), n);
  for (void* block : made) other.template release<bytes<64>>(block, from.home());
  void* own = other.template allocate<bytes<64>>();
  EXPECT_EQ(made.count(own), 0u) << "they are not the other's to use";
  for (std::size_t i = 0; i < n; ++i) {
    void* block = from.template allocate<bytes<64>>();
    EXPECT_EQ(made.erase(block), 1u) << i;
    other.template release<bytes<64>>(block, from.home());
  }
  EXPECT_TRUE(made.empty());
  other.template release<bytes<64>>(own, other.home());
}

TEST_F(block_cache, gets_back_what_threads_without_a_cache_release) {
  block_cache::cache c;
  void* a = c.template allocate<bytes<64>>();
  void* b = c.template allocate<bytes<200>>();
  void* d = c.template allocate<bytes<2000>>();
  c.home()->template give_back<bytes<64>>(a);
  c.home()->template give_back<bytes<200>>(b);
  c.home()->template give_back<bytes<2000>>(d);
  EXPECT_EQ(c.template allocate<bytes<200>>(), b);
  EXPECT_EQ(c.template allocate<bytes<64>>(), a);
  c.template release<bytes<200>>(b, c.home());
  c.template release<bytes<64>>(a, c.home());
}

TEST_F(block_cache, sends_batches_of_each_home_and_size_apart) {
  auto a = std::make_unique<block_cache::cache>();
  auto b = std::make_unique<block_cache::cache>();
  block_cache::cache other;
  for (int i = 0; i < 100; ++i) {
    void* small = a->template allocate<bytes<64>>();
    void* large = a->template allocate<bytes<256>>();
    void* of_b = b->template allocate<bytes<64>>();
    std::memset(small, 1, 64);
    std::memset(large, 1, 256);
    other.template release<bytes<64>>(small, a->home());
    if (i % 3 == 0) other.template release<bytes<256>>(large, a->home());
    other.template release<bytes<64>>(of_b, b->home());
    if (i % 3 != 0) other.template release<bytes<256>>(large, a->home());
  }
  a.reset();  // while the other still has some
}

TEST_F(block_cache, keeps_no_more_than_its_limit) {
  block_cache::cache c;
  std::vector<void*> blocks;
  constexpr std::size_t kept = block_sizes::kept_max(2);
  for (std::size_t i = 0; i < kept + 100; ++i) blocks.push_back(c.template allocate<bytes<256>>());
  for (void* block : blocks) c.template release<bytes<256>>(block, c.home());
  // The last ones went to the heap; the others come back, newest first.
  for (std::size_t i = kept; i-- > 0;) ASSERT_EQ(c.template allocate<bytes<256>>(), blocks[i]);
  // Returned by others, as many are kept, and the last go to the heap.
  for (std::size_t i = kept; i < kept + 100; ++i) blocks[i] = c.template allocate<bytes<256>>();
  for (void* block : blocks) c.home()->template give_back<bytes<256>>(block);
  for (std::size_t i = kept; i-- > 0;) ASSERT_EQ(c.template allocate<bytes<256>>(), blocks[i]);
  for (std::size_t i = 0; i < kept; ++i) c.template release<bytes<256>>(blocks[i], c.home());
}

// Every order of the owner's end, the blocks' return and the end of a batch; a leak or a second free shows under ASan.
TEST_F(block_cache, blocks_may_outlive_their_worker) {
  for (const int before : {0, 1, 3}) {
    for (const int after : {0, 1, 5}) {
      for (const bool through_a_cache : {false, true}) {
        auto c = std::make_unique<block_cache::cache>();
        auto* const home = c->home();
        block_cache::cache other;
        const auto give_back = [&](void* small, void* large) {
          if (through_a_cache) {
            other.template release<bytes<64>>(small, home);
            other.template release<bytes<500>>(large, home);
          } else {
            home->template give_back<bytes<64>>(small);
            home->template give_back<bytes<500>>(large);
          }
        };
        std::vector<void*> small;
        std::vector<void*> large;
        for (int i = 0; i < before + after; ++i) {
          small.push_back(c->template allocate<bytes<64>>());
          large.push_back(c->template allocate<bytes<500>>());
        }
        for (std::size_t i = 0; i < small.size(); ++i) {
          if (i == static_cast<std::size_t>(before)) c.reset();
          if (c == nullptr) std::memset(small[i], 1, 64), std::memset(large[i], 1, 500);
          give_back(small[i], large[i]);
        }
      }
    }
  }
}

// Read-modify-writes.
TEST(block_cache_cost, none_at_home_and_two_for_a_batch_of_others) {
  using cache = leat::memory::block_cache<counted>;
  cache from;
  cache other;
  constexpr std::size_t n = cache::batch_max;
  std::vector<void*> blocks;
  const auto spent = [](auto f) {
    const auto before = counted::counts();
    f();
    return counted::counts() - before;
  };
  const auto home = spent([&] {
    for (std::size_t i = 0; i < n; ++i) blocks.push_back(from.allocate<bytes<64>>());
    for (void* block : blocks) from.release<bytes<64>>(block, from.home());
    for (void*& block : blocks) block = from.allocate<bytes<64>>();
  });
  EXPECT_EQ(home.cas + home.rmw + home.fences, 0u);
  const auto away = spent([&] {
    for (void* block : blocks) other.release<bytes<64>>(block, from.home());
  });
  EXPECT_EQ(away.cas, 1u);
  EXPECT_EQ(away.rmw, 1u);
  EXPECT_EQ(away.fences, 0u);
  const auto back = spent([&] {
    for (void*& block : blocks) block = from.allocate<bytes<64>>();
  });
  EXPECT_EQ(back.rmw, 2u);
  EXPECT_EQ(back.cas + back.fences, 0u);
  for (void* block : blocks) from.release<bytes<64>>(block, from.home());
}

}  // namespace
