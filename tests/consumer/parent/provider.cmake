# Notes each package that is looked for, and goes on to look for it.
macro(note_package method name)
  file(APPEND "${CMAKE_BINARY_DIR}/packages.txt" "${name}\n")
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER note_package SUPPORTED_METHODS FIND_PACKAGE)
