#include "kernels/counted_runtime.hpp"

#include <leat/settings.hpp>

namespace leat::kernels {

counted_runtime::counted_runtime(const leat::options& o)
    : scheduler_(settings_of(o.resolved()), published::processors<platform>::of) {}

}  // namespace leat::kernels
