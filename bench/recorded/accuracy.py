#!/usr/bin/env python3
"""How well does `leat predict` foretell this machine? Records kernels with one worker, predicts them with several, and measures them.

Usage: accuracy.py BUILD [--workers N] [--runs N] [KERNEL...]

BUILD is a build directory with the programs leat, leat-sim and bench/recorded/leat_bench_recorded. For each kernel, runs with one
worker, runs with N workers and runs of a serial busy program in N threads take turns; medians count. The last of them is the
capacity: what N threads do together, by what one does alone. A machine file tells the prediction of it, as CPUs that share a
core. Prints a table in Markdown. The exit status is 0 if all predictions are within a tenth of what is measured.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

KERNELS = {
    "uts": ["--tree", "T3", "--construct", "fork"],
    "nqueens": ["-n", "11"],
    "heat": ["--steps", "100"],
    "bfs": [],
    "lu": ["-n", "1024"],
    "sort": ["-n", "4000000"],
    "quicksort": [],
    "cilksort": [],
    "comparison-sort": [],
    "histogram": [],
    "word-counts": ["-n", "5000000"],
    "convex-hull": [],
    "ray-cast": [],
}
BOUND = 0.1


def output_of(*words, **environment):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, check=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


def bench(program, kernel, workers, **environment):
    return output_of(program, "bench", kernel, *KERNELS[kernel], "--workers", workers, "--no-serial", "--json", **environment)["seconds"]


class Machine:
    """What the prediction is told of this machine."""

    def __init__(self, folder, workers):
        self.file, self.workers = pathlib.Path(folder) / "machine.json", workers

    def write(self, capacity):
        slowdown = max(1, self.workers / capacity)
        core = [{"name": "pu", "children": self.workers, "line_ns": 57}]
        self.file.write_text(json.dumps({"levels": core, "smt_slowdown": slowdown}), encoding="utf-8")


def capacity(leat, workers):
    """How much more work all CPUs do together than one: fib's serial program in each of as many threads."""
    return output_of(leat, "bench", "fib", "-n", "38", "--workers", workers, "--capacity", "--json")["capacity"]


def measured(build, kernel, workers, runs):
    one, many, shares = [], [], []
    for _ in range(runs):
        one.append(bench(build / "leat", kernel, 1))
        many.append(bench(build / "leat", kernel, workers))
        shares.append(capacity(build / "leat", workers))
    return statistics.median(one), statistics.median(many), statistics.median(shares)


def predicted(build, kernel, workers, machine, folder):
    name = pathlib.Path(folder) / kernel
    bench(build / "bench/recorded/leat_bench_recorded", kernel, 1, LEAT_PROFILE=f"{name},record")
    recording = f"{name}.strands"
    megabytes = os.path.getsize(recording) / 1e6
    found = output_of(build / "leat", "predict", recording, "--workers", f"1,{workers}", "--machine", machine.file, "--json")
    os.remove(recording)
    outside = found["outside_ns"] / 1e9
    one, many = (p["seconds"] - outside for p in found["predictions"])
    return one, many, found["strands"], megabytes


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("--workers", type=int, default=2)
    words.add_argument("--runs", type=int, default=9)
    words.add_argument("kernels", nargs="*", metavar="KERNEL")
    given = words.parse_args()
    unknown = [k for k in given.kernels if k not in KERNELS]
    if unknown:
        words.error(f"KERNEL = '{unknown[0]}': must be one of {', '.join(KERNELS)}")
    n = given.workers
    print(f"| kernel | strands | recording | 1 worker, measured | predicted | {n} workers, measured | predicted | predicted / measured | capacity |")
    print("| --- |" + " ---: |" * 8)
    far = 0
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, n)
        for kernel in given.kernels or KERNELS:
            one, many, share = measured(given.build, kernel, n, given.runs)
            machine.write(share)
            one_p, many_p, strands, megabytes = predicted(given.build, kernel, n, machine, folder)
            far += abs(many_p / many - 1) > BOUND
            print(f"| {kernel} | {strands} | {megabytes:.1f} MB | {one:.3f} s | {one_p:.3f} s | {many:.3f} s | {many_p:.3f} s "
                  f"| {many_p / many:.2f} | {share:.2f} |", flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
