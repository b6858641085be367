#include "bench_kernel.hpp"

#include "kernel_with.hpp"
#include "kernels/bfs.hpp"
#include "kernels/bpc.hpp"
#include "kernels/channel.hpp"
#include "kernels/fib.hpp"
#include "kernels/graphs.hpp"
#include "kernels/heat.hpp"
#include "kernels/lu.hpp"
#include "kernels/matmul.hpp"
#include "kernels/nqueens.hpp"
#include "kernels/recursive_sort.hpp"
#include "kernels/sort.hpp"
#include "kernels/spc.hpp"
#include "kernels/treerec.hpp"
#include "option_values.hpp"
#include "suite_kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace leat::cli {

namespace {

using kernels::construct;
using kernels::form;
using nlohmann::ordered_json;

constexpr std::array forms = {form::plain, form::context};

void add_form(CLI::App& command, form& value) { add_word<form>(command, "--form", value, forms, "Form of fork/join"); }

template <std::size_t Count>
void add_construct(CLI::App& command, construct& value, const std::array<construct, Count>& words) {
  add_word<construct>(command, "--construct", value, words, "What the tasks are made with");
}

constexpr std::array waits = {kernels::wait::own, kernels::wait::any};

void add_wait(CLI::App& command, kernels::wait& value) {
  add_word<kernels::wait>(
      command, "--wait", value, waits,
      "What waits for futures and groups execute: what descends from what they wait for, or any task");
}

void add_clock(CLI::App& command, bool& value) {
  command.add_flag("--clock", value, "Tasks wait until the clock says that their time is over, instead of computing");
}

// -- fib

void add_options(CLI::App& command, kernels::fib::parameters& p) {
  add_number(command, "-n", p.n, "Which Fibonacci number");
  add_form(command, p.form);
}

ordered_json to_json(const kernels::fib::parameters& p) { return {{"n", p.n}, {"form", name(p.form)}}; }

// -- treerec

constexpr std::array treerec_constructs = {construct::fork, construct::future, construct::group};

void add_options(CLI::App& command, kernels::treerec::parameters& p) {
  add_number(command, "-n", p.n, "Size of the recursion; it has as many leaves as the Fibonacci number n + 1");
  add_number(command, "--us", p.us, "Microseconds of work in a leaf");
  add_clock(command, p.clock);
  add_construct(command, p.construct, treerec_constructs);
  add_wait(command, p.wait);
  add_form(command, p.form);
}

ordered_json to_json(const kernels::treerec::parameters& p) {
  return {{"n", p.n},
          {"us", p.us},
          {"clock", p.clock},
          {"construct", name(p.construct)},
          {"wait", name(p.wait)},
          {"form", name(p.form)}};
}

// -- nqueens

constexpr std::array nqueens_constructs = {construct::fork, construct::group};

void add_options(CLI::App& command, kernels::nqueens::parameters& p) {
  add_number(command, "-n", p.n, "Queens, and rows of the board");
  add_number(command, "--look-ns", p.look_ns, "In simulated worlds: nanoseconds of a test whether a column is free");
  add_construct(command, p.construct, nqueens_constructs);
  add_wait(command, p.wait);
  add_form(command, p.form);
}

ordered_json to_json(const kernels::nqueens::parameters& p) {
  return {{"n", p.n},
          {"look_ns", p.look_ns},
          {"construct", name(p.construct)},
          {"wait", name(p.wait)},
          {"form", name(p.form)}};
}

// -- spc and bpc

constexpr std::array producer_constructs = {construct::group, construct::spawn};

void add_options(CLI::App& command, kernels::spc::parameters& p) {
  add_number(command, "--tasks", p.tasks, "Tasks that are produced");
  add_number(command, "--us", p.us, "Microseconds of work in a task; 0: it only counts itself");
  add_clock(command, p.clock);
  add_construct(command, p.construct, producer_constructs);
  command.add_flag("--splittable", p.splittable, "All tasks are one task, which is split when needed");
}

ordered_json to_json(const kernels::spc::parameters& p) {
  return {{"tasks", p.tasks},
          {"us", p.us},
          {"clock", p.clock},
          {"construct", name(p.construct)},
          {"splittable", p.splittable}};
}

void add_options(CLI::App& command, kernels::bpc::parameters& p) {
  add_number(command, "-n", p.n, "Consumers of each producer");
  add_number(command, "-d", p.d, "Producers, one after the other");
  add_number(command, "--us", p.us, "Microseconds of work in a consumer");
  add_clock(command, p.clock);
  add_construct(command, p.construct, producer_constructs);
  command.add_flag("--splittable", p.splittable,
                   "All consumers of a producer are one task, which is split when needed");
  CLI::Option* const polls = command.add_flag("--polls", p.polls, "Consumers poll for steal requests");
  add_number(command, "--poll-us", p.poll_us, "Microseconds between two polls")->needs(polls);
}

ordered_json to_json(const kernels::bpc::parameters& p) {
  return {{"n", p.n},
          {"d", p.d},
          {"us", p.us},
          {"clock", p.clock},
          {"construct", name(p.construct)},
          {"splittable", p.splittable},
          {"polls", p.polls},
          {"poll_us", p.poll_us}};
}

// -- sort

constexpr std::array sort_elements = {kernels::sort::element::ints, kernels::sort::element::floats,
                                      kernels::sort::element::strings};

void add_options(CLI::App& command, kernels::sort::parameters& p) {
  add_word<kernels::sort::element>(command, "--kind", p.kind, sort_elements, "Elements");
  add_number(command, "-n", p.n, "How many elements are sorted");
  command.add_flag("--stable", p.stable, "Equal elements keep their order");
}

ordered_json to_json(const kernels::sort::parameters& p) {
  return {{"kind", name(p.kind)}, {"n", p.n}, {"stable", p.stable}};
}

// -- quicksort and cilksort

void add_options(CLI::App& command, kernels::recursive_sort::parameters& p) {
  add_number(command, "-n", p.n, "How many integers are sorted");
}

ordered_json to_json(const kernels::recursive_sort::parameters& p) { return {{"n", p.n}}; }

kernels::recursive_sort::parameters recursive_sort(kernels::recursive_sort::method by) {
  kernels::recursive_sort::parameters p;
  p.method = by;
  return p;
}

// -- matmul and lu

template <class Parameters>
void add_blocks(CLI::App& command, Parameters& p) {
  add_number(command, "-n", p.n, "Rows of a matrix");
  add_number(command, "--block", p.block, "Rows of a block, which divides -n");
}

void add_options(CLI::App& command, kernels::matmul::parameters& p) {
  add_blocks(command, p);
  add_number(command, "--inner", p.inner, "Columns of the first factor, and rows of the second; 0: as -n");
  command.add_flag("--splittable", p.splittable,
                   "The tasks for a column of blocks are one task, which is split when needed");
  command.add_flag("--polls", p.polls, "Tasks poll for steal requests after each row of a block");
}

constexpr std::array lu_constructs = {construct::group, construct::future, construct::graph, construct::after};

void add_options(CLI::App& command, kernels::lu::parameters& p) {
  add_blocks(command, p);
  add_construct(command, p.construct, lu_constructs);
  command.add_flag("--polls", p.polls, "Tasks poll for steal requests after each row or column of a block");
}

ordered_json to_json(const kernels::matmul::parameters& p) {
  return {{"n", p.n}, {"inner", p.columns()}, {"block", p.block}, {"splittable", p.splittable}, {"polls", p.polls}};
}

ordered_json to_json(const kernels::lu::parameters& p) {
  return {{"n", p.n}, {"block", p.block}, {"construct", name(p.construct)}, {"polls", p.polls}};
}

// -- wavefront and dag

constexpr std::array graph_constructs = {construct::graph, construct::after, construct::future};

template <class Parameters>
void add_options_of_cells(CLI::App& command, Parameters& p, const char* n) {
  add_number(command, "-n", p.n, n);
  add_number(command, "--ns", p.ns, "Nanoseconds of work in a cell");
  add_construct(command, p.construct, graph_constructs);
}

void add_options(CLI::App& command, kernels::graphs::wavefront& p) {
  add_options_of_cells(command, p, "Rows, and columns, of cells");
}

void add_options(CLI::App& command, kernels::graphs::dag& p) { add_options_of_cells(command, p, "Cells"); }

template <kernels::graphs::shape Shape>
ordered_json to_json(const kernels::graphs::parameters<Shape>& p) {
  return {{"n", p.n}, {"ns", p.ns}, {"construct", name(p.construct)}};
}

// -- heat

void add_options(CLI::App& command, kernels::heat::parameters& p) {
  add_number(command, "-n", p.n, "Rows of the plate, and cells of a row");
  add_number(command, "--steps", p.steps, "Steps of the iteration");
  add_number(command, "--band", p.band, "Rows of a task, which divides -n");
}

ordered_json to_json(const kernels::heat::parameters& p) { return {{"n", p.n}, {"steps", p.steps}, {"band", p.band}}; }

// -- bfs

constexpr std::array graph_kinds = {kernels::bfs::kind::rmat, kernels::bfs::kind::uniform, kernels::bfs::kind::grid};

void add_options(CLI::App& command, kernels::bfs::parameters& p) {
  add_word<kernels::bfs::kind>(command, "--kind", p.kind, graph_kinds, "How edges are drawn");
  add_number(command, "--scale", p.scale, "The graph has 2^scale vertices");
  add_number(command, "--degree", p.degree, "Edges for each vertex, on average; a grid has three");
  add_number(command, "--grain", p.grain, "Vertices of a task, at most");
}

ordered_json to_json(const kernels::bfs::parameters& p) {
  return {{"kind", name(p.kind)}, {"scale", p.scale}, {"degree", p.degree}, {"grain", p.grain}};
}

// -- channel

constexpr std::array channel_shapes = {kernels::channel::shape::pair, kernels::channel::shape::to_one,
                                       kernels::channel::shape::among, kernels::channel::shape::ball};

void add_options(CLI::App& command, kernels::channel::parameters& p) {
  add_word<kernels::channel::shape>(command, "--shape", p.shape, channel_shapes, "Who sends to whom");
  add_number(command, "--messages", p.messages, "Messages");
  add_number(command, "--room", p.room, "Messages that a channel has room for");
  add_number(command, "--senders", p.senders, "Senders of the shapes to-one and among");
}

ordered_json to_json(const kernels::channel::parameters& p) {
  return {{"shape", name(p.shape)}, {"messages", p.messages}, {"room", p.room}, {"senders", p.senders}};
}

template <class Parameters>
std::unique_ptr<bench_kernel> make(std::string_view name, std::string_view description, Parameters p = {}) {
  return std::make_unique<kernel_with<Parameters>>(
      name, description,
      options_of<Parameters>{[](CLI::App& command, Parameters& its) { add_options(command, its); },
                             [](const Parameters& its) { return to_json(its); }},
      std::move(p));
}

}  // namespace

