// The recursion of fib with a fork/join per node, in both forms.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/fib.hpp"

#include <leat/task/fork_join.hpp>

#include <cstdint>

namespace leat::kernels::fib {

// The functions are inline, and the captures are by value: then g++ inlines several levels of the recursion into each
// other, if the file has little else: it bounds how much a file may grow. So each form has a file of its own. clang does so
// where the levels are different functions, as those of a template of the context are. The plain form has n in the serial
// recursion's type: clang then lays both out alike, a leaf being a jump to the return, and so they cost the same calls.
template <class P>
struct recursion {
  static constexpr double call_ns = 1;  // but for the fork

  template <unsigned Level = 0>
  static inline std::uint64_t plain(std::int64_t n) {
    P::work_ns(call_ns);
    if (n < 2) return static_cast<std::uint64_t>(n);
    constexpr unsigned next = (Level + 1) % task::recursion_levels;
    auto [a, b] = task::fork_join<P>([n] { return plain<next>(n - 1); }, [n] { return plain<next>(n - 2); });
    return a + b;
  }

  static inline std::uint64_t in_context(auto c, int n) {
    P::work_ns(call_ns);
    if (n < 2) return static_cast<std::uint64_t>(n);
    auto [a, b] = task::fork_join<P>(
        c, [n](auto inner) { return in_context(inner, n - 1); }, [n](auto inner) { return in_context(inner, n - 2); });
    return a + b;
  }
};

template <class P, class Runtime>
std::uint64_t run_plain(Runtime& rt, std::int64_t n) {
  return rt.run([n] { return recursion<P>::plain(n); });
}

template <class P, class Runtime>
std::uint64_t run_in_context(Runtime& rt, int n) {
  return rt.run(
      [n] { return task::with_context<P>([n](task::context<P> c) { return recursion<P>::in_context(c, n); }); });
}

// Each in a file of its own, fib_<form>.cpp.
std::uint64_t parallel_plain(runtime&, std::int64_t n);
std::uint64_t parallel_in_context(runtime&, int n);

}  // namespace leat::kernels::fib
