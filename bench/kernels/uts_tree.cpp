#include "kernels/uts_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace leat::kernels::uts {

namespace {

// All children of the root wait to be visited at once, and should fit where tasks wait.
constexpr double binomial_root_max = 1e5;

constexpr parameters geometric_tree(shape form, std::int64_t depth, double branching, std::int64_t seed) {
  parameters p;
  p.type = kind::geometric;
  p.form = form;
  p.depth = depth;
  p.branching = branching;
  p.seed = seed;
  return p;
}

constexpr parameters binomial_tree(double branching, double q, std::int64_t m, std::int64_t seed) {
  parameters p;
  p.type = kind::binomial;
  p.branching = branching;
  p.inner_probability = q;
  p.inner_children = m;
  p.seed = seed;
  return p;
}

constexpr parameters hybrid_tree(shape form, std::int64_t depth, double branching, std::int64_t seed, double q,
                                 std::int64_t m) {
  parameters p = geometric_tree(form, depth, branching, seed);
  p.type = kind::hybrid;
  p.inner_probability = q;
  p.inner_children = m;
  return p;
}

constexpr std::array known = {
    known_tree{"T1", geometric_tree(shape::fixed, 10, 4, 19), 4130071},
    known_tree{"T2", geometric_tree(shape::cyclic, 16, 6, 502), 4117769},
    known_tree{"T3", binomial_tree(2000, 0.124875, 8, 42), 4112897},
    known_tree{"T4", hybrid_tree(shape::linear, 16, 6, 1, 0.234375, 4), 4132453},
    known_tree{"T5", geometric_tree(shape::linear, 20, 4, 34), 4147582},
    known_tree{"T1L", geometric_tree(shape::fixed, 13, 4, 29), 102181082},
    known_tree{"T2L", geometric_tree(shape::cyclic, 23, 7, 220), 96793510},
    known_tree{"T3L", binomial_tree(2000, 0.200014, 5, 7), 111345631},
    known_tree{"T1XL", geometric_tree(shape::fixed, 15, 4, 29), 1635119272},
    known_tree{"T1XXL", geometric_tree(shape::fixed, 15, 4, 19), 4230646601},
    known_tree{"T3XXL", binomial_tree(2000, 0.499995, 2, 316), 2793220501},
    known_tree{"T1WL", geometric_tree(shape::fixed, 18, 4, 19), 270751679750},
    known_tree{"T2WL", binomial_tree(2000, 0.4999999995, 2, 559), 295393891003},
};

template <class Value>
[[noreturn]] void reject(const char* option, Value value, const char* why) {
  std::ostringstream message;
  message.precision(std::numeric_limits<double>::max_digits10 - 2);
  message << option << " = " << value << ": " << why;
  throw std::invalid_argument(message.str());
}

// Each option by itself.
void validate_ranges(const parameters& p) {
  if (name(p.type) == "unknown") reject("-t", static_cast<int>(p.type), "no such tree type; 0 to 2 are");
  if (name(p.form) == "unknown") reject("-a", static_cast<int>(p.form), "no such shape; 0 to 3 are");
  if (!std::isfinite(p.branching) || p.branching < 0) {
    reject("-b", p.branching, "the branching factor must be finite and not negative");
  }
  if (p.seed < 0 || p.seed > std::numeric_limits<std::uint32_t>::max()) {
    reject("-r", p.seed, "the seed must be between 0 and 4294967295");
  }
  if (!(p.inner_probability >= 0 && p.inner_probability < 1)) {
    reject("-q", p.inner_probability, "the probability must be at least 0 and less than 1");
  }
  if (p.inner_children < 0) reject("-m", p.inner_children, "the number of children must not be negative");
  constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
  if (p.depth < 1 || p.depth > int_max) reject("-d", p.depth, "the depth must be between 1 and 2147483647");
  if (p.prefix < 0 || p.prefix > int_max) reject("--prefix", p.prefix, "the depth must be between 0 and 2147483647");
}

void validate_geometric(const parameters& p) {
  if (p.form == shape::exponential) {
    if (p.depth < 2) reject("-d", p.depth, "an exponential tree needs a depth of at least 2");
    if (p.branching <= 1) reject("-b", p.branching, "an exponential tree ends only with a branching factor above 1");
  }
}

void validate_binomial(const parameters& p) {
  if (p.type == kind::binomial && p.branching > binomial_root_max) {
    reject("-b", p.branching, "a binomial root has at most 100000 children");
  }
  const double children = static_cast<double>(std::min<std::int64_t>(p.inner_children, children_max));
  // T3L, with 1.00007 children expected of a node, is known to end nevertheless.
  if (p.inner_probability * children < 1 || find_whole_tree(p)) return;
  std::ostringstream why;
  why << "with -q = " << p.inner_probability << " a node has " << p.inner_probability * children
      << " children on average, and from 1 on a tree is not expected to end";
  reject("-m", p.inner_children, why.str().c_str());
}

// Where a geometric part ends: below this depth children are drawn geometrically.
std::uint32_t geometric_depth_end(const parameters& p) noexcept {
  switch (p.type) {
    case kind::binomial: return 0;
    case kind::geometric: return std::numeric_limits<std::uint32_t>::max();
    case kind::hybrid:
      return static_cast<std::uint32_t>((p.depth + 1) / 2);  // with an odd d the level just above d / 2
  }
  return 0;
}

// The expected children of a node at this depth, were there no limit to them: b_i of the benchmark's authors.
double target_at(const parameters& p, std::uint32_t depth) noexcept {
  if (depth == 0) return p.branching;
  const double level = depth;
  const double levels = static_cast<double>(p.depth);
  switch (p.form) {
    case shape::linear: return std::max(0.0, p.branching * (1 - level / levels));
    case shape::exponential: return p.branching * std::pow(level, -std::log(p.branching) / std::log(levels));
    case shape::cyclic:
      return level > 5 * levels ? 0 : std::pow(p.branching, std::sin(2 * std::numbers::pi * level / levels));
    case shape::fixed: return level < levels ? p.branching : 0;
  }
  return 0;
}

// With the limit: the expectation of min(n, children_max), where the chance of one child more is always target / (1 + target).
double children_expected(const parameters& p, std::uint32_t depth) noexcept {
  const double target = target_at(p, depth);
  constexpr double most = children_max;
  return -std::expm1(-most * std::log1p(1 / target)) * target;
}

// More nodes than this, or the expected number of all, but for what comes after so many levels.
double nodes_expected(const parameters& p) noexcept {
  constexpr std::uint32_t levels_max = 1'000'000;
  const std::uint32_t end = std::min(geometric_depth_end(p), levels_max);
  double at_depth = 1;
  double nodes = 1;
  for (std::uint32_t depth = 0; depth < end && nodes <= nodes_expected_max && at_depth > 0; ++depth) {
    at_depth *= children_expected(p, depth);
    nodes += at_depth;
  }
  if (p.type == kind::geometric) return nodes;
  const double inner =
      p.inner_probability * static_cast<double>(std::min<std::int64_t>(p.inner_children, children_max));
  if (p.type == kind::binomial) return 1 + std::floor(p.branching) / (1 - inner);
  return nodes + at_depth * inner / (1 - inner);  // each node at the end is the root of a binomial tree
}

void validate_size(const parameters& p) {
  if (nodes_expected(p) <= nodes_expected_max || find_whole_tree(p)) return;
  std::ostringstream why;
  why << "with -b = " << p.branching << " more than " << nodes_expected_max << " nodes are expected";
  parameters without_inner = p;
  without_inner.inner_probability = 0;
  if (nodes_expected(without_inner) <= nodes_expected_max) reject("-q", p.inner_probability, why.str().c_str());
  reject("-d", p.depth, why.str().c_str());
}

}  // namespace

