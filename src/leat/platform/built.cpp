#include "leat/platform/built.hpp"

namespace leat::built {

const char LEAT_BUILT_VERSION = 0;
const char LEAT_BUILT_CONTAINERS = 0;
const char LEAT_BUILT_SANITIZER = 0;

}  // namespace leat::built
