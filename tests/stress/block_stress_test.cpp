// Blocks that others return while their worker allocates, and while it goes: none is lost, given twice or freed early.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/memory/block_cache.hpp"

namespace {

using leat::platform::native;

using leat_test::reps;

struct load {
  std::uint64_t number = 0;  // plain: under TSan a missing order shows
  std::array<std::uint64_t, 7> copies{};
};

TEST(block_stress, blocks_come_home_while_their_worker_allocates_and_goes) {
  using cache = leat::memory::block_cache<native>;
  constexpr std::size_t rooms = 64;
  for (int round = 0; round < reps(40); ++round) {
    auto owner = std::make_unique<cache>();
    auto* const home = owner->home();
    std::array<std::atomic<load*>, rooms> passed{};
    std::atomic<bool> over{false};
    const auto free_what_is_passed = [&](bool through_a_cache) {
      cache own;
      for (bool last = false; !last;) {
        last = over;
        for (auto& room : passed) {
          load* l = room.exchange(nullptr);
          if (l == nullptr) continue;
          for (const std::uint64_t copy : l->copies) ASSERT_EQ(copy, l->number) << "somebody else has the block, too";
          if (through_a_cache) own.template release<load>(l, home);
          else home->template give_back<load>(l);
        }
        std::this_thread::yield();
      }
    };
    std::thread with_cache([&] { free_what_is_passed(true); });
    std::thread without([&] { free_what_is_passed(false); });
    for (std::uint64_t i = 0; i < 2000; ++i) {
      auto* l = ::new (owner->template allocate<load>()) load{i, {}};
      l->copies.fill(i);
      if (load* back = passed[i % rooms].exchange(l)) owner->template release<load>(back, home);
    }
    if (round % 2 == 0) owner.reset();  // the rest comes back to a home without a worker
    over = true;
    with_cache.join();
    without.join();
  }
}

}  // namespace
