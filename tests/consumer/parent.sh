#!/usr/bin/env bash
# Has leat as a part of another project, and looks at what that project sees of it. Nothing is compiled here.
# usage: parent.sh SOURCE CMAKE CXX

set -euo pipefail
exec </dev/null
source=$1 cmake=$2 cxx=$3
here=$source/tests/consumer
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH leat_DIR leat_ROOT CMAKE_PREFIX_PATH DESTDIR
# shellcheck source=project.sh
source "$here/project.sh"

parent() { # NAME, CMAKE ARGUMENTS...
  local name=$1
  shift
  "$cmake" -S "$here/parent" -B "$work/$name" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DLEAT_SOURCE="$source" \
    -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES="$here/parent/provider.cmake" "$@" >"$work/$name.log" 2>&1 || {
    cat "$work/$name.log"
    fail "a project that has leat as a part is not configured: $*"
  }
}
looks_for() { # NAME, PACKAGES
  local found
  found=$(sort -u "$work/$1/packages.txt" | grep -v '^boost_' | tr '\n' ' ')
  [[ $found == "$2 " ]] || fail "leat looks for $found, wanted $2: $1"
}
keeps_state() { # NAME: what leat adds has its name, or is what CMake's own modules keep of threads and pkg-config
  local of_leat='(leat|LEAT)_' of_cmake='(CMAKE_HAVE_LIBC_PTHREAD|FIND_PACKAGE_MESSAGE_DETAILS_(Threads|PkgConfig)|PKG_CONFIG_\w+)='
  local of_pkg_config='(__pkg_config_\w*|pkgcfg_lib_)leat_hwloc\w*=|prefix_result=' lines
  lines=$(diff "$work/$1/before.txt" "$work/$1/after.txt" | grep '^[<>]' |
    grep -vE "^> variable ($of_leat|$of_cmake|$of_pkg_config)" || true)
  [[ -z $lines ]] || fail "leat changes the project ($1):"$'\n'"$lines"
  ! grep -vq '^leat' "$work/$1/targets.txt" || fail "a target of leat has another's name ($1)"
}
builds() { # NAME, LIBRARIES...: and nothing else of leat
  local name=$1 linked
  shift
  linked=$(cd -- "$work/$name" && ninja -t commands all | grep -oE ' (-o|qc) [^ ]+' | sed 's/.* //; /[.]o$/d; s/[.]so[.].*/.so/; s/.*\///' | sort | tr '\n' ' ')
  [[ $linked == "$* part " ]] || fail "the project links $linked, wanted $* and part: $name"
}

step "as it is"
parent plain
looks_for plain "PkgConfig Threads"
keeps_state plain
builds plain libleat.a

step "by FetchContent, with threads, which need Boost, and without nlohmann-json"
parent fetched -DFETCHED=ON -DLEAT_THREADS=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
looks_for fetched "Boost PkgConfig Threads"
builds fetched libleat.a

step "shared, where there is nothing but a compiler"
hidden=()
for package in PkgConfig Boost MPI GTest CLI11 fmt nlohmann_json Python3 TBB benchmark OpenMP; do
  hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
parent bare -DBUILD_SHARED_LIBS=ON "${hidden[@]}"
keeps_state bare
builds bare libleat.so

step "what the project says holds for the project"
parent said -DCMAKE_CXX_STANDARD=23 -DCMAKE_CXX_COMPILER_LAUNCHER=env -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$work/said/bin" -DCMAKE_BUILD_TYPE=
keeps_state said
builds said libleat.a
