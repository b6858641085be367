"""Verifies one model with Spin, as the comment at its top says; usage: check.py MODEL [--long]

Lines of that comment:
  // holds: PROPERTY DEFINES          nothing violates it, in the whole state space
  // holds, long: PROPERTY DEFINES    the same, where --long is given, and only there
  // found: PROPERTY DEFINES -> TEXT  a planted bug: the search finds a violation, and reports TEXT
  // found, reversed: ...             the same; the search tries the last thread and its last choice first, and so ends sooner
PROPERTY is `safety`, the assertions and no invalid end state, or the name of an ltl formula, under weak fairness.
"""

import argparse
import concurrent.futures
import dataclasses
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEMORY_MIB_MAX = 3000
INVALID_END = "invalid end state"
INCOMPLETE = ("max search depth too small", "out of memory", "reached -DMEMLIM", "hash-compact", "bit statespace")
# The verifier is one function of 10,000 lines. tcc compiles it in 0.1 s, clang in 2 s, gcc in 6 s; without optimisation the search
# takes as long with each.
COMPILERS = ("tcc", "clang-19", "clang", "gcc")
OPTIMISING_COMPILERS = COMPILERS[1:]
_LINE = re.compile(r"^// (holds|found)(, long|, reversed)?: (\w+)((?: \w+(?:=\w+)?)*)(?: -> (.+))?$")


@dataclasses.dataclass
class Run:
    holds: bool
    long: bool
    reversed: bool
    claim: str
    defines: list
    says: str

    def __str__(self):
        return " ".join(["holds:" if self.holds else "found:", self.claim, *self.defines])


def runs_of(model):
    found = []
    for line in model.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("// holds", "// found")):
            continue
        match = _LINE.match(line)
        if not match or (match[1] == "found") != (match[5] is not None):
            sys.exit(f"{model}: cannot read: {line}")
        found.append(Run(match[1] == "holds", match[2] == ", long", match[2] == ", reversed", match[3], match[4].split(), match[5]))
    return found


def call(folder, *command):
    result = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def first_installed(names):
    return next((name for name in names if shutil.which(name)), names[-1])


def first(pattern, output, otherwise="?"):
    match = re.search(pattern, output, re.MULTILINE)
    return match[1] if match else otherwise


# Under weak fairness the verifier overlooks some cycles in which nobody moves; so somebody always does.
_TIME = "active proctype time() { do :: _nr_pr != 0 od }\n"


def search(model, run, folder):
    """What the verifier says, or raises RuntimeError."""
    world = f'#include "{model}"\n' + ("" if run.claim == "safety" else _TIME)
    (Path(folder) / "world.pml").write_text(world, encoding="utf-8")
    status, output = call(folder, "spin", "-a", *(f"-D{d}" for d in run.defines), "world.pml")
    if status != 0 or not (Path(folder) / "pan.c").is_file():
        raise RuntimeError(f"spin: {output}")
    safety = run.claim == "safety"
    mode = ["-DSAFETY", "-DNOCLAIM"] if safety else ["-DNFAIR=4"]
    if run.long:
        # Large worlds: the states must fit into memory, and the search takes longer than the compiler.
        mode += ["-O2", "-DCOLLAPSE"]
        sizes = ["-m2000000", "-w24"]  # steps of the deepest path; places in the hash table, as a power of two
    else:
        mode += ["-O0"]
        sizes = ["-m50000", "-w22"]
    if run.reversed:
        mode += ["-DREVERSE", "-DT_REVERSE"]
    compiler = first_installed(OPTIMISING_COMPILERS if run.long else COMPILERS)
    status, output = call(folder, compiler, "-w", *mode, f"-DMEMLIM={MEMORY_MIB_MAX}", "-o", "pan", "pan.c")
    if status != 0:
        raise RuntimeError(f"{compiler}: {output}")
    options = [] if safety else ["-a", "-f", "-N", run.claim]
    if run.says and run.says != INVALID_END:
        options.append("-E")  # so that it is the assertion that is found
    return call(folder, "./pan", *sizes, *options)[1]


def judge(run, output):
    """What is wrong with what the verifier says; or None."""
    if run.holds:
        for incomplete in INCOMPLETE:
            if incomplete in output:
                return f"the search is not complete: {incomplete}"
    errors = first(r"errors: (\d+)$", output)
    if errors == "?":
        return f"no result: {output[:300]}"
    says = first(r"^pan:\d+: (.*) \(at depth", output, "nothing")
    if run.holds:
        return None if errors == "0" else says
    if errors == "0":
        return "it finds nothing"
    return None if run.says in says else f"it finds something else: {says}"


def verify(model, run):
    """Returns whether all is well, and a line about it."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            output = search(model, run, folder)
            wrong = judge(run, output)
        except RuntimeError as e:
            output, wrong = "", str(e)
    states = first(r"^ *([0-9.e+]+) states, stored", output)
    depth = first(r"depth reached (\d+)", output)
    memory = first(r"([0-9.]+)\ttotal actual memory usage", output)
    seconds = time.monotonic() - start
    numbers = f"{float(states) if states != '?' else 0:.0f} states, depth {depth}, {memory} MiB, {seconds:.1f} s"
    return wrong is None, f"{run}  {numbers}" + ("" if wrong is None else f"\n  WRONG: {wrong}")


def main():
    parser = argparse.ArgumentParser(description="Verifies one model with Spin, as the comment at its top says.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--long", action="store_true", help="only what is marked long")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time")
    parser.add_argument("--only", default="", help="only the lines that contain this")
    arguments = parser.parse_args()
    model = arguments.model.resolve()
    runs = [r for r in runs_of(model) if r.long == arguments.long and arguments.only in str(r)]
    if not runs:
        sys.exit(f"{model}: nothing to verify")
    all_well = True
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for well, line in pool.map(lambda run: verify(model, run), runs):
            all_well &= well
            print(line, flush=True)
    sys.exit(0 if all_well else 1)


if __name__ == "__main__":
    main()
