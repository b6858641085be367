# MPI::MPI_C, if there is an MPI; -DMPI_C_COMPILER=mpicc.mpich chooses one of several. MPIEXEC_EXECUTABLE is of the same.

set(MPI_C_FOUND OFF)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize") # which do not see through MPI's libraries
  return()
endif()
include(CheckLanguage)
check_language(C)
if(NOT CMAKE_C_COMPILER)
  return()
endif()
enable_language(C)
# Where several are installed, each has its name as suffix, and what has none may be of any of them.
find_program(MPI_C_COMPILER NAMES mpicc.mpich mpicc)
if(MPI_C_COMPILER MATCHES "mpicc\\.([^/]+)$")
  find_program(MPIEXEC_EXECUTABLE NAMES "mpiexec.${CMAKE_MATCH_1}")
endif()
find_package(MPI QUIET COMPONENTS C)
if(MPI_C_FOUND)
  # The C interface alone, which does not change with the C++ compiler: Open MPI's header has C++ functions, too, which its C library has not.
  target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
