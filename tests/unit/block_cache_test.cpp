// The cache of memory blocks: used again, aligned, bounded, and given back in the end (which ASan checks).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "leat/scheduler/block_cache.hpp"

namespace {

using leat::scheduler::block_cache;

TEST(block_cache, uses_again_what_was_released_last) {
  block_cache c;
  void* a = c.allocate();
  void* b = c.allocate();
  ASSERT_NE(a, b);
  c.release(a);
  c.release(b);
  EXPECT_EQ(c.allocate(), b);
  EXPECT_EQ(c.allocate(), a);
  c.release(a);
  c.release(b);
}

TEST(block_cache, gives_whole_aligned_blocks_that_do_not_overlap) {
  block_cache c;
  std::vector<void*> blocks;
  for (int lap = 0; lap < 2; ++lap) {
    for (int i = 0; i < 100; ++i) {
      void* block = c.allocate();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % leat::platform::cache_line, 0u);
      std::memset(block, i, block_cache::block_bytes);
      blocks.push_back(block);
    }
    for (int i = 0; i < 100; ++i) {
      const auto* bytes = static_cast<unsigned char*>(blocks[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < block_cache::block_bytes; ++k) ASSERT_EQ(bytes[k], i);
    }
    for (void* block : blocks) c.release(block);
    blocks.clear();
  }
}

TEST(block_cache, takes_blocks_that_another_cache_gave) {
  block_cache from;
  block_cache to;
  void* a = from.allocate();
  to.release(a);
  EXPECT_EQ(to.allocate(), a);
  from.release(a);
  void* b = block_cache::allocate_anywhere();
  to.release(b);
  block_cache::release_anywhere(to.allocate());
}

TEST(block_cache, keeps_no_more_than_its_limit) {
  block_cache c;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < block_cache::blocks_max + 100; ++i) blocks.push_back(c.allocate());
  for (void* block : blocks) c.release(block);
  // The last ones went to the heap; the others come back, newest first.
  for (std::size_t i = block_cache::blocks_max; i-- > 0;) ASSERT_EQ(c.allocate(), blocks[i]);
  for (std::size_t i = 0; i < block_cache::blocks_max; ++i) c.release(blocks[i]);
}

}  // namespace
