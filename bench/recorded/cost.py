#!/usr/bin/env python3
"""What does a profile cost? Times kernels in turns: without a profile, with one, and with work and span.

Usage: cost.py BUILD [--workers N] [--runs N]

BUILD is a build directory with the programs leat and bench/recorded/leat_bench_recorded. Prints a table in Markdown: the medians,
and their ratios to the time without a profile. The exit status is 0 if a profile costs at most 3 % on tasks of 1 us and 10 % on UTS.
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
    "fib": ["-n", "34"],
    "uts": ["--tree", "T3", "--construct", "fork"],
    "spc": ["--tasks", "300000", "--us", "1"],
}
BOUNDS = {"spc": 1.03, "uts": 1.10}


def seconds(program, kernel, workers, profile):
    words = [program, "bench", kernel, *KERNELS[kernel], "--workers", workers, "--no-serial", "--json"]
    environment = {k: v for k, v in os.environ.items() if k != "LEAT_PROFILE"}
    if profile:
        environment["LEAT_PROFILE"] = profile
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, check=True, env=environment)
    return json.loads(done.stdout)["seconds"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("--workers", type=int, default=2)
    words.add_argument("--runs", type=int, default=9)
    given = words.parse_args()
    leat, measuring = given.build / "leat", given.build / "bench/recorded/leat_bench_recorded"
    print("| kernel | without | with a profile | ratio | with work and span | ratio |")
    print("| --- |" + " ---: |" * 5)
    within = True
    with tempfile.TemporaryDirectory() as folder:
        ways = [(leat, ""), (leat, f"{folder}/profile"), (measuring, f"{folder}/profile,span")]
        for kernel in KERNELS:
            times = [[] for _ in ways]
            for _ in range(given.runs):
                for (program, profile), found in zip(ways, times):
                    found.append(seconds(program, kernel, given.workers, profile))
            off, on, span = (statistics.median(found) for found in times)
            within = within and on / off <= BOUNDS.get(kernel, float("inf"))
            print(f"| {kernel} | {off:.3f} s | {on:.3f} s | {on / off:.3f} | {span:.3f} s | {span / off:.2f} |", flush=True)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
