#!/usr/bin/env bash
# Installs a finished build, moves it, and uses it as a user would: through find_package, through pkg-config, and from the
# source tree. usage: check.sh SOURCE BUILD CMAKE CXX LIBDIR

set -euo pipefail
exec </dev/null
source=$1 build=$2 cmake=$3 cxx=$4 libdir=$5
here=$source/tests/consumer
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH leat_DIR leat_ROOT CMAKE_PREFIX_PATH PKG_CONFIG_PATH DESTDIR
# shellcheck source=project.sh
source "$here/project.sh"

step "install, and move the result"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv -- "$work/first" "$work/prefix"
prefix=$work/prefix
for wanted in include/leat/leat.hpp include/leat/channel/mpsc.hpp "$libdir/cmake/leat/leatConfig.cmake" \
  "$libdir/cmake/leat/leatConfigVersion.cmake" "$libdir/cmake/leat/leatTargets.cmake" "$libdir/pkgconfig/leat.pc"; do
  [[ -f $prefix/$wanted ]] || fail "$wanted is not installed"
done
for mine in "$source" "$build" "$work/first" -Wall -Werror; do
  ! grep -rlF -e "$mine" "$prefix/$libdir/cmake" "$prefix/$libdir/pkgconfig" || fail "the package speaks of $mine"
done

step "each public header stands alone"
stands_alone() { # HEADER
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I "$prefix/include" -x c++ - <<<"#include <leat/$1>" ||
    fail "$1 does not stand alone"
}
export cxx prefix
export -f stands_alone fail
(cd -- "$source/include/leat" && printf '%s\0' *.hpp) | xargs -0 -P "$(nproc)" -I {} bash -c 'stands_alone {}' ||
  fail "not every header stands alone"

step "find_package, installed"
has_cluster=OFF
! compgen -G "$prefix/$libdir/libleat_cluster_mpi.*" >/dev/null || has_cluster=ON
project installed -DCMAKE_PREFIX_PATH="$prefix" -DCLUSTER=$has_cluster
[[ $has_cluster == OFF ]] || "$work/installed/cluster" || fail "a cluster of one rank"
if [[ -f $prefix/$libdir/libleat.a ]]; then
  plugins installed -1 # each has its own
else
  plugins installed 6765
fi
# What the compiler makes of leat at a user's flags has been seen. From here on the subject is what is found and linked.
unoptimised=-DCMAKE_CXX_FLAGS_RELEASE=-O0
step "find_package, from the build tree"
project built "$unoptimised" -Dleat_DIR="$build"
step "add_subdirectory, shared, with all symbols hidden that can be"
launcher=$(command -v ccache || true)
project nested "$unoptimised" -DLEAT_SOURCE="$source" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DBUILD_SHARED_LIBS=ON \
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
plugins nested 6765
built=$(find "$work/nested/leat" -name '*leat_simulated*' -o -name 'libleat_cluster_mpi*')
[[ -z $built ]] || fail "the project builds what it does not use: $built"

step "pkg-config"
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs leat)"
[[ $(pkg-config --modversion leat) == "$("$work/installed/consumer" | sed 's/^leat \([^ ]*\) .*/\1/')" ]] ||
  fail "leat.pc and leat::version() differ"
"$cxx" -std=c++20 -O0 "$here/main.cpp" -o "$work/by-pkg-config" "${flags[@]}"
LD_LIBRARY_PATH=$prefix/$libdir "$work/by-pkg-config"
if [[ $has_cluster == ON ]]; then
  read -ra cluster_flags <<<"$(pkg-config --cflags --libs leat_cluster_mpi)"
  "$cxx" -std=c++20 -O0 "$here/cluster.cpp" -o "$work/cluster" "${cluster_flags[@]}"
  LD_LIBRARY_PATH=$prefix/$libdir "$work/cluster"
fi

step "the example of the README"
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$source/README.md" >"$work/example.cpp"
[[ -s $work/example.cpp ]] || fail "README.md has no C++ example"
"$cxx" -std=c++20 -O2 "$work/example.cpp" -o "$work/example" "${flags[@]}"
[[ $(LD_LIBRARY_PATH=$prefix/$libdir "$work/example") == "196418 332834500" ]] || fail "the README's example prints something else"
