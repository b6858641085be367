// LU (Prell's thesis, 2.8; SparseLU of the Barcelona OpenMP Tasks Suite): the LU decomposition of a sparse matrix of
// blocks.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>

namespace leat::kernels::lu {

class decomposition;

struct parameters {
  std::int64_t n = 2048;  ///< -n       rows, 1 to n_max
  std::int64_t block = 64;  ///< --block  rows of a block; divides n
  kernels::construct construct = kernels::construct::group;  ///< --construct  group, future, graph or after
  bool polls = false;  ///< --polls  tasks poll for steal requests after each row or column of a block

  static constexpr std::int64_t n_max = 16'384;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Decomposes the matrix once, serially.
  void prepare() const;

  /// Makes the matrix again.
  void before_run(unsigned workers) const;

  /// A digest of the decomposition, to the last bit: no sum is added in another order.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// How many tasks there are.
  [[nodiscard]] std::uint64_t forks() const;

  [[nodiscard]] std::uint64_t expected() const;

  /// The same program with fewer blocks.
  [[nodiscard]] parameters smaller() const;

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] lu::decomposition& decomposition() const;

 private:
  mutable std::shared_ptr<lu::decomposition> decomposition_;
};

std::uint64_t serial(const parameters&);

/// With groups, two for each step: the blocks right of and below the diagonal block, and then all beyond that these two
/// change. With futures, one for each change of a block, which waits for the blocks that it needs; with graph and after the same,
/// by a graph and by tasks that begin after others. Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::lu
