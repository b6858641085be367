// Kernels that are written once for several libraries make their tasks by a Tasks, which has
//
//     both(f, g)          fork/join: calls f() and g(), one of which another worker may execute
//     all(share, start)   shared = share(make), start(shared): make(task) makes a task, also in tasks, which may use
//                         `shared`; returns when all are done
//     dataflow(items, start)
//                         start(make): make(task, changed, read) makes a task that changes the item of this number, below
//                         `items`, and reads those in the list `read`, none of which is changed later. It begins when the
//                         tasks that were made before, and change one of these, have ended; returns when all are done
//
// as static members: leat's is on_leat (on_leat.hpp), those of rivals are in bench/rivals, and here are plain calls. Not
// every library has dataflow.

#pragma once

#include <cstddef>
#include <initializer_list>

namespace leat::kernels {

/// No tasks: the serial program.
struct calls {
  template <class F, class G>
  static void both(const F& f, const G& g) {
    f();
    g();
  }

  template <class Share, class Start>
  static void all(const Share& share, const Start& start) {
    const auto shared = share([](const auto& task) { task(); });
    start(shared);
  }

  template <class Start>
  static void dataflow(std::size_t, const Start& start) {
    start([](const auto& task, std::size_t, std::initializer_list<std::size_t>) { task(); });
  }
};

}  // namespace leat::kernels
