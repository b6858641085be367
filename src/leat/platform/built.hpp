// What a program and the leat that it is linked with must have in common. Each program refers to three symbols that the library
// defines, each named after one property. Where the two differ, the linker says "undefined reference to
// `leat::built::with_GLIBCXX_DEBUG'", and the like. Without that the program would read objects of another layout. It costs three
// pointers in each program or shared object. NDEBUG, optimisation and compiler may differ.
#pragma once

#include <version>  // the macros of the standard library

#include "leat/platform/abi.hpp"
#include "leat/platform/shared.hpp"

#if defined(__SANITIZE_THREAD__)
#define LEAT_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LEAT_UNDER_TSAN 1
#endif
#endif

// The layout of the standard library's containers and strings.
#if defined(_LIBCPP_VERSION)
#define LEAT_BUILT_CONTAINERS with_libcxx
#elif defined(_GLIBCXX_DEBUG)
#define LEAT_BUILT_CONTAINERS with_GLIBCXX_DEBUG
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define LEAT_BUILT_CONTAINERS without_GLIBCXX_USE_CXX11_ABI
#else
#define LEAT_BUILT_CONTAINERS without_GLIBCXX_DEBUG
#endif

// ThreadSanitizer has to see all accesses, or it takes what it sees for races.
#if defined(LEAT_UNDER_TSAN)
#define LEAT_BUILT_SANITIZER with_thread_sanitizer
#else
#define LEAT_BUILT_SANITIZER without_thread_sanitizer
#endif

#define LEAT_BUILT_VERSION LEAT_ABI_OF(version_, LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR)

// Kept also where the linker drops what nothing refers to (--gc-sections).
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(gnu::retain)
#define LEAT_BUILT_KEPT gnu::used, gnu::retain
#endif
#endif
#if !defined(LEAT_BUILT_KEPT)
#define LEAT_BUILT_KEPT gnu::used
#endif

namespace leat::built {

// Defined in built.cpp.
LEAT_SHARED extern const char LEAT_BUILT_VERSION;
LEAT_SHARED extern const char LEAT_BUILT_CONTAINERS;
LEAT_SHARED extern const char LEAT_BUILT_SANITIZER;

// Hidden: each program and each shared object has one of its own.
[[LEAT_BUILT_KEPT, gnu::visibility("hidden")]] inline constexpr const char* wanted[] = {
    &LEAT_BUILT_VERSION, &LEAT_BUILT_CONTAINERS, &LEAT_BUILT_SANITIZER};

}  // namespace leat::built
