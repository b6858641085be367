#!/usr/bin/env python3
"""How well does `leat predict` foretell this machine? Records kernels with one worker, predicts them with several, and measures them.

Usage: accuracy.py BUILD [--workers N] [--runs N] [--program 'PLAIN PROFILED ARGS...']... [KERNEL...]

BUILD is a build directory with the programs leat, leat-sim and bench/recorded/leat_bench_recorded. For each kernel, runs with one
worker, runs with N workers and runs of a serial busy program in N threads take turns; medians count. The last of them is the
capacity: what N threads do together, by what one does alone. A machine file tells the prediction of it, as CPUs that share a
core. Prints a table in Markdown.

A program of one's own is given as two, of the same sources: PLAIN is linked with leat::leat, PROFILED with leat::profiled; ARGS are
the arguments of both. Then the time is that of the process, and no kernel is measured but those that are named. The exit status is 0 if all predictions are within a tenth of what is measured.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

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


class Kernel:
    """A kernel of leat bench: its own clock measures it, without what it prepares."""

    counts_outside = False

    def __init__(self, build, name):
        self.name = name
        self._plain, self._profiled = build / "leat", build / "bench/recorded/leat_bench_recorded"

    def run(self, workers):
        return self._seconds(self._plain, workers)

    def record(self, profile):
        self._seconds(self._profiled, 1, LEAT_PROFILE=f"{profile},record")

    def _seconds(self, program, workers, **environment):
        words = [program, "bench", self.name, *KERNELS[self.name], "--workers", workers, "--no-serial", "--json"]
        return output_of(*words, **environment)["seconds"]


class Program:
    """A program of one's own: its time is that of the whole process."""

    counts_outside = True

    def __init__(self, words):
        self._plain, self._profiled, *self._arguments = shlex.split(words)
        self.name = " ".join([os.path.basename(self._plain), *self._arguments])

    def run(self, workers):
        began = time.monotonic()
        self._execute(self._plain, workers)
        return time.monotonic() - began

    def record(self, profile):
        self._execute(self._profiled, 1, LEAT_PROFILE=f"{profile},record")

    def _execute(self, program, workers, **environment):
        threads = {"LEAT_NUM_WORKERS": str(workers), "PARLAY_NUM_THREADS": str(workers)}
        subprocess.run([program, *self._arguments], stdout=subprocess.DEVNULL, check=True, env={**os.environ, **threads, **environment})


def machine_of(capacity, workers, file):
    """Writes what the prediction is told of this machine."""
    core = [{"name": "pu", "children": workers, "line_ns": 57}]
    file.write_text(json.dumps({"levels": core, "smt_slowdown": max(1, workers / capacity)}), encoding="utf-8")


def capacity(leat, workers):
    """How much more work all CPUs do together than one: fib's serial program in each of as many threads."""
    return output_of(leat, "bench", "fib", "-n", "38", "--workers", workers, "--capacity", "--json")["capacity"]


def measured(leat, program, workers, runs):
    one, many, shares = [], [], []
    for _ in range(runs):
        one.append(program.run(1))
        many.append(program.run(workers))
        shares.append(capacity(leat, workers))
    return statistics.median(one), statistics.median(many), statistics.median(shares)


def predicted(leat, program, workers, machine):
    profile = machine.with_name("profile")
    program.record(profile)
    recording = machine.with_name("profile.strands")
    megabytes = os.path.getsize(recording) / 1e6
    found = output_of(leat, "predict", recording, "--workers", f"1,{workers}", "--machine", machine, "--json")
    os.remove(recording)
    outside = 0 if program.counts_outside else found["outside_ns"] / 1e9
    one, many = (p["seconds"] - outside for p in found["predictions"])
    return one, many, found["strands"], megabytes


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("--workers", type=int, default=2)
    words.add_argument("--runs", type=int, default=9)
    words.add_argument("--program", action="append", default=[], dest="programs")
    words.add_argument("kernels", nargs="*", metavar="KERNEL")
    given = words.parse_args()
    unknown = [k for k in given.kernels if k not in KERNELS]
    if unknown:
        words.error(f"KERNEL = '{unknown[0]}': must be one of {', '.join(KERNELS)}")
    kernels = given.kernels or ([] if given.programs else KERNELS)
    leat, n = given.build / "leat", given.workers
    print(f"| program | strands | recording | 1 worker, measured | predicted | {n} workers, measured | predicted | predicted / measured | capacity |")
    print("| --- |" + " ---: |" * 8)
    far = 0
    with tempfile.TemporaryDirectory() as folder:
        machine = pathlib.Path(folder) / "machine.json"
        for program in [Kernel(given.build, k) for k in kernels] + [Program(p) for p in given.programs]:
            one, many, share = measured(leat, program, n, given.runs)
            machine_of(share, n, machine)
            one_p, many_p, strands, megabytes = predicted(leat, program, n, machine)
            far += abs(many_p / many - 1) > BOUND
            print(f"| {program.name} | {strands} | {megabytes:.1f} MB | {one:.3f} s | {one_p:.3f} s | {many:.3f} s | {many_p:.3f} s "
                  f"| {many_p / many:.2f} | {share:.2f} |", flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
