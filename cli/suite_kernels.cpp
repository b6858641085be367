#include "suite_kernels.hpp"

#include "kernel_with.hpp"
#include "option_values.hpp"

#include "kernels/suite/bodies.hpp"
#include "kernels/suite/comparison_sort.hpp"
#include "kernels/suite/convex_hull.hpp"
#include "kernels/suite/duplicates.hpp"
#include "kernels/suite/histogram.hpp"
#include "kernels/suite/independent_set.hpp"
#include "kernels/suite/integer_sort.hpp"
#include "kernels/suite/matching.hpp"
#include "kernels/suite/neighbours.hpp"
#include "kernels/suite/parameters.hpp"
#include "kernels/suite/rays.hpp"
#include "kernels/suite/spanning_forest.hpp"
#include "kernels/suite/suffix_array.hpp"
#include "kernels/suite/word_counts.hpp"

namespace leat::cli {

namespace {

namespace suite = kernels::suite;

template <class Program>
void add_options(CLI::App& command, suite::parameters<Program>& p) {
  add_number(command, "-n", p.n, "Items");
  add_word<typename Program::input_kind>(command, "--input", p.input, Program::inputs, "How the items are drawn");
  add_number(command, "--grain", p.grain, "Items of a task, at most; 0: loops are divided when thieves ask");
}

template <class Program>
nlohmann::ordered_json to_json(const suite::parameters<Program>& p) {
  return {{"n", p.n}, {"input", name(p.input)}, {"grain", p.grain}};
}

template <class Program>
std::unique_ptr<bench_kernel> make() {
  using its = suite::parameters<Program>;
  return std::make_unique<kernel_with<its>>(Program::name, Program::description,
                                            options_of<its>{add_options<Program>, to_json<Program>}, its());
}

template <class... Programs>
std::vector<std::unique_ptr<bench_kernel>> make_all() {
  std::vector<std::unique_ptr<bench_kernel>> all;
  (all.push_back(make<Programs>()), ...);
  return all;
}

}  // namespace

std::vector<std::unique_ptr<bench_kernel>> suite_kernels() {
  return make_all<suite::comparison_sort, suite::integer_sort, suite::histogram, suite::duplicates, suite::word_counts,
                  suite::independent_set, suite::matching, suite::spanning_forest, suite::convex_hull,
                  suite::neighbours, suite::bodies, suite::suffix_array, suite::rays>();
}

}  // namespace leat::cli
