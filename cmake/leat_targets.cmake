# What holds for every target that is built from this tree, and for no target of a user.

# Language level and warnings of one of our own targets. Nothing here is exported.
function(leat_own_target target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
  # GCC 12 sees overlaps in std::string's operator+ that are not there (its bug 105651), and empty optionals that are read.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  # clang sees that libstdc++'s own stable_sort uses what libstdc++ calls deprecated, and that Relacy has a macro called $.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations -Wno-dollar-in-identifier-extension)
  endif()
  if(LEAT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# One of the libraries that programs link.
function(leat_library_target target)
  leat_own_target(${target})
  # It exports everything, whatever the project that has leat as a part prefers: templates that programs instantiate need what
  # lies beneath. Objects may become part of a plugin, or of a Python module. That costs nothing where it counts, as forks and
  # joins are compiled in the program (docs/internals/fork_join.md). A shared library and an archive have the same objects.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
                                             POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL "")
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  # Two plugins that each have a static leat in them have two leats. g++ marks the thread-local words of templates as one in the process,
  # whichever file they come from; then each of the two would find a part of its words changed by the other.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-gnu-unique)
  endif()
endfunction()
