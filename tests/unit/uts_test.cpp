// The kernel UTS: its hash, its trees and its traversals. The expected numbers come from an independent program.

#include "kernels/uts.hpp"

#include "kernels/uts_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

namespace uts = leat::kernels::uts;

uts::state digest_of(const std::uint8_t* bytes, std::size_t size) {
  sha1_ctx context;
  sha1_init(&context);
  sha1_update(&context, size, bytes);
  std::uint8_t digest[SHA1_DIGEST_SIZE];
  sha1_digest(&context, sizeof digest, digest);
  uts::state result;
  for (std::size_t i = 0; i < result.word.size(); ++i) {
    result.word[i] = std::uint32_t{digest[4 * i]} << 24 | std::uint32_t{digest[4 * i + 1]} << 16 |
                     std::uint32_t{digest[4 * i + 2]} << 8 | std::uint32_t{digest[4 * i + 3]};
  }
  return result;
}

uts::parameters tree_of(uts::kind type, uts::shape form, std::int64_t depth, double branching, std::int64_t seed) {
  uts::parameters p;
  p.type = type;
  p.form = form;
  p.depth = depth;
  p.branching = branching;
  p.seed = seed;
  return p;
}

TEST(uts_hash, root_is_the_digest_of_zeros_and_seed) {
  const uts::state root{{0xc6988ab7u, 0x0cc9559au, 0xe4d6cba2u, 0x54e29a84u, 0x5a85f86bu}};
  EXPECT_EQ(uts::child_hash::root(19), root);
}

TEST(uts_hash, child_is_the_digest_of_parent_and_index) {
  const uts::state child{{0x4e62c778u, 0x9552ef31u, 0xfa428ed5u, 0xd9023d3fu, 0x3ec368efu}};
  uts::child_hash hash{uts::child_hash::root(19)};
  EXPECT_EQ(hash(3), child);
  EXPECT_EQ(child.random(), 0x3ec368efu);
}

TEST(uts_hash, one_block_gives_what_the_whole_sha1_gives) {
  uts::state parent = uts::child_hash::root(0xffffffffu);
  for (std::uint32_t index : {0u, 1u, 255u, 256u, 0x01020304u, 0xffffffffu}) {
    std::uint8_t message[24];
    for (std::size_t i = 0; i < 20; ++i) message[i] = static_cast<std::uint8_t>(parent.word[i / 4] >> (24 - i % 4 * 8));
    for (std::size_t i = 0; i < 4; ++i) message[20 + i] = static_cast<std::uint8_t>(index >> (24 - i * 8));
    uts::child_hash hash{parent};
    const uts::state child = hash(index);
    EXPECT_EQ(child, digest_of(message, sizeof message)) << "index " << index;
    EXPECT_EQ(hash(index), child) << "the hash keeps nothing of the child before";
    parent = child;
  }
}

TEST(uts_tree, root_of_T1_has_five_children) {
  const uts::tree tree(uts::find_known_tree("T1")->tree);
  EXPECT_EQ(tree.children(tree.root(), 0), 5u);
}

struct small_tree {
  std::string name;
  uts::parameters parameters;
  uts::tally expected;
};

void PrintTo(const small_tree& t, std::ostream* out) { *out << t.name; }

class uts_small_tree : public testing::TestWithParam<small_tree> {};

TEST_P(uts_small_tree, serial_finds_what_it_has) {
  EXPECT_EQ(uts::count_serially(uts::tree(GetParam().parameters)), GetParam().expected);
}

TEST_P(uts_small_tree, parallel_finds_what_it_has) {
  const uts::tree tree(GetParam().parameters);
  for (unsigned workers : {1u, 2u, 5u}) {
    leat::options options;
    options.workers = workers;
    leat::runtime rt(options);
    using leat::kernels::construct;
    for (const construct c : {construct::spawn, construct::fork, construct::group, construct::spawn}) {
      EXPECT_EQ(uts::count_in_parallel(rt, tree, c), GetParam().expected) << workers << " workers, " << name(c);
    }
  }
}

uts::parameters binomial(double branching, std::int64_t seed, double q, std::int64_t m) {
  uts::parameters p = tree_of(uts::kind::binomial, uts::shape::linear, 6, branching, seed);
  p.inner_probability = q;
  p.inner_children = m;
  return p;
}

