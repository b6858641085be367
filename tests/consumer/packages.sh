#!/usr/bin/env bash
# Makes Debian packages of the source tree, and uses them as check.sh uses an install: unpacked in a folder, by CMake and by pkg-config.
# Nothing is installed in the system. usage: packages.sh SOURCE CMAKE CXX

set -euo pipefail
exec </dev/null
source=$1 cmake=$2 cxx=$3
here=$source/tests/consumer
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH leat_DIR leat_ROOT CMAKE_PREFIX_PATH PKG_CONFIG_PATH DESTDIR
umask 077 # packages do not depend on it
# shellcheck source=project.sh
source "$here/project.sh"
number() { sed -n "s/^#define LEAT_VERSION_$1 //p" "$source/src/leat/platform/abi.hpp"; }
version=$(number MAJOR).$(number MINOR).$(number PATCH)
revision=$version-0leat1
build=$work/build root=$work/root

logged() { # LOG, COMMAND...
  "${@:2}" >"$work/$1.log" 2>&1 || {
    cat "$work/$1.log"
    fail "this failed: ${*:2}"
  }
}

step "build, and make the packages"
logged configure "$cmake" -S "$source" -B "$build" --preset package -DCMAKE_CXX_COMPILER="$cxx"
logged build "$cmake" --build "$build" --target leat_cluster_mpi leat_profiled leat_cli leat_mpi leat_sim
logged cpack "${cmake%cmake}cpack" --config "$build/CPackConfig.cmake" -B "$work/packages"
packages=("$work"/packages/*.deb)
names=$(for package in "${packages[@]}"; do dpkg-deb -f "$package" Package; done | sort)
[[ $names == $'leat-tools\nlibleat-dev\nlibleat0' ]] || fail "the packages are $names"

step "what the packages say of themselves"
field() { dpkg-deb -f "$work/packages/$1"_*.deb "$2"; }
for name in $names; do
  [[ $(field "$name" Version) == "$revision" ]] || fail "the version of $name"
done
for needed in "libleat0 (= $revision)" libboost-context-dev libhwloc-dev; do
  [[ ", $(field libleat-dev Depends)," == *", $needed,"* ]] || fail "libleat-dev does not depend on $needed"
done
[[ ", $(field leat-tools Depends)," == *", libleat0 (= $revision),"* ]] || fail "leat-tools depends on another libleat0"
[[ $(field libleat0 Depends) == *libhwloc* ]] || fail "libleat0 does not depend on hwloc"
[[ $(dpkg-deb -I "$work"/packages/libleat0_*.deb triggers) == "activate-noawait ldconfig" ]] || fail "libleat0 has other triggers"
minor=$(number MAJOR).$(number MINOR) next=$(number MAJOR).$(($(number MINOR) + 1))
for library in libleat libleat_cluster_mpi; do
  dpkg-deb -I "$work"/packages/libleat0_*.deb shlibs | grep -qxF "$library $minor libleat0 (>= $version), libleat0 (<< $next~)" ||
    fail "programs that link $library would depend on another libleat0"
done
if command -v lintian >/dev/null; then
  logged lintian lintian --fail-on error,warning "${packages[@]}"
else
  echo "without lintian, which is not installed"
fi

step "together they have what an install has"
for package in "${packages[@]}"; do dpkg-deb -x "$package" "$root"; done
logged install "$cmake" --install "$build" --prefix "$work/prefix"
(cd -- "$work/prefix" && find . ! -type d | sort) >"$work/installed.txt"
(cd -- "$root/usr" && find . ! -type d ! -path './share/doc/*' ! -path './share/man/*' ! -path './share/lintian/*' | sort) >"$work/packed.txt"
diff "$work/installed.txt" "$work/packed.txt" || fail "an install and the packages differ"
libdir=$(dirname -- "$(find "$root/usr/lib" -name libleat.so)")
for file in "$root"/usr/bin/leat* "$libdir"/libleat*.so; do
  ! readelf -d "$file" | grep -E 'R(UN)?PATH' || fail "$file has a path of this machine"
done

step "find_package"
project packed -DCMAKE_PREFIX_PATH="$root/usr" -DCLUSTER=ON
grep -qxF "leat_DIR:PATH=$libdir/cmake/leat" "$work/packed/CMakeCache.txt" || fail "CMake has found another leat"
plugins packed 6765 # the program and its plugin share one leat
for program in parlay_consumer pstl_consumer cluster; do
  "$work/packed/$program" || fail "the project's program $program failed"
done

step "pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
by_pkg_config() { # PACKAGE PROGRAM STANDARD
  local flags
  read -ra flags <<<"$(pkg-config --cflags --libs "$1")"
  logged "$2" "$cxx" "-std=$3" -O0 "$here/$2.cpp" -o "$work/$2" "${flags[@]}"
  "$work/$2" || fail "$2 fails with $1.pc"
}
by_pkg_config leat main c++20
by_pkg_config leat_cluster alone c++20
by_pkg_config leat_parlay parlay c++17
by_pkg_config leat_pstl pstl c++17
by_pkg_config leat_threads threads c++20
by_pkg_config leat_cluster_mpi cluster c++20

step "the programs"
[[ $("$root/usr/bin/leat" --version) == "$version" ]] || fail "leat --version"
for words in "figure" "sim" "sim fib -n 10 --machine opteron-4x8" "uts --cluster --tree T1 --prefix 3"; do
  read -ra words <<<"$words"
  logged program "$root/usr/bin/leat" "${words[@]}"
done

step "the port of vcpkg and the recipe of Conan name this version, and options that there are"
grep -qF "\"version\": \"$version\"," "$source/packaging/vcpkg/ports/leat/vcpkg.json" || fail "vcpkg.json has another version"
options=$(grep -ohE 'LEAT_[A-Z_]+' "$source/packaging/vcpkg/ports/leat/portfile.cmake" "$source/packaging/conan/conanfile.py" |
  grep -vE '^LEAT_VERSION_' | sort -u)
for option in $options; do
  grep -q "^$option:" "$build/CMakeCache.txt" || fail "leat has no option $option"
done
