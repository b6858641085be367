// leat::cluster as programs use it: one rank, and ranks on threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster_on_threads.hpp"
#include "cluster_world.hpp"
#include "engines.hpp"
#include "kernels/uts_cluster.hpp"
#include "leat/cluster.hpp"
#include "leat/cluster/alone.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/fork_join.hpp"
#include "leat/spawn.hpp"

namespace {

struct word {
  std::string text;
};

// Unpacking it throws on this rank (thread), the time after so many.
struct fussy {
  int value;
  static inline thread_local int unpacks_left = -1;
};

}  // namespace

// A type that says how it is packed.
template <>
struct leat::packing<word> {
  static void pack(const word& w, std::vector<std::byte>& out) {
    packing<std::uint32_t>::pack(static_cast<std::uint32_t>(w.text.size()), out);
    for (const char c : w.text) out.push_back(static_cast<std::byte>(c));
  }
  static word unpack(std::span<const std::byte>& in) {
    const auto size = packing<std::uint32_t>::unpack(in);
    word w;
    for (const std::byte b : in.first(size)) w.text += static_cast<char>(b);
    in = in.subspan(size);
    return w;
  }
};

template <>
struct leat::packing<fussy> {
  static void pack(const fussy& f, std::vector<std::byte>& out) { packing<int>::pack(f.value, out); }
  static fussy unpack(std::span<const std::byte>& in) {
    if (fussy::unpacks_left-- == 0) throw std::range_error("not this one");
    return {packing<int>::unpack(in)};
  }
};

namespace {

using leat::ranks::rank_id;
using leat_test::on_ranks;

class Cluster : public testing::TestWithParam<const char*> {
 protected:
  leat::cluster_options options() const { return {.engine = GetParam(), .poll_us = 5}; }
};

TEST_P(Cluster, CountsATreeOnThreads) {
  const auto* const known = leat::kernels::uts::find_known_tree("T1");
  leat::kernels::uts::parameters p = known->tree;
  p.depth = leat_test::sanitized ? 6 : 8;
  const leat::kernels::uts::tree tree(p);
  const auto expected = leat::kernels::uts::count_serially(tree);
  for (const rank_id ranks : {1U, 2U, 3U, 8U}) {
    on_ranks(ranks, options(), [&](leat::cluster& on) {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(leat::kernels::uts::count_on_cluster(on, tree), expected);
    });
  }
}

// The workers of a rank take tasks of each other, and their tasks fork.
TEST_P(Cluster, CountsATreeBySeveralWorkers) {
  const auto* const known = leat::kernels::uts::find_known_tree("T1");
  leat::kernels::uts::parameters p = known->tree;
  p.depth = leat_test::sanitized ? 6 : 8;
  const leat::kernels::uts::tree tree(p);
  const auto expected = leat::kernels::uts::count_serially(tree);
  const leat_test::twig root{4, 0};
  const auto fork_twigs = [](const leat_test::twig& t, auto&& emit) {
    leat_test::grow(t, emit);
    const auto [a, b] = leat::fork_join([&] { return t.seed; }, [&] { return t.seed - 1; });
    return a - b;
  };
  leat::cluster_options o = options();
  for (const rank_id ranks : {1U, 2U, 3U}) {
    for (const std::uint32_t workers : {2U, 8U}) {
      o.workers = workers;
      on_ranks(ranks, o, [&](leat::cluster& on) {
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(leat::kernels::uts::count_on_cluster(on, tree), expected);
          EXPECT_EQ(on.run(std::vector{root}, std::uint64_t{0}, fork_twigs, std::plus<>{}),
                    leat_test::count_twigs(root));
        }
      });
    }
  }
}

TEST_P(Cluster, RootsAreDividedAmongRanks) {
  std::vector<int> roots(100);
  for (int i = 0; i < 100; ++i) roots[static_cast<std::size_t>(i)] = i;
  on_ranks(3, options(), [&](leat::cluster& on) {
    const auto expand = [](int root, auto&&) { return root; };
    EXPECT_EQ(on.run(roots, 0, expand, std::plus<>{}), 4950);
    EXPECT_EQ(on.run(std::vector<int>{}, 0, expand, std::plus<>{}), 0);
    EXPECT_EQ(on.reduce(static_cast<int>(on.rank()), std::plus<>{}), 3);
  });
}

