#include "leat/platform/built.hpp"

namespace leat::built {

// The names are those that the library's own flags choose; a program's flags choose again, in the same header. The
// values mean nothing and are never read: that the linker finds the symbols is all.
const char LEAT_BUILT_VERSION = 0;
const char LEAT_BUILT_CONTAINERS = 0;
const char LEAT_BUILT_SANITIZER = 0;

}  // namespace leat::built
