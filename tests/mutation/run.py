"""Applies one mutant after the other to a copy of the tree, and runs the check that is to kill it.

    run.py SOURCE [--list] [--only PART] [--minutes M] [--shard I/N] [--compiler C++] [--prefix CMD]

A check compiles what the mutants may change, links it with what they may not, and runs it until it fails; a mutant that it
does not fail for within M minutes (1) survives. Exit status: 0 if none does.
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from mutants import MUTANTS

FLAGS = "-std=c++20 -O1 -w -UNDEBUG -DLEAT_PLATFORM=simulated"
LIBRARIES = "-lboost_context -lgtest -lgtest_main -lgmock -pthread"
FOLDERS = ("include", "src", "tests")

# What no mutant changes: compiled once.
FIXED = [
    "src/leat/platform/simulation/*.cpp",
    "src/leat/platform/native*.cpp",
    "src/leat/topology/*.cpp",
    "src/leat/options.cpp",
]
# The same of the check `seeds`: it instantiates nothing of the scheduler.
FIXED_OF_SEEDS = ["clients", "drawn_world", "shrinking", "seeds_test"]
# Check: what it compiles of a mutant, of which tests, with which environment.
CHECKS = {
    "seeds": (
        ["src/leat/scheduler/instances.cpp", "tests/simulated/clients_of_*.cpp"],
        "seeds.clients_long"),
    "every_channel": (["tests/simulated/every_channel_test.cpp"], "every_schedule.*"),
    "every_deque": (["tests/simulated/every_deque_test.cpp"], "every_schedule.*"),
}


def compile_all(args, tree, patterns, objects):
    """Compiles the files that match, and returns the objects. A mutant that does not compile is no mutant."""
    made, running = [], []
    for source in sorted(path for pattern in patterns for path in tree.glob(pattern)):
        made.append(objects / (source.stem + ".o"))
        command = [*args.prefix, *args.compiler, *FLAGS.split(), *(f"-I{tree / folder}" for folder in FOLDERS),
                   "-c", str(source), "-o", str(made[-1])]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for process in running:
        _, errors = process.communicate()
        if process.returncode != 0:
            sys.exit(f"does not compile: {shlex.join(process.args)}\n{errors[-4000:]}")
    return made


def copy_of(source, where, changes=()):
    """A copy of the tree with these changes."""
    for folder in FOLDERS:
        shutil.copytree(source / folder, where / folder)
    for file, text, instead in changes:
        path = where / file
        content = path.read_text()
        if content.count(text) != 1:
            sys.exit(f"{file}: {content.count(text)} times, not once:\n{text}")
        path.write_text(content.replace(text, instead))


def verdict(args, program, tests):
    """How it ended, and what it said first, or None if it did not fail in time."""
    try:
        done = subprocess.run([*args.prefix, str(program), f"--gtest_filter={tests}"], capture_output=True, text=True,
                              errors="replace", timeout=60 * args.minutes)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == 0:
        return None
    told = re.search(r"(client: .*|assertion does not hold: .*|nobody can go on|no end after.*|.*let out.*|no order.*|std::terminate.*"
                     r"|a (?:task|join|slot) .*|who asked.*|told, or knows|the message is there)", done.stdout)
    return told.group(1)[:100] if told else f"exit status {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="", help="mutants whose names or checks have this in them")
    parser.add_argument("--minutes", type=float, default=1, help="for each check, without compiling")
    parser.add_argument("--shard", default="0/1", help="every N-th mutant from the I-th on")
    parser.add_argument("--compiler", type=shlex.split, default=["c++"])
    parser.add_argument("--prefix", type=shlex.split, default=[], help="what compilers and checks are called by")
    args = parser.parse_args()
    first, step = map(int, args.shard.split("/"))
    chosen = [m for m in MUTANTS if args.only in m[0] or args.only == m[1]][first::step]
    if args.list:
        print("\n".join(f"{check}: {name}" for name, check, _ in chosen))
        return 0
    survivors = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "fixed").mkdir()
        fixed = compile_all(args, args.source.resolve(), FIXED, scratch / "fixed")
        (scratch / "seeds").mkdir()
        of_seeds = [f"tests/simulated/{name}.cpp" for name in FIXED_OF_SEEDS if any(m[1] == "seeds" for m in chosen)]
        of_seeds = compile_all(args, args.source.resolve(), of_seeds, scratch / "seeds")
        for name, check, changes in chosen:
            with tempfile.TemporaryDirectory(dir=scratch) as where:
                where = pathlib.Path(where)
                copy_of(args.source, where, changes)
                patterns, tests = CHECKS[check]
                begun = time.monotonic()
                objects = compile_all(args, where, patterns, where)
                program = where / "check"
                objects += fixed + (of_seeds if check == "seeds" else [])
                subprocess.run([*args.compiler, *map(str, objects), *LIBRARIES.split(), "-o", str(program)], check=True)
                compiled = time.monotonic()
                said = verdict(args, program, tests)
                survivors += said is None
                print(f"{'survives' if said is None else 'killed'}, {compiled - begun:.0f} s + {time.monotonic() - compiled:.0f} s, "
                      f"{check}: {name}" + (f": {said}" if said else ""), flush=True)
    print(f"{survivors} of {len(chosen)} survive")
    return survivors != 0


if __name__ == "__main__":
    sys.exit(main())
