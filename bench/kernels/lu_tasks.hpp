// The LU decomposition over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/block.hpp"

#include <leat/platform/chosen.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::kernels::lu {

/// Where the matrix has blocks at first: on the diagonal and beside it, and, where row and column are even, each third one
/// towards the borders. So has that of the Barcelona OpenMP Tasks Suite.
bool is_there_at_first(std::size_t i, std::size_t j);

/// The matrix, on its way to L and U. Blocks that have nothing but zeros are not there.
class decomposition {
 public:
  decomposition(std::int64_t n, std::int64_t block);

  /// Makes the matrix again.
  void restore();

  [[nodiscard]] std::uint64_t digest() const;
  [[nodiscard]] std::uint64_t digest_of_serial() const noexcept { return digest_of_serial_; }

  /// How many tasks decompose() below makes; the diagonal blocks are no tasks there.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] bool has(std::size_t i, std::size_t j) const noexcept { return !at(i, j).empty(); }

  /// What tasks call after each step; null: nothing.
  void poll_by(void (*poll)()) noexcept { poll_ = poll; }

  void decompose(std::size_t k) {
    in_steps(1. / 3, 2 * far(k, k), [&](block::steps s) { block::decompose(at(k, k).data(), size_, s); });
  }

  /// The block right of the diagonal in row k.
  void forward(std::size_t k, std::size_t j) {
    in_steps(1. / 2, far(k, k) + 2 * far(k, j),
             [&](block::steps s) { block::forward(at(k, k).data(), at(k, j).data(), size_, s); });
  }

  /// The block below the diagonal in column k.
  void divide(std::size_t k, std::size_t i) {
    in_steps(1. / 2, far(k, k) + 2 * far(i, k),
             [&](block::steps s) { block::divide(at(k, k).data(), at(i, k).data(), size_, s); });
  }

  void subtract_product(std::size_t i, std::size_t j, std::size_t k) {
    if (!has(i, j)) at(i, j).resize(size_ * size_);
    in_steps(1, far(i, k) + far(k, j) + 2 * far(i, j), [&](block::steps s) {
      block::subtract_product(at(i, j).data(), at(i, k).data(), at(k, j).data(), size_, s);
    });
  }

 private:
  using block_of_doubles = std::vector<double>;

  [[nodiscard]] block_of_doubles& at(std::size_t i, std::size_t j) noexcept { return all_[i * blocks_ + j]; }
  [[nodiscard]] const block_of_doubles& at(std::size_t i, std::size_t j) const noexcept {
    return all_[i * blocks_ + j];
  }

  // 1 if the matrix had the block at first. It then lies in the memory of one node, as one thread made them all. Else 0: it lies
  // where the task was that made it.
  static double far(std::size_t i, std::size_t j) { return is_there_at_first(i, j) ? 1 : 0; }

  // `products`: how long it takes, in products of two blocks.
  template <class DoSteps>
  void in_steps(double products, double blocks_moved, const DoSteps& do_steps) const {
    block::in_steps(size_, products * block::product_ns(size_), blocks_moved, poll_, do_steps);
  }

  std::size_t size_;  // of a block
  std::size_t blocks_;
  std::vector<block_of_doubles> all_;
  std::uint64_t digest_of_serial_ = 0;
  std::uint64_t tasks_ = 0;
  void (*poll_)() = nullptr;
};

/// Two groups of tasks for each step.
template <class Tasks>
void decompose(decomposition& d) {
  const auto make_only = [](auto make) { return make; };
  for (std::size_t k = 0; k < d.blocks(); ++k) {
    d.decompose(k);
    Tasks::all(make_only, [&d, k](const auto& make) {
      for (std::size_t other = k + 1; other < d.blocks(); ++other) {
        if (d.has(k, other)) make([&d, k, other] { d.forward(k, other); });
        if (d.has(other, k)) make([&d, k, other] { d.divide(k, other); });
      }
    });
    Tasks::all(make_only, [&d, k](const auto& make) {
      for (std::size_t i = k + 1; i < d.blocks(); ++i) {
        if (!d.has(i, k)) continue;
        for (std::size_t j = k + 1; j < d.blocks(); ++j) {
          if (d.has(k, j)) make([&d, i, j, k] { d.subtract_product(i, j, k); });
        }
      }
    });
  }
}

/// A task for each change of a block, which waits for the blocks that it needs and for nothing else.
template <class Tasks>
void decompose_by_dataflow(decomposition& d) {
  const std::size_t blocks = d.blocks();
  const auto at = [blocks](std::size_t i, std::size_t j) { return i * blocks + j; };
  // The blocks that there are when the tasks made so far have run.
  std::vector<bool> there(blocks * blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) there[at(i, j)] = d.has(i, j);
  }
  Tasks::dataflow(blocks * blocks, [&](const auto& make) {
    for (std::size_t k = 0; k < blocks; ++k) {
      make([&d, k] { d.decompose(k); }, at(k, k), {});
      for (std::size_t other = k + 1; other < blocks; ++other) {
        if (there[at(k, other)]) make([&d, k, other] { d.forward(k, other); }, at(k, other), {at(k, k)});
        if (there[at(other, k)]) make([&d, k, other] { d.divide(k, other); }, at(other, k), {at(k, k)});
      }
      for (std::size_t i = k + 1; i < blocks; ++i) {
        if (!there[at(i, k)]) continue;
        for (std::size_t j = k + 1; j < blocks; ++j) {
          if (!there[at(k, j)]) continue;
          make([&d, i, j, k] { d.subtract_product(i, j, k); }, at(i, j), {at(i, k), at(k, j)});
          there[at(i, j)] = true;
        }
      }
    }
  });
}

}  // namespace leat::kernels::lu
