// The report of hangs in simulated worlds: it comes when nothing goes on any more, and not before (DEADLOCK-7,
// docs/internals/deadlocks.md).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"
#include "needs.hpp"

namespace {

using leat::platform::acq_rel;
using leat::platform::acquire;
using leat::platform::at_random;
using leat::platform::release;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::client::engine;
using scheduler = leat::scheduler::channel_scheduler<simulated>;
using word = simulated::atomic<std::uint32_t>;

leat::scheduler::settings reporting(std::uint32_t workers, std::uint64_t after_ns) {
  leat::scheduler::settings s;
  s.workers = workers;
  s.attempts = 0;
  s.list_waits_after_ns = 0;
  s.hangs.report_ns = after_ns;
  return s;
}

// What is told, outside of the world, whose memory ends with it.
class note {
 public:
  void add(const std::string& text) { size_ += text.copy(text_.data() + size_, text_.size() - size_); }
  std::string text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 4096> text_{};
  std::size_t size_ = 0;
};

// Nobody is left to execute the task that the blocked thread waits for, until the report comes.
TEST(hang_report, comes_when_all_block) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    note notes;
    const auto end = simulation(simulation::settings{}, drawn).run([&] {
      word done{0};
      auto s = reporting(2, 1'000'000);
      s.hangs.tell = [&](const std::string& text) {
        notes.add(text);
        done.store(1, release);
        simulated::wake_all(done);
      };
      scheduler on(s);
      const auto blocks = [&] {
        const auto waits = [&] {
          while (done.load(acquire) == 0) simulated::wait(done, 0);
        };
        engine::blocking(waits);
      };
      word begun{0};
      const auto meets_and_blocks = [&] {
        begun.fetch_add(1, acq_rel);
        while (begun.load(acquire) < 2) {
          engine::poll();
          simulated::yield();
        }
        blocks();
      };
      auto root = [&] { engine::fork_join(meets_and_blocks, meets_and_blocks); };
      leat::entry::execute_run(on, root);
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    const std::string told = notes.text();
    for (const char* line :
         {"worker 0 is in leat::blocking", "worker 1 is in leat::blocking", "a thread outside waits in runtime::run"})
      EXPECT_NE(told.find(line), std::string::npos) << "seed " << seed << ": '" << line << "' is not in:\n" << told;
    EXPECT_EQ(told.find("LEAT_HANG_REPORT"), told.rfind("LEAT_HANG_REPORT")) << "told twice:\n" << told;
  }
}

// Waits that last long, since what is awaited does, are no hang.
TEST(hang_report, does_not_come_while_a_task_is_executed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    note notes;
    simulation::settings settings;
    settings.steps_max = 20'000'000;
    const auto end = simulation(settings, drawn).run([&] {
      auto s = reporting(1 + seed % 3, 20'000);
      s.hangs.tell = [&](const std::string& text) { notes.add(text); };
      scheduler on(s);
      auto root = [&] {
        const auto works = [] {
          for (int i = 0; i < 40; ++i) {
            simulated::work_ns(5'000);
            engine::poll();
          }
        };
        engine::fork_join(works, works);
        engine::task_group group;
        for (int i = 0; i < 3; ++i) group.spawn(works);
        group.wait();
        const leat_test::needs of(seed, false);
        EXPECT_EQ(leat_test::needs_run<engine>(of, s.workers)(leat::task::wait::own), "");
      };
      leat::entry::execute_run(on, root);
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    EXPECT_EQ(notes.text(), "") << "seed " << seed;
  }
}

}  // namespace
