// On the counted platform; see fib_recursion.hpp for why in a file of its own.

#include "kernels/fib_recursion.hpp"

#include <leat/platform/counted.hpp>

namespace leat::kernels::fib {

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  return p.form == form::plain ? run_plain<platform::counted>(rt, p.n)
                               : run_in_context<platform::counted>(rt, static_cast<int>(p.n));
}

}  // namespace leat::kernels::fib
