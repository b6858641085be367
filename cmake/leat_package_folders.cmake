# Runs between the install of the packages' files and their packing: folders are open to all, whatever the umask of the builder is.
# (file(CHMOD_RECURSE) would fail: libleat.so in libleat-dev is a link to a file of another package.)

file(GLOB_RECURSE leat_paths LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(leat_path IN LISTS leat_paths)
  if(IS_DIRECTORY "${leat_path}" AND NOT IS_SYMLINK "${leat_path}")
    file(CHMOD "${leat_path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
