#include "compared_kernel.hpp"

#include "bench_kernel.hpp"
#include "carried_kernel.hpp"
#include "loop_kernel.hpp"
#include "measurement.hpp"
#include "result_check.hpp"
#include "uts_flags.hpp"

#include "kernels/loop.hpp"
#include "kernels/uts.hpp"
#include "kernels/uts_check.hpp"

#include <fmt/format.h>

#include <utility>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

// What `leat bench` measures.
class compared_bench final : public compared_kernel {
 public:
  explicit compared_bench(std::unique_ptr<bench_kernel> kernel) : kernel_(std::move(kernel)) {}

  [[nodiscard]] std::string name() const override { return std::string(kernel_->name()); }
  [[nodiscard]] std::string description() const override { return std::string(kernel_->description()); }

  void add_options(CLI::App& command) override {
    kernel_->add_options(command);
    add_counted(command, counted_);
  }

  void validate() override { kernel_->validate(); }

  void prepare() override {
    kernel_->prepare();
    expected_ = kernel_->expected();
  }

  [[nodiscard]] ordered_json parameters() const override { return kernel_->parameters(); }
  [[nodiscard]] std::string title() const override { return fmt::format("{} ({})", name(), in_words(parameters())); }

  [[nodiscard]] double serial() override {
    // The first of its programs is the serial one.
    const bench_kernel::serial_program program = kernel_->serial_programs().front();
    return time_program(*kernel_, 1, program.name, [&] { return program.run(*kernel_); }, check_, expected_);
  }

  [[nodiscard]] double parallel(runtime& rt) override {
    return time_program(
        *kernel_, rt.workers(), rt.scheduler(), [&] { return kernel_->parallel(rt); }, check_, expected_);
  }

  void take_rival(const std::string& rival, std::uint64_t found) override { check_.take(rival, found, expected_); }

  [[nodiscard]] std::optional<counted_run> count(const leat::options& options) override {
    if (!counted_) return std::nullopt;
    return count_operations(*kernel_, options, check_);
  }

  [[nodiscard]] std::string_view unit() const override { return "task"; }
  [[nodiscard]] const std::string& failure() const override { return check_.failure(); }

 private:
  std::unique_ptr<bench_kernel> kernel_;
  bool counted_ = false;
  std::uint64_t expected_ = 0;
  result_check check_;
};

class compared_loop final : public compared_kernel {
 public:
  [[nodiscard]] std::string name() const override { return "loop"; }
  [[nodiscard]] std::string description() const override { return "Parallel loops (5.4.1 of Prell's thesis)"; }

  void add_options(CLI::App& command) override {
    cli::add_options(command, parameters_);
    add_counted(command, counted_);
  }

  void validate() override { parameters_.validate(); }

  void prepare() override {
    validate();
    work_.emplace(parameters_);
  }

  [[nodiscard]] ordered_json parameters() const override { return cli::to_json(parameters_); }

  [[nodiscard]] std::string title() const override {
    return fmt::format("loop ({}; {} iterations)", in_words(parameters_), parameters_.iterations());
  }

  [[nodiscard]] double serial() override { return checked("serial", kernels::loop::serial(*work_)); }

  [[nodiscard]] double parallel(runtime& rt) override {
    return checked(rt.scheduler(), kernels::loop::parallel(rt, *work_, parameters_));
  }

  void take_rival(const std::string& rival, std::uint64_t found) override {
    check_.take(rival, found, static_cast<std::uint64_t>(parameters_.iterations()));
  }

  [[nodiscard]] std::optional<counted_run> count(const leat::options& options) override {
    if (!counted_) return std::nullopt;
    return count_operations(parameters_, options, check_);
  }

  [[nodiscard]] std::string_view unit() const override { return "iteration"; }
  [[nodiscard]] const std::string& failure() const override { return check_.failure(); }

 private:
  double checked(std::string_view program, double seconds) {
    check_.take(program, work_->take_count(), static_cast<std::uint64_t>(parameters_.iterations()));
    return seconds;
  }

  kernels::loop::parameters parameters_;
  bool counted_ = false;
  std::optional<kernels::loop::workload> work_;
  result_check check_;
};

class compared_uts final : public compared_kernel {
 public:
  [[nodiscard]] std::string name() const override { return "uts"; }
  [[nodiscard]] std::string description() const override {
    return "Unbalanced tree search: count the nodes of an irregular tree";
  }
  void add_options(CLI::App& command) override {
    flags_.add_to(command);
    add_counted(command, counted_);
  }

  void validate() override {
    flags_.choose();
    flags_.tree().validate();
  }

  void prepare() override {
    flags_.choose();
    tree_.emplace(flags_.tree());
    check_.emplace(flags_.known());
  }

  [[nodiscard]] ordered_json parameters() const override { return flags_.to_json(); }
  [[nodiscard]] std::string title() const override { return flags_.title(); }

  [[nodiscard]] double serial() override {
    return seconds_taken([&] { check_->take("serial", kernels::uts::count_serially(*tree_)); });
  }

  [[nodiscard]] double parallel(runtime& rt) override {
    return seconds_taken(
        [&] { check_->take(rt.scheduler(), kernels::uts::count_in_parallel(rt, *tree_, flags_.construct())); });
  }

  void take_rival(const std::string& rival, std::uint64_t found) override { check_->take_nodes(rival, found); }

  [[nodiscard]] std::optional<counted_run> count(const leat::options& options) override {
    if (!counted_) return std::nullopt;
    return count_operations(flags_, *tree_, options, *check_);
  }

  [[nodiscard]] std::string_view unit() const override { return "node"; }
  [[nodiscard]] const std::string& failure() const override { return check_->failure(); }

 private:
  uts_flags flags_;
  bool counted_ = false;
  std::optional<kernels::uts::tree> tree_;
  std::optional<kernels::uts::tally_check> check_;
};

}  // namespace

std::vector<std::unique_ptr<compared_kernel>> compared_kernels() {
  std::vector<std::unique_ptr<compared_kernel>> all;
  all.push_back(std::make_unique<compared_uts>());
  for (std::unique_ptr<bench_kernel>& kernel : bench_kernels()) {
    all.push_back(std::make_unique<compared_bench>(std::move(kernel)));
  }
  all.push_back(std::make_unique<compared_loop>());
#if defined(LEAT_BENCH_THREADS)
  for (std::unique_ptr<compared_kernel>& kernel : carried_kernels()) all.push_back(std::move(kernel));
#endif
  return all;
}

}  // namespace leat::cli
