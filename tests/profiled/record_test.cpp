// Recordings: they are well-formed, and have all that was measured.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "profiled/measuring.hpp"
#include "profiled/read_recording.hpp"

using leat_test::fib;
using leat_test::measure;
using leat_test::recording;
using leat_test::recording_reader;
using leat_test::take;
using leat_test::temporary_file;

namespace {

void everything() {
  take(5);
  fib(10);
  leat::parallel_for(0, 100, [](int i) { take(i == 50 ? 100'000 : 200); });
  leat::parallel_for(0, 20, [](int) { leat::parallel_for(0, 10, [](int) { take(30); }); });
  leat::task_group g;
  for (int i = 0; i < 5; ++i) g.spawn([] { fib(4); });
  leat::spawn_for(g, 0, 50, [](int) { take(70); });
  const auto before = g.spawn_after({}, [] { take(10); });
  g.spawn_after({before}, [] { take(20); });
  g.wait();
  leat::future<int> f = leat::async([] { return take(40), 1; });
  leat::shared_future<int> last = f.then([](int n) { return take(30), n + 1; }).share();
  EXPECT_EQ(last.get(), 2);
  leat::graph nodes;
  auto one = nodes.add([] { take(100); }), two = nodes.add([] { take(200); });
  one.precede(two);
  nodes.run();
  leat::blocking([] { take(60); });
  leat::spawn([] { take(80); });
  leat::barrier();
}

}  // namespace

TEST(record, is_well_formed) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    SCOPED_TRACE("workers: " + std::to_string(workers));
    const temporary_file to;
    const auto whole = measure(workers, everything, to.name().c_str()).whole;
    const recording r = recording_reader(to.name()).read();
    EXPECT_EQ(r.work_ns, whole.work);
    EXPECT_EQ(r.iterations, 100u + 20 + 20 * 10 + 50);
    EXPECT_EQ(r.operations.at(17), 1u) << "runs";
    EXPECT_EQ(r.operations.at(14), 2u) << "futures";
    EXPECT_EQ(r.operations.at(9), 1u) << "barriers";
    EXPECT_EQ(r.head.at("leat"), "strands 1");
    EXPECT_EQ(r.head.at("clock_ns"), "0");
    EXPECT_EQ(r.head.at("sampled"), "0000000001");
    EXPECT_NE(r.head.at("program").find("leat_test_profiled"), std::string::npos);
  }
}

// One worker steals nothing: the second callable of each fork follows the first.
TEST(record, has_no_segments_of_forks_with_one_worker) {
  const temporary_file to;
  measure(1, [] { fib(12); }, to.name().c_str());
  const recording r = recording_reader(to.name()).read();
  EXPECT_TRUE(r.elsewhere.empty());
  EXPECT_TRUE(r.executed.empty());
  EXPECT_EQ(r.operations.at(1), r.operations.at(3));
  EXPECT_EQ(r.made.size(), r.operations.at(1));
}

// 10^7 strands take less than 200 MB.
TEST(record, is_small) {
  const temporary_file to;
  const auto whole = measure(1, [] { fib(20); }, to.name().c_str()).whole;
  EXPECT_LT(double(to.size()), 20.0 * double(whole.count));
}

// Blocks of a loop are written together where they are short, and a long iteration alone.
TEST(record, has_long_iterations_apart) {
  const temporary_file to;
  measure(
      1, [] { leat::parallel_for(0, 100'000, [](int i) { take(i == 5000 ? 1'000'000 : 10); }); }, to.name().c_str());
  const recording r = recording_reader(to.name()).read();
  EXPECT_EQ(r.iterations, 100'000u);
  EXPECT_LT(r.operations.at(11), 1000u);
}

// By the number of threads a reader knows that a recording was finished.
TEST(record, has_no_number_of_threads_if_the_disk_was_full) {
  constexpr rlim_t room = 4096;
  const temporary_file to;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{room, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  leat_test::profiled::strand_clock = &leat_test::read_thread_ns;
  EXPECT_TRUE(leat_test::session::begin(to.name().c_str()));
  {
    leat::runtime r({.workers = 1});
    r.run([] { fib(18); });
  }
  EXPECT_FALSE(leat_test::session::end());
  leat_test::session::turn_off();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  std::ifstream file(to.name(), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text.size(), room);
  EXPECT_NE(text.find("\nworkers 0000000000\n"), std::string::npos);
}

TEST(record, cannot_be_written_to_a_folder) {
  EXPECT_FALSE(leat_test::session::begin("/"));
  leat_test::session::turn_off();
}
