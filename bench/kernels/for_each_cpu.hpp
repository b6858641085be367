// Loops for whatever vectors the CPU has.

#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LEAT_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEAT_IS_SANITIZED 1
#endif
#endif

/// Before a function: the compiler makes it for several CPUs, and the loader chooses. The loader does so before a sanitizer
/// has begun, so with one there is one form.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(LEAT_IS_SANITIZED)
#define LEAT_FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LEAT_FOR_EACH_CPU
#endif
