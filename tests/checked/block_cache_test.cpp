// Blocks that one worker frees and another uses again: rules BLOCK-1 to BLOCK-5 of memory/block_cache.hpp.
#include "leat/memory/block_cache.hpp"

#include <cstdint>
#include <optional>

#include "client.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using cache = leat::memory::block_cache<checked>;

using content = std::uint64_t;

// The first worker's blocks are freed by the others, and come home, or not before it has gone.
template <int others>
struct frees_anothers : client<frees_anothers<others>, 1 + others> {
  std::optional<cache> first{std::in_place};
  void* blocks[others];
  cache::home_type* home = first->home();

  void before() {
    for (void*& block : blocks) {
      block = first->allocate<content>();
      checked::writes(block);
    }
  }
  void thread(unsigned i) {
    if (i == 0) {
      void* const block = first->allocate<content>();  // what has come home, if any has
      checked::writes(block);
      first->release<content>(block, home);
      first.reset();
    } else {
      cache mine;
      checked::reads(blocks[i - 1]);
      mine.release<content>(blocks[i - 1], home);
    }
  }
};

TEST(block_cache, brings_blocks_home) {
  expect_right<frees_anothers<1>>();
  expect_right<frees_anothers<2>, preemptions<3>>();
}

}  // namespace
