#!/usr/bin/env bash
# Compiles, with clang, what blocks.py made of all pages, but for the blocks of other libraries, and keeps nothing of it.
# usage: by_clang.sh CLANG SOURCE BLOCKS

set -euo pipefail
clang=$1 source=$2 blocks=$3
mapfile -t files < <(find "$blocks" -name '*.cpp' | sort)
((${#files[@]} > 40)) || { echo "by_clang.sh: only ${#files[@]} files in $blocks"; exit 1; }
{ grep -LE '<(omp\.h|tbb/|oneapi/)' "${files[@]}" || true; } |
  xargs -d '\n' -P "$(nproc)" -I {} "$clang" -std=c++20 -fsyntax-only -w -DLEAT_HWLOC -I "$source/include" -I "$source/src" \
    -I "$source/adapters/parlay" -I "$source/adapters/pstl" {}
