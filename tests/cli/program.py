"""Runs the program leat as a user does: for tests of its exit status and of what it writes."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
NO_RIVALS = tempfile.TemporaryDirectory()

# Exit status.
OK = 0
FAILED = 1
BAD_INPUT = 2

# The members that every measuring command reports.
SCHEMA = ["benchmark", "parameters", "scheduler", "steal", "workers", "repeat", "result_ok", "serial_seconds",
          "seconds", "speedup", "capacity", "counters", "worker_counters"]


def clean(environment):
    """No rivals, unless the environment says where they are."""
    of_it = {name: value for name, value in os.environ.items() if not name.startswith("LEAT_")}
    of_it["LEAT_RIVALS"] = NO_RIVALS.name
    of_it.update(environment or {})
    return of_it


def leat(*arguments, environment=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, address_space=None, file_size=None,
         executable=None):
    """`address_space`, `file_size`: bytes that the program may have of it, and that a file that it writes may have.
    `executable`: the program, else PROGRAM."""

    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        if file_size:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    return subprocess.run([executable or PROGRAM, *arguments], env=clean(environment), stdout=stdout, stderr=stderr,
                          universal_newlines=True, timeout=600, check=False, preexec_fn=limit)


@contextlib.contextmanager
def at_terminal(*arguments, environment=None):
    """The program while it runs, and a function that reads what it shows on its standard error, which is a terminal: all, or
    up to a regular expression. The program is ended at the end."""
    reading, terminal = pty.openpty()
    shown = b""

    def read(until=None):
        nonlocal shown
        while until is None or not re.search(until, shown):
            try:
                part = os.read(reading, 4096)
            except OSError:  # the end of a terminal whose other side is closed
                part = b""
            if not part:
                break
            shown += part
        return shown

    process = subprocess.Popen([PROGRAM, *arguments], env=clean(environment), stdout=subprocess.DEVNULL, stderr=terminal)
    try:
        os.close(terminal)
        yield process, read
    finally:
        process.kill()
        process.wait()
        os.close(reading)


class ProgramTest(unittest.TestCase):
    def succeed(self, *arguments, environment=None):
        done = leat(*arguments, environment=environment)
        self.assertEqual(done.returncode, OK, done)
        self.assertEqual(done.stderr, "", "nothing but progress on a terminal goes to standard error")
        return done.stdout

    def report(self, *arguments, environment=None):
        return json.loads(self.succeed(*arguments, "--json", environment=environment))

    def check_workers(self, report):
        """What one run of a measuring command tells of each worker adds up to what it tells of all."""
        self.assertEqual(len(report["worker_counters"]), report["workers"])
        self.check_sums(report["counters"], report["worker_counters"], ["tasks", "steals", "tasks_stolen", "exposed"])
        if report["counted"]:
            self.assertEqual(len(report["counted"]["worker_counters"]), report["workers"])
            # Idle workers, too, count a handful while all is read.
            self.check_sums(report["counted"], report["counted"]["worker_counters"], ["fences", "cas", "rmw"], slack=100)

    def check_sums(self, totals, workers, names, slack=0):
        for name in names:
            self.assertAlmostEqual(sum(of_it[name] for of_it in workers), totals[name], delta=slack, msg=name)

    def refuse(self, named, *arguments, environment=None):
        """The program must name the bad value, print nothing else, and say by its status that the input is at fault."""
        done = leat(*arguments, environment=environment)
        self.assertEqual(done.returncode, BAD_INPUT, done)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("leat: "), done.stderr)
        self.assertIn(named, done.stderr)


def main():
    """Runs the tests of the script that calls it, on the program that its first argument names."""
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=2)
