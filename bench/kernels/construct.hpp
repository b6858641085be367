// What a kernel is written with.

#pragma once

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

/// The name, as people and JSON read it.
[[nodiscard]] std::string_view name(construct) noexcept;
[[nodiscard]] std::string_view name(form) noexcept;

}  // namespace leat::kernels
