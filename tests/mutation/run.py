"""Applies one mutant after the other to a copy of the tree, and runs the check that is to kill it.

    run.py SOURCE [--list] [--fits] [--only PART] [--seconds S] [--jobs N] [--compiler C++] [--markdown]

A check compiles what the mutants may change, links it with what they may not, and runs it until it fails; a mutant for which
it does not fail within S seconds of CPU time (90), which say the same on a busy machine, survives. In the end comes a table of
who killed whom. Exit status: 0 if none survives.

With --fits nothing is compiled: it says which mutants do not fit the tree, and which file of the scheduler's no check links.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from mutants import MUTANTS

FLAGS = "-std=c++20 -O1 -w -UNDEBUG -DLEAT_PLATFORM=simulated"
LIBRARIES = "-lboost_context -lgtest -lgtest_main -lgmock -pthread"
FOLDERS = ("include", "src", "tests")
# Beyond S, of time on the wall, for a check whose threads sleep and would not wake.
PATIENCE = 10

# What no mutant changes: compiled once.
FIXED = [
    "src/leat/platform/simulation/*.cpp",
    "src/leat/platform/native*.cpp",
    "src/leat/platform/built.cpp",
    "src/leat/topology/*.cpp",
    "src/leat/channel/cell.cpp",
    "src/leat/protocol/victims.cpp",
    "src/leat/*/errors.cpp",
    "src/leat/task/graph_plan.cpp",
    "src/leat/platform/abort.cpp",
    "src/leat/platform/thread_view.cpp",
    "src/leat/scheduler/process.cpp",
    "src/leat/waiting/*.cpp",
    "src/leat/profile/*.cpp",
    "src/leat/platform/call_places.cpp",
    "src/leat/options.cpp",
]
# What else no mutant of the check changes, and what is compiled for each mutant; the tests that are run. "seeds of TEXT" is the check
# "seeds" with the worlds alone in whose descriptions TEXT stands.
CHECKS = {
    "seeds": (
        [f"tests/simulated/{name}.cpp" for name in ("clients", "drawn_world", "shrinking", "seeds_test")],
        ["src/leat/entry/instances.cpp", "tests/simulated/clients_of_*.cpp"],
        "seeds.clients_long"),
    "idles": ([], ["src/leat/entry/instances.cpp", "tests/simulated/idles_test.cpp"], "idles.*"),
    "budget": ([], ["src/leat/entry/instances.cpp", "tests/simulated/budget_test.cpp"], "budget.*"),
    "capped": ([], ["src/leat/entry/instances.cpp", "tests/simulated/capped_test.cpp"], "capped.*"),
    "waits": ([], ["src/leat/entry/instances.cpp", "tests/simulated/waits_test.cpp"], "waits.*"),
    "deadlocks": (
        [], ["src/leat/entry/instances.cpp", "tests/simulated/deadlocks_test.cpp", "tests/simulated/hang_report_test.cpp"], "*"),
    "functions": ([], [f"tests/unit/{name}_test.cpp" for name in ("account_count", "census", "channel_pace", "manager", "manager_spares", "protocol", "rank_tasks")], "*"),
    "every_channel": ([], ["tests/simulated/every_channel_test.cpp"], "every_schedule.*"),
    "every_proxy": ([], ["tests/simulated/every_proxy_test.cpp"], "every_schedule.*"),
    "every_submission": ([], ["src/leat/entry/instances.cpp", "tests/simulated/every_submission_test.cpp"], "*"),
    "every_rank": ([], ["tests/simulated/every_rank_test.cpp"], "every_schedule.*"),
    "every_graph": ([], ["src/leat/entry/instances.cpp", "src/leat/task/graph_plan.cpp", "tests/simulated/every_graph_test.cpp"],
                    "every_schedule.*"),
    "every_user_channel": ([], ["src/leat/entry/instances.cpp", "tests/simulated/every_user_channel_test.cpp"], "*"),
    "every_deque": ([], ["tests/simulated/every_deque_test.cpp", "tests/simulated/every_fork_stack_test.cpp"], "every_schedule.*"),
}
# Files of the scheduler's that no check needs.
# Their files are linked by each check, or are named in UNUSED.
ROOMS = ("work", "waiting", "post", "scheduler", "entry", "profile")
UNUSED = ("src/leat/entry/counted_instances.cpp",)

# What a check that fails says first.
SAID = re.compile(r"(client: .*|assertion does not hold: .*|nobody can go on|no end after.*|.*let out.*|no order.*|std::terminate.*"
                  r"|a signal: .*|a worker idles.*|a (?:task|join|slot) .*|a signal is forgotten|told, or knows|a call is without.*|two poll for.*|the message is there)")


def call(command, seconds=None):
    """Exit status, output and CPU seconds of a command; with `seconds`, it is killed when it has used so many."""
    if seconds is not None:
        command = ["sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    timer = threading.Timer(PATIENCE * seconds, process.kill) if seconds is not None else None
    if timer is not None:
        timer.start()
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if timer is not None:
        timer.cancel()
    return process.returncode, output, used.ru_utime + used.ru_stime


class Bench:
    """Where mutants are made and checked."""

    def __init__(self, args, scratch):
        self.args, self.scratch = args, scratch
        self.source = args.source.resolve()

    def compile(self, tree, patterns, objects):
        """The objects of the files that match, and the CPU seconds. A mutant that does not compile is no mutant."""
        made, took = [], 0.0
        for source in sorted(path for pattern in patterns for path in tree.glob(pattern)):
            made.append(objects / (source.relative_to(tree).as_posix().replace("/", "-") + ".o"))
            command = [*self.args.compiler, *FLAGS.split(), *(f"-I{tree / folder}" for folder in FOLDERS),
                       "-c", str(source), "-o", str(made[-1])]
            status, errors, seconds = call(command)
            took += seconds
            if status != 0:
                raise RuntimeError(f"does not compile: {shlex.join(command)}\n{errors[-4000:]}")
        return made, took

    def prepare(self, checks, pool):
        """Compiles what the mutants of these checks have in common."""
        def compiled(name, patterns):
            folder = self.scratch / name
            folder.mkdir()
            return self.compile(self.source, patterns, folder)[0]
        parts = {name: pool.submit(compiled, name, patterns)
                 for name, patterns in [("fixed", FIXED)] + [(c, CHECKS[c][0]) for c in checks]}
        self.fixed = {c: parts["fixed"].result() + parts[c].result() for c in checks}

    def copy(self, where, changes):
        """A copy of the tree with these changes."""
        for folder in FOLDERS:
            shutil.copytree(self.source / folder, where / folder)
        for file, text, instead in changes:
            path = where / file
            content = path.read_text()
            if content.count(text) != 1:
                raise RuntimeError(f"{file}: {content.count(text)} times, not once:\n{text}")
            path.write_text(content.replace(text, instead))

    def judge(self, mutant):
        """What the check said of the mutant, or None if it survives; seconds of compiling, and of the check."""
        _, check, changes = mutant
        with tempfile.TemporaryDirectory(dir=self.scratch) as where:
            where = pathlib.Path(where)
            self.copy(where, changes)
            check, _, only = check.partition(" of ")
            objects, compiling = self.compile(where, CHECKS[check][1], where)
            program = where / "check"
            own = {o.name for o in objects}  # a file that mutants of this check change stands in place of the fixed one
            fixed = [o for o in self.fixed[check] if o.name not in own]
            status, errors, linking = call([*self.args.compiler, *map(str, objects + fixed),
                                            *LIBRARIES.split(), "-o", str(program)])
            if status != 0:
                raise RuntimeError(f"does not link: {errors[-4000:]}")
            status, output, checking = call(["env", f"LEAT_SEEDS_OF={only}", str(program), f"--gtest_filter={CHECKS[check][2]}",
                                             "--gtest_fail_fast"], self.args.seconds)
        if status in (0, -signal.SIGKILL, -signal.SIGXCPU):  # passed, or out of time
            return None, compiling + linking, checking
        found = SAID.search(output) or re.search(r"\[  FAILED  \] (\S+)", output)
        said = found.group(1) if found else f"exit status {status}"
        return re.sub(r"(?:/\S*/)?(\w+\.[ch]pp:\d+): [^\n]*: (?=[^:])", r"\1: ", said)[:100], compiling + linking, checking


def misfits(source):
    """Changes whose text does not stand in its file once, and files of the scheduler's that would be missing when a check is linked."""
    texts = {file: (source / file).read_text() for _, _, changes in MUTANTS for file, _, _ in changes}
    for name, _, changes in MUTANTS:
        for file, text, _ in changes:
            if texts[file].count(text) != 1:
                yield f"{name}: {file} has the text to be changed {texts[file].count(text)} times, not once"
    linked = {path for pattern in [*FIXED, *CHECKS["idles"][1]] for path in source.glob(pattern)}
    of_scheduler = {path for room in ROOMS for path in source.glob(f"src/leat/{room}/*.cpp")}
    for path in sorted(of_scheduler - linked - {source / file for file in UNUSED}):
        yield f"{path.relative_to(source)} is linked by no check: it belongs to FIXED or to UNUSED"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fits", action="store_true", help="only look whether the mutants fit the tree")
    parser.add_argument("--only", default="", help="mutants whose names or checks have this in them")
    parser.add_argument("--seconds", type=int, default=90, help="of CPU time for each check, without compiling")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="mutants at a time")
    parser.add_argument("--compiler", type=shlex.split, default=["c++"])
    parser.add_argument("--markdown", action="store_true", help="the table in Markdown")
    args = parser.parse_args()
    chosen = [m for m in MUTANTS if args.only in m[0] or args.only == m[1]]
    if args.list:
        print("\n".join(f"{check}: {name}" for name, check, _ in chosen))
        return 0
    if args.fits:
        found = list(misfits(args.source))
        print("\n".join(found) or f"{len(MUTANTS)} mutants fit")
        return bool(found)
    begun, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        bench = Bench(args, pathlib.Path(scratch))
        bench.prepare(sorted({check.partition(" of ")[0] for _, check, _ in chosen}), pool)
        for (name, check, _), (said, compiling, checking) in zip(chosen, pool.map(bench.judge, chosen)):
            rows.append((name, check if said else "survives", said or "", f"{checking:.1f}"))
            print(f"{check if said else 'SURVIVES ' + check}, {compiling:.0f} s + {checking:.1f} s: {name}: {said}", flush=True)
    print("\n| mutant | killed by | which says | CPU s |\n| --- | --- | --- | --- |" if args.markdown else "")
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" if args.markdown else "  ".join(row))
    survivors = sum(row[1] == "survives" for row in rows)
    print(f"\n{survivors} of {len(chosen)} survive; {time.monotonic() - begun:.0f} s, "
          f"{sum(os.times()[2:4]):.0f} s of CPU time")
    return survivors != 0


if __name__ == "__main__":
    sys.exit(main())
