// The loops as `leat bench` and `leat compare` see them.

#pragma once

#include "counted_run.hpp"
#include "result_check.hpp"

#include "kernels/loop.hpp"

#include <leat/options.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace leat::cli {

/// Adds --kind, --strategy and --scale; the parameters must outlive the parsing.
void add_options(CLI::App& command, kernels::loop::parameters&);

[[nodiscard]] nlohmann::ordered_json to_json(const kernels::loop::parameters&);

/// For people: "kind FG, strategy adaptive, scale 1".
[[nodiscard]] std::string in_words(const kernels::loop::parameters&);

/// Runs a short version of the loop on the counted platform; its units are iterations. Tells `check` how many ran.
[[nodiscard]] counted_run count_operations(const kernels::loop::parameters&, const leat::options&, result_check& check);

}  // namespace leat::cli
