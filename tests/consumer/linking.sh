#!/usr/bin/env bash
# Uses a finished build as programs do that should be refused, each with the words that tell its author why; and configures the
# library where what it does not need is missing. usage: linking.sh SOURCE BUILD CMAKE CXX

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
sed 's/^#define LEAT_VERSION_MAJOR .*/#define LEAT_VERSION_MAJOR 98765/' "$source/src/leat/platform/abi.hpp" >"$work/other/leat/platform/abi.hpp"
refused version_98765_ -I "$work/other"
sed 's/^#define LEAT_VERSION_PATCH .*/#define LEAT_VERSION_PATCH 98765/' "$source/src/leat/platform/abi.hpp" >"$work/other/leat/platform/abi.hpp"
links -I "$work/other" || fail "a program of another patch is not linked"

step "the names of all symbols have the version"
number() { sed -n "s/^#define LEAT_VERSION_$1 //p" "$source/src/leat/platform/abi.hpp"; }
namespace=leat::v$(number MAJOR)_$(number MINOR)
for library in "$build"/libleat.a "$build"/libleat.so "$build"/libleat_cluster_mpi.*; do
  [[ ! -f $library ]] || nm -gC --defined-only "$library"
done >"$work/names" 2>/dev/null
(($(grep -c " $namespace::" "$work/names") > 1000)) || fail "the library has hardly a name in $namespace"
! grep -oE '\bleat[a-z0-9_:]*' "$work/names" | grep -vE "^($namespace|leat::built)(::|$)" || fail "names of the library have no version"

step "a component that lacks something says what"
mkdir "$work/part"
printf 'int main() {}\n' >"$work/part/main.cpp"
cat >"$work/part/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES CXX)
if(LEAT_SOURCE)
  add_subdirectory("${LEAT_SOURCE}" leat)
else()
  foreach(asked IN LISTS ASKED_BEFORE)
    find_package(leat QUIET COMPONENTS ${asked})
  endforeach()
  find_package(leat ${IS_REQUIRED} COMPONENTS ${ASKED} OPTIONAL_COMPONENTS ${OPTIONAL})
  set(found)
  foreach(component IN LISTS ASKED OPTIONAL)
    list(APPEND found "${component}=${leat_${component}_FOUND}")
  endforeach()
  message(STATUS "leat=${leat_FOUND} ${found}")
endif()
add_executable(part main.cpp)
target_link_libraries(part PRIVATE ${LINKED})
END
part() { # CMAKE ARGUMENTS...
  rm -rf -- "$work/part/build"
  "$cmake" -S "$work/part" -B "$work/part/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -Dleat_DIR="$build" -DIS_REQUIRED=REQUIRED \
    -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON "$@" >"$work/part.log" 2>&1
}
lacks() { # WORDS, CMAKE ARGUMENTS...
  local words=$1
  shift
  ! part "$@" || fail "it is configured with $*"
  says "$work/part.log" "$words" || {
    cat "$work/part.log"
    fail "CMake does not say '$words'"
  }
}
lacks "leat::threads needs Boost.Context" -DASKED=threads -DLINKED=leat::leat
lacks "leat::threads needs Boost.Context" -DLINKED=leat::threads
lacks "leat::threads needs Boost.Context" -DLEAT_SOURCE="$source" -DLINKED=leat::threads
lacks "leat::cluster_mpi needs MPI" -DASKED=cluster_mpi -DLINKED=leat::leat
lacks "leat::cluster_mpi needs MPI" -DLINKED=leat::cluster_mpi
lacks "leat has no component 'bubbles'" -DASKED=bubbles -DLINKED=leat::leat
lacks "leat::cluster_mpi needs MPI" -DLEAT_SOURCE="$source" -DLINKED=leat::cluster_mpi
lacks "It has: threads, cluster, cluster_mpi, parlay, profiled, pstl" -DASKED=bubbles -DLINKED=leat::leat
lacks "leat::cluster_mpi needs MPI" "-DASKED=bubbles;cluster_mpi" -DLINKED=leat::leat # beside another
lacks "leat::threads is not among the components" -DASKED=parlay -DLINKED=leat::threads
finds() { # WORDS, CMAKE ARGUMENTS...: the project is configured, and says WORDS of what it has found
  local words=$1
  shift
  part "$@" && says "$work/part.log" "$words" || {
    cat "$work/part.log"
    fail "CMake does not say '$words'"
  }
}
finds "leat=1 cluster=TRUE;parlay=TRUE;pstl=TRUE" "-DASKED=cluster;parlay;pstl" -DLINKED="leat::leat;leat::cluster"
finds "leat=1 parlay=TRUE;threads=FALSE;bubbles=FALSE" -DASKED=parlay "-DOPTIONAL=threads;bubbles" -DLINKED=leat::leat
finds "leat=0 parlay=TRUE;threads=FALSE" -DIS_REQUIRED= "-DASKED=parlay;threads" -DLINKED=
if [[ -f $build/leat_threads.pc ]]; then
  boost=-DCMAKE_DISABLE_FIND_PACKAGE_Boost=OFF
  finds "leat=1 threads=TRUE" $boost -DASKED=threads -DLINKED=leat::threads
  finds "leat=1 threads=TRUE" $boost -DASKED_BEFORE=parlay -DASKED=threads -DLINKED=leat::threads
  finds "leat=1 parlay=TRUE" $boost -DASKED_BEFORE=threads -DASKED=parlay -DLINKED=leat::threads
fi

step "the library alone needs nothing but threads"
alone() { # CMAKE ARGUMENTS...
  rm -rf -- "$work/alone"
  "$cmake" -S "$source" -B "$work/alone" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DLEAT_BUILD_TESTS=OFF -DLEAT_BUILD_CLI=OFF \
    "$@" >"$work/alone.log" 2>&1
}
alone -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON || {
  cat "$work/alone.log"
  fail "it is not configured without nlohmann-json"
}
alone -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON || {
  cat "$work/alone.log"
  fail "it is not configured without anything"
}

step "LEAT_SANITIZE takes what there is"
for value in memory thread,address; do
  ! alone -DLEAT_SANITIZE="$value" || fail "LEAT_SANITIZE=$value is taken"
  says "$work/alone.log" "LEAT_SANITIZE is '$value'" || fail "CMake does not name LEAT_SANITIZE=$value"
done
