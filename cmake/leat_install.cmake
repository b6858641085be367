# The install tree: headers, library, and the two ways to find them (a CMake package and a pkg-config file). It may be moved
# after the install: nothing in it holds an absolute path.

include(CMakePackageConfigHelpers)
set(leat_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/leat")

install(TARGETS leat leat_parlay leat_pstl EXPORT leatTargets)
if(LEAT_MPI)
  install(TARGETS leat_cluster_mpi EXPORT leatTargets)
endif()
if(TARGET leat_threads)
  install(TARGETS leat_threads EXPORT leatTargets)
endif()
if(TARGET leat_cli)
  install(TARGETS leat_cli)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/figures/" DESTINATION "${CMAKE_INSTALL_DATADIR}/leat/figures")
endif()
if(TARGET leat_mpi)
  install(TARGETS leat_mpi)
endif()
if(TARGET leat_sim)
  install(TARGETS leat_sim)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/machines/" DESTINATION "${CMAKE_INSTALL_DATADIR}/leat/machines")
endif()

# Public headers and those of the floors share one root, so that <leat/runtime.hpp> and "leat/channel/mpsc.hpp" both work.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/leat" "${PROJECT_SOURCE_DIR}/src/leat"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
target_include_directories(leat_parlay INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_include_directories(leat_pstl INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/adapters/parlay/" "${PROJECT_SOURCE_DIR}/adapters/pstl/"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")

set(leat_needs_hwloc OFF)
set(leat_pc_requires "")
if(LEAT_HWLOC AND NOT BUILD_SHARED_LIBS)
  set(leat_needs_hwloc ON)
  set(leat_pc_requires "Requires: hwloc >= 2")
endif()
install(EXPORT leatTargets NAMESPACE leat:: DESTINATION "${leat_package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/leatConfig.cmake.in" "${PROJECT_BINARY_DIR}/leatConfig.cmake"
                              INSTALL_DESTINATION "${leat_package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/leatConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/leatConfig.cmake" "${PROJECT_BINARY_DIR}/leatConfigVersion.cmake"
        DESTINATION "${leat_package_dir}")

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
set(leat_pc_files leat)
if(LEAT_MPI)
  # Where they were found: MPI is no part of what is installed, and has no name for pkg-config that all systems share.
  list(JOIN MPI_C_LIBRARIES " " leat_pc_mpi)
  list(APPEND leat_pc_files leat_cluster_mpi)
endif()
foreach(leat_pc_file IN LISTS leat_pc_files)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${leat_pc_file}.pc.in" "${PROJECT_BINARY_DIR}/${leat_pc_file}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${leat_pc_file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
