// The shape that all programs of the suite have: parameters, a serial program, a parallel one and a check.
//
// A Program has
//
//     name, description                what it is called, and what it is
//     input, inputs                    a word for the way in which its data are drawn, and all such words
//     n_default, n_max                 items
//     Program(n, input)                draws the data, and makes room for all that a run keeps: what a run allocates in a
//                                      simulated world ends with that
//     restore()                        forgets what a run found
//     run_serially()                   the serial program
//     run(loops)                       the parallel one (loops.hpp)
//     count_right(), expected()        how much of what a run found is right, and how much must be

#pragma once

#include "kernels/counted_runtime.hpp"
#include "kernels/range.hpp"
#include "kernels/suite/loops.hpp"

#include <leat/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace leat::kernels::suite {

template <class Program>
struct parameters {
  std::int64_t n = Program::n_default;  ///< -n       items, 0 to n_max
  typename Program::input_kind input = Program::inputs.front();  ///< --input  how they are drawn
  std::int64_t grain = 0;  ///< --grain  items of a task, at most; 0: loops divide themselves when thieves ask

  static constexpr std::int64_t grain_max = 1'000'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const {
    check_range("-n", n, 0, Program::n_max);
    check_range("--grain", grain, 0, grain_max);
  }

  void prepare() const { static_cast<void>(program()); }
  void before_run(unsigned) const { program().restore(); }

  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const { return program().count_right(); }
  [[nodiscard]] std::uint64_t expected() const { return program().expected(); }

  /// 0: the number of forks depends on the data, and no program counts them.
  [[nodiscard]] std::uint64_t forks() const noexcept { return 0; }

  /// The same program, with as many items as take some ten milliseconds.
  [[nodiscard]] parameters smaller() const {
    parameters p;
    p.n = std::min(n, Program::n_default / 8);
    p.input = input;
    p.grain = grain;
    return p;
  }

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] Program& program() const {
    if (!program_) program_ = std::make_shared<Program>(static_cast<std::size_t>(n), input);
    return *program_;
  }

 private:
  mutable std::shared_ptr<Program> program_;
};

/// No tasks, and no atomic operations.
template <class Program>
std::uint64_t serial(const parameters<Program>& p) {
  p.program().run_serially();
  return 0;
}

/// Loops and forks. Throws what runtime::run throws.
template <class Program>
std::uint64_t parallel(runtime& rt, const parameters<Program>& p) {
  rt.run([&p] { p.program().run(loops<platform::chosen>(static_cast<std::size_t>(p.grain))); });
  return 0;
}

template <class Program>
std::uint64_t parallel(counted_runtime& rt, const parameters<Program>& p) {
  rt.run([&p] { p.program().run(loops<platform::counted>(static_cast<std::size_t>(p.grain))); });
  return 0;
}

}  // namespace leat::kernels::suite
