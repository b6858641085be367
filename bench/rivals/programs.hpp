// The kernels on another library: each is written once, over what all these libraries have.
//
// A Library has
//
//     explicit Library(int workers);      its workers begin, or throws std::runtime_error
//     int worker();                       which one the caller is, from 0 on and below `workers`
//     run(root)                           calls root() on one worker, while the others wait for tasks
//     both(f, g), all(share, start)       fork/join, and a group of tasks: see kernels/calls.hpp
//     dataflow(items, start)              tasks that wait for each other, if the library has them: see there
//     sort(first, last), stable_sort(first, last)
//                                         its own parallel sorts, if it has them
//     loop(iterations, body)              calls body(i) for i from 0 on and before `iterations`, on all workers
//
// in the form that its users would choose. Those of kernels/calls.hpp and worker are static, and are called in run; the
// others outside of it. A library whose tasks are forks alone has neither `all` nor `worker`, nor the type `maker` of what
// `all` makes tasks by.

#pragma once

#include "counts.hpp"
#include "inputs.hpp"
#include "turns.hpp"

#include "kernels/bfs_tasks.hpp"
#include "kernels/busy_loop.hpp"
#include "kernels/graph_cells.hpp"
#include "kernels/heat_tasks.hpp"
#include "kernels/loop.hpp"
#include "kernels/lu_tasks.hpp"
#include "kernels/matmul_tasks.hpp"
#include "kernels/nqueens_board.hpp"
#include "kernels/recursive_sort_tasks.hpp"
#include "kernels/sort_arrays.hpp"
#include "kernels/uts.hpp"
#include "kernels/uts_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::rivals {

/// Whether a library has groups of tasks.
template <class Library>
concept has_groups = requires { typename Library::maker; };

template <class Library>
concept has_dataflow = requires { Library::dataflow(std::size_t{}, [](const auto&) {}); };

template <class Library>
class programs {
 public:
  explicit programs(const parameters& p) : workers_(p.integer("workers")), library_(static_cast<int>(workers_)) {}

  [[nodiscard]] program make(std::string_view kernel, const parameters& p) {
    const std::vector<entry> all = entries();
    const auto found = std::ranges::find(all, kernel, &entry::kernel);
    if (found == all.end()) throw cannot("no program for " + std::string(kernel));
    return (this->*found->make)(p);
  }

 private:
  struct entry {
    std::string_view kernel;
    program (programs::*make)(const parameters&);
  };

  static std::vector<entry> entries() {
    using kernels::recursive_sort::method;
    std::vector<entry> all = {
        {"fib", &programs::fib},
        {"treerec", &programs::treerec},
        {"nqueens", &programs::nqueens},
        {"uts", &programs::uts},
        {"loop", &programs::loop},
        {"quicksort", &programs::recursive_sort<method::quick>},
        {"cilksort", &programs::recursive_sort<method::cilk>},
        {"sort", &programs::library_sort},
    };
    if constexpr (has_groups<Library>) {
      all.insert(all.end(), {
                                {"spc", &programs::spc},
                                {"bpc", &programs::bpc},
                                {"matmul", &programs::matmul},
                                {"lu", &programs::lu},
                                {"heat", &programs::heat},
                                {"bfs", &programs::bfs},
                            });
    }
    if constexpr (has_dataflow<Library>)
      all.insert(all.end(), {{"wavefront", &programs::wavefront}, {"dag", &programs::dag}});
    return all;
  }

  using number = std::uint64_t;
  static number fib_of(int n) {
    if (n < 2) return static_cast<number>(n);
    number a = 0;
    number b = 0;
    Library::both([n, &a] { a = fib_of(n - 1); }, [n, &b] { b = fib_of(n - 2); });
    return a + b;
  }

  program fib(const parameters& p) {
    const int n = static_cast<int>(p.integer("n"));
    return in_run([n] { return fib_of(n); });
  }

  static number treerec_of(int n, number steps) {
    if (n < 2) {
      kernels::busy_loop::run(steps);
      return 1;
    }
    number a = 0;
    number b = 0;
    Library::both([n, steps, &a] { a = treerec_of(n - 1, steps); }, [n, steps, &b] { b = treerec_of(n - 2, steps); });
    return a + b;
  }

  program treerec(const parameters& p) {
    const int n = static_cast<int>(p.integer("n"));
    return in_run([n, steps = steps_of(p.integer("us"), p)] { return treerec_of(n, steps); });
  }

  static number queens(const kernels::nqueens::board& b, int column) {
    if (b.full()) return 1;
    column = b.next_free(column);
    if (column == b.size) return 0;
    number here = 0;
    number further = 0;
    Library::both([&b, column, &here] { here = queens(b.with(column), 0); },
                  [&b, column, &further] { further = queens(b, column + 1); });
    return here + further;
  }

