// A kernel as `leat bench` and `leat compare` see it.

#pragma once

#include "counted_run.hpp"
#include "json_text.hpp"
#include "measurement.hpp"
#include "result_check.hpp"

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// One kernel and its parameters. Its programs all find the same number, if they are right.
class bench_kernel {
 public:
  /// A program without tasks, or with those of another library.
  struct serial_program {
    std::string_view name;  ///< "serial" is the one that speed-ups are reckoned from
    std::uint64_t (*run)(const bench_kernel&);
  };

  virtual ~bench_kernel() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual std::string_view description() const noexcept = 0;

  /// Adds the options of the parameters; the object must outlive the parsing.
  virtual void add_options(CLI::App& command) = 0;

  /// Checks the parameters, in microseconds. Throws std::invalid_argument, naming an option and its bad value.
  virtual void validate() const = 0;

  /// Checks the parameters, and does what must be done before anything is timed. Throws what validate throws.
  virtual void prepare() const = 0;

  [[nodiscard]] virtual nlohmann::ordered_json parameters() const = 0;

  /// How many forks or tasks the parallel program makes.
  [[nodiscard]] virtual std::uint64_t forks() const = 0;

  /// What every program has to find.
  [[nodiscard]] virtual std::uint64_t expected() const = 0;

  [[nodiscard]] virtual std::vector<serial_program> serial_programs() const = 0;

  /// Whether serial programs may run side by side: they share nothing that they change.
  [[nodiscard]] virtual bool serial_overlaps() const noexcept = 0;

  /// What must be done before each run, in no program's time. A program of another library may use so many workers.
  virtual void before_run(unsigned workers) const = 0;

  /// What a run has found that returned this, for programs that would take time to tell.
  [[nodiscard]] virtual std::uint64_t after_run(std::uint64_t returned) const = 0;

  /// The parallel program. Throws what runtime::run throws.
  [[nodiscard]] virtual std::uint64_t parallel(runtime& rt) const = 0;
  [[nodiscard]] virtual std::uint64_t parallel(kernels::counted_runtime& rt) const = 0;

  /// The same kernel with parameters that make it short enough to be run once more, only to be counted.
  [[nodiscard]] virtual std::unique_ptr<bench_kernel> smaller() const = 0;
};

/// All kernels, with their default parameters.
[[nodiscard]] std::vector<std::unique_ptr<bench_kernel>> bench_kernels();

/// Runs a program of the kernel beside a runtime with so many workers: run() returns what the program returns. Gives the
/// seconds that this took, and tells `check`, by the program's name, what it found and what is right.
template <class Run>
[[nodiscard]] double time_program(const bench_kernel& kernel, unsigned workers, std::string_view program, Run run,
                                  result_check& check, std::uint64_t expected) {
  kernel.before_run(workers);
  std::uint64_t returned = 0;
  const double seconds = seconds_taken([&] { returned = run(); });
  check.take(program, kernel.after_run(returned), expected);
  return seconds;
}

/// Runs the smaller kernel on the counted platform; its units are forks. Tells `check` what it found.
[[nodiscard]] counted_run count_operations(const bench_kernel&, const leat::options&, result_check& check);

}  // namespace leat::cli