// Tallies are {inner nodes, leaves, depth}.
INSTANTIATE_TEST_SUITE_P(
    all, uts_small_tree,
    testing::Values(
        small_tree{"linear", tree_of(uts::kind::geometric, uts::shape::linear, 8, 4, 0), {2967, 3926, 8}},
        small_tree{"exponential", tree_of(uts::kind::geometric, uts::shape::exponential, 4, 3, 0), {304, 343, 16}},
        small_tree{"cyclic", tree_of(uts::kind::geometric, uts::shape::cyclic, 6, 3, 0), {2072, 2709, 31}},
        small_tree{"fixed", tree_of(uts::kind::geometric, uts::shape::fixed, 6, 4, 19), {3161, 12839, 6}},
        small_tree{"root_alone", tree_of(uts::kind::geometric, uts::shape::linear, 8, 4, 2), {0, 1, 0}},
        small_tree{"no_branching", tree_of(uts::kind::geometric, uts::shape::cyclic, 8, 0, 2), {0, 1, 0}},
        small_tree{"binomial", binomial(200.7, 1, 0.124, 8), {636, 4645, 42}},
        small_tree{"binomial_below_one", binomial(0.5, 1, 0.1, 2), {0, 1, 0}},
        small_tree{"binomial_capped_at_100", binomial(3000, 9, 0.003, 200), {8, 3693, 3}},
        small_tree{"hybrid_odd_depth", tree_of(uts::kind::hybrid, uts::shape::linear, 9, 4, 1), {1333, 3946, 37}},
        small_tree{"hybrid_fixed", tree_of(uts::kind::hybrid, uts::shape::fixed, 7, 4, 1), {2509, 7595, 73}}),
    [](const auto& instance) { return instance.param.name; });