  program nqueens(const parameters& p) {
    return in_run([b = board_of(p)] { return queens(b, 0); });
  }

  program spc(const parameters& p) {
    if (p.word("splittable") == "true") throw cannot("no splittable tasks");
    return counted([tasks = p.integer("tasks"), steps = steps_of(p.integer("us"), p)](auto& ran) {
      Library::all([](auto make) { return make; },
                   [&](const auto& make) {
                     for (std::int64_t i = 0; i < tasks; ++i) {
                       make([steps, &ran] {
                         kernels::busy_loop::run(steps);
                         ran.add();
                       });
                     }
                   });
    });
  }

  // A producer of BPC makes the next one, and then its consumers.
  template <class Make>
  struct production {
    std::int64_t consumers;
    number steps;
    counts<Library>& ran;
    Make make;

    void produce(std::int64_t left) const {
      ran.add();
      if (left > 1) make([this, left] { produce(left - 1); });
      for (std::int64_t i = 0; i < consumers; ++i) {
        make([this] {
          kernels::busy_loop::run(steps);
          ran.add();
        });
      }
    }
  };

  program bpc(const parameters& p) {
    if (p.word("splittable") == "true") throw cannot("no splittable tasks");
    return counted([n = p.integer("n"), d = p.integer("d"), steps = steps_of(p.integer("us"), p)](auto& ran) {
      Library::all([&](auto make) { return production<decltype(make)>{n, steps, ran, make}; },
                   [d](const auto& all) { all.produce(d); });
    });
  }

  template <class Make>
  struct traversal {
    const kernels::uts::tree& tree;
    counts<Library>& nodes;
    Make make;

    void visit(const kernels::uts::state& self, std::uint32_t depth) const {
      nodes.add();
      const std::uint32_t children = tree.children(self, depth);
      if (children == 0) return;
      kernels::uts::child_hash hash{self};
      for (std::uint32_t i = 0; i < children; ++i) make([this, child = hash(i), depth] { visit(child, depth + 1); });
    }
  };

  // The first of some siblings against the others.
  static number visit_row(const kernels::uts::tree& tree, std::span<const kernels::uts::state> row,
                          std::uint32_t depth) {
    if (row.size() == 1) return visit_forked(tree, row.front(), depth);
    number one = 0;
    number others = 0;
    Library::both([&tree, row, depth, &one] { one = visit_forked(tree, row.front(), depth); },
                  [&tree, row, depth, &others] { others = visit_row(tree, row.subspan(1), depth); });
    return one + others;
  }

  static number visit_forked(const kernels::uts::tree& tree, const kernels::uts::state& self, std::uint32_t depth) {
    const std::uint32_t children = tree.children(self, depth);
    number found = 1;
    kernels::uts::child_hash hash{self};
    constexpr std::uint32_t row_max = 8;
    std::array<kernels::uts::state, row_max> row;
    for (std::uint32_t i = 0; i < children; i += row_max) {
      const std::uint32_t many = std::min(row_max, children - i);
      for (std::uint32_t k = 0; k < many; ++k) hash.write(i + k, row[k]);
      found += visit_row(tree, std::span(row).first(many), depth + 1);
    }
    return found;
  }

  program uts(const parameters& p) {
    auto made = tree_of(p);
    if (p.word("construct") == "fork") return in_run([made] { return visit_forked(*made, made->root(), 0); });
    if constexpr (has_groups<Library>) {
      return counted([made](auto& nodes) {
        Library::all([&](auto make) { return traversal<decltype(make)>{*made, nodes, make}; },
                     [&](const auto& all) { all.visit(made->root(), 0); });
      });
    }
    throw cannot("no tasks but forks: --construct fork");
  }

  program loop(const parameters& p) {
    auto work = loop_of(p);
    return [this, work] {
      turn t;
      t.seconds = work->time([this](std::int64_t iterations, auto body) { library_.loop(iterations, body); });
      t.found = work->take_count();
      return t;
    };
  }

  template <kernels::recursive_sort::method By>
  program recursive_sort(const parameters& p) {
    return prepared(
        std::make_shared<kernels::recursive_sort::arrays>(p.integer("n")), [](auto& arrays) { arrays.restore(); },
        [](auto& arrays) { kernels::recursive_sort::sort<Library>(arrays, By); },
        [](auto& arrays) { return arrays.count_sorted(); });
  }

  program matmul(const parameters& p) {
    if (p.word("splittable") == "true") throw cannot("no splittable tasks");
    return prepared(
        std::make_shared<kernels::matmul::matrices>(p.integer("n"), p.integer("inner"), p.integer("block")),
        [](auto& m) { m.clear(); }, [](auto& m) { kernels::matmul::multiply<Library>(m); },
        [](auto& m) { return m.count_right_rows(); });
  }

