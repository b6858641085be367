// The platform that the public names stand for: `native`, unless a program is compiled with LEAT_PLATFORM=simulated, as all
// that link leat::simulated are, with LEAT_PLATFORM=profiled, as all that link leat::profiled are, or with LEAT_PLATFORM=smpi,
// to be simulated by SimGrid. LEAT_PROFILED is another way to ask for `profiled`.
#pragma once

#include "leat/platform/language.hpp"

#if !defined(LEAT_PLATFORM) && defined(LEAT_PROFILED)
#define LEAT_PLATFORM profiled
#elif !defined(LEAT_PLATFORM)
#define LEAT_PLATFORM native
#endif

#include "leat/platform/built.hpp"

// The preprocessor compares numbers, and no words, so each name has one. Two macros: the inner one alone would paste
// the word LEAT_PLATFORM itself, before it is expanded. A name that has no number pastes to an unknown word, which
// counts as 0 in #if, and so comes to the #error.
#define LEAT_PLATFORM_IS_native 1
#define LEAT_PLATFORM_IS_simulated 2
#define LEAT_PLATFORM_IS_smpi 3
#define LEAT_PLATFORM_IS_profiled 4
#define LEAT_PLATFORM_JOINED(a, b) a##b
#define LEAT_PLATFORM_NUMBER(name) LEAT_PLATFORM_JOINED(LEAT_PLATFORM_IS_, name)

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 4
#include "leat/platform/profiled.hpp"
#elif LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 3
#include "leat/platform/smpi.hpp"
#elif LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 2
#include "leat/platform/simulated.hpp"
#elif LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 1
#include "leat/platform/native.hpp"
#else
#error "LEAT_PLATFORM is none of native, simulated, profiled and smpi"
#endif

// On the threads of the system: they may become workers of a default runtime, and a plugin shares their words with the library.
#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 1 || LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 4
#define LEAT_ON_SYSTEM_THREADS 1
#endif

namespace leat::inline LEAT_ABI::platform {

// All files of a program, and the library that it links, choose alike: the public classes have the same names for
// each choice, and other members.
using chosen = LEAT_PLATFORM;

}  // namespace leat::inline LEAT_ABI::platform
