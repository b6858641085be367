#!/usr/bin/env python3
"""How close are the predictions of `leat predict` for this machine?

Usage: accuracy.py BUILD [--workers N] [--runs N] [--program 'PLAIN PROFILED ARGS...']... [KERNEL...]

BUILD is a build directory with the programs leat, leat-sim and bench/recorded/leat_bench_recorded. In each round a kernel runs with
one worker, with N, in N copies at once of one worker each, and is recorded. A copy's time by the time of one alone is the *crowding*:
what workers take from each other of the cores, the caches and the memory, though none waits for another. A prediction is told the
median of the crowding, as the slowdown of CPUs that share a core, and its own round's time with one worker, as --one. The table has
medians over rounds.

A program of one's own is given as two, of the same sources: PLAIN is linked with leat::leat, PROFILED with leat::profiled; ARGS are
the arguments of both. A profile has its time, which begins and ends where that of a recording does: not counted is what the system
takes to start the process and to clear its memory away. LEAT_NUM_WORKERS has the number of workers, and PARLAY_NUM_THREADS always N.
Only those kernels that are named are measured beside programs.

Prints a table in Markdown. The exit status is 0 if all predictions are within a tenth of what is measured, else 1.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

KERNELS = {
    "uts": ["--tree", "T3", "--construct", "fork"],
    "nqueens": ["-n", "12"],
    "heat": ["-n", "4096", "--steps", "40"],
    "bfs": ["--scale", "19"],
    "lu": ["-n", "4096"],
    "sort": ["-n", "16000000"],
    "quicksort": [],
    "cilksort": [],
    "comparison-sort": [],
    "histogram": [],
    "word-counts": ["-n", "10000000"],
    "convex-hull": [],
    "ray-cast": [],
}
BOUND = 0.1
REPEAT = 3


def output_of(*words, **environment):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, check=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


class Kernel:
    """A kernel of leat bench: its own clock measures it, without what it prepares, REPEAT times; the median counts."""

    counts_outside = False

    def __init__(self, build, name):
        self.name = name
        self._plain, self._profiled = build / "leat", build / "bench/recorded/leat_bench_recorded"

    def run(self, workers):
        return self._seconds(self._plain, workers, REPEAT)

    def record(self, profile):
        self._seconds(self._profiled, 1, 1, LEAT_PROFILE=f"{profile},record")

    def _seconds(self, program, workers, repeat, **environment):
        words = [program, "bench", self.name, *KERNELS[self.name], "--workers", workers, "--repeat", repeat, "--no-serial", "--json"]
        return output_of(*words, **environment)["seconds"]


class Program:
    """A program of one's own, whole: its time is that of its profile, as a recording's is."""

    counts_outside = True

    def __init__(self, build, words, workers):
        self._leat, self._divided_among = build / "leat", workers
        self._plain, self._profiled, *self._arguments = words
        self.name = " ".join([os.path.basename(self._plain), *map(os.path.basename, self._arguments)])

    def run(self, workers):
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder) / "profile"
            self._execute(self._plain, workers, LEAT_PROFILE=str(profile))
            return output_of(self._leat, "explain", profile, "--json")["seconds"]

    def record(self, profile):
        self._execute(self._profiled, 1, LEAT_PROFILE=f"{profile},record")

    def _execute(self, program, workers, **environment):
        threads = {"LEAT_NUM_WORKERS": str(workers), "PARLAY_NUM_THREADS": str(self._divided_among)}
        subprocess.run([program, *self._arguments], stdout=subprocess.DEVNULL, check=True, env={**os.environ, **threads, **environment})


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}': must be 1 or more")
    return number


def words_of_program(text):
    """PLAIN, PROFILED and the arguments, of which the first two are to be programs."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    missing = [w for w in words[:2] if shutil.which(w) is None]
    if len(words) < 2 or missing:
        raise argparse.ArgumentTypeError(f"'{text}': {f'{missing[0]} is no program' if missing else 'must be two programs and their arguments'}")
    return words


def machine_of(crowding, workers, file):
    """Writes what the prediction is told of this machine."""
    core = [{"name": "pu", "children": workers, "line_ns": 57}]
    file.write_text(json.dumps({"levels": core, "smt_slowdown": max(1, crowding)}), encoding="utf-8")


def copies(program, workers):
    """How long a copy takes, on average, if there are as many at once as workers."""
    with concurrent.futures.ThreadPoolExecutor(workers) as together:
        return statistics.mean(together.map(program.run, [1] * workers))


def predicted(leat, program, recording, one, workers, machine):
    """What the recording's program takes with several workers, if it takes `one` seconds with one."""
    words = [leat, "predict", recording, "--machine", machine, "--json"]
    outside = 0 if program.counts_outside else output_of(*words, "--workers", 1)["outside_ns"] / 1e9
    found = output_of(*words, "--workers", workers, "--one", one + outside)
    return found["predictions"][0]["seconds"] - outside, found["strands"], found["bias_ns"]


def row(leat, program, workers, runs, folder):
    """Medians over rounds, in each of which all is measured and recorded once."""
    rounds, recordings = [], []
    for i in range(runs):
        rounds.append((program.run(1), program.run(workers), copies(program, workers)))
        program.record(folder / str(i))
        recordings.append(folder / f"{i}.strands")
        if not recordings[-1].exists():
            sys.exit(f"{program.name}: left no recording: is PROFILED linked with leat::profiled, and compiled with -DLEAT_PROFILED?")
    one, many, _ = (statistics.median(of) for of in zip(*rounds))
    crowding = statistics.median(beside / alone for alone, _, beside in rounds)
    megabytes = os.path.getsize(recordings[0]) / 1e6
    machine_of(crowding, workers, folder / "machine.json")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as together:
        foretold = list(together.map(lambda file, of_round: predicted(leat, program, file, of_round[0], workers, folder / "machine.json"),
                                     recordings, rounds))
    many_p, strands, bias = (statistics.median(of) for of in zip(*foretold))
    for r in recordings:
        os.remove(r)
    print(f"| {program.name} | {strands:.0f} | {megabytes:.1f} MB | {bias:.0f} ns | {one:.3f} s | {many:.3f} s | {many_p:.3f} s "
          f"| {many_p / many:.2f} | {crowding:.2f} |", flush=True)
    return abs(many_p / many - 1) <= BOUND


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("--workers", type=positive, default=2)
    words.add_argument("--runs", type=positive, default=9)
    words.add_argument("--program", action="append", type=words_of_program, default=[], dest="programs")
    words.add_argument("kernels", nargs="*", metavar="KERNEL")
    given = words.parse_intermixed_args()
    unknown = [k for k in given.kernels if k not in KERNELS]
    if unknown:
        words.error(f"KERNEL = '{unknown[0]}': must be one of {', '.join(KERNELS)}")
    if not (given.build / "leat").is_file():
        words.error(f"BUILD = '{given.build}': has no program leat")
    kernels = given.kernels or ([] if given.programs else KERNELS)
    leat, n = given.build / "leat", given.workers
    print(f"| program | strands | recording | bias of a strand | 1 worker | {n} workers, measured | predicted | predicted / measured | crowding |")
    print("| --- |" + " ---: |" * 8)
    far = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in [Kernel(given.build, k) for k in kernels] + [Program(given.build, p, n) for p in given.programs]:
            try:
                far += not row(leat, program, n, given.runs, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                sys.exit(f"{program.name}: {error}")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
