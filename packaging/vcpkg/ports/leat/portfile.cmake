# An overlay port: it builds the source tree that it lies in. In a registry vcpkg_from_github or vcpkg_from_git sets SOURCE_PATH.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(
    OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        hwloc   LEAT_HWLOC
        threads LEAT_THREADS
        mpi     LEAT_MPI
)
if("hwloc" IN_LIST FEATURES)
    vcpkg_find_acquire_program(PKGCONFIG) # leat finds hwloc by it
    list(APPEND FEATURE_OPTIONS "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
endif()

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DLEAT_BUILD_TESTS=OFF
        -DLEAT_BUILD_CLI=OFF
        -DLEAT_SIMULATED=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/leat)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
