# LEAT_SANITIZE: leat with a sanitizer, for programs that are built with it. ThreadSanitizer takes for races what a library does
# that it does not see.

if(LEAT_SANITIZE)
  string(REPLACE "," ";" leat_sanitizers "${LEAT_SANITIZE}")
  foreach(leat_sanitizer IN LISTS leat_sanitizers)
    if(NOT leat_sanitizer MATCHES "^(thread|address|undefined)$")
      message(FATAL_ERROR "LEAT_SANITIZE is '${LEAT_SANITIZE}': '${leat_sanitizer}' is none of thread, address and undefined")
    endif()
  endforeach()
  if("thread" IN_LIST leat_sanitizers AND "address" IN_LIST leat_sanitizers)
    message(FATAL_ERROR "LEAT_SANITIZE is '${LEAT_SANITIZE}': thread and address exclude each other")
  endif()
  list(JOIN leat_sanitizers "," leat_sanitizer_flags)
  string(PREPEND leat_sanitizer_flags "-fsanitize=")
  string(APPEND CMAKE_CXX_FLAGS " ${leat_sanitizer_flags}")
endif()

# Has all that link a target compiled and linked with the same sanitizers.
function(leat_sanitized_users target)
  if(LEAT_SANITIZE)
    target_compile_options(${target} INTERFACE ${leat_sanitizer_flags})
    target_link_options(${target} INTERFACE ${leat_sanitizer_flags})
  endif()
endfunction()