TEST(uts_traversal, forks_are_made_as_deep_as_the_stack_allows) {
  // A chain: nearly every node has one child, some two, so it goes far deeper than forks may nest.
  const uts::tree chain(binomial(1, 3, 0.99999, 1));
  const uts::tally serial = uts::count_serially(chain);
  ASSERT_GT(serial.max_depth, 20'000u);
  leat::options options;
  options.workers = 2;
  leat::runtime rt(options);
  EXPECT_EQ(uts::count_in_parallel(rt, chain, leat::kernels::construct::fork), serial);
}

TEST(uts_tree, depths_beyond_the_table_are_computed) {
  // Of a million levels only the first have an entry; the shape is so flat that it looks fixed near the root.
  const uts::parameters flat = tree_of(uts::kind::geometric, uts::shape::linear, 1'000'000, 1, 5);
  const uts::tree tree(flat);
  const uts::state node{{0, 0, 0, 0, 0x7ffffff0u}};
  EXPECT_EQ(tree.children(node, 4095), tree.children(node, 5000));
  EXPECT_EQ(tree.children(node, 1'000'000), 0u);
}

TEST(uts_tree, enormous_branching_gives_the_most_children) {
  const uts::tree tree(tree_of(uts::kind::geometric, uts::shape::fixed, 2, 1e300, 0));
  EXPECT_EQ(tree.children(uts::state{{0, 0, 0, 0, 1}}, 0), uts::children_max);
}

TEST(uts_tree, known_trees_are_found_by_name_and_by_parameters) {
  EXPECT_EQ(uts::known_trees().size(), 13u);
  for (const uts::known_tree& known : uts::known_trees()) {
    EXPECT_NO_THROW(known.tree.validate()) << known.name;
    EXPECT_EQ(uts::find_known_tree(known.name), &known);
    EXPECT_EQ(uts::find_known_tree(known.tree), &known);
  }
  uts::parameters t1 = uts::find_known_tree("T1")->tree;
  t1.inner_probability = 0.5;  // means nothing to a geometric tree
  EXPECT_EQ(uts::find_known_tree(t1), uts::find_known_tree("T1"));
  t1.seed = 20;
  EXPECT_EQ(uts::find_known_tree(t1), nullptr);
  EXPECT_EQ(uts::find_known_tree("T9"), nullptr);
  EXPECT_EQ(uts::find_known_tree("t1"), nullptr);
}

// T1WL is the tree T1 with more levels, so its first ten have as many nodes as T1.
TEST(uts_tree, a_prefix_of_a_known_tree_is_counted_alike_by_all) {
  uts::parameters first = uts::find_known_tree("T1WL")->tree;
  first.prefix = 10;
  EXPECT_EQ(uts::find_known_tree(first), nullptr);
  EXPECT_EQ(uts::find_whole_tree(first), uts::find_known_tree("T1WL"));
  EXPECT_EQ(uts::count_serially(uts::tree(first)).nodes(), uts::find_known_tree("T1")->nodes);
  for (const char* name : {"T1WL", "T2WL"}) {
    uts::parameters p = uts::find_known_tree(name)->tree;
    p.prefix = name[1] == '1' ? 6 : 40;
    const uts::tree tree(p);
    const uts::tally serial = uts::count_serially(tree);
    EXPECT_EQ(serial.max_depth, p.prefix) << name;
    leat::runtime rt({.workers = 2});
    for (const auto with :
         {leat::kernels::construct::spawn, leat::kernels::construct::fork, leat::kernels::construct::group})
      EXPECT_EQ(uts::count_in_parallel(rt, tree, with), serial) << name;
  }
}

struct bad_parameters {
  void (*spoil)(uts::parameters&);
  const char* message;
};

TEST(uts_tree, bad_parameters_are_named_with_their_value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bad_parameters bad[] = {
      {[](uts::parameters& p) { p.type = static_cast<uts::kind>(3); }, "-t = 3"},
      {[](uts::parameters& p) { p.form = static_cast<uts::shape>(-1); }, "-a = -1"},
      {[](uts::parameters& p) { p.branching = -0.5; }, "-b = -0.5"},
      {[](uts::parameters& p) { p.branching = infinity; }, "-b = inf"},
      {[](uts::parameters& p) { p.branching = std::nan(""); }, "-b = nan"},
      {[](uts::parameters& p) { p.seed = -1; }, "-r = -1"},
      {[](uts::parameters& p) { p.seed = 4294967296; }, "-r = 4294967296"},
      {[](uts::parameters& p) { p.inner_probability = 1; }, "-q = 1:"},
      {[](uts::parameters& p) { p.inner_probability = -0.1; }, "-q = -0.1"},
      {[](uts::parameters& p) { p.inner_probability = std::nan(""); }, "-q = nan"},
      {[](uts::parameters& p) { p.inner_children = -2; }, "-m = -2"},
      {[](uts::parameters& p) { p.depth = 0; }, "-d = 0"},
      {[](uts::parameters& p) { p.prefix = -1; }, "--prefix = -1"},
      {[](uts::parameters& p) { p.depth = 3'000'000'000; }, "-d = 3000000000"},
      {[](uts::parameters& p) { p.type = uts::kind::binomial, p.branching = 1e8; }, "-b = 100000000"},
      {[](uts::parameters& p) { p.type = uts::kind::binomial, p.inner_probability = 0.25; }, "-m = 4: with -q = 0.25"},
      {[](uts::parameters& p) { p.type = uts::kind::hybrid, p.inner_probability = 0.5; }, "-m = 4: with -q = 0.5"},
      {[](uts::parameters& p) { (p = uts::find_known_tree("T3L")->tree).seed = 8; }, "-m = 5: with -q = 0.200014"},
      {[](uts::parameters& p) { p.form = uts::shape::exponential, p.depth = 1; }, "-d = 1"},
      {[](uts::parameters& p) { p.form = uts::shape::exponential, p.branching = 1; }, "-b = 1:"},
  };
  for (const bad_parameters& b : bad) {
    uts::parameters p;
    b.spoil(p);
    try {
      const uts::tree tree(p);
      ADD_FAILURE() << "accepted: " << b.message;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(b.message));
    }
  }
}

TEST(uts_check, right_tallies_pass) {
  const uts::known_tree known{"small", {}, 3};
  uts::tally_check check(&known);
  check.take("serial", {1, 2, 1});
  check.take("parallel", {1, 2, 1});
  EXPECT_TRUE(check.ok());
  EXPECT_EQ(check.failure(), "");
  EXPECT_EQ(check.latest(), (uts::tally{1, 2, 1}));
}

TEST(uts_check, wrong_count_of_a_known_tree_is_told) {
  const uts::known_tree known{"small", {}, 3};
  uts::tally_check check(&known);
  check.take("parallel", {1, 3, 1});
  check.take("parallel", {1, 2, 1});
  EXPECT_FALSE(check.ok()) << "one right run does not make up for a wrong one";
  EXPECT_EQ(check.failure(), "the parallel traversal found 4 nodes, 3 leaves and depth 1, but small has 3 nodes");
}

TEST(uts_check, difference_between_traversals_is_told) {
  uts::tally_check check(nullptr);
  check.take("serial", {1, 2, 1});
  check.take("parallel", {1, 2, 2});
  EXPECT_FALSE(check.ok());
  EXPECT_THAT(check.failure(), testing::HasSubstr("but the first traversal found 3 nodes, 2 leaves and depth 1"));
}

}  // namespace
