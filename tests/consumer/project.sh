# What the tests of consumers share: check.sh, linking.sh and sanitized.sh read this. They have set here, work, cmake and cxx.

step() { printf -- '-- %s\n' "$*"; }
fail() {
  printf 'consumer: %s\n' "$*"
  exit 1
}

configure() { # NAME, CMAKE ARGUMENTS...: the project of this folder; its output is in $work/NAME.log
  local name=$1
  shift
  "$cmake" -S "$here" -B "$work/$name" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release "$@" >"$work/$name.log" 2>&1
}

project() { # NAME, CMAKE ARGUMENTS...: builds that project, and runs its first program
  local name=$1
  if ! configure "$@" || ! "$cmake" --build "$work/$name" >>"$work/$name.log" 2>&1; then
    cat "$work/$name.log"
    fail "the project did not build: $name"
  fi
  "$work/$name/consumer" || fail "the project's program failed: $name"
}

plugins() { # NAME, what the plugin is to return on a worker of the program
  "$work/$1/plugin_host" "$work/$1/plugin.so" || fail "a program without leat and its plugin: $1"
  "$work/$1/consumer" "$work/$1/plugin.so" "$2" || fail "a program with leat and its plugin: $1"
}
