// A callable that does not fit a task record, in a block that workers use again.
#pragma once

#include <new>
#include <utility>

#include "leat/memory/block_cache.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;
template <class P>
class footing;

/// A callable somewhere else, to be called once, or dropped. It fits a record.
template <class P, class F>
struct boxed {
  F* call;
  memory::block_home<P>* home;

  /// Copies `f` into a block of the calling worker's.
  /// \throws what copying f or allocating throws; then the block is back
  template <class G>
  static boxed make(worker<P>& me, G&& f) {
    const typename footing<P>::knowing worker_here(me);
    auto& blocks = me.blocks;
    void* block = blocks.template allocate<F>();
    try {
      return {::new (block) F(std::forward<G>(f)), blocks.home()};
    } catch (...) {
      blocks.template release<F>(block, blocks.home());
      throw;
    }
  }

  /// Calls and destroys it, also if the call throws.
  void operator()() const {
    const owner once{*this};
    (*call)();
  }

  /// Destroys it uncalled.
  void drop() const noexcept {
    call->~F();
    worker<P>::template recycle<F>(call, home);
  }

 private:
  struct owner {
    const boxed& what;
    ~owner() { what.drop(); }
  };
};

}  // namespace leat::inline LEAT_ABI::scheduler
