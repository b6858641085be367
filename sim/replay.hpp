// A recorded computation, executed again by the scheduler.

#pragma once

#include "recording.hpp"
#include "work_and_span.hpp"

#include <leat/future.hpp>
#include <leat/task_group.hpp>

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace leat::sim {

/// The program of a recording: its strands are work of the world, and its forks, tasks, loops and waits are those of the
/// runtime. It lives in one world, in which its threads are fibres of one thread of the host: so what belongs to
/// this object alone needs no lock, as nothing comes between two steps of the world.
class replay {
 public:
  /// All must outlive the object, and `too_deep` the world. `stack_bytes`: what each thread of the world has.
  replay(const recording& r, const walked& found, std::size_t stack_bytes, bool& too_deep);
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  /// Executes the whole program, each run of which is what `enter` executes on the workers.
  /// Where recursion is so deep that a stack does not hold it, it sets `too_deep`, and the world fails.
  void run(const std::function<void(const std::function<void()>&)>& enter);

  /// Waits for what was not made by then. Something that is not recorded ordered the two; here nothing does.
  [[nodiscard]] std::uint64_t unordered_awaits() const noexcept { return unordered_awaits_; }

 private:
  // What the IDs in a subtree name at present. A subtree that stands for several has one for each of these.
  struct scope {
    scope* around;
    std::uint32_t depth;
    struct made_group {
      task_group* group;
      std::uint32_t waits_left;
    };
    struct made_future {
      shared_future<void> future;
      std::uint32_t waits_left;
    };
    std::unordered_map<std::uint32_t, made_group> groups;
    std::unordered_map<std::uint32_t, made_future> futures;
    std::unordered_map<std::uint32_t, task_handle> tasks;
    std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> late;  // words that spawn, by a task not yet made
  };

  // Executes the sequence at this word, and returns the word that ends it.
  std::uint64_t sequence(std::uint64_t at, scope& in);
  std::uint64_t one(std::uint64_t at, scope& in);
  std::uint64_t fork(std::uint64_t at, scope& in);
  std::uint64_t copies(std::uint64_t at, scope& in);
  void copies_of(std::uint64_t at, std::uint64_t count, scope& in);
  void spawn(std::uint64_t at, scope& in);
  void spawn_in_order(std::uint64_t at, scope& in);
  void wait(std::uint32_t name, scope& in);
  void make_future(std::uint64_t at, scope& in);
  std::optional<shared_future<void>> take_future(std::uint32_t name, scope& in);
  void await(std::uint32_t name, scope& in);
  void loop(const recording::loop& l, scope& in);
  void iterations(const recording::loop& l, std::uint64_t first, std::uint64_t last, scope& in);
  task_group& group(std::uint32_t name, scope& in);
  void check_stack();

  static scope& at_depth(scope& in, std::uint32_t depth);

  const recording& r_;
  const walked& found_;
  const std::size_t stack_bytes_;
  bool& too_deep_;
  // Tasks of a team may be executed in a later run than made them, so all of these stay to the end.
  scope whole_{nullptr, 0, {}, {}, {}, {}};
  std::forward_list<scope> scopes_;  // those of copies
  std::uint64_t unordered_awaits_ = 0;
};

}  // namespace leat::sim