  program lu(const parameters& p) {
    const auto by = [&](auto decompose) {
      return prepared(
          std::make_shared<kernels::lu::decomposition>(p.integer("n"), p.integer("block")),
          [](auto& d) { d.restore(); }, decompose, [](auto& d) { return d.digest(); });
    };
    if (p.word("construct") == "group") return by([](auto& d) { kernels::lu::decompose<Library>(d); });
    if constexpr (has_dataflow<Library>) {
      return by([](auto& d) { kernels::lu::decompose_by_dataflow<Library>(d); });
    }
    throw cannot("no tasks that wait for others");
  }

  program wavefront(const parameters& p) { return computed(kernels::graph_cells::wavefront(p.integer("n")), p); }
  program dag(const parameters& p) { return computed(kernels::graph_cells::drawn(p.integer("n")), p); }
  program computed(const kernels::graph_cells& cells, const parameters& p) {
    const number steps = kernels::graph_cells::steps_of(p.integer("ns"), p.number("ns_per_step"));
    return prepared(
        std::make_shared<kernels::graph_cells>(cells), [](auto& c) { c.restore(); },
        [steps](auto& c) { kernels::compute<Library>(c, steps); }, [](auto& c) { return c.digest(); });
  }

  program heat(const parameters& p) {
    kernels::heat::parameters plate;
    plate.n = p.integer("n");
    plate.steps = p.integer("steps");
    plate.band = p.integer("band");
    return prepared(
        std::make_shared<kernels::heat::plate>(plate), [](auto& h) { h.restore(); },
        [](auto& h) { kernels::heat::relax<Library>(h); }, [](auto& h) { return h.digest(); });
  }

  program bfs(const parameters& p) {
    kernels::bfs::parameters graph;
    using kernels::bfs::kind;
    graph.kind = p.word("kind") == name(kind::rmat) ? kind::rmat : kind::uniform;
    graph.scale = p.integer("scale");
    graph.degree = p.integer("degree");
    graph.grain = p.integer("grain");
    return prepared(
        std::make_shared<kernels::bfs::search>(graph), [](auto& s) { s.restore(); },
        [](auto& s) { kernels::bfs::run<Library>(s); }, [](auto& s) { return s.count_right(); });
  }

  program library_sort(const parameters& p) {
    const std::string kind = p.word("kind");
    if (kind == "ints") return library_sort_of<std::int32_t>(p);
    if (kind == "floats") return library_sort_of<double>(p);
    if (kind == "strings") return library_sort_of<std::string>(p);
    throw cannot("no sort of " + kind);
  }

  template <class T>
  program library_sort_of(const parameters& p) {
    auto array = std::make_shared<kernels::sort::drawn_array<T>>(p.integer("n"));
    const auto by = [array](auto sort) {
      return [array, sort] {
        array->restore();
        turn t = timed([&] {
          sort(array->sorted.begin(), array->sorted.end());
          return number{0};
        });
        t.found = array->count_sorted();
        return t;
      };
    };
    using place = typename std::vector<T>::iterator;
    if (p.word("stable") == "true") {
      if constexpr (requires(Library& l, place at) { l.stable_sort(at, at); }) {
        return by([this](place first, place last) { library_.stable_sort(first, last); });
      }
      throw cannot("no stable parallel sort");
    }
    if constexpr (requires(Library& l, place at) { l.sort(at, at); }) {
      return by([this](place first, place last) { library_.sort(first, last); });
    }
    throw cannot("no parallel sort");
  }

  // A program on data: before(data), in no program's time, then f(data), and what after(data) finds.
  template <class Data, class Before, class F, class After>
  program prepared(std::shared_ptr<Data> data, Before before, F f, After after) {
    return [=, this] {
      before(*data);
      turn t = timed([&] {
        library_.run([&] { f(*data); });
        return number{0};
      });
      t.found = after(*data);
      return t;
    };
  }

  // A program that is f(), which returns what it found.
  template <class F>
  program in_run(F f) {
    return [this, f] {
      return timed([&] {
        number found = 0;
        library_.run([&] { found = f(); });
        return found;
      });
    };
  }

  // A program that is f(counts), and has found their sum.
  template <class F>
  program counted(F f) {
    return [this, f] {
      counts<Library> found(static_cast<std::size_t>(workers_));
      return timed([&] {
        library_.run([&] { f(found); });
        return found.sum();
      });
    };
  }

  std::int64_t workers_;
  Library library_;
};

/// Starts the library and makes the program of a kernel, once in a process. Throws `cannot`, or what a Library throws.
template <class Library>
[[nodiscard]] program make_with(std::string_view kernel, const parameters& p) {
  static programs<Library> all(p);
  return all.make(kernel, p);
}

/// The main function of a rival that is written so.
template <class Library>
[[nodiscard]] int take_turns_with(int argc, char** argv) {
  return take_turns(argc, argv, make_with<Library>);
}

}  // namespace leat::rivals
