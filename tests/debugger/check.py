"""gdb on a program that uses leat: the command `leat workers`, and the printers. usage: check.py PROGRAM SCRIPT"""

import re
import shutil
import subprocess
import sys
import tempfile

WANTED = (
    r"runtime 0 \(runtime, scheduler channel\), 2 workers:",
    r"  worker [01]: executes a task \[\d, leat-[01]\]\n    at stopped\.cpp:\d+ in operator\(\)",
    r"  worker [01]: in the runtime, waits for what worker [01] executes \[\d, leat-[01]\]\n    at stopped\.cpp:\d+ in operator\(\)",
    r"none = leat::future, empty",
    r"result = leat::future, executed by worker [01]",
    r"group = leat::task_group of worker [01]",
    r"line = leat::channel = \{senders that wait = 0, receivers that wait = 0\}",
    r"worker [01]: executes a task",
    r"deque of \d+ tasks",
)

# The frame of the root, on whichever thread it is. The script's names are those of gdb's interpreter.
LOCALS = """python
import gdb
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame = gdb.newest_frame()
    while frame is not None:
        sal = frame.find_sal()
        if sal.symtab and sal.symtab.filename.endswith("stopped.cpp") and "none" in gdb.execute("info locals", to_string=True):
            gdb.execute("info locals")
        frame = frame.older()
        if frame is not None:
            frame.select()
for _, _, _, workers in runtimes():
    worker = _worker(workers[0])
    print(worker.format_string())
    print(worker["runner"]["stack_"]["tasks"].format_string())
end
"""


def main(program, script):
    if shutil.which("gdb") is None:
        print("skipped: gdb is not installed")
        return 77
    steps = ["set debuginfod enabled off", f"source {script}", "run", "leat workers", "info leat"]
    commands = "\n".join(steps) + "\n" + LOCALS
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
        file.write(commands)
        file.flush()
        result = subprocess.run(
            ["gdb", "-q", "-nx", "-batch", "-x", file.name, program],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    missing = [w for w in WANTED if re.search(w, result.stdout) is None]
    if not missing:
        return 0
    print("\n".join(f"gdb does not print: {w}" for w in missing))
    print(result.stdout, result.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
