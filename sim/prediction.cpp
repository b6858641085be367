#include "prediction.hpp"

#include "replay.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/runtime.hpp>
#include <leat/team.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leat::sim {

namespace {

constexpr double ns_per_second = 1e9;

// What a world says of a failure when it is gone. The memory of an exception would be gone with it.
class failure_outside {
 public:
  void keep(std::string_view what) noexcept {
    const std::size_t bytes = std::min(what.size(), text_.size() - 1);
    std::copy_n(what.data(), bytes, text_.data());
  }
  void throw_if_any() const {
    if (text_[0] != 0) throw std::runtime_error(text_.data());
  }

 private:
  std::array<char, 1024> text_{};
};

}  // namespace

prediction predict(const recording& r, const walked& found, const simulation_options& how, const leat::options& workers,
                   root_of_run root) {
  constexpr std::uint64_t stack_bytes = std::uint64_t{1} << 27;  // only what is touched takes memory
  simulation_options with_stacks = how;
  with_stacks.stack_bytes = stack_bytes;
  prediction p;
  failure_outside failure;
  bool too_deep = false;
  // `enter` executes a function on the workers of `rt`. The program is to outlive these, which may still have tasks of it.
  const auto execute = [&](replay& program, const runtime& rt, const auto& enter) {
    enter([] {});  // the workers are there
    const leat::counters before = rt.counters();
    const std::uint64_t begun_ns = platform::chosen::now_ns();
    program.run(enter);
    p.seconds = static_cast<double>(platform::chosen::now_ns() - begun_ns) / ns_per_second;
    p.counters = rt.counters() - before;
    p.unordered_awaits = program.unordered_awaits();
  };
  const auto keeping_failures = [&failure](const auto& f) {
    try {
      f();
    } catch (const std::exception& error) {
      failure.keep(error.what());
    }
  };
  const auto main = [&, workers] {
    keeping_failures([&] {
      replay program(r, found, stack_bytes, too_deep);
      if (root == root_of_run::worker) {
        runtime rt(workers);
        execute(program, rt, [&rt](const std::function<void()>& f) { rt.run(f); });
        return;
      }
      // The caller is a worker, too, and the world counts the time of all threads but the first.
      platform::chosen::thread caller([&] {
        keeping_failures([&] {
          team all(workers);
          execute(program, all.runtime(), [&all](const std::function<void()>& f) { all.call(f); });
        });
      });
      caller.join();
    });
  };
  try {
    p.world = simulate(with_stacks, main);
  } catch (const simulation_failed&) {
    if (!too_deep) throw;
    throw std::runtime_error("leat predict: the recorded computation nests so deep that " +
                             std::to_string(stack_bytes >> 20) + " MiB of stack do not hold it");
  }
  failure.throw_if_any();
  return p;
}

}  // namespace leat::sim