std::string_view name(kind type) noexcept {
  switch (type) {
    case kind::binomial: return "binomial";
    case kind::geometric: return "geometric";
    case kind::hybrid: return "hybrid";
  }
  return "unknown";
}

std::string_view name(shape form) noexcept {
  switch (form) {
    case shape::linear: return "linear";
    case shape::exponential: return "exponential";
    case shape::cyclic: return "cyclic";
    case shape::fixed: return "fixed";
  }
  return "unknown";
}

void parameters::validate() const {
  validate_ranges(*this);
  if (type != kind::binomial) validate_geometric(*this);
  if (type != kind::geometric) validate_binomial(*this);
  validate_size(*this);
}

std::span<const known_tree> known_trees() noexcept { return known; }

const known_tree* find_known_tree(std::string_view name) noexcept {
  const auto found = std::ranges::find(known, name, &known_tree::name);
  return found == known.end() ? nullptr : &*found;
}

const known_tree* find_known_tree(const parameters& p) noexcept { return p.prefix == 0 ? find_whole_tree(p) : nullptr; }

const known_tree* find_whole_tree(const parameters& p) noexcept {
  const auto same = [&p](const known_tree& candidate) {
    const parameters& k = candidate.tree;
    if (p.type != k.type || p.branching != k.branching || p.seed != k.seed) return false;
    const bool same_geometric = p.form == k.form && p.depth == k.depth;
    const bool same_binomial = p.inner_probability == k.inner_probability && p.inner_children == k.inner_children;
    return (k.type == kind::binomial || same_geometric) && (k.type == kind::geometric || same_binomial);
  };
  const auto found = std::ranges::find_if(known, same);
  return found == known.end() ? nullptr : &*found;
}

tree::tree(const uts::parameters& p) : parameters_(p) {
  p.validate();
  geometric_depth_end_ = geometric_depth_end(p);
  if (p.prefix != 0) leaves_at_ = static_cast<std::uint32_t>(p.prefix);
  if (p.type == kind::binomial) root_children_ = static_cast<std::uint32_t>(std::floor(p.branching));
  inner_children_ = static_cast<std::uint32_t>(std::min<std::int64_t>(p.inner_children, children_max));
  inner_below_ = static_cast<std::uint32_t>(std::ceil(p.inner_probability * 0x1p31));  // the product is exact in binary
  // A geometric tree goes little deeper than a few times d, if at all; deeper nodes and larger d are computed anew.
  constexpr std::int64_t depths_max = 4096;
  const auto depths = static_cast<std::uint32_t>(std::min(5 * p.depth + 2, depths_max));
  if (p.type != kind::binomial) {
    log_more_.resize(depths);
    for (std::uint32_t depth = 0; depth < depths; ++depth) log_more_[depth] = log_more_at(depth);
  }
}

double tree::log_more_at(std::uint32_t depth) const noexcept {
  const double p = 1 / (1 + target_at(parameters_, depth));
  return std::log(1 - p);
}

}  // namespace leat::kernels::uts
