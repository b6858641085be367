#!/usr/bin/env bash
# Uses a finished build as programs do that should be refused, each with the words that tell its author
# why. usage: linking.sh SOURCE BUILD CMAKE CXX

set -euo pipefail
exec </dev/null
source=$1 build=$2 cmake=$3 cxx=$4
here=$source/tests/consumer
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH leat_DIR leat_ROOT CMAKE_PREFIX_PATH PKG_CONFIG_PATH DESTDIR
# shellcheck source=project.sh
source "$here/project.sh"

says() { # FILE, WORDS: whether it has them, wherever its lines end
  tr -s '[:space:]' ' ' <"$1" | grep -F -- "$2" >/dev/null
}

step "a program that was compiled otherwise than the library is not linked"
printf '#include <leat/version.hpp>\nint main() {}\n' >"$work/small.cpp"
links() { # FLAGS...
  "$cxx" -std=c++20 "$@" -I "$source/include" -I "$source/src" -c "$work/small.cpp" -o "$work/small.o" &&
    "$cxx" "$work/small.o" -L "$build" -lleat "-Wl,-rpath,$build" -Wl,--gc-sections -o "$work/small" >"$work/small.log" 2>&1
}
refused() { # SYMBOL, FLAGS...
  local symbol=$1
  shift
  ! links "$@" || fail "it is linked with $*"
  says "$work/small.log" "leat::built::$symbol" || {
    cat "$work/small.log"
    fail "the linker does not name $symbol"
  }
}
links -DNDEBUG -O2 -ffunction-sections -fdata-sections || {
  cat "$work/small.log"
  fail "one that was compiled alike is not linked"
}
"$work/small"
refused with_GLIBCXX_DEBUG -D_GLIBCXX_DEBUG -fdata-sections
refused without_GLIBCXX_USE_CXX11_ABI -D_GLIBCXX_USE_CXX11_ABI=0
refused with_thread_sanitizer -fsanitize=thread
mkdir -p "$work/other/leat/platform"
sed 's/^#define LEAT_VERSION_MAJOR .*/#define LEAT_VERSION_MAJOR 98765/' "$source/src/leat/platform/built.hpp" >"$work/other/leat/platform/built.hpp"
refused version_98765_ -I "$work/other"
