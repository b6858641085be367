// Breadth-first search: graphs are what they are said to be, levels are right, and what is wrong is noticed.

#include "kernels/bfs.hpp"
#include "kernels/bfs_tasks.hpp"

#include <leat/leat.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using leat::kernels::counted_runtime;
namespace bfs = leat::kernels::bfs;
using bfs::kind;

bfs::parameters graph_of(kind k, std::int64_t scale, std::int64_t degree, std::int64_t grain = 4) {
  bfs::parameters p;
  p.kind = k;
  p.scale = scale;
  p.degree = degree;
  p.grain = grain;
  return p;
}

std::vector<bfs::parameters> graphs() {
  std::vector<bfs::parameters> all;
  for (const kind k : {kind::rmat, kind::uniform}) {
    all.push_back(graph_of(k, 0, 1));
    all.push_back(graph_of(k, 6, 0));   // no edges
    all.push_back(graph_of(k, 8, 1));   // parts that are not connected
    all.push_back(graph_of(k, 11, 8));  // more found in one task than it keeps
    all.push_back(graph_of(k, 11, 8, bfs::parameters::grain_max));
  }
  return all;
}

TEST(bfs, levels_are_right_on_all) {
  for (const bfs::parameters& p : graphs()) {
    p.prepare();
    p.before_run(1);
    serial(p);
    EXPECT_EQ(p.after_run(0), p.expected());
    const std::vector<std::uint32_t> right = p.search().level;
    const auto is_right = [&](auto& rt) {
      for (int i = 0; i < 2; ++i) {
        p.before_run(1);
        EXPECT_EQ(p.after_run(parallel(rt, p)), p.expected());
        EXPECT_EQ(p.search().level, right);
      }
    };
    for (const std::uint32_t workers : {1, 2, 8}) {
      leat::options o;
      o.workers = workers;
      leat::runtime rt(o);
      is_right(rt);
      counted_runtime counted(o);
      is_right(counted);
    }
  }
}

TEST(bfs, graphs_have_their_edges_in_both_directions) {
  for (const bfs::parameters& p : graphs()) {
    const bfs::graph g(p);
    EXPECT_EQ(g.vertices(), p.expected());
    std::size_t ends = 0;
    for (bfs::vertex v = 0; v < g.vertices(); ++v) {
      ends += g.neighbours(v).size();
      for (const bfs::vertex to : g.neighbours(v)) {
        EXPECT_NE(to, v);
        EXPECT_EQ(std::ranges::count(g.neighbours(to), v), std::ranges::count(g.neighbours(v), to));
      }
    }
    EXPECT_LE(ends, 2 * g.vertices() * static_cast<std::size_t>(p.degree));
  }
}

TEST(bfs, edges_are_drawn_as_they_are_said_to_be) {
  const auto most = [](kind k) {
    const bfs::graph g(graph_of(k, 10, 16));
    return g.neighbours(g.busiest()).size();
  };
  EXPECT_GT(most(kind::rmat), 300u) << "some have ten times the mean of 32";
  EXPECT_LT(most(kind::uniform), 70u) << "none has much more";
}

TEST(bfs, edges_lie_in_the_quarters_that_they_are_drawn_for) {
  // Of all edges, those with none, one, and two ends in the upper half of the vertices.
  const auto parts = [](kind k) {
    const bfs::graph g(graph_of(k, 12, 16));
    std::array<double, 3> ends{};
    double all = 0;
    for (bfs::vertex v = 0; v < g.vertices(); ++v) {
      for (const bfs::vertex to : g.neighbours(v)) {
        ends.at((v >= g.vertices() / 2) + (to >= g.vertices() / 2)) += 1;
        all += 1;
      }
    }
    for (double& e : ends) e /= all;
    return ends;
  };
  using testing::DoubleNear;
  EXPECT_THAT(parts(kind::rmat),
              testing::ElementsAre(DoubleNear(0.57, 0.01), DoubleNear(0.38, 0.01), DoubleNear(0.05, 0.01)));
  EXPECT_THAT(parts(kind::uniform),
              testing::ElementsAre(DoubleNear(0.25, 0.01), DoubleNear(0.5, 0.01), DoubleNear(0.25, 0.01)));
}

TEST(bfs, a_wrong_level_is_noticed) {
  const bfs::parameters p = graph_of(kind::uniform, 8, 4);
  p.prepare();
  p.before_run(1);
  EXPECT_LT(p.after_run(0), p.expected()) << "nothing found yet";
  serial(p);
  for (const std::uint32_t wrong : {0u, 100u, bfs::search::not_found}) {
    for (std::uint32_t& level : p.search().level) {
      const std::uint32_t right = level;
      if (right == wrong) continue;
      level = wrong;
      EXPECT_LT(p.after_run(0), p.expected());
      level = right;
    }
  }
  EXPECT_EQ(p.after_run(0), p.expected());
}

TEST(bfs, smaller_sizes_are_valid) {
  const bfs::parameters small = graph_of(kind::uniform, 26, 3, 7).smaller();
  EXPECT_NO_THROW(small.validate());
  EXPECT_LE(small.scale, 14);
  EXPECT_EQ(small.kind, kind::uniform);
  EXPECT_EQ(small.grain, 7);
}

TEST(bfs, bad_parameters_are_named_with_their_value) {
  const auto refused = [](const bfs::parameters& p, const char* what) {
    EXPECT_THAT([&] { p.validate(); }, testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(what)));
  };
  refused(graph_of(kind::rmat, -1, 1), "--scale = -1");
  refused(graph_of(kind::rmat, 27, 1), "--scale = 27");
  refused(graph_of(kind::rmat, 1, 65), "--degree = 65");
  refused(graph_of(kind::rmat, 1, 1, 0), "--grain = 0");
}

}  // namespace