TEST_P(Cluster, TasksAndResultsMaySayHowTheyArePacked) {
  on_ranks(3, options(), [&](leat::cluster& on) {
    // All words of up to six letters a and b; the result is the number of letters, as a word of that length.
    const auto expand = [](const word& w, auto&& emit) {
      if (w.text.size() < 6) {
        emit(word{w.text + 'a'});
        emit(word{w.text + 'b'});
      }
      return word{std::string(w.text.size(), '.')};
    };
    const auto both = [](word a, const word& b) { return word{a.text + b.text}; };
    const word all = on.run(std::vector<word>{{""}}, word{}, expand, both);
    EXPECT_EQ(all.text.size(), 2U + 4 * 2 + 8 * 3 + 16 * 4 + 32 * 5 + 64 * 6);
  });
}

TEST_P(Cluster, AnExceptionComesOutOnEveryRank) {
  on_ranks(3, options(), [&](leat::cluster& on) {
    const auto expand = [&](int depth, auto&& emit) -> int {
      if (depth == 0) throw std::out_of_range("depth 0");
      emit(depth - 1);
      return 1;
    };
    try {
      (void)on.run(std::vector<int>{50}, 0, expand, std::plus<>{});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "depth 0");
    } catch (const leat::rank_failed& e) {
      EXPECT_NE(e.rank(), on.rank());
      EXPECT_THAT(e.what(), testing::HasSubstr("rank " + std::to_string(e.rank()) + " failed: depth 0"));
    }
    EXPECT_EQ(on.reduce(1, std::plus<>{}), 3);
  });
}

TEST_P(Cluster, AnExceptionOfARootComesOutOnEveryRank) {
  on_ranks(3, options(), [&](leat::cluster& on) {
    const auto root = [](int i) { return i == 4 ? throw std::out_of_range("root 4") : i; };
    const auto expand = [](int i, auto&&) { return i; };
    try {
      (void)on.run(std::views::iota(0, 9) | std::views::transform(root), 0, expand, std::plus<>{});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::out_of_range&) {
      EXPECT_EQ(on.rank(), 1U);
    } catch (const leat::rank_failed& e) {
      EXPECT_EQ(e.rank(), 1U);
    }
    EXPECT_EQ(on.reduce(1, std::plus<>{}), 3);
  });
}

