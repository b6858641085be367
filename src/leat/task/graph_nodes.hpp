// The nodes of a task graph: a callable with two counts each, a cache line. Rules GRAPH: docs/internals/graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "leat/platform/order.hpp"

namespace leat::task {

/// A callable that is called once in each run, and what must be done before.
template <class P>
struct alignas(platform::cache_line) graph_node {
  typename P::template atomic<std::uint32_t> left{0};  // predecessors that have not ended (GRAPH-2)
  std::uint32_t before = 0;
  std::uint32_t first_after = 0;  // in the plan's row of successors
  std::uint32_t afters = 0;

  /// Calls the callable, or destroys it.
  void (*act)(graph_node&, bool destroys) = nullptr;

  static constexpr std::size_t payload_bytes = 32;
  alignas(void*) std::byte payload[payload_bytes];

  template <class F>
  static constexpr bool fits = sizeof(F) <= payload_bytes && alignof(F) <= alignof(void*);

  /// Throws what copying f or allocating throws; then there is nothing to destroy.
  template <class F, class G>
  void keep(G&& f) {
    if constexpr (fits<F>) {
      ::new (static_cast<void*>(payload)) F(std::forward<G>(f));
      act = [](graph_node& n, bool destroys) {
        F& call = *std::launder(reinterpret_cast<F*>(n.payload));
        if (destroys) call.~F();
        else static_cast<void>(call());
      };
    } else {
      ::new (static_cast<void*>(payload)) F*(new F(std::forward<G>(f)));
      act = [](graph_node& n, bool destroys) {
        F* const call = *std::launder(reinterpret_cast<F**>(n.payload));
        if (destroys) delete call;
        else static_cast<void>((*call)());
      };
    }
  }
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
      (*this)[n].act((*this)[n], true);
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

}  // namespace leat::task
