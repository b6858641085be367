# Debian packages: libleat0, libleat-dev and leat-tools, which `cpack` makes of the components of leat_install.cmake (preset `package`,
# docs/guide/packaging.md). They follow Debian's policy as far as lintian sees it.

# Without a shared leat there is no libleat0. A part of the source tree, such as Conan's recipe takes, may have nothing for Debian.
set(leat_debian "${PROJECT_SOURCE_DIR}/packaging/debian")
if(NOT BUILD_SHARED_LIBS OR NOT EXISTS "${leat_debian}")
  return()
endif()
find_program(LEAT_GZIP gzip)
mark_as_advanced(LEAT_GZIP)
if(NOT LEAT_GZIP) # each Debian has it
  return()
endif()

# The project has no address. A distributor names the one that answers for its packages; nothing is ever delivered to .invalid.
set(LEAT_PACKAGE_MAINTAINER "The leat authors <maintainers@leat.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(leat_package_revision 0leat1) # lower than 1: a package of Debian's own replaces it
set(leat_package_version "${PROJECT_VERSION}-${leat_package_revision}")
set(leat_package_of_leat_runtime libleat${PROJECT_VERSION_MAJOR})
set(leat_package_of_leat_development libleat-dev)
set(leat_package_of_leat_tools leat-tools)
set(leat_packaged leat_runtime leat_development)
if(TARGET leat_cli)
  list(APPEND leat_packaged leat_tools)
endif()

# --- Files that only a package has ---------------------------------------------------------------------------------------

set(leat_package_files "${PROJECT_BINARY_DIR}/package_files")

# gzip's -n leaves the time out, so that the same text gives the same file.
function(leat_compress text compressed)
  execute_process(COMMAND "${LEAT_GZIP}" -9nc "${text}" OUTPUT_FILE "${compressed}" COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${text}")
endfunction()

file(MAKE_DIRECTORY "${leat_package_files}")
string(TIMESTAMP leat_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # that of SOURCE_DATE_EPOCH, where it is set
configure_file("${leat_debian}/changelog.in" "${leat_package_files}/changelog" @ONLY)
leat_compress("${leat_package_files}/changelog" "${leat_package_files}/changelog.Debian.gz")
leat_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${leat_package_files}/changelog.gz")
foreach(leat_component IN LISTS leat_packaged)
  install(FILES "${leat_debian}/copyright" "${leat_package_files}/changelog.Debian.gz" "${leat_package_files}/changelog.gz"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${leat_package_of_${leat_component}}" COMPONENT ${leat_component} EXCLUDE_FROM_ALL)
endforeach()
install(FILES "${leat_debian}/overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
        RENAME ${leat_package_of_leat_runtime} COMPONENT leat_runtime EXCLUDE_FROM_ALL)
foreach(leat_program IN ITEMS cli=leat mpi=leat-mpi sim=leat-sim)
  string(REGEX MATCH "^(.*)=(.*)$" leat_program "${leat_program}")
  if(TARGET leat_${CMAKE_MATCH_1})
    leat_compress("${leat_debian}/${CMAKE_MATCH_2}.1" "${leat_package_files}/${CMAKE_MATCH_2}.1.gz")
    install(FILES "${leat_package_files}/${CMAKE_MATCH_2}.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT leat_tools
            EXCLUDE_FROM_ALL)
  endif()
endforeach()

# --- What CPack is told --------------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME leat)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "${LEAT_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # else it would be the synopsis of each package
set(CPACK_COMPONENTS_ALL ${leat_packaged})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/leat_package_folders.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${leat_package_revision})
set(CPACK_DEBIAN_PACKAGE_SOURCE leat)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What the libraries and programs link is found by dpkg-shlibdeps, which is told where libleat.so is: no package has it yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")

set(CPACK_DEBIAN_LEAT_RUNTIME_PACKAGE_NAME ${leat_package_of_leat_runtime})
set(CPACK_DEBIAN_LEAT_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LEAT_RUNTIME_DESCRIPTION "runtime for task parallelism by work stealing
leat runs tasks, forks and loops of C++ programs on all CPUs of a machine, and
trees of tasks on the ranks of an MPI program.
.
This package has the shared libraries.")
# What a package of programs that link leat depends on. Another minor version of libleat0 has libraries of another SONAME.
math(EXPR leat_next_minor "${PROJECT_VERSION_MINOR} + 1")
set(leat_shlibs "")
foreach(leat_library IN ITEMS leat leat_cluster_mpi)
  if(TARGET ${leat_library})
    string(APPEND leat_shlibs "lib${leat_library} ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${leat_package_of_leat_runtime} "
           "(>= ${PROJECT_VERSION}), ${leat_package_of_leat_runtime} (<< ${PROJECT_VERSION_MAJOR}.${leat_next_minor}~)\n")
  endif()
endforeach()
file(WRITE "${leat_package_files}/shlibs" "${leat_shlibs}")
# dpkg calls ldconfig by a trigger. CPack would add scripts that call it, too, unless it is given files of these names. It warns that they
# are missing, and leaves them out.
set(CPACK_DEBIAN_LEAT_RUNTIME_PACKAGE_CONTROL_EXTRA "${leat_package_files}/shlibs" "${leat_debian}/triggers"
                                                    "${leat_debian}/none/postinst" "${leat_debian}/none/postrm")

# leat_threads.pc and the CMake package name Boost.Context, leat.pc names hwloc (for --static), leat_cluster_mpi.pc an MPI.
set(leat_development_needs "${leat_package_of_leat_runtime} (= ${leat_package_version})")
if(TARGET leat_threads)
  string(APPEND leat_development_needs ", libboost-context-dev")
endif()
if(LEAT_HWLOC)
  string(APPEND leat_development_needs ", libhwloc-dev")
endif()
set(leat_development_suggests "")
if(LEAT_MPI AND MPI_C_LIBRARIES MATCHES "(mpich|openmpi)")
  set(leat_development_suggests lib${CMAKE_MATCH_1}-dev)
  set(leat_launcher "${CMAKE_MATCH_1}")
  string(REPLACE openmpi openmpi-bin leat_launcher "${leat_launcher}")
  set(CPACK_DEBIAN_LEAT_TOOLS_PACKAGE_RECOMMENDS ${leat_launcher}) # it has mpiexec
endif()
set(CPACK_DEBIAN_LEAT_DEVELOPMENT_PACKAGE_NAME ${leat_package_of_leat_development})
set(CPACK_DEBIAN_LEAT_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LEAT_DEVELOPMENT_PACKAGE_DEPENDS "${leat_development_needs}")
set(CPACK_DEBIAN_LEAT_DEVELOPMENT_PACKAGE_SUGGESTS "${leat_development_suggests}")
set(CPACK_DEBIAN_LEAT_DEVELOPMENT_DESCRIPTION "runtime for task parallelism by work stealing (development files)
leat runs tasks, forks and loops of C++ programs on all CPUs of a machine, and
trees of tasks on the ranks of an MPI program.
.
This package has the headers, a CMake package and files for pkg-config.")

set(CPACK_DEBIAN_LEAT_TOOLS_PACKAGE_NAME ${leat_package_of_leat_tools})
set(CPACK_DEBIAN_LEAT_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_LEAT_TOOLS_PACKAGE_DEPENDS "${leat_package_of_leat_runtime} (= ${leat_package_version})")
set(CPACK_DEBIAN_LEAT_TOOLS_PACKAGE_SUGGESTS python3-matplotlib) # for figures/draw.py
set(CPACK_DEBIAN_LEAT_TOOLS_DESCRIPTION "benchmarks and simulations of task parallelism by work stealing
The program leat measures what tasks, forks and loops cost on the runtime leat,
beside other libraries. It runs the same kernels in simulated worlds and on the
ranks of an MPI program, and repeats figures and tables of papers.")

include(CPack)
