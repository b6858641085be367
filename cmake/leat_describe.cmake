# Writes what `git describe` calls the source tree, for the program leat. usage: cmake -DSOURCE=DIR -DHEADER=FILE -P leat_describe.cmake
#
# It runs with each build, and writes only what has changed. Outside of a clone the name is empty.

find_program(GIT git)
set(described "")
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --tags --match "v[0-9]*" --always --dirty OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT [[// What git describe calls the source tree; empty outside of a clone.

#pragma once

#define LEAT_DESCRIBED "@described@"
]] @ONLY)
