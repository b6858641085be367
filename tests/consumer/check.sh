#!/usr/bin/env bash
# Installs a finished build, moves it, and uses it as a user would: through find_package, through pkg-config, and from the
# source tree, as a static and as a shared library. usage: check.sh SOURCE BUILD CMAKE CXX LIBDIR

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
for wanted in leatConfig leatConfigVersion leatTargets; do
  [[ -f $prefix/$libdir/cmake/leat/$wanted.cmake ]] || fail "$wanted.cmake is not installed"
done
for mine in "$source" "$build" "$work/first" -Wall -Werror; do
  ! grep -rlF -e "$mine" "$prefix/$libdir/cmake" "$prefix/$libdir/pkgconfig" || fail "the package speaks of $mine"
done

step "the public headers are those of include/leat, and each stands alone"
public=$(cd -- "$source/include" && ls leat/*.hpp)
[[ $(cd -- "$prefix/include" && ls leat/*.hpp) == "$public" ]] || fail "other headers are in include/leat than in the source tree"
[[ $(ls "$prefix/include") == $'leat\nleat_parlay.hpp\nleat_pstl.hpp' ]] || fail "include has more than leat and its adapters"
[[ $(find "$prefix/include/leat" -mindepth 1 -maxdepth 1 -type d) == "$prefix/include/leat/detail" ]] ||
  fail "include/leat has another folder than detail"
stands_alone() { # HEADER
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I "$prefix/include" -x c++ - <<<"#include <$1>" ||
    fail "$1 does not stand alone"
}
export cxx prefix
export -f stands_alone fail
xargs -P "$(nproc)" -I {} bash -c 'stands_alone {}' <<<"$public" || fail "not every header stands alone"

step "find_package, installed"
has_cluster=OFF has_threads=OFF
! compgen -G "$prefix/$libdir/libleat_cluster_mpi.*" >/dev/null || has_cluster=ON
[[ ! -f $prefix/$libdir/pkgconfig/leat_threads.pc ]] || has_threads=ON
project installed -DCMAKE_PREFIX_PATH="$prefix" -DCLUSTER=$has_cluster
[[ $has_cluster == OFF ]] || "$work/installed/cluster" || fail "a cluster of one rank"
if [[ -f $prefix/$libdir/libleat.a ]]; then
  kind=static other=shared shares=ON
  plugins installed -1 # each has its own
else
  kind=shared other=static shares=OFF
  plugins installed 6765
fi
# What the compiler makes of leat at a user's flags has been seen. From here on the subject is what is found and linked.
unoptimised=-DCMAKE_CXX_FLAGS_RELEASE=-O0
step "find_package, from the build tree"
project built "$unoptimised" -Dleat_DIR="$build"
step "add_subdirectory, $other, with all symbols hidden that can be"
launcher=$(command -v ccache || true)
project nested "$unoptimised" -DLEAT_SOURCE="$source" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DBUILD_SHARED_LIBS=$shares \
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON -DLEAT_INSTALL=ON -DLEAT_THREADS=$has_threads \
  -DLEAT_MPI=$has_cluster -DCMAKE_INSTALL_LIBDIR="$libdir" -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
if [[ $other == shared ]]; then
  plugins nested 6765
else
  plugins nested -1
fi
"$cmake" --install "$work/nested" --prefix "$work/$other" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
ln -s "$prefix" "$work/$kind"
[[ -f $work/static/$libdir/libleat.a && -f $work/shared/$libdir/libleat.so ]] || fail "there is not one library of each kind"

step "pkg-config alone, static and shared"
flags_of() { # static|shared, --cflags|--libs, PACKAGE: what pkg-config says, one word in each of the array `flags`
  read -ra flags <<<"$(PKG_CONFIG_PATH=$work/$1/$libdir/pkgconfig pkg-config "$2" "$3")"
}
by_pkg_config() { # PACKAGE PROGRAM STANDARD: compiles it once, links it with each kind of library, and calls it
  local package=$1 program=$2 kind flags
  flags_of static --cflags "$package"
  "$cxx" "-std=$3" -O0 "${flags[@]}" -c "$here/$program.cpp" -o "$work/$program.o" || fail "$program is not compiled by $package.pc"
  for kind in static shared; do
    flags_of $kind --libs "$package"
    "$cxx" "$work/$program.o" -o "$work/$program.$kind" "${flags[@]}" || fail "$program is not linked by $package.pc, $kind"
    LD_LIBRARY_PATH=$work/$kind/$libdir "$work/$program.$kind" || fail "$program fails, $kind"
    ! readelf -d "$work/$program.$kind" | grep -q 'NEEDED.*libleat[.]so' || [[ $kind == shared ]] ||
      fail "$program is linked with a shared leat by the static leat's $package.pc"
  done
}
[[ $(PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig pkg-config --modversion leat) == "$("$work/installed/consumer" |
  sed 's/^leat \([^ ]*\) .*/\1/')" ]] || fail "leat.pc and leat::version() differ"
by_pkg_config leat main c++20
by_pkg_config leat_cluster alone c++20
by_pkg_config leat_parlay parlay c++17
by_pkg_config leat_pstl pstl c++17
[[ $has_threads == OFF ]] || by_pkg_config leat_threads threads c++20
[[ $has_cluster == OFF ]] || by_pkg_config leat_cluster_mpi cluster c++20

step "a static leat beside a shared one, by pkg-config --static"
read -ra flags <<<"$(PKG_CONFIG_PATH=$work/shared/$libdir/pkgconfig pkg-config --static --libs leat)"
"$cxx" "$work/alone.o" "$work/static/$libdir/libleat.a" -o "$work/alone.beside" -Wl,--as-needed "${flags[@]}"
"$work/alone.beside"
! readelf -d "$work/alone.beside" | grep -q 'NEEDED.*libleat' || fail "it has the shared leat"
# shellcheck source=libraries.sh
source "$here/libraries.sh"

step "the programs of the README"
flags_of "$kind" --cflags leat
read -ra libs <<<"$(PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig pkg-config --libs leat)"
awk -v at="$work/example" '/^```cpp program$/ { file = at (++n) ".cpp"; next } /^```$/ { file = "" } file { print > file }' "$source/README.md"
[[ -s $work/example1.cpp && -s $work/example2.cpp ]] || fail "README.md has not two C++ programs"
for example in "$work"/example?.cpp; do
  "$cxx" -std=c++20 -O2 "$example" -o "${example%.cpp}" "${flags[@]}" "${libs[@]}"
done
LD_LIBRARY_PATH=$prefix/$libdir "$work/example1" || fail "the README's loop is wrong"
[[ $(LD_LIBRARY_PATH=$prefix/$libdir "$work/example2") == 832040 ]] || fail "the README's recursion prints something else"
