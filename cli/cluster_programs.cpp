#include "cluster_program.hpp"

#include "option_values.hpp"
#include "uts_flags.hpp"

#include "kernels/knapsack.hpp"
#include "kernels/nqueens_cluster.hpp"
#include "kernels/quadrature.hpp"
#include "kernels/range.hpp"
#include "kernels/uts_check.hpp"
#include "kernels/uts_cluster.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace leat::cli {

namespace {

namespace knapsack = kernels::knapsack;
namespace nqueens = kernels::nqueens;
namespace quadrature = kernels::quadrature;
namespace uts = kernels::uts;

// Says why the first wrong result was wrong.
class verdict {
 public:
  void expect(bool right, const std::string& otherwise) {
    if (!right && failure_.empty()) failure_ = otherwise;
  }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::string failure_;
};

class uts_program final : public cluster_program {
 public:
  std::string name() const override { return "uts"; }
  std::string about() const override {
    return "Unbalanced tree search on a cluster: all ranks count the nodes of one tree";
  }
  void add_to(CLI::App& command) override {
    command_ = &command;
    uts_.add_to(command);
  }
  void choose() override {
    uts_.choose();
    if (command_->count("--construct") != 0) {
      refuse("--construct", "'" + std::string(kernels::name(uts_.construct())) + "'",
             "a cluster has tasks of its own; leave it out");
    }
    check_.emplace(uts_.known());
    tree_.emplace(uts_.tree());
  }
  std::string in_options() const override { return uts_.in_options(); }
  std::string problem() const override { return std::string(uts_.known() ? uts_.known()->name : "tree"); }
  nlohmann::ordered_json parameters() const override {
    nlohmann::ordered_json all = uts_.to_json();
    all.erase("construct");
    return all;
  }
  void run_serially() override { check_->take("serial", uts::count_serially(*tree_)); }
  void run_on(cluster& on, const snapshots& keep) override {
    check_->take("cluster", uts::count_on_cluster(on, *tree_, keep));
  }
  bool ok() const override { return check_->ok(); }
  std::string failure() const override { return check_->failure(); }
  nlohmann::ordered_json results() const override {
    const uts::tally& found = check_->latest();
    return {{"count", found.nodes()},
            {"expected_count", uts_.known() ? nlohmann::ordered_json(uts_.known()->nodes) : nlohmann::ordered_json()},
            {"max_depth", found.max_depth},
            {"leaves", found.leaves}};
  }
  std::string found() const override {
    const uts::tally& found = check_->latest();
    return fmt::format("count     {} nodes, {} leaves, depth {}", found.nodes(), found.leaves, found.max_depth);
  }

 private:
  CLI::App* command_ = nullptr;
  uts_flags uts_;
  std::optional<uts::tally_check> check_;
  std::optional<uts::tree> tree_;
};

class nqueens_program final : public cluster_program {
 public:
  std::string name() const override { return "nqueens"; }
  std::string about() const override {
    return "N-Queens on a cluster: all ranks count the ways in which n queens can stand without attacking each other";
  }
  void add_to(CLI::App& command) override { add_number(command, "-n", problem_.n, "Queens, and rows of the board"); }
  void choose() override { problem_.validate(); }
  std::string in_options() const override { return fmt::format("-n {}", problem_.n); }
  std::string problem() const override { return "board"; }
  nlohmann::ordered_json parameters() const override { return {{"n", problem_.n}}; }
  void run_serially() override { take(nqueens::count(problem_.n)); }
  void run_on(cluster& on, const snapshots& keep) override { take(nqueens::count_on_cluster(on, problem_.n, keep)); }
  bool ok() const override { return verdict_.failure().empty(); }
  std::string failure() const override { return verdict_.failure(); }
  nlohmann::ordered_json results() const override {
    return {
        {"solutions", last_.solutions}, {"expected_solutions", problem_.expected()}, {"placements", last_.placements}};
  }
  std::string found() const override {
    return fmt::format("solutions {}, of {} placements", last_.solutions, last_.placements);
  }

 private:
  void take(const nqueens::findings& found) {
    verdict_.expect(found.solutions == problem_.expected(),
                    fmt::format("{} solutions, not {}", found.solutions, problem_.expected()));
    if (!first_) first_ = found;
    verdict_.expect(found == *first_,
                    fmt::format("{} placements, and before it were {}", found.placements, first_->placements));
    last_ = found;
  }

