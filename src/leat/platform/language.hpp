// What leat asks of a compiler. The first header that any program of leat reads, so that a refusal stands alone.
#pragma once

#if __cplusplus < 202002L
#error "leat needs C++20: compile with -std=c++20"
#include <cxx20_which_leat_needs>  // not there: the compiler stops here
#endif

#if !defined(__cpp_exceptions)
#error "leat needs exceptions, which carry what a task throws: compile without -fno-exceptions"
#include <exceptions_which_leat_needs>  // not there: the compiler stops here
#endif
