# `./dev test`: three depths, and tests by their names. dev reads this; it has need, configure, build, say and fail.

passed=0 failed=0 skipped=0
no_tests=error # whether a preset without a test is an error: where ctest gets arguments they may leave none, so `ignore`
closing=()

count() { # JUNIT FILE, adds its numbers to the totals
  local key
  declare -A number=()
  for key in tests failures disabled skipped; do
    number[$key]=$(sed -n "s/^[[:space:]]*\(<testsuite .*\)\?$key=\"\([0-9]*\)\".*/\2/p" "$1" 2>/dev/null | head -n 1)
  done
  local idle=$((${number[disabled]:-0} + ${number[skipped]:-0}))
  skipped=$((skipped + idle))
  failed=$((failed + ${number[failures]:-0}))
  passed=$((passed + ${number[tests]:-0} - ${number[failures]:-0} - idle))
}

# How many cases of GoogleTest passed, by what each program said at its end.
cases_in() { # LOG OF CTEST
  cat -- "$1" 2>/dev/null | awk '/^\[  PASSED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }'
}

test_preset() { # PRESET TARGETS CTEST ARGUMENTS... (TARGETS: a list in one word; none where all is configured and built)
  local preset=$1 log=build/logs/$1.test.log junit=$root/build/logs/$1.junit.xml tests=() status line targets=()
  local cases_log=build/$1/Testing/Temporary/LastTest.log
  read -ra targets <<<"$2"
  shift 2
  rm -f -- "$junit" "$log" "$cases_log"
  if ((${#targets[@]})) && { ! configure "$preset" -DLEAT_BUILD_TESTS=ON || ! build "$preset" "${targets[@]}"; }; then
    failed=$((failed + 1)) # a preset that does not build counts as one failed test
    closing+=("did not build ($preset)")
    return
  fi
  say "$preset: testing"
  tests=(ctest --preset "$preset" --parallel "$jobs" --no-tests="$no_tests"
    --output-log "$root/$log" --output-junit "$junit" "$@")
  if [[ $terminal == true ]]; then
    "${tests[@]}" --progress
    status=$?
  else
    "${tests[@]}" 2>&1 | grep --line-buffered -vE '^ *Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#[0-9]+:.*   Passed '
    status=${PIPESTATUS[0]}
  fi
  line=$(sed 's/\x1b\[[0-9;]*m//g' "$log" 2>/dev/null | grep -E '% tests passed, .* out of ' | tail -n 1)
  closing+=("${line:-no test ran}, $(cases_in "$cases_log") cases ($preset)")
  local failed_before=$failed
  [[ -f $junit ]] && count "$junit"
  if ((status != 0 && failed == failed_before)); then
    failed=$((failed + 1)) # ctest itself failed
    say "dev: ctest failed ($status) in $preset"
  fi
}

# Kinds of tests that a change to the library can break and that take minutes. Left out are those that compile the scheduler
# again (simulated, checked) and those of what stands around it (parlay, spin, cli, mpi, misuse, consumer, micro).
quick_kinds=(unit stress soak fault conformance model house)

run_tests() {
  local arguments=() names=() depth=default argument
  while (($#)); do
    argument=$1
    shift
    case $argument in
      --quick | --long)
        [[ $depth == default ]] || fail "test takes one of --quick and --long"
        depth=${argument#--}
        ;;
      -h | --help) usage && return ;;
      --) arguments=("$@") && break ;;
      -*) fail "test has no option '$argument' (what ctest is to get goes after --)" ;;
      '') fail "test: a name is empty" ;;
      *) names+=("$argument") ;;
    esac
  done
  ((${#arguments[@]} == 0)) || no_tests=ignore
  ((${#names[@]} == 0)) || [[ $depth == default ]] || fail "test takes names or --$depth, not both"
  need "$needs_to_build
$needs_to_test"
  like_lizard
  check_cmake
  if ((${#names[@]})); then
    test_named "${names[@]}" -- "${arguments[@]}"
  elif [[ $depth == quick ]]; then
    local targets=("${quick_kinds[@]/#/leat_tests_}") kinds
    printf -v kinds '|%s' "${quick_kinds[@]}"
    test_preset release "${targets[*]}" -L "^(${kinds#|})\$" "${arguments[@]}"
  else
    local depth_arguments=(-LE '^long$') preset
    [[ $depth == long ]] && depth_arguments=()
    need "$needs_of_sanitizers"
    for preset in "${test_presets[@]}"; do
      test_preset "$preset" all "${depth_arguments[@]}" "${arguments[@]}"
    done
    if [[ $depth == long ]]; then
      need "$needs_of_openmpi"
      test_preset openmpi leat_tests_mpi -L '^mpi$' "${arguments[@]}"
      need_arm64
      test_preset aarch64 'leat_tests_unit leat_tests_stress' -L '^(unit|stress)$' "${arguments[@]}"
    fi
  fi
  printf '\n'
  printf '%s\n' "${closing[@]}"
  [[ $depth == quick || ${#names[@]} -gt 0 || ! -s build/release/tests_left_out.txt ]] ||
    printf 'left out of release, for want of what they need: %s\n' "$(<build/release/tests_left_out.txt)"
  ((skipped == 0)) || printf '%s tests skipped\n' "$skipped"
  ((passed + failed > 0)) || say "dev: no test ran"
  printf '%s passed, %s failed\n' "$passed" "$failed"
  ((failed == 0 && passed > 0))
}

# The cases of all test programs, each with the test of ctest that runs it, `KIND.SUITE.CASE KIND.SUITE` a line. They are read from
# the sources, as the programs need not be built yet.
cases() {
  local file kind
  for file in tests/*/*_test.cpp; do
    kind=${file#tests/} kind=${kind%%/*}
    tr '\n' ' ' <"$file" | grep -oE '\bTEST(_F|_P)?\( *\w+, *\w+ *\)|\bTYPED_TEST(_P)?\( *\w+, *\w+ *\)' |
      sed -E "s/.*\( *(\w+), *(\w+) *\)/$kind.\1.\2 $kind.\1/; s/^(\S+_long) .*/&_long/; s/_long_long$/_long/"
  done | sort -u
}

# The tests of ctest in release, a name a line, in ctest's order. Programs of one kind share a name: parlay_2_2.drop_in is listed
# as parlay.drop_in.
listed() { # CTEST ARGUMENTS...
  ctest --test-dir build/release -N "$@" 2>/dev/null | sed -nE 's/^ *Test +#[0-9]+: //p' | sed -E 's/^([a-z]+)_[0-9_]+[.]/\1./'
}

# Builds and runs the tests that have one of the names in their own name or in that of a case. A name that is a kind means the
# tests of that kind. A long test runs only when the given name ends in _long, too.
test_named() { # NAME... -- CTEST ARGUMENTS...
  local names=() name line test known built numbers='' targets=() found long rank=0
  declare -A wanted=()
  while [[ $1 != -- ]]; do
    names+=("$1")
    shift
  done
  shift
  configure release -DLEAT_BUILD_TESTS=ON || fail "release is not configured"
  # What the build knows before it has built, and the cases of the programs: a name, and the test that it stands for.
  known=$(listed | sed 's/.*/& &/'; cases)
  for name in "${names[@]}"; do
    found=false long=''
    while read -r line test; do
      if [[ -d tests/$name || $name == micro ]]; then
        [[ $line == "$name".* ]] || continue
      else
        [[ $line == *"$name"* ]] || continue
      fi
      if [[ $test == *_long && $name != *_long ]]; then
        long=$test
        continue
      fi
      found=true
      wanted[$test]=yes
      targets+=("leat_tests_${test%%.*}")
      [[ $test == consumer.install ]] && targets+=(all)
    done <<<"$known"
    [[ $found == true ]] && continue
    [[ -z $long ]] || fail "only long tests have '$name' in their name; a long test is named with its end: $long"
    fail "neither a test nor a case has '$name' in its name"
  done
  mapfile -t targets < <(printf '%s\n' "${targets[@]}" | sort -u)
  build release "${targets[@]}" || fail "the tests did not build"
  built=$'\n'$(listed)$'\n'
  for test in "${!wanted[@]}"; do
    [[ $built == *$'\n'"$test"$'\n'* ]] || say "dev: release was built without $test"
  done
  # ctest -I counts the tests that its other arguments leave.
  while read -r test; do
    rank=$((rank + 1))
    [[ ${wanted[$test]:-} == yes ]] && numbers+=",$rank"
  done < <(listed "$@")
  [[ -n $numbers ]] || fail "no test is left to run"
  rank=${numbers#,} rank=${rank%%,*}
  test_preset release '' -I "$rank,$rank,1$numbers" "$@"
}
