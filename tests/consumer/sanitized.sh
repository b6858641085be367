#!/usr/bin/env bash
# A program that is built with ThreadSanitizer, and leat with it. usage: sanitized.sh SOURCE CMAKE CXX

set -euo pipefail
exec </dev/null
source=$1 cmake=$2 cxx=$3
here=$source/tests/consumer
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
# shellcheck source=project.sh
source "$here/project.sh"

step "add_subdirectory, with LEAT_SANITIZE=thread"
export TSAN_OPTIONS=halt_on_error=1
project sanitized -DLEAT_SOURCE="$source" -DLEAT_SANITIZE=thread -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)"
"$work/sanitized/parlay_consumer" || fail "the program over Parlay failed"
"$work/sanitized/pstl_consumer" || fail "the program with std::execution::par failed"
for program in consumer parlay_consumer pstl_consumer; do
  nm -C "$work/sanitized/$program" >"$work/symbols"
  grep -qF "leat::built::with_thread_sanitizer" "$work/symbols" || fail "$program is not linked with such a leat"
  grep -q "__tsan_func_entry" "$work/symbols" || fail "$program has no ThreadSanitizer"
done
