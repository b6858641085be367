#include "recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorded_file.hpp"
#include "work_and_span.hpp"
#include "written.hpp"

namespace {

using namespace leat_predict;
using leat::sim::bad_recording;
using leat::sim::recording;
using leat::sim::strand_code;
using testing::HasSubstr;

void expect_refused(const std::string& file, const std::string& why) {
  try {
    static_cast<void>(read(file));
    ADD_FAILURE() << "is read, and should be refused: " << why;
  } catch (const bad_recording& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

void expect_refused(const std::vector<stream>& streams, const std::string& why) {
  expect_refused(file_of(streams, 1000), why);
}

std::vector<strand_code> codes(const recording& r) {
  std::vector<strand_code> all;
  for (const auto word : r.words) all.push_back(word.code());
  return all;
}

TEST(recordings, have_forks_as_words) {
  stream s;
  s.named()
      .add(run)
      .add(strand, {5})
      .add(begin_fork, {0, 1})
      .add(strand, {300})
      .add(branch)
      .add(strand, {7})
      .add(join)
      .add(run_end);
  const recording r = read({s});
  using enum strand_code;
  EXPECT_EQ(codes(r), (std::vector{strand, fork, strand, end, strand, end, end}));
  EXPECT_EQ(r.words[1].payload(), 4u);
  EXPECT_EQ(r.words[2].payload(), 300u);
  EXPECT_EQ(r.words[3].payload(), 6u);
  ASSERT_EQ(r.phases.size(), 1u);
  EXPECT_TRUE(r.phases[0].is_run);
}

TEST(recordings, join_what_two_workers_executed) {
  stream s;
  stream t;
  s.named().add(run).add(begin_fork, {0, 1}).add(strand, {5}).add(branch).add(elsewhere, {1}).add(run_end);
  t.add(segment, {1}).add(strand, {9}).add(end);
  const recording r = read({s, t});
  const auto second = r.words[r.words[r.phases[0].what].payload()];
  EXPECT_EQ(second.code(), strand_code::strand);
  EXPECT_EQ(second.payload(), 9u);
}

TEST(recordings, put_segments_aside) {
  stream s;
  s.named().add(run).add(spawn, {0, 2, 1}).add(segment, {1}).add(strand, {9}).add(end).add(wait_for, {2}).add(run_end);
  const recording r = read({s});
  EXPECT_EQ(r.words[2].code(), strand_code::jump);
  EXPECT_EQ(r.words[r.words[2].payload()].code(), strand_code::wait);
  EXPECT_EQ(r.words[r.words[0].payload()].payload(), 9u);
}

TEST(recordings, have_nothing_in_place_of_tasks_that_were_skipped) {
  stream s;
  s.named().add(run).add(spawn, {0, 5, 7}).add(spawn, {0, 5, 8}).add(spawn, {0, 5, 9});
  s.add(segment, {8}).add(strand, {40}).add(end).add(wait_for, {5}).add(run_end);
  const recording r = read({s});
  EXPECT_EQ(leat::sim::walk(r).whole.work_ns, 40u);
  int empty = 0;
  for (const leat::sim::strand_word w : r.words)
    if (w.code() == strand_code::spawn) empty += r.words[w.payload()].code() == strand_code::end;
  EXPECT_EQ(empty, 2);
  EXPECT_EQ(r.skipped_tasks, 2u);
}

TEST(recordings, sort_the_blocks_of_loops) {
  stream s;
  stream t;
  s.named().add(run).add(loop, {4, 0, 10}).add(block, {4, 0, 3, 30}).add(loop_end, {4}).add(run_end);
  t.add(block, {4, 7, 3, 50}).add(open_block, {4, 3, 4}).add(strand, {9}).add(end);
  const recording r = read({s, t});
  ASSERT_EQ(r.loops.size(), 1u);
  EXPECT_TRUE(r.loops[0].open);
  const auto blocks = r.blocks_of(r.loops[0]);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].first, 3u);
  EXPECT_TRUE(blocks[1].open);
  EXPECT_EQ(blocks[2].cost, 50u);
  EXPECT_EQ(r.missing_iterations, 0u);
}

TEST(recordings, count_iterations_that_were_not_executed) {
  stream s;
  s.named().add(run).add(loop, {4, 0, 10}).add(block, {4, 2, 3, 30}).add(loop_end, {4}).add(run_end);
  EXPECT_EQ(read({s}).missing_iterations, 7u);
}

TEST(recordings, add_a_loops_other_work_to_its_iterations) {
  stream s;
  s.named()
      .add(run)
      .add(loop, {4, 0, 10})
      .add(block, {4, 0, 10, 30})
      .add(block, {4, 10, 0, 5})
      .add(loop_end, {4})
      .add(run_end);
  const recording r = read({s});
  ASSERT_EQ(r.blocks.size(), 1u);
  EXPECT_EQ(r.blocks[0].cost, 35u);
}

TEST(recordings, nest_deeply) {
  constexpr std::uint64_t deep = 1'000'000;
  stream s;
  s.named().add(run);
  for (std::uint64_t i = 0; i < deep; ++i) s.add(begin_fork, {0, i});
  for (std::uint64_t i = 0; i < deep; ++i) s.add(branch).add(join);
  s.add(run_end);
  EXPECT_EQ(read(file_of({s}, 1 << 16)).words.size(), 3 * deep + 1);
}

TEST(headers, are_checked) {
  const std::string good(header);
  EXPECT_EQ(read(good).words.size(), 0u);
  expect_refused(std::string(), "at byte 0: '': must be a line that begins with 'leat strands'");
  expect_refused("leat strands 2\n", "leat strands = '2': only version 1 is known");
  expect_refused("leat strands 1\nprogram p\nworkers 0\n",
                 "at byte 25: was not finished: the program was killed, ended by _exit, or the disk was full");
  expect_refused("leat strands 1\nprogram p\nworkers 1x\n", "workers = '1x'");
  expect_refused(good.substr(0, good.size() - 1), "at byte 57: '': must be a line");
  expect_refused(good.substr(0, good.size() - 1) + "more\n", "'more': the header must end with an empty line");
}

TEST(chunks, are_checked) {
  const std::string good(header);
  expect_refused(good + "abc", "at byte 58: the file ends after 3 bytes of a chunk's head");
  expect_refused(good + word(0) + word(5) + "abc", "at byte 66: a chunk of 5 bytes, of which the file has 3");
  expect_refused(good + word(70000) + word(0), "worker 70000 of a chunk: must be below 65536");
}

TEST(operations, are_checked) {
  expect_refused({stream().add(99)}, "at byte 66: 99: no such operation");
  expect_refused({stream().add(22)}, "22: no such operation");
  expect_refused({stream().add(run).add(begin_fork, {3, 1})}, "fork: site 3: has no name on this stream");
  expect_refused({stream().add(join)}, "join: no branch is open");
  expect_refused({stream().add(strand, {2'000'000'000'000'000})},
                 "strand: 2000000000000000 ns: must be 1000000000000000 at most");
  expect_refused({stream().add(run).add(strand)}, "the worker's stream ends before a time");
  stream s;
  s.bytes = std::string("\0", 1) + std::string(10, '\xff') + '\1';
  expect_refused({s}, "at byte 67: a time: a number of more than 64 bits");
}

TEST(brackets, are_checked) {
  expect_refused({stream().add(run)}, "at byte 66: run: has no end in its worker's stream, and 0 around it have none");
  expect_refused({stream().add(begin_fork, {0, 1})}, "fork: outside of any run and segment");
  expect_refused({stream().add(end)}, "end: nothing is open");
  expect_refused({stream().add(run).add(end)}, "end: the innermost bracket is the run that byte 66 begins");
  expect_refused({stream().named().add(run).add(begin_fork, {0, 1}).add(join)},
                 "join: must be in a branch, and the innermost bracket is the fork");
  expect_refused({stream().named().add(run).add(begin_fork, {0, 1}).add(branch).add(strand, {1}).add(elsewhere, {1})},
                 "elsewhere: operations since the branch");
  expect_refused({stream().named().add(run).add(begin_fork, {0, 1}).add(branch).add(elsewhere, {2})},
                 "elsewhere: 2: the fork that byte");
  expect_refused({stream().named().add(run).add(loop, {4, 0, 1}).add(barrier)}, "barrier: in the loop that byte");
  expect_refused({stream().named().add(run).add(loop, {4, 0, 1}).add(loop_end, {5})},
                 "loop_end: 5: the loop that byte");
  expect_refused({stream().add(run).add(outside, {5})}, "outside: 5 ns: in the run that byte 66 begins");
}

TEST(sums, are_checked) {
  expect_refused({stream().add(sums, {1, 1, 1, 1})}, "at byte 66: sums: outside of any run and segment");
  const auto in_run = [](std::initializer_list<std::uint64_t> n) {
    return std::vector{stream().add(run).add(sums, n)};
  };
  expect_refused(in_run({5, 6, 1, 1}), "at byte 67: sums: a span of 6 ns: is longer than the work, 5 ns");
  expect_refused(in_run({2'000'000'000'000'000, 6, 1, 1}),
                 "sums: 2000000000000000 ns: must be 1000000000000000 at most");
  expect_refused(in_run({5, 5, 2'000'000'000'000, 1}), "sums: 2000000000000 strands: must be 1000000000000 at most");
  expect_refused(in_run({5, 5, 1, 2'000'000'000'000}), "sums: 2000000000000 forks: must be 1000000000000 at most");
  expect_refused(in_run({5, 5, 1}), "the worker's stream ends before forks");
}

TEST(ids, are_checked) {
  const auto in_run = [](stream s) { return std::vector{s.add(run_end)}; };
  const auto begun = [] { return stream().named().add(run); };
  expect_refused(in_run(begun().add(future, {0, 9})), "ID 9: there is no such segment");
  expect_refused(in_run(begun().add(segment, {9}).add(end)), "segment 9: no fork, spawn or future made it");
  expect_refused(in_run(begun().add(spawn, {0, 0, 9}).add(segment, {9}).add(end).add(segment, {9}).add(end)),
                 "ID 9: is the segment already at byte");
  expect_refused(in_run(begun().add(spawn, {0, 0, 9}).add(spawn, {0, 0, 9})),
                 "ID 9: is the task that is made already at byte");
  expect_refused(in_run(begun().add(await, {8})), "await 8: there is no such future, nor such a task");
  expect_refused(in_run(begun().add(wait_for, {0})), "wait: group 0: is none");
  expect_refused(in_run(begun().add(block, {4, 0, 1, 1})), "loop 4: there is no such loop");
  expect_refused(in_run(begun().add(loop, {4, 0, 2}).add(block, {4, 1, 2, 5}).add(loop_end, {4})),
                 "iterations 1 to 3 of loop 4: it has 2");
  expect_refused(
      in_run(begun().add(loop, {4, 0, 2}).add(block, {4, 1, 1, 5}).add(block, {4, 1, 1, 5}).add(loop_end, {4})),
      "iteration 1 of loop 4: is in two blocks");
  expect_refused(in_run(begun().add(loop, {4, 0, 0}).add(loop_end, {4}).add(loop, {4, 0, 0}).add(loop_end, {4})),
                 "loop 4: began already at byte");
}

TEST(files, that_cannot_be_read) {
  EXPECT_THROW(static_cast<void>(leat::sim::read_recording("/nonesuch")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(leat::sim::read_recording("/")), std::invalid_argument);
}

}  // namespace
