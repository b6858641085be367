// The nodes of a task graph: a callable with two counts each, a cache line. Rules GRAPH: docs/internals/graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI::task {

/// A callable that is called once in each run, and what must be done before.
template <class P>
class alignas(platform::cache_line) graph_node {
 public:
  /// GRAPH-1: its successors in the plan's row of them, and how many they are.
  std::uint32_t first_after = 0;
  std::uint32_t afters = 0;
  [[no_unique_address]] strands::node_part<P> part;

  /// Before a run. relaxed: the spawn of the roots publishes it.
  void wait_for(std::uint32_t nodes) noexcept {
    before_ = nodes;
    left_.store(nodes, platform::relaxed);
  }

  /// GRAPH-2: a node that precedes this one has ended. Whether it was the last; then the caller begins this one.
  bool counts_down() noexcept {
    if (before_ <= 1) return true;
    // acquire: pairs with the fetch_sub of each other predecessor, whose work is visible to the node. One is left, the
    // caller's, so no other thread changes the count.
    if (left_.load(platform::acquire) == 1) return true;
    // acq_rel: release for the caller that comes last, in the load above or here; acquire if that is this one.
    return left_.fetch_sub(1, platform::acq_rel) == 1;
  }

  /// GRAPH-3: calls the callable. The count is ready for the next run before that, as the callable may throw.
  // relaxed: all predecessors have counted down, and those of the next run do so after the wait of this one.
  void begin() {
    if (before_ > 1) left_.store(before_, platform::relaxed);
    act_(*this, false);
  }

  /// Destroys the callable, which was kept.
  void drop() { act_(*this, true); }

  static constexpr std::size_t payload_bytes = 32;
  template <class F>
  static constexpr bool fits = sizeof(F) <= payload_bytes && alignof(F) <= alignof(void*);

  /// Throws what copying f or allocating throws; then there is nothing to destroy.
  template <class F, class G>
  void keep(G&& f) {
    if constexpr (fits<F>) {
      ::new (static_cast<void*>(payload_)) F(std::forward<G>(f));
      act_ = [](graph_node& n, bool destroys) {
        F& call = *std::launder(reinterpret_cast<F*>(n.payload_));
        if (destroys) call.~F();
        else static_cast<void>(call());
      };
    } else {
      ::new (static_cast<void*>(payload_)) F*(new F(std::forward<G>(f)));
      act_ = [](graph_node& n, bool destroys) {
        F* const call = *std::launder(reinterpret_cast<F**>(n.payload_));
        if (destroys) delete call;
        else static_cast<void>((*call)());
      };
    }
  }

 private:
  typename P::template atomic<std::uint32_t> left_{0};  // predecessors that have not ended (GRAPH-2)
  std::uint32_t before_ = 0;  // all of them
  void (*act_)(graph_node&, bool destroys) = nullptr;
  alignas(void*) std::byte payload_[payload_bytes];
};

/// Nodes by number. They stay where they are.
template <class P>
class graph_nodes {
 public:
  using node = graph_node<P>;

  graph_nodes() = default;
  graph_nodes(const graph_nodes&) = delete;
  graph_nodes& operator=(const graph_nodes&) = delete;
  ~graph_nodes() {
    for (std::size_t n = 0; n < size_; ++n) {
      (*this)[n].drop();
      (*this)[n].~node();
    }
    for (node* chunk : chunks_) ::operator delete(chunk, line);
  }

  std::size_t size() const noexcept { return size_; }
  node& operator[](std::size_t n) const noexcept { return chunks_[n / chunk_nodes][n % chunk_nodes]; }

  /// Throws what copying f or allocating throws; then there is no node more.
  template <class F, class G>
  void add(G&& f) {
    if (size_ == chunks_.size() * chunk_nodes) add_chunk();
    node& made = *::new (static_cast<void*>(&(*this)[size_])) node;
    made.template keep<F>(std::forward<G>(f));
    ++size_;
  }

 private:
  static constexpr std::size_t chunk_nodes = 1024;
  static constexpr std::align_val_t line{platform::cache_line};

  void add_chunk() {
    if (chunks_.size() == chunks_.capacity())
      chunks_.reserve(2 * chunks_.size() + 1);  // so that push_back cannot throw
    chunks_.push_back(static_cast<node*>(::operator new(chunk_nodes * sizeof(node), line)));
  }

  std::vector<node*> chunks_;
  std::size_t size_ = 0;
};

}  // namespace leat::inline LEAT_ABI::task