  nqueens::parameters problem_;
  std::optional<nqueens::findings> first_;
  nqueens::findings last_;
  verdict verdict_;
};

class quadrature_program final : public cluster_program {
 public:
  std::string name() const override { return "quadrature"; }
  std::string about() const override {
    return "Adaptive quadrature on a cluster: all ranks integrate one function with a narrow peak";
  }
  void add_to(CLI::App& command) override {
    command.add_option("--tolerance", problem_.tolerance, "How far the integral may be from the exact one")
        ->type_name("NUMBER")
        ->capture_default_str();
    command.add_option("--width", problem_.width, "Width of the peak of width / ((x - 0.3)^2 + width^2), from 0 to 1")
        ->type_name("NUMBER")
        ->capture_default_str();
  }
  void choose() override { problem_.validate(); }
  std::string in_options() const override {
    return fmt::format("--tolerance {} --width {}", problem_.tolerance, problem_.width);
  }
  std::string problem() const override { return "peak"; }
  nlohmann::ordered_json parameters() const override {
    return {{"tolerance", problem_.tolerance}, {"width", problem_.width}};
  }
  void run_serially() override { take(quadrature::integrate_serially(problem_)); }
  void run_on(cluster& on, const snapshots& keep) override {
    take(quadrature::integrate_on_cluster(on, problem_, keep));
  }
  bool ok() const override { return verdict_.failure().empty(); }
  std::string failure() const override { return verdict_.failure(); }
  nlohmann::ordered_json results() const override {
    return {{"integral", last_.integral()}, {"exact_integral", problem_.exact()}, {"intervals", last_.intervals}};
  }
  std::string found() const override {
    return fmt::format("integral  {:.15f}, off by {:.2e}, of {} intervals", last_.integral(),
                       std::abs(last_.integral() - problem_.exact()), last_.intervals);
  }

 private:
  void take(const quadrature::findings& found) {
    verdict_.expect(
        std::abs(found.integral() - problem_.exact()) <= problem_.tolerance,
        fmt::format("the integral {} is not {} within {}", found.integral(), problem_.exact(), problem_.tolerance));
    if (!first_) first_ = found;
    verdict_.expect(found == *first_,
                    fmt::format("the integral {} of {} intervals, and before it was {} of {}", found.integral(),
                                found.intervals, first_->integral(), first_->intervals));
    last_ = found;
  }

  quadrature::parameters problem_;
  std::optional<quadrature::findings> first_;
  quadrature::findings last_;
  verdict verdict_;
};

class knapsack_program final : public cluster_program {
 public:
  std::string name() const override { return "knapsack"; }
  std::string about() const override {
    return "0/1 knapsack by branch and bound on a cluster: ranks share the value of the best solution as a bound";
  }
  void add_to(CLI::App& command) override {
    add_number(command, "--items", problem_.items, "Items to choose from");
    add_number(command, "--weight-max", problem_.weight_max, "Weights are drawn from 1 to this");
    add_number(command, "--bonus", problem_.bonus, "An item is worth its weight, this,");
    add_number(command, "--spread", problem_.spread, "and a number drawn from 0 to this");
    add_number(command, "--seed", problem_.seed, "Draws the items");
  }
  void choose() override {
    problem_.validate();
    instance_.emplace(problem_);
    best_ = knapsack::best_value(*instance_);
  }
  std::string in_options() const override {
    return fmt::format("--items {} --weight-max {} --bonus {} --spread {} --seed {}", problem_.items,
                       problem_.weight_max, problem_.bonus, problem_.spread, problem_.seed);
  }
  std::string problem() const override { return "items"; }
  nlohmann::ordered_json parameters() const override {
    return {{"items", problem_.items},
            {"weight_max", problem_.weight_max},
            {"bonus", problem_.bonus},
            {"spread", problem_.spread},
            {"seed", problem_.seed}};
  }
  void run_serially() override { take(knapsack::search_serially(*instance_)); }
  void run_on(cluster& on, const snapshots& keep) override { take(knapsack::search_on_cluster(on, *instance_, keep)); }
  bool ok() const override { return verdict_.failure().empty(); }
  std::string failure() const override { return verdict_.failure(); }
  nlohmann::ordered_json results() const override {
    return {{"value", last_.value}, {"expected_value", best_}, {"nodes", last_.nodes}};
  }
  std::string found() const override {
    return fmt::format("value     {}, by a search of {} nodes", last_.value, last_.nodes);
  }

 private:
  void take(const knapsack::findings& found) {
    verdict_.expect(found.value == best_, fmt::format("the value {}, not {}", found.value, best_));
    verdict_.expect(knapsack::is_solution(*instance_, found),
                    fmt::format("the items are no solution of the value {}", found.value));
    last_ = found;
  }

  knapsack::parameters problem_;
  std::optional<knapsack::instance> instance_;
  std::int64_t best_ = 0;  // by dynamic programming
  knapsack::findings last_;
  verdict verdict_;
};

}  // namespace

std::vector<std::unique_ptr<cluster_program>> cluster_programs() {
  std::vector<std::unique_ptr<cluster_program>> all;
  all.push_back(std::make_unique<uts_program>());
  all.push_back(std::make_unique<nqueens_program>());
  all.push_back(std::make_unique<quadrature_program>());
  all.push_back(std::make_unique<knapsack_program>());
  return all;
}

}  // namespace leat::cli
