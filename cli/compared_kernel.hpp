// A kernel as `leat compare` sees it.

#pragma once

#include "counted_run.hpp"

#include <leat/options.hpp>
#include <leat/runtime.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// One kernel with its parameters: how its programs run, are timed and are checked.
class compared_kernel {
 public:
  virtual ~compared_kernel() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;

  /// Adds the options of the parameters; the object must outlive the parsing.
  virtual void add_options(CLI::App& command) = 0;

  /// Checks the parameters, in microseconds. Throws std::invalid_argument, naming an option and its bad value.
  virtual void validate() = 0;

  /// Checks the parameters, and does what must be done before anything runs; what is below is good after that only.
  /// Throws what validate throws.
  virtual void prepare() = 0;

  [[nodiscard]] virtual nlohmann::ordered_json parameters() const = 0;

  /// The kernel and its parameters, for people.
  [[nodiscard]] virtual std::string title() const = 0;

  /// Each of these runs one program and returns its seconds. What it found is kept for failure(). Throws what
  /// runtime::run throws.
  [[nodiscard]] virtual double serial() = 0;
  [[nodiscard]] virtual double parallel(runtime& rt) = 0;

  /// Whether a rival has found what it had to find; kept for failure(), too.
  virtual void take_rival(const std::string& rival, std::uint64_t found) = 0;

  /// A run on the counted platform, a short one where the kernel is long; none unless --counted was given.
  [[nodiscard]] virtual std::optional<counted_run> count(const leat::options&) = 0;

  /// What only this kernel counts, of the last parallel run; null for none.
  [[nodiscard]] virtual nlohmann::ordered_json events() const { return nullptr; }

  /// Writes the files that its own options ask for, when all has been run. Throws std::runtime_error, naming the file.
  virtual void write_files() const {}

  /// What its units are called: "task", "node", "iteration" or "thread".
  [[nodiscard]] virtual std::string_view unit() const = 0;

  /// The first wrong result, as a sentence; empty if there was none.
  [[nodiscard]] virtual const std::string& failure() const = 0;
};

/// All kernels, with their default parameters.
[[nodiscard]] std::vector<std::unique_ptr<compared_kernel>> compared_kernels();

}  // namespace leat::cli
