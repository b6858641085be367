// A recorded computation, executed again by the scheduler.

#pragma once

#include "recording.hpp"
#include "work_and_span.hpp"

#include <leat/future.hpp>
#include <leat/task_group.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace leat::sim {

/// The program of a recording: its strands are work of the world, and its forks, tasks, loops and waits are those of the
/// runtime. It lives in one world. All threads of that are fibres of one thread of the host, which switch only at steps of the
/// world, so members need no lock.
class replay {
 public:
  /// All must outlive the object, and `too_deep` the world. `stack_bytes`: what each thread of the world has.
  replay(const recording& r, const walked& found, std::size_t stack_bytes, bool& too_deep);
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  /// Executes the whole program, each run of which is what `enter` executes on the workers.
  /// Where recursion is so deep that a stack does not hold it, it sets `too_deep`, and the world fails.
  void run(const std::function<void(const std::function<void()>&)>& enter);

  /// Waits for a task or a future that was not made, or not done, by then. A lock or a channel ordered the two, which is not
  /// recorded.
  [[nodiscard]] std::uint64_t unordered_awaits() const noexcept { return unordered_awaits_; }

 private:
  struct made_group {
    task_group* group;
    std::uint32_t waits_left;
  };
  struct made_future {
    shared_future<void> future;
    std::uint32_t waits_left;
  };

  // Executes the sequence at this word, and returns the word that ends it.
  std::uint64_t sequence(std::uint64_t at);
  std::uint64_t one(std::uint64_t at);
  std::uint64_t fork(std::uint64_t at);
  void spawn(std::uint64_t at);
  void spawn_in_order(std::uint64_t at);
  void wait(std::uint32_t name);
  void make_future(std::uint64_t at);
  std::optional<shared_future<void>> take_future(std::uint32_t name);
  void await(std::uint32_t name);
  void loop(const recording::loop& l);
  void iterations(const recording::loop& l, std::uint64_t first, std::uint64_t last);
  task_group& group(std::uint32_t name);
  void check_stack();

  const recording& r_;
  const walked& found_;
  const std::size_t stack_bytes_;
  bool& too_deep_;
  // What the names stand for at present. A group or a future goes with its last recorded wait. Tasks stay to the end, as those of
  // a team may be executed in a later run.
  std::unordered_map<std::uint32_t, made_group> groups_;
  std::unordered_map<std::uint32_t, made_future> futures_;
  std::unordered_map<std::uint32_t, task_handle> tasks_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> late_;  // words that spawn, by a task not yet made
  std::uint64_t unordered_awaits_ = 0;
};

}  // namespace leat::sim
