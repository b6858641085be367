// What leat asks of a compiler. The first header that any program of leat reads, so that a refusal stands alone.
#pragma once

// An #error alone does not stop g++, which would go on to hundreds of errors of other headers. An #include that
// cannot be found does, also clang++, and its name says the reason once more.
#if __cplusplus < 202002L
#error "leat needs C++20: compile with -std=c++20"
#include <cxx20_which_leat_needs>  // not there: the compiler stops here
#endif

#if !defined(__cpp_exceptions)
#error "leat needs exceptions, which carry what a task throws: compile without -fno-exceptions"
#include <exceptions_which_leat_needs>  // not there: the compiler stops here
#endif
