# Settings that belong to whoever owns the build, so they are made only when that is leat itself.

get_property(leat_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT leat_multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# CMake forgets what a preset has set when the compiler's path changes, and the tests would go on without their sanitizer.
if(PROJECT_BINARY_DIR MATCHES "/build/(tsan|asan-ubsan)$" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  message(FATAL_ERROR "The flags of the preset in ${PROJECT_BINARY_DIR} are lost: remove its CMakeCache.txt, and configure again")
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  if(LEAT_CCACHE AND NOT EXISTS "${LEAT_CCACHE}") # it has been removed since
    unset(LEAT_CCACHE CACHE)
  endif()
  find_program(LEAT_CCACHE ccache)
  mark_as_advanced(LEAT_CCACHE)
  if(LEAT_CCACHE)
    # It keeps what is compiled with a precompiled header only if it need not look for __TIME__ there, or for macros.
    # It must go on to refuse a header that is newer than the compilation: that one may have read an older text.
    # g++ compiles the same in every clone: paths below the clone are given to it relative to the build folder. Clang keeps
    # absolute paths in precompiled headers, so a header of another clone would be read.
    set(leat_ccache_base "")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(leat_ccache_base "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};")
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;${leat_ccache_base}CCACHE_SLOPPINESS=pch_defines,time_macros;${LEAT_CCACHE}")
  endif()
endif()
