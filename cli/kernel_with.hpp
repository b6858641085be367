// A kernel of bench/kernels: a struct of parameters, and functions that are found by it.

#pragma once

#include "bench_kernel.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::cli {

/// A kernel's options on the command line, and its parameters in reports.
template <class Parameters>
struct options_of {
  void (*add)(CLI::App&, Parameters&);
  nlohmann::ordered_json (*to_json)(const Parameters&);
};

/// What the kernels have in common, once for all.
template <class Parameters>
class kernel_with final : public bench_kernel {
 public:
  kernel_with(std::string_view name, std::string_view description, options_of<Parameters> options, Parameters p)
      : name_(name), description_(description), options_(options), parameters_(std::move(p)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::string_view description() const noexcept override { return description_; }

  void add_options(CLI::App& command) override { options_.add(command, parameters_); }

  void validate() const override { parameters_.validate(); }

  void prepare() const override {
    validate();
    if constexpr (requires { parameters_.prepare(); }) parameters_.prepare();
  }

  [[nodiscard]] nlohmann::ordered_json parameters() const override { return options_.to_json(parameters_); }
  [[nodiscard]] std::uint64_t forks() const override { return parameters_.forks(); }
  [[nodiscard]] std::uint64_t expected() const override { return parameters_.expected(); }

  [[nodiscard]] std::vector<serial_program> serial_programs() const override {
    std::vector<serial_program> programs = {{"serial", [](const bench_kernel& k) { return serial(of(k)); }}};
    if constexpr (requires { serial_call(parameters_); }) {
      programs.push_back({"serial_call", [](const bench_kernel& k) { return serial_call(of(k)); }});
    }
    if constexpr (requires { tbb(parameters_); }) {
      if (parameters_.has_tbb()) programs.push_back({"tbb", [](const bench_kernel& k) { return tbb(of(k)); }});
    }
    return programs;
  }

  [[nodiscard]] bool serial_overlaps() const noexcept override {
    return !requires(unsigned workers) { parameters_.before_run(workers); };
  }

  void before_run(unsigned workers) const override {
    if constexpr (requires { parameters_.before_run(workers); }) parameters_.before_run(workers);
  }

  [[nodiscard]] std::uint64_t after_run(std::uint64_t returned) const override {
    if constexpr (requires { parameters_.after_run(returned); }) return parameters_.after_run(returned);
    else return returned;
  }

  [[nodiscard]] std::uint64_t parallel(runtime& rt) const override { return run_on(rt); }
  [[nodiscard]] std::uint64_t parallel(kernels::counted_runtime& rt) const override { return run_on(rt); }

  [[nodiscard]] std::unique_ptr<bench_kernel> smaller() const override {
    return std::make_unique<kernel_with>(name_, description_, options_, parameters_.smaller());
  }

 private:
  static const Parameters& of(const bench_kernel& k) { return static_cast<const kernel_with&>(k).parameters_; }

  template <class Runtime>
  std::uint64_t run_on(Runtime& rt) const;

  std::string_view name_;
  std::string_view description_;
  options_of<Parameters> options_;
  Parameters parameters_;
};

// Outside of the class, whose members of the same name would hide the kernels' functions.
template <class Runtime, class Parameters>
std::uint64_t run_parallel(Runtime& rt, const Parameters& p) {
  return parallel(rt, p);
}

template <class Parameters>
template <class Runtime>
std::uint64_t kernel_with<Parameters>::run_on(Runtime& rt) const {
  return run_parallel(rt, parameters_);
}

}  // namespace leat::cli
