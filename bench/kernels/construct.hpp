// What a kernel is written with.

#pragma once

#include <leat/future.hpp>

#include <cstdint>
#include <string_view>

namespace leat::kernels {

/// The constructs that make tasks.
enum class construct : std::uint8_t {
  spawn,   ///< leat::spawn: nobody waits but the run
  fork,    ///< leat::fork_join
  future,  ///< leat::async
  group,   ///< leat::task_group
  graph,   ///< leat::graph
  after,   ///< task_group::spawn_after
};

/// The two forms of fork/join.
enum class form : std::uint8_t {
  plain,    ///< callables without arguments
  context,  ///< callables that take their place on the task stack
};

/// What a wait for a future, or for a group, may execute: leat::wait, as a word of the command line.
enum class wait : std::uint8_t { own, any };

/// The name, as people and JSON read it.
[[nodiscard]] std::string_view name(construct) noexcept;
[[nodiscard]] std::string_view name(form) noexcept;
[[nodiscard]] std::string_view name(wait) noexcept;

/// Checks `--wait`: a join executes descendants alone, so it goes with futures and groups.
/// \throws std::invalid_argument  any, and the construct waits for neither
void check_wait(wait, construct);

constexpr leat::wait as_said(wait w) noexcept { return w == wait::any ? leat::wait::any : leat::wait::own; }

}  // namespace leat::kernels
