"""Whether leat profile names the fault of each program that has one, and accuses none that has none.

Usage: verdicts.py LEAT FAULTS SOUND [NAME...]

FAULTS and SOUND are the programs of faults.cpp and sound.cpp. Of the twelve faults eleven must be the first verdict, and no program
without a fault may get any. A fault that this machine does not have is left out: a quota where this process may make no control
group, and a shared line or shared memory where the program is as many times faster as it has workers. One of the others may be missed.
Each program has up to three tries, since other programs may take CPUs meanwhile; the best counts. Exit status 0 if all is so.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

# The key of the first verdict for each fault; a cache line and the memory that workers share show only beside one worker.
FAULTS = {
    "serial": "serial",
    "chain": "chain",
    "tiny_tasks": "tiny_tasks",
    "false_sharing": "inflation",
    "bandwidth": "inflation",
    "lock": "lock",
    "system_calls": "system_calls",
    "quota": "quota",
    "another_program": "preempted",
    "imbalance": "imbalance",
    "barriers": "barriers",
    "page_faults": "page_faults",
}
BESIDE_ONE = {"false_sharing", "bandwidth"}
SOUND = ["forks", "even_loop", "uneven_loop", "default_runtime", "reduction", "sort", "matrices", "tasks_of_a_group", "futures",
         "rare_lock", "puzzle", "graph"]
SCALES = 0.85
MISSED_MAX = 1
TRIES = 3
GROUPS = "/sys/fs/cgroup"


@contextlib.contextmanager
def group_of_one_cpu():
    """A control group with a quota of one CPU: the file to which a process writes its number. None where none can be made."""
    name = f"leat-verdicts-{os.getpid()}"
    v1 = os.path.join(GROUPS, "cpu")
    path = os.path.join(v1 if os.path.isdir(v1) else GROUPS, name)
    try:
        os.mkdir(path)
    except OSError:
        yield None
        return
    try:
        if os.path.isdir(v1):
            limits = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "100000")]
        else:
            limits = [("cpu.max", "100000 100000")]
        for file, value in limits:
            with open(os.path.join(path, file), "w", encoding="ascii") as out:
                out.write(value)
        yield os.path.join(path, "cgroup.procs")
    except OSError:
        yield None
    finally:
        os.rmdir(path)


@contextlib.contextmanager
def busy_programs(count):
    """Programs that take CPUs, while they are wanted."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def explain(leat, program, name, workers, group=None):
    """What leat profile says of the program, as it reports it in JSON."""

    def enter():
        with open(group, "w", encoding="ascii") as procs:
            procs.write(str(os.getpid()))

    with tempfile.TemporaryDirectory() as folder:
        one = ["--one"] if name in BESIDE_ONE else []
        file = os.path.join(folder, "profile.txt")
        command = [leat, "profile", "--json", "-o", file, *one, program, name]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LEAT_")}
        environment["LEAT_NUM_WORKERS"] = str(workers)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, universal_newlines=True, check=True,
                              timeout=300, preexec_fn=enter if group else None)
        return json.loads(done.stdout)


def keys(found):
    return [f"{v['key']} {100 * v['cost']:.0f} %" for v in found["verdicts"]]


def scales(program, name, workers):
    """Whether the program is about as many times faster with so many workers: then the machine has enough memory, or one cache."""
    seconds = {}
    for many in (1, workers):
        times = []
        for _ in range(3):
            began = time.monotonic()
            subprocess.run([program, name], env={**os.environ, "LEAT_NUM_WORKERS": str(many)}, stdout=subprocess.DEVNULL, check=True)
            times.append(time.monotonic() - began)
        seconds[many] = min(times)
    return seconds[1] / seconds[workers] >= SCALES * workers


def try_fault(leat, program, name, workers):
    """(whether the fault is named first, the verdicts); None where it cannot be planted here."""
    if name in BESIDE_ONE and scales(program, name, workers):
        return None
    if name == "quota":
        with group_of_one_cpu() as group:
            if group is None:
                return None
            found = explain(leat, program, name, workers, group)
    elif name == "another_program":
        with busy_programs(1):
            found = explain(leat, program, name, workers)
    else:
        found = explain(leat, program, name, workers)
    return bool(found["verdicts"]) and found["verdicts"][0]["key"] == FAULTS[name], keys(found), found["seconds"]


def try_sound(leat, program, name, workers):
    found = explain(leat, program, name, workers)
    return not found["verdicts"], keys(found), found["seconds"]


def best(attempt, leat, program, name, workers):
    for _ in range(TRIES):
        result = attempt(leat, program, name, workers)
        if result is None or result[0]:
            break
    if result is None:
        print(f"    -   {name}: cannot be planted here", flush=True)
    else:
        print(f"{'right' if result[0] else 'WRONG'}  {name}: {', '.join(result[1]) or 'nothing'} ({result[2]:.2f} s)", flush=True)
    return result


def main(leat, faults, sound, *names):
    workers = min(4, len(os.sched_getaffinity(0)))
    chosen = lambda all_of_them: [name for name in all_of_them if not names or name in names]
    of_faults = [best(try_fault, leat, faults, name, workers) for name in chosen(FAULTS)]
    of_sound = [best(try_sound, leat, sound, name, workers) for name in chosen(SOUND)]
    missed = sum(1 for result in of_faults if result is not None and not result[0])
    accused = sum(1 for result in of_sound if not result[0])
    print(f"{missed} of {len(of_faults)} faults not named first, {accused} of {len(of_sound)} sound programs accused")
    return 0 if missed <= MISSED_MAX and accused == 0 else 1


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) < 2:
        print("one CPU: nothing scales here")
        sys.exit(0)
    sys.exit(main(*[os.path.abspath(path) for path in sys.argv[1:4]], *sys.argv[4:]))
