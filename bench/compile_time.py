#!/usr/bin/env python3
"""How long programs that use leat take to compile: CPU seconds, the median of five, interleaved.

    compile_time.py [--compiler COMMAND] [--repetitions N] [--tree DIRECTORY ...]

Three programs, at -O2: one that forks; one with a loop, a sort and a reduction; and an empty one that includes <vector>,
<functional> and <thread> and not leat, to compare machines by. With several trees, each round compiles every program with each
tree's headers, so that other load on the machine affects all trees alike.
"""

import argparse
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = {
    "empty": """
#include <functional>
#include <thread>
#include <vector>
int main() {}
""",
    "fork": """
#include <leat/leat.hpp>
long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}
int main() {
  leat::runtime rt;
  return static_cast<int>(rt.run([] { return fib(20); }));
}
""",
    "loop, sort, reduction": """
#include <leat/leat.hpp>
#include <functional>
#include <vector>
int main() {
  leat::runtime rt;
  std::vector<long> v(100'000);
  return static_cast<int>(rt.run([&] {
    leat::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] = static_cast<long>(i * 7919 % 1000); });
    leat::parallel_sort(v);
    return leat::parallel_reduce(std::size_t{0}, v.size(), 0L, [&](std::size_t i) { return v[i]; }, std::plus<>());
  }));
}
""",
}


def cpu_seconds(command):
    """Of a command and its children. An error of it ends this program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="c++", help="the compiler, with options if need be (c++)")
    parser.add_argument("--repetitions", type=int, default=5, help="of each program (5)")
    parser.add_argument("--tree", type=pathlib.Path, nargs="+", default=[here], help="source trees of leat (this one)")
    args = parser.parse_args()
    times = {(tree, name): [] for tree in args.tree for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(PROGRAMS.values()):
            pathlib.Path(folder, f"{number}.cpp").write_text(text)
        for _ in range(args.repetitions):
            for tree in args.tree:
                for number, name in enumerate(PROGRAMS):
                    times[tree, name].append(cpu_seconds(
                        [*shlex.split(args.compiler), "-O2", "-std=c++20", f"-I{tree / 'include'}", f"-I{tree / 'src'}",
                         "-c", f"{folder}/{number}.cpp", "-o", f"{folder}/{number}.o"]))
    for tree in args.tree:
        if len(args.tree) > 1:
            print(tree)
        for name in PROGRAMS:
            print(f"{name:24}{statistics.median(times[tree, name]):6.2f} s, least {min(times[tree, name]):.2f}")


if __name__ == "__main__":
    main()
