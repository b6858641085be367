# `./dev soak`: one sitting of leat_soak (docs/internals/soak.md). dev reads this; it has need, configure, build, say and fail.

run_soak() {
  local hours=1 workers=2 seed=1 preset=release folder=build/soak seconds page status value
  local more=()
  while (($#)); do
    value=${2:-}
    case $1 in
      --hours | --workers | --seed | --sanitizer | --first-spell | --only)
        (($# > 1)) || fail "soak: $1 needs a value"
        ;;&
      --hours)
        [[ $value =~ ^[0-9]+([.][0-9]+)?$ ]] || fail "soak: --hours: '$value' is no number of hours"
        hours=$value
        ;;
      --workers) workers=$value ;;
      --seed) seed=$value ;;
      --first-spell | --only) more+=("$1" "$value") ;;
      --sanitizer)
        case $value in
          tsan) preset=tsan ;;
          asan) preset=asan-ubsan ;;
          *) fail "soak: --sanitizer is tsan or asan, and not '$value'" ;;
        esac
        ;;
      *) fail "soak has no option '$1'" ;;
    esac
    shift 2
  done
  seconds=$(awk -v h="$hours" 'BEGIN { s = h * 3600; print s < 1 ? 1 : int(s) }')
  need "$needs_to_build
$needs_to_test"
  check_cmake
  [[ $preset == release ]] || need "$needs_of_sanitizers"
  if ! configure "$preset" -DLEAT_BUILD_TESTS=ON || ! build "$preset" leat_soak; then
    fail "leat_soak did not build"
  fi
  mkdir -p -- "$folder"
  page=$folder/$preset-$workers.md
  say "$preset: a sitting of $seconds s with $workers workers, seed $seed"
  # As in the test presets. A quarantine of AddressSanitizer's usual size takes longer to fill than a sitting warms up, and the stacks
  # that glibc keeps for the next threads hold as much memory as these have touched.
  PATH=$PATH:/usr/lib/llvm-19/bin \
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:quarantine_size_mb=8 \
    UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 \
    GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0:glibc.malloc.arena_max=2 \
    "build/$preset/tests/soak/leat_soak" --seconds "$seconds" --workers "$workers" --seed "$seed" \
    --name "$(date +%F), $preset, $jobs CPUs ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1))" "${more[@]}" >"$page.new"
  status=$?
  ((status == 0)) || fail "the sitting has failed ($status); it begins again with --seed and --first-spell"
  mv -- "$page.new" "$page"
  cat -- "$page"
  say "the table is in $page"
}
