# Writes what `git describe` calls the source tree, for the program leat. usage: cmake -DSOURCE=DIR -DHEADER=FILE -P leat_describe.cmake
#
# It runs with each build, and writes only what has changed. Outside of a clone the name is empty.

find_program(GIT git)
set(described "")
if(GIT AND EXISTS "${SOURCE}/.git")
  # A caller may be a hook of another repository. Without optional locks a build writes nothing into the clone.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
                          "${GIT}" --no-optional-locks -C "${SOURCE}" describe --tags --match "v[0-9]*" --always --dirty OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
string(REGEX REPLACE "[^A-Za-z0-9._/+-]" "_" described "${described}")
file(CONFIGURE OUTPUT "${HEADER}" CONTENT [[// What git describe calls the source tree; empty outside of a clone.

#pragma once

#define LEAT_DESCRIBED "@described@"
]] @ONLY)
