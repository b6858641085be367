// The version of leat, written here alone (CMakeLists.txt reads it), and the namespace that is named after it.
//
// Each file of the library opens its namespaces as `namespace leat::inline LEAT_ABI::task {`. So the names of symbols have the version, and
// programs do without it: leat::runtime is leat::v0_1::runtime. Headers of one version and a library of another do not link, and a process may
// have two versions that do not meet. leat::built alone is opened without it: its names are for people who read a linker's message.
#pragma once

#define LEAT_VERSION_MAJOR 0
#define LEAT_VERSION_MINOR 1
#define LEAT_VERSION_PATCH 0

// As the SOVERSION has them: versions that differ in the patch alone are compatible.
#define LEAT_ABI_JOINED(prefix, major, minor) prefix##major##_##minor
#define LEAT_ABI_OF(prefix, major, minor) LEAT_ABI_JOINED(prefix, major, minor)
#define LEAT_ABI LEAT_ABI_OF(v, LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR)
