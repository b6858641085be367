// The plain form; see fib_recursion.hpp for why in a file of its own.

#include "kernels/fib_recursion.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/runtime.hpp>

namespace leat::kernels::fib {

std::uint64_t parallel_plain(runtime& rt, std::int64_t n) { return run_plain<platform::chosen>(rt, n); }

}  // namespace leat::kernels::fib
