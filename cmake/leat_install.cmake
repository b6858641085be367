# The install tree: headers, library, and the two ways to find them (a CMake package and a pkg-config file). It may be moved
# after the install: nothing in it holds an absolute path.

include(CMakePackageConfigHelpers)
set(leat_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/leat")

# Each file belongs to a component: leat_runtime is what a program needs to run, leat_development what it needs to be compiled, leat_tools
# the programs. leat_packages.cmake makes a package of each.
set(leat_artifacts LIBRARY COMPONENT leat_runtime NAMELINK_COMPONENT leat_development ARCHIVE COMPONENT leat_development)

# All headers are found from one folder.
foreach(leat_target IN ITEMS leat leat_cluster leat_parlay leat_profiled leat_pstl)
  install(TARGETS ${leat_target} EXPORT leatTargets ${leat_artifacts} INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
if(LEAT_MPI)
  install(TARGETS leat_cluster_mpi EXPORT leatTargets ${leat_artifacts})
endif()
if(TARGET leat_threads)
  install(TARGETS leat_threads EXPORT leatTargets ${leat_artifacts})
endif()
if(TARGET leat_cli)
  install(TARGETS leat_cli RUNTIME COMPONENT leat_tools)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/figures/" DESTINATION "${CMAKE_INSTALL_DATADIR}/leat/figures" COMPONENT leat_tools)
  install(FILES "${PROJECT_SOURCE_DIR}/cli/completion/leat.bash" RENAME leat
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT leat_tools)
endif()
if(TARGET leat_mpi)
  install(TARGETS leat_mpi RUNTIME COMPONENT leat_tools)
endif()
if(TARGET leat_sim)
  install(TARGETS leat_sim RUNTIME COMPONENT leat_tools)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/machines/" DESTINATION "${CMAKE_INSTALL_DATADIR}/leat/machines" COMPONENT leat_tools)
endif()

# gdb loads the script by itself for a shared library, of which it knows the path. Programs with a static one name the script.
install(FILES "${PROJECT_SOURCE_DIR}/packaging/gdb/leat_gdb.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/leat/gdb" COMPONENT leat_development)
get_target_property(leat_kind leat TYPE)
if(leat_kind STREQUAL "SHARED_LIBRARY")
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/gdb/leat_gdb.py" RENAME "$<TARGET_FILE_NAME:leat>-gdb.py"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR}" COMPONENT leat_development)
endif()

install(CODE "set(leat_source [[${PROJECT_SOURCE_DIR}]])
set(leat_staged [[${PROJECT_BINARY_DIR}/installed_headers]])
set(leat_includedir [[${CMAKE_INSTALL_INCLUDEDIR}]])" COMPONENT leat_development)
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/leat_install_headers.cmake" COMPONENT leat_development)

# A static leat does not bring hwloc along. Beside a shared one may lie a static one, for which `pkg-config --static` asks.
set(leat_needs_hwloc OFF)
set(leat_pc_hwloc "")
if(LEAT_HWLOC AND BUILD_SHARED_LIBS)
  list(JOIN leat_hwloc_LDFLAGS " " leat_pc_hwloc)
  string(PREPEND leat_pc_hwloc "Libs.private: ")
elseif(LEAT_HWLOC)
  set(leat_needs_hwloc ON)
  set(leat_pc_hwloc "Requires: hwloc >= 2")
endif()
install(EXPORT leatTargets NAMESPACE leat:: DESTINATION "${leat_package_dir}" COMPONENT leat_development)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/leatConfig.cmake.in" "${PROJECT_BINARY_DIR}/leatConfig.cmake"
                              INSTALL_DESTINATION "${leat_package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/leatConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/leatConfig.cmake" "${PROJECT_BINARY_DIR}/leatConfigVersion.cmake"
        DESTINATION "${leat_package_dir}" COMPONENT leat_development)

# The build tree is a package too: -Dleat_DIR=<build>.
export(EXPORT leatTargets NAMESPACE leat:: FILE "${PROJECT_BINARY_DIR}/leatTargets.cmake")

# pkg-config finds the prefix from the place of its file; only an absolute directory chosen by the builder stays as it is.
foreach(leat_which IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${leat_which}}")
    set(leat_pc_${leat_which} "${CMAKE_INSTALL_${leat_which}}")
  else()
    set(leat_pc_${leat_which} "\${prefix}/${CMAKE_INSTALL_${leat_which}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(leat_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH leat_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" leat_pc_prefix "\${pcfiledir}/${leat_pc_prefix}")
endif()
set(leat_pc_sanitizers "")
if(LEAT_SANITIZE)
  set(leat_pc_sanitizers " ${leat_sanitizer_flags}")
endif()

# Boost has no files for pkg-config. Its folders are named where compilers do not look by themselves.
function(leat_pc_flags_of_boost cflags libs)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" kind)
  get_target_property(library Boost::context LOCATION_${kind})
  cmake_path(GET library PARENT_PATH folder)
  cmake_path(GET library FILENAME file)
  string(REGEX REPLACE "^lib(.*)\\.(a|so)(\\..*)?$" "-l\\1" flags "${file}")
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND flags "-L${folder} ")
  endif()
  set(${libs} "${flags}" PARENT_SCOPE)
  set(${cflags} "" PARENT_SCOPE)
  if(Boost_INCLUDE_DIRS AND NOT Boost_INCLUDE_DIRS IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(${cflags} "-isystem ${Boost_INCLUDE_DIRS}" PARENT_SCOPE)
  endif()
endfunction()

set(leat_pc_files leat leat_cluster leat_parlay leat_profiled leat_pstl)
if(LEAT_MPI)
  # Where they were found: MPI is no part of what is installed, and has no name for pkg-config that all systems share.
  list(JOIN MPI_C_LIBRARIES " " leat_pc_mpi)
  list(APPEND leat_pc_files leat_cluster_mpi)
endif()
if(TARGET leat_threads)
  leat_pc_flags_of_boost(leat_pc_boost_cflags leat_pc_boost_libs)
  list(APPEND leat_pc_files leat_threads)
endif()
foreach(leat_pc_file IN LISTS leat_pc_files)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${leat_pc_file}.pc.in" "${PROJECT_BINARY_DIR}/${leat_pc_file}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${leat_pc_file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
          COMPONENT leat_development)
endforeach()
