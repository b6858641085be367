# Run when a test program has been built: asks it for its suites, and writes a file for ctest with one test for each suite,
# PREFIX.SUITE, and one more, PREFIX.SUITE_long, for those of its cases whose name ends in _long. Instances of a typed or
# parameterised suite are one suite. A case that fails is named at the end of the output of its suite.
#
# Variables: PROGRAM, PREFIX, FILE, LABEL, TIMEOUT and TIMEOUT_LONG in seconds, ALONE (whether nothing may run beside it).
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 120)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${status}")
endif()

# "suite/0.  # TypeParam = ..." begins a suite, and "  case" is one of its cases.
set(suites)
string(REPLACE ";" "," listed "${listed}")
string(REPLACE "\n" ";" lines "${listed}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.( *#.*)?$")
    string(REGEX REPLACE "/[0-9]+$" "" suite "${CMAKE_MATCH_1}")
    if(suite MATCHES "/") # instance/suite of TEST_P
      string(REGEX REPLACE "^[^/]*/" "" suite "${suite}")
    endif()
    list(APPEND suites "${suite}")
  elseif(line MATCHES "^  +([^ ]+)")
    set(case "${CMAKE_MATCH_1}")
    if("${suite}.${case}" MATCHES "_long([./]|$)")
      set(has_long_${suite} TRUE)
    else()
      set(has_short_${suite} TRUE)
    endif()
  endif()
endforeach()
list(REMOVE_DUPLICATES suites)

set(long_names "*_long.*:*_long:*_long/*")
set(text "")
foreach(suite IN LISTS suites)
  set(of_suite "${suite}.*:${suite}/*:*/${suite}.*:*/${suite}/*")
  if(has_short_${suite})
    string(APPEND text "add_test([[${PREFIX}.${suite}]] [[${PROGRAM}]] --gtest_brief=1 [[--gtest_filter=${of_suite}:-${long_names}]])\n"
           "set_tests_properties([[${PREFIX}.${suite}]] PROPERTIES LABELS ${LABEL} TIMEOUT ${TIMEOUT} RUN_SERIAL ${ALONE})\n")
  endif()
  if(has_long_${suite})
    set(of_suite_long "${suite}.*_long:${suite}/*.*_long:*/${suite}.*_long/*")
    if(suite MATCHES "_long$")
      set(of_suite_long "${of_suite}")
      set(name "${PREFIX}.${suite}")
    else()
      set(name "${PREFIX}.${suite}_long")
    endif()
    string(APPEND text "add_test([[${name}]] [[${PROGRAM}]] --gtest_brief=1 [[--gtest_filter=${of_suite_long}]])\n"
           "set_tests_properties([[${name}]] PROPERTIES LABELS long TIMEOUT ${TIMEOUT_LONG} RUN_SERIAL TRUE)\n")
  endif()
endforeach()
file(WRITE "${FILE}" "${text}")
