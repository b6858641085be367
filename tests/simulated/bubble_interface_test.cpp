// Threads and bubbles that are removed, recalled and given other priorities while they are under way, in worlds drawn from seeds: each
// thread runs to its end once, and each bubble is joined.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "carried_worlds.hpp"

namespace {

using leat::platform::relaxed;
using leat::threads::bubble_options;
using leat_test::carrying::expect;
using leat_test::carrying::in_world;
using leat_test::carrying::on;
using leat_test::carrying::word;

/// Threads in two bubbles in one, and one that does something to each of them, drawn from a seed.
class changed_world {
 public:
  explicit changed_world(std::uint32_t seed) : seed_(seed) {
    for (auto& inner : inner_)
      inner = std::make_unique<on::bubble>(
          bubble_options{.burst_level = seed % 2 == 0 ? "pu" : "", .slice_us = seed % 3 == 0 ? 20u : 0u});
    for (std::uint32_t i = 0; i < all; ++i) {
      threads_.emplace_back(on::held, [this, i] { work(i); });
      inner_[i % 2]->insert(threads_.back());
    }
    for (auto& inner : inner_) outer_.insert(*inner);
  }

  void run() {
    if (draw(4) == 0) {
      outer_.remove(*inner_[1]);
      outer_.wake();
      inner_[1]->wake();
    } else {
      outer_.wake();
    }
    for (std::uint32_t k = 0; k < 12; ++k) change();
    outer_.close();
    outer_.join();
    for (auto& inner : inner_) inner->join();
    for (auto& t : threads_) t.join();
    for (const word& ran : ran_) expect(ran.load(relaxed) == 1, "a thread ran not once");
  }

 private:
  static constexpr std::uint32_t all = 6;

  std::uint32_t draw(std::uint32_t below) {
    seed_ = seed_ * 1'664'525u + 1'013'904'223u;
    return (seed_ >> 16) % below;
  }

  void work(std::uint32_t i) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      on::thread::yield();
      if (k % 2 == i % 2) continue;
      gate_.lock();
      on::thread::yield();
      gate_.unlock();
    }
    ran_[i].fetch_add(1, relaxed);
  }

  void change() {
    const std::uint32_t i = draw(all);
    on::bubble& b = *inner_[i % 2];
    try {
      switch (draw(6)) {
        case 0: b.remove(threads_[i]); break;
        case 1: b.recall(); break;
        case 2: threads_[i].set_priority(static_cast<std::int32_t>(draw(3))); break;
        case 3: b.set_priority(static_cast<std::int32_t>(draw(3))); break;
        case 4: outer_.recall(); break;
        default: outer_.remove(b);
      }
    } catch (const std::logic_error&) {
      // It has left its bubble already, or has ended, or its bubble has burst.
    }
    for (std::uint32_t k = draw(3); k != 0; --k) on::thread::yield();
  }

  std::uint32_t seed_;
  on::mutex gate_;
  std::vector<word> ran_ = std::vector<word>(all);
  on::bubble outer_;
  std::array<std::unique_ptr<on::bubble>, 2> inner_;
  std::vector<on::thread> threads_;
};

TEST(bubble_interface_in_worlds, loses_nobody) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const std::uint32_t workers = 1 + seed % 4;
    in_world(seed, workers, leat_test::machine_of(workers), [&] { changed_world(seed).run(); });
  }
}

}  // namespace
