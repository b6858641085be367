// Loops for whatever vectors the CPU has.

#pragma once

/// Before a function: the compiler makes it for several CPUs, and the loader chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LEAT_FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LEAT_FOR_EACH_CPU
#endif
