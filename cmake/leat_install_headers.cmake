# Runs at the time of install. leat's folders hold public headers (include/leat) and internal ones (src/leat, adapters). What is
# installed says which is which by its place: include/leat has the public headers, include/leat/detail the rest. So lines of
# #include are written anew, and one folder is enough to find all of them.

file(GLOB leat_public RELATIVE "${leat_source}/include/leat" "${leat_source}/include/leat/*.hpp")

# A header's text with the installed names of those that it includes.
function(leat_stage header place)
  file(READ "${header}" text)
  string(REGEX REPLACE "(#include [\"<])leat/([a-z_]+[/])" "\\1leat/detail/\\2" text "${text}")
  string(REGEX REPLACE "(#include [\"<])(leat_pstl_)" "\\1leat/detail/pstl/\\2" text "${text}")
  foreach(internal IN LISTS leat_internal_tops)
    string(REPLACE "#include \"leat/${internal}\"" "#include \"leat/detail/${internal}\"" text "${text}")
  endforeach()
  # Left alone where it is the same, for the sake of programs that need not be compiled again.
  set(before "")
  if(EXISTS "${leat_staged}/${place}")
    file(READ "${leat_staged}/${place}" before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE "${leat_staged}/${place}" "${text}")
  endif()
  set_property(GLOBAL APPEND PROPERTY leat_placed "${place}")
endfunction()

file(GLOB leat_internal_tops RELATIVE "${leat_source}/src/leat" "${leat_source}/src/leat/*.hpp")
file(GLOB_RECURSE leat_internal RELATIVE "${leat_source}/src/leat" "${leat_source}/src/leat/*.hpp")
file(GLOB leat_pstl_parts RELATIVE "${leat_source}/adapters/pstl" "${leat_source}/adapters/pstl/leat_pstl_*.hpp")
foreach(leat_header IN LISTS leat_public)
  leat_stage("${leat_source}/include/leat/${leat_header}" "leat/${leat_header}")
endforeach()
foreach(leat_header IN LISTS leat_internal)
  leat_stage("${leat_source}/src/leat/${leat_header}" "leat/detail/${leat_header}")
endforeach()
foreach(leat_header IN LISTS leat_pstl_parts)
  leat_stage("${leat_source}/adapters/pstl/${leat_header}" "leat/detail/pstl/${leat_header}")
endforeach()
leat_stage("${leat_source}/adapters/parlay/leat_parlay.hpp" "leat_parlay.hpp")
leat_stage("${leat_source}/adapters/pstl/leat_pstl.hpp" "leat_pstl.hpp")

get_property(leat_placed GLOBAL PROPERTY leat_placed)
if(NOT IS_ABSOLUTE "${leat_includedir}")
  set(leat_includedir "${CMAKE_INSTALL_PREFIX}/${leat_includedir}")
endif()
foreach(leat_header IN LISTS leat_placed)
  cmake_path(GET leat_header PARENT_PATH leat_folder)
  file(INSTALL DESTINATION "${leat_includedir}/${leat_folder}" TYPE FILE FILES "${leat_staged}/${leat_header}")
endforeach()