// What unpacking throws, on each rank in turn: on rank 0 of the takes of its children, and then of its own total.
TEST_P(Cluster, ARankThatCannotUnpackTheTotalFailsAlone) {
  constexpr rank_id ranks = 5;
  constexpr auto sum = [](const fussy& a, const fussy& b) { return fussy{a.value + b.value}; };
  constexpr auto one = [](int, auto&&) { return fussy{1}; };
  for (rank_id fails = 0; fails < ranks; ++fails) {
    const auto children = static_cast<int>(leat::ranks::children_of(fails, ranks).size());
    on_ranks(ranks, options(), [&](leat::cluster& on) {
      fussy::unpacks_left = on.rank() == fails ? children : -1;
      std::string thrown;
      try {
        EXPECT_EQ(on.run(std::vector<int>(9), fussy{0}, one, sum).value, 9);
      } catch (const std::exception& e) {
        thrown = e.what();
      }
      // Rank 0 has told nobody of the total.
      const std::string told = fails == 0 ? "leat::cluster: rank 0 failed: not this one" : "";
      EXPECT_EQ(thrown, on.rank() == fails ? "not this one" : told);
      EXPECT_EQ(on.reduce(1, std::plus<>{}), static_cast<int>(ranks));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Cluster, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

TEST(ClusterAlone, IsOneRank) {
  leat::cluster on;
  EXPECT_EQ(on.rank(), 0U);
  EXPECT_EQ(on.ranks(), 1U);
  const auto expand = [](const leat_test::twig& t, auto&& emit) {
    leat_test::grow(t, emit);
    return std::uint64_t{1};
  };
  const leat_test::twig root{4, 0};
  EXPECT_EQ(on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{}), leat_test::count_twigs(root));
  EXPECT_EQ(on.counters()[leat::rank_event::tasks], leat_test::count_twigs(root));
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

// An end whose messages stay on their way until it has been called many times more.
class slow_end final : public leat::ranks::alone {
 public:
  bool all_sent() const noexcept override { return calls_ >= 100; }
  void send(leat::ranks::rank_id to, std::span<const std::byte> bytes) override {
    calls_ = 0;
    alone::send(to, bytes);
  }
  bool receive(leat::ranks::message& into) override {
    ++calls_;
    return alone::receive(into);
  }

 private:
  int calls_ = 0;
};

TEST(ClusterAlone, LeavesARunWhenAllHasBeenSent) {
  for (const bool fails : {false, true}) {
    auto made = std::make_unique<slow_end>();
    const slow_end& end = *made;
    leat::cluster c(std::move(made));
    const auto expand = [&](int, auto&&) {
      if (fails) throw std::runtime_error("no");
      return 1;
    };
    const auto run = [&] { return c.run(std::array{1}, 0, expand, std::plus<>{}); };
    if (fails) EXPECT_THROW(run(), std::runtime_error);
    else EXPECT_EQ(run(), 1);
    EXPECT_TRUE(end.all_sent());
  }
}

TEST(ClusterOptions, BadOnesAreNamed) {
  EXPECT_THAT(refusal([] { leat::cluster c({.engine = "pigeons"}); }), testing::HasSubstr("engine = 'pigeons'"));
  EXPECT_THAT(refusal([] { leat::cluster c({.poll_us = leat::poll_us_max + 1}); }),
              testing::HasSubstr("poll_us = 10000001"));
  EXPECT_THAT(refusal([] { leat::cluster c({.workers = 0}); }), testing::HasSubstr("workers = 0"));
  EXPECT_THAT(refusal([] { leat::cluster c({.workers = 4097}); }), testing::HasSubstr("workers = 4097"));
}

template <class F>
std::string logic_error_of(F f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "";
}

TEST(ClusterMisuse, IsNamed) {
  EXPECT_THROW(leat::cluster(std::unique_ptr<leat::ranks::transport>()), std::invalid_argument);
  const auto nothing = [](int, auto&&) { return 1; };
  for (const std::uint32_t workers : {1U, 3U}) {
    leat::cluster on({.workers = workers});
    const auto again = [&](int, auto&&) { return on.reduce(1, std::plus<>{}); };
    EXPECT_EQ(logic_error_of([&] { (void)on.run(std::vector<int>(9), 0, again, std::plus<>{}); }),
              "leat::cluster: a run inside a run");
    EXPECT_EQ(on.run(std::vector<int>(9), 0, nothing, std::plus<>{}), 9);
  }
  leat::cluster on({.workers = 2});
  leat::platform::native::thread([&] {
    EXPECT_EQ(logic_error_of([&] { (void)on.reduce(1, std::plus<>{}); }),
              "leat::cluster: a run on another thread than the one that made the cluster");
  }).join();
  const auto waits = [](int, auto&&) { return leat::barrier(), 1; };
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW((void)on.run(std::vector<int>(9), 0, waits, std::plus<>{}), leat::misplaced_barrier);
  }
}

// What one worker combines with what it found, others combine with the identity.
TEST(ClusterResults, MayBeCombinedWithWhatTasksFind) {
  struct tally {
    std::uint64_t tasks = 0;
  };
  struct both {
    tally operator()(tally a, int) const { return {a.tasks + 1}; }
    tally operator()(tally a, tally b) const { return {a.tasks + b.tasks}; }
  };
  const auto expand = [](int depth, auto&& emit) {
    for (int i = 0; depth != 0 && i != 2; ++i) emit(depth - 1);
    return 7;
  };
  for (const std::uint32_t workers : {1U, 3U}) {
    leat::cluster on({.poll_us = 1, .workers = workers});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(on.run(std::vector{10}, tally(), expand, both()).tasks, 2047U);
  }
}

// Workers of a rank that throw at the same time: the run throws one of their exceptions, when none of them works any more.
TEST(ClusterWorkers, OfSeveralExceptionsOneIsThrown) {
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  leat::cluster on({.poll_us = 1, .workers = 3});
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> inside = 0;
    std::atomic<int> thrown = 0;
    const auto expand = [&](int depth, auto&& emit) -> int {
      ++inside;
      const auto begun_ns = leat::platform::native::now_ns();
      const auto waited_ns = [&] { return leat::platform::native::now_ns() - begun_ns; };
      while (depth != 0 && waited_ns() < 20'000) leat::platform::native::yield();  // so long that others take tasks
      for (int k = 0; depth != 0 && k != 2; ++k) emit(depth - 1);
      const int number = depth == 0 ? ++thrown : 0;
      while (depth == 0 && thrown < 2 && waited_ns() < patience_ns) leat::platform::native::yield();
      --inside;
      return depth != 0 ? 1 : throw std::out_of_range("leaf " + std::to_string(number));
    };
    std::string told;
    try {
      (void)on.run(std::vector{10}, 0, expand, std::plus<>{});
    } catch (const std::out_of_range& e) {
      told = e.what();
    }
    EXPECT_THAT(told, testing::StartsWith("leaf "));
    EXPECT_GE(thrown, 2);
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(on.reduce(1, std::plus<>{}), 1);
  }
}

TEST(ClusterCounters, AllHaveNames) {
  for (std::size_t i = 0; i < leat::rank_events; ++i) EXPECT_NE(name(static_cast<leat::rank_event>(i)), "unknown");
  EXPECT_EQ(name(static_cast<leat::rank_event>(leat::rank_events)), "unknown");
}

}  // namespace