std::vector<std::unique_ptr<bench_kernel>> bench_kernels() {
  using namespace kernels;
  std::vector<std::unique_ptr<bench_kernel>> all;
  all.push_back(
      make<fib::parameters>("fib", "Fibonacci numbers by double recursion, a fork/join per node: nothing but forks"));
  all.push_back(make<treerec::parameters>(
      "treerec", "The same recursion with some work in its leaves (Treerec of Prell's thesis)"));
  all.push_back(make<nqueens::parameters>("nqueens", "N-Queens, a task for each queen placed; the board is copied"));
  all.push_back(make<spc::parameters>("spc", "A single producer of equal tasks (SPC of Prell's thesis)"));
  all.push_back(make<bpc::parameters>("bpc", "A producer that bounces from worker to worker (BPC of Prell's thesis)"));
  all.push_back(make<sort::parameters>(
      "sort", "Sorting an array, beside std::sort (leat bench: beside oneTBB's sort, too, where it was found)"));
  all.push_back(make<recursive_sort::parameters>("quicksort", "Quicksort of integers, by halves (Prell's thesis)",
                                                 cli::recursive_sort(recursive_sort::method::quick)));
  all.push_back(make<recursive_sort::parameters>(
      "cilksort", "Mergesort of integers, by quarters, with parallel merges (Prell's thesis)",
      cli::recursive_sort(recursive_sort::method::cilk)));
  all.push_back(make<matmul::parameters>("matmul", "A blocked product of matrices (Prell's thesis)"));
  all.push_back(make<lu::parameters>("lu", "LU decomposition of a sparse matrix of blocks (Prell's thesis)"));
  all.push_back(
      make<graphs::wavefront>("wavefront", "A graph of cells, each of which needs the one above and the one before"));
  all.push_back(make<graphs::dag>("dag", "A random graph of cells, each of which needs two others"));
  all.push_back(make<heat::parameters>("heat", "Jacobi's iteration on a plate, a barrier after each step"));
  all.push_back(make<bfs::parameters>("bfs", "Breadth-first search on a generated graph, level by level"));
  all.push_back(make<channel::parameters>("channel", "Messages between threads and a task over leat::channel"));
  for (std::unique_ptr<bench_kernel>& kernel : suite_kernels()) all.push_back(std::move(kernel));
  return all;
}

counted_run count_operations(const bench_kernel& kernel, const leat::options& options, result_check& check) {
  const std::unique_ptr<bench_kernel> small = kernel.smaller();
  small->prepare();
  small->before_run(1);
  const run_counters made = count(options, [&](kernels::counted_runtime& rt) {
    check.take("counted", small->after_run(small->parallel(rt)), small->expected());
  });
  return {small->parameters(), small->forks(), made};
}

}  // namespace leat::cli
