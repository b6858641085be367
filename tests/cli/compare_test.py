"""`leat compare` from outside.

Usage: compare_test.py PROGRAM [CLASS...]
"""

import csv
import io
import os
import stat
import statistics
import subprocess
import sys
import tempfile
import time

import program

SCHEDULERS = ["channel", "prell", "work-stealing", "lcws-user", "lcws-signal", "lcws-conservative", "lcws-half"]

# Each kernel with a small size.
KERNELS = [
    ["uts", "-t", "1", "-a", "2", "-d", "6", "-b", "3"],
    ["uts", "--construct", "fork"],
    ["fib", "-n", "16"],
    ["treerec", "-n", "10"],
    ["nqueens", "-n", "7", "--construct", "group"],
    ["spc", "--tasks", "1000"],
    ["bpc", "-d", "20", "--us", "1"],
    ["sort", "-n", "20000"],
    ["quicksort", "-n", "20000"],
    ["cilksort", "-n", "20000"],
    ["matmul", "-n", "96", "--block", "8"],
    ["lu", "-n", "96", "--block", "8"],
    ["lu", "-n", "96", "--block", "8", "--construct", "future"],
    ["wavefront", "-n", "20"], ["dag", "-n", "500", "--ns", "100"], ["heat", "-n", "64", "--steps", "10"],
    ["bfs", "--scale", "8"],
    ["bfs", "--scale", "8", "--kind", "uniform", "--grain", "1"],
    ["sort", "-n", "20000", "--kind", "strings"],
    ["sort", "-n", "20000", "--stable"],
] + [["loop", "--kind", kind, "--scale", scale]
     for kind, scale in [("FG", "0.002"), ("CG", "0.01"), ("RG", "0.01"), ("IG", "0.01"), ("DG", "0.01"),
                         ("uniform", "0.001"), ("ramp", "0.001")]]


class Compare(program.ProgramTest):
    ROUNDS = 5  # the fewest with which a difference is called

    def compare(self, *arguments, repeat=ROUNDS):
        return self.report("compare", *arguments, "--repeat", str(repeat))

    def test_every_scheduler_on_every_kernel(self):
        for arguments in KERNELS:
            # A loop wakes all workers first, for 20 ms a run.
            for workers in [2] if arguments[0] == "loop" else [1, 2, 8]:
                with self.subTest(arguments=arguments, workers=workers):
                    report = self.compare(*arguments, "--workers", str(workers), repeat=1)
                    self.assertEqual(report["benchmark"], arguments[0])
                    self.assertEqual((report["workers"], report["repeat"], report["warmup"]), (workers, 1, 1))
                    self.assertIs(report["result_ok"], True)
                    self.assertGreater(report["serial_seconds"], 0)
                    self.assertEqual([s["scheduler"] for s in report["schedulers"]], SCHEDULERS)
                    for s in report["schedulers"]:
                        self.assertGreater(s["seconds"], 0)
                        self.assertEqual((s["p10"], s["p90"]), (s["seconds"], s["seconds"]), "of one round")
                        self.assertEqual(s["standing"], "undecided", "with one round")
                        self.assertIsNone(s["counted"])

    def test_medians_and_percentiles_of_the_rounds(self):
        for repeat in [2, 5, 6, 11]:
            report = self.compare("fib", "-n", "12", "--workers", "2", repeat=repeat)
            for found, prefix in [(report, "serial_"), *[(s, "") for s in report["schedulers"]]]:
                rounds = found[prefix + "rounds"]
                self.assertEqual(len(rounds), repeat)
                self.assertAlmostEqual(found[prefix + "seconds"], statistics.median(rounds), places=12)
                tenths = statistics.quantiles(rounds, n=10, method="inclusive")
                self.assertAlmostEqual(found[prefix + "p10"], tenths[0], places=12)
                self.assertAlmostEqual(found[prefix + "p90"], tenths[-1], places=12)

    def test_ratios(self):
        report = self.compare("fib", "-n", "18", "--workers", "2")
        least = min(s["seconds"] for s in report["schedulers"])
        for s in report["schedulers"]:
            self.assertAlmostEqual(s["of_best"], s["seconds"] / least)
            self.assertAlmostEqual(s["speedup"], report["serial_seconds"] / s["seconds"])

    def test_no_difference_is_called_that_the_noise_could_make(self):
        for arguments in [["fib", "-n", "18"], ["fib", "-n", "22", "--workers", "1"], ["spc", "--tasks", "3000"]]:
            report = self.compare(*arguments)
            bests = [s for s in report["schedulers"] if s["standing"] == "best"]
            self.assertEqual(len(bests), 1)
            best = bests[0]
            self.assertEqual(best["of_best"], 1)
            noise = report["noise"]
            self.assertTrue(0 < noise["p10"] <= noise["seconds"] <= noise["p90"], noise)
            for s in report["schedulers"]:
                if s is not best:
                    apart = s["p10"] > best["p90"] and s["of_best"] > report["told_apart_above"]
                    self.assertEqual(s["standing"], "slower" if apart else "not told apart", (s, noise))
            spreads = [s["p90"] / s["p10"] for s in report["schedulers"]]
            self.assertAlmostEqual(report["told_apart_above"], max(noise["p90"] / noise["p10"], statistics.median(spreads)))
        for repeat in range(1, self.ROUNDS):
            report = self.compare("fib", "-n", "10", repeat=repeat)
            self.assertEqual({s["standing"] for s in report["schedulers"]}, {"undecided"})
            self.assertIsNone(report["noise"], "none is measured that nobody judges by")
            self.assertIsNone(report["told_apart_above"])

    def test_chosen_schedulers_in_their_order(self):
        report = self.compare("fib", "-n", "10", "--schedulers", "lcws-half,channel", repeat=2)
        self.assertEqual([s["scheduler"] for s in report["schedulers"]], ["lcws-half", "channel"])
        report = self.report("compare", "fib", "-n", "10", "--schedulers", "work-stealing", "--repeat", "2",
                             environment={"LEAT_SCHEDULER": "nonesuch"})
        self.assertEqual([s["scheduler"] for s in report["schedulers"]], ["work-stealing"])

    def test_parameters_are_those_of_the_kernel(self):
        report = self.compare("treerec", "-n", "9", "--us", "0", "--construct", "group", "--warmup", "0", "--steal",
                              "one", repeat=1)
        self.assertEqual(report["parameters"], {"n": 9, "us": 0, "clock": False, "construct": "group", "wait": "own", "form": "context"})
        self.assertEqual((report["warmup"], report["steal"]), (0, "one"))
        report = self.compare("uts", "-t", "1", "-a", "3", "-d", "3", repeat=1)
        self.assertEqual((report["parameters"]["d"], report["parameters"]["construct"]), (3, "spawn"))

    def test_counters_are_of_one_run(self):
        report = self.compare("spc", "--tasks", "500", "--warmup", "3", "--workers", "1", repeat=4)
        for s in report["schedulers"]:
            self.assertEqual(s["counters"]["tasks"], 500)
            self.assertEqual(s["counters"]["fences"], 0, "not counted on the native platform")
            self.assertEqual(s["worker_counters"][0]["tasks"], 500)

    def test_counters_of_each_worker(self):
        for scheduler in SCHEDULERS:
            report = self.compare("uts", "-a", "3", "--counted", "--schedulers", scheduler, "--workers", "3", repeat=1)
            found = report["schedulers"][0]
            self.assertEqual(len(found["worker_counters"]), 3)
            self.check_sums(found["counters"], found["worker_counters"], ["tasks", "steals", "tasks_stolen"])
            workers = found["counted"]["worker_counters"]
            self.assertEqual(len(workers), 3)
            self.assertEqual(sum(of_it["tasks"] for of_it in workers), found["counted"]["units"] - 1)
            self.check_sums(found["counted"], workers, ["fences", "cas", "rmw"], slack=100)

    def test_counted(self):
        report = self.compare("fib", "-n", "25", "--workers", "1", "--counted", repeat=1)
        counted = {s["scheduler"]: s["counted"] for s in report["schedulers"]}
        for scheduler, of_it in counted.items():
            self.assertEqual((of_it["size"], of_it["units"]), (report["parameters"], 121392), scheduler)
            for kind in ["fences", "cas", "rmw"]:
                self.assertAlmostEqual(of_it[f"{kind}_per_unit"], of_it[kind] / of_it["units"])
        self.assertGreater(counted["work-stealing"]["fences_per_unit"], 0.99, "a fence for each fork")
        for scheduler in ["channel", "prell", "lcws-user", "lcws-signal", "lcws-conservative", "lcws-half"]:
            self.assertLess(counted[scheduler]["fences_per_unit"], 0.01, scheduler)
            self.assertEqual(len(of_it["worker_counters"]), 1)
        loop = self.compare("loop", "--kind", "uniform", "--scale", "0.001", "--counted", repeat=1)
        self.assertEqual({s["counted"]["units"] for s in loop["schedulers"]}, {10000})
        uts = self.compare("uts", "-d", "5", "--counted", repeat=1)
        self.assertEqual({s["counted"]["units"] for s in uts["schedulers"]}, {uts["schedulers"][0]["counters"]["tasks"] + 1})
        nothing = self.compare("spc", "--tasks", "0", "--counted", repeat=1)
        self.assertEqual({s["counted"]["fences_per_unit"] for s in nothing["schedulers"]}, {None})

    def test_alone(self):
        for workers in ["1", "2"]:
            report = self.compare("fib", "-n", "16", "--workers", workers, "--alone", "--schedulers", "channel,work-stealing")
            for s in report["schedulers"]:
                self.assertAlmostEqual(s["overhead"], s["alone_seconds"] / report["serial_seconds"])
                if workers == "1":
                    self.assertEqual(s["alone_seconds"], s["seconds"], "one configuration is both")
        text = self.succeed("compare", "fib", "-n", "12", "--alone", "--repeat", "2")
        self.assertRegex(text, r"(?m)^program .* T1 +T1/Ts +standing$")
        report = self.compare("fib", "-n", "12", "--alone", "--no-serial", "--workers", "2", repeat=1)
        for s in report["schedulers"]:
            self.assertGreater(s["alone_seconds"], 0)
            self.assertIsNone(s["overhead"])
        self.assertEqual({s["alone_seconds"] for s in self.compare("fib", "-n", "12", repeat=1)["schedulers"]}, {None})

    def test_several_kernels(self):
        arguments = ["compare", "fib", "-n", "12", "spc", "--tasks", "100", "--repeat", "2", "nqueens", "-n", "6"]
        reports = self.report(*arguments)
        self.assertEqual([(r["benchmark"], r["repeat"]) for r in reports], [("fib", 2), ("spc", 2), ("nqueens", 2)])
        self.assertEqual([r["parameters"]["n"] for r in reports[::2]], [12, 6])
        text = self.succeed(*arguments)
        titles = [line.split(" ")[0] for line in text.splitlines() if line.startswith(("fib (", "spc (", "nqueens ("))]
        self.assertEqual(titles, ["fib", "spc", "nqueens"])

    def test_one_kernel_with_several_sizes(self):
        arguments = ["compare", "fib", "-n", "12", "uts", "-d", "4", "fib", "--repeat", "2", "-n", "13", "uts", "-d", "5", "fib"]
        small = ["--form", "plain", "-n", "9"]
        reports = self.report(*arguments, *small)
        self.assertEqual([r["benchmark"] for r in reports], ["fib", "uts", "fib", "uts", "fib"])
        self.assertEqual([r["repeat"] for r in reports], [2] * 5)
        self.assertEqual([r["parameters"]["n"] for r in reports[::2]], [12, 13, 9])
        self.assertEqual([r["parameters"]["form"] for r in reports[::2]], ["context", "context", "plain"])
        self.assertEqual([r["parameters"]["d"] for r in reports[1::2]], [4, 5])
        titles = [line for line in self.succeed(*arguments, *small).splitlines() if line.startswith("fib (")]
        self.assertEqual(titles, ["fib (n 12, form context)", "fib (n 13, form context)", "fib (n 9, form plain)"])
        self.refuse("-n = '14': already given as '13'", "compare", "fib", "-n", "12", "fib", "-n", "13", "-n", "14")

    def test_csv(self):
        text = self.succeed("compare", "--csv", "fib", "-n", "12", "spc", "--tasks", "100", "--repeat", "5", "--workers", "2")
        rows = list(csv.DictReader(io.StringIO(text)))
        each = ["", "serial", *SCHEDULERS]
        self.assertEqual([r["program"] for r in rows], 2 * each)
        self.assertEqual([r["kind"] for r in rows[:3]], ["noise", "serial", "scheduler"])
        self.assertEqual(rows[0]["title"], "fib (n 12, form context)")
        for r in rows:
            self.assertNotIn(None, [*r, *r.values()], "as many cells as heads")
            if r["kind"] == "scheduler":
                self.assertAlmostEqual(float(r["efficiency"]), float(r["speedup"]) / 2, places=7)
                self.assertIn(r["standing"], ["best", "not told apart", "slower"])
                self.assertEqual(r["overhead"], "")

    def test_without_serial_program(self):
        report = self.compare("fib", "-n", "12", "--no-serial", repeat=2)
        for member in ["serial_seconds", "serial_p10", "serial_p90", "serial_rounds"]:
            self.assertIsNone(report[member], member)
        self.assertEqual({s["speedup"] for s in report["schedulers"]}, {None})
        self.assertNotIn("serial", self.succeed("compare", "fib", "-n", "12", "--no-serial", "--repeat", "2"))

    def test_text(self):
        text = self.succeed("compare", "fib", "-n", "12", "--workers", "2", "--repeat", "5", "--counted")
        for part in ["fib (n 12, form context)\n", "2 workers, steal adaptive, 5 rounds", "serial ", " of best",
                     "best\n", "; noise ", " exposed ", " fences/task", "10th and 90th percentiles"]:
            self.assertIn(part, text)
        for scheduler in SCHEDULERS:
            self.assertRegex(text, rf"(?m)^{scheduler} +\d\.\d{{6}} .*(best|not told apart|slower)$")
        names = ("program ", *(scheduler + " " for scheduler in SCHEDULERS))
        aligned = [line for line in text.splitlines() if line.startswith(names)]
        self.assertEqual(len({len(line) for line in aligned[:7]}), 1, aligned)
        self.assertIn("no difference is called", self.succeed("compare", "fib", "-n", "12", "--repeat", "4"))

    def test_markdown(self):
        text = self.succeed("compare", "fib", "-n", "12", "--workers", "1", "--repeat", "5", "--markdown")
        self.assertIn("**fib (n 12, form context)**, 1 worker, ", text)
        self.assertIn("\n\n| program | seconds | 10 % | 90 % | of best | speed-up | efficiency | standing |\n| --- | ---: |", text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 2 * (2 + len(SCHEDULERS)))
        for first, last in [(0, len(rows) // 2), (len(rows) // 2, len(rows))]:
            self.assertEqual(len({row.count("|") for row in rows[first:last]}), 1)

    def test_list_and_help(self):
        for text in [self.succeed("compare"), self.succeed("compare", "--help")]:
            for kernel in ["uts", "fib", "treerec", "nqueens", "spc", "bpc", "sort", "quicksort", "cilksort", "matmul",
                           "lu", "wavefront", "dag", "heat", "bfs", "loop"]:
                self.assertRegex(text, rf"(?m)^ *{kernel} ")
        text = self.succeed("compare", "fib", "--help")
        for part in ["-n N=38", "--schedulers", "--workers", "--repeat N=11", "--warmup N=1", "--counted", "--json",
                     "--markdown", *SCHEDULERS]:
            self.assertIn(part, text)
        self.assertNotIn("--scheduler ", text)
        self.assertIn("T3XXL ", self.succeed("compare", "uts", "--help"))


# A rival that answers with what its environment says.
RIVAL = """#!{python}
import os, sys, time
{body}
"""

HONEST = """
assert sys.argv[1] == "fib" and "n=12" in sys.argv and "workers=2" in sys.argv, sys.argv
print("ready", flush=True)
for line in sys.stdin:
    assert line == "run\\n", line
    time.sleep(0.1)
    print("0.0625 144", flush=True)
"""


class Rivals(program.ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def add(self, name, body):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(RIVAL.format(python=sys.executable, body=body))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def compare(self, *arguments, folder=None):
        return self.report("compare", "fib", "-n", "12", "--workers", "2", "--repeat", "5", "--schedulers", "channel",
                           *arguments, environment={"LEAT_RIVALS": folder or self.folder})

    def fails(self, *named):
        done = program.leat("compare", "fib", "-n", "12", "--workers", "2", "--repeat", "1",
                            environment={"LEAT_RIVALS": self.folder})
        self.assertEqual((done.returncode, done.stdout), (program.FAILED, ""), done)
        for part in named:
            self.assertIn(part, done.stderr)

    def test_take_part(self):
        self.add("idler", HONEST)
        self.add("loafer", HONEST)
        report = self.compare()
        self.assertEqual([r["rival"] for r in report["rivals"]], ["idler", "loafer"])
        for r in report["rivals"]:
            self.assertEqual((r["seconds"], r["rounds"], r["standing"]), (0.0625, [0.0625] * 5, "slower"))
            self.assertAlmostEqual(r["of_best"], 0.0625 / report["schedulers"][0]["seconds"])
            self.assertAlmostEqual(r["speedup"], report["serial_seconds"] / 0.0625)
            self.assertIsNone(r["alone_seconds"])
        self.assertEqual([r["rival"] for r in self.compare("--rivals", "loafer")["rivals"]], ["loafer"])
        self.assertEqual(self.compare("--rivals", "none")["rivals"], [])

    def test_take_part_alone_too(self):
        self.add("idler", HONEST.replace('assert sys.argv[1] == "fib" and "n=12" in sys.argv and "workers=2" in sys.argv',
                                         'assert sys.argv[1] == "fib"')
                 .replace('"0.0625 144"', '"0.09375 144" if "workers=1" in sys.argv else "0.0625 144"'))
        report = self.compare("--alone")
        self.assertEqual([(r["rival"], r["seconds"], r["alone_seconds"]) for r in report["rivals"]], [("idler", 0.0625, 0.09375)])
        self.assertAlmostEqual(report["rivals"][0]["overhead"], 0.09375 / report["serial_seconds"])

    def test_may_end_by_themselves(self):
        trace = os.path.join(self.folder, "ended")
        self.add("tidy", HONEST + f"\nopen({trace!r}, 'w').close()\n")
        self.add("stubborn", HONEST + "\ntime.sleep(1000)\n")
        self.compare()
        self.assertTrue(os.path.exists(trace), "it was not killed where it waited for its turn")

    def test_their_children_end_with_them(self):
        """A script that only starts the rival: what it starts is ended with it."""
        self.add("real", HONEST.replace('print("ready"', f"open({os.path.join(self.folder, 'pid')!r}, 'w').write(str(os.getpid()))\n"
                                        'print("ready"') + "\ntime.sleep(1000)\n")
        real = os.path.join(self.folder, "hidden")
        os.rename(os.path.join(self.folder, "real"), real)
        self.add("wrapper", f"import subprocess\nsys.exit(subprocess.call([{real!r}] + sys.argv[1:]))")
        self.compare("--rivals", "wrapper")
        with open(os.path.join(self.folder, "pid"), encoding="utf-8") as file:
            pid = int(file.read())
        for _ in range(100):  # it has been killed, and may not have got there yet
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return
            except FileNotFoundError:
                return
            time.sleep(0.1)
        self.fail(f"{pid} goes on")

    def test_are_left_out_where_they_cannot(self):
        self.add("shy", 'print("cannot count", flush=True)')
        report = self.compare()
        self.assertEqual((report["rivals"], report["left_out"]), ([], {"shy": "count"}))

    def test_who_cannot_alone_is_left_out_of_both(self):
        either = HONEST.replace('"n=12" in sys.argv and "workers=2" in sys.argv', '"n=12" in sys.argv')
        alone = 'if "workers=1" in sys.argv:\n    print("cannot count alone", flush=True)\n    sys.exit()'
        self.add("pair", alone + either)
        self.add("idler", either)
        report = self.compare("--alone")
        self.assertEqual((report["left_out"], [r["rival"] for r in report["rivals"]]), ({"pair": "count alone"}, ["idler"]))
        self.assertEqual(report["rivals"][0]["alone_seconds"], 0.0625)
        self.assertNotEqual(report["schedulers"][0]["alone_seconds"], 0.0625)
        self.assertEqual([r["rival"] for r in self.compare()["rivals"]], ["idler", "pair"])

    def test_that_are_wrong_are_a_failure(self):
        self.add("liar", HONEST.replace("144", "143"))
        self.fails("liar", "143", "144")

    def test_that_break_are_a_failure(self):
        chatty = HONEST.replace('144"', '144\\n0.0625 144"')
        for name, body, *named in [("gone", "pass", "gone", "without an answer: exit status 0"),
                                   ("broken", "sys.exit(3)", "broken", "without an answer: exit status 3"),
                                   ("mute", 'print("ready", flush=True)', "mute", "without an answer"),
                                   ("killed", 'print("ready", flush=True); os.abort()', "killed", "signal 6 (Aborted)"),
                                   ("odd", 'print("hello", flush=True)', "odd", "'hello'"),
                                   ("boaster", HONEST.replace("0.0625", "86400"), "boaster",
                                    "says that it took 86400 s, but answered after 0.1"),
                                   ("endless", 'print("x" * 10000, end="", flush=True)', "endless", "bytes without the end"),
                                   ("early", 'print("ready\\n0.0625 144", flush=True)\nsys.stdin.read()', "early",
                                    "wrote '0.0625 144' without being asked"),
                                   ("chatty", chatty, "chatty", "wrote '0.0625 144' without being asked"),
                                   *[(f"vague{i}", HONEST.replace("0.0625 144", said), f"vague{i}", f"answered '{said}'")
                                     for i, said in enumerate(["soon", "0.0625", "0.0625 144 145", "0.0625 144x", "nan 144",
                                                               "inf 144", "0 144", "1e-320 144", "-0.0625 144", "0.0625 -144", "0.0625 1.44",
                                                               ""])]]:
            with self.subTest(rival=name):
                self.add(name, body)
                self.fails(*named)
                os.remove(os.path.join(self.folder, name))

    def test_unknown_ones(self):
        self.add("idler", HONEST)
        for value, message in [("foo", "--rivals = 'foo': must be none, or of idler"),
                               ("idler,idler", "--rivals = 'idler,idler': idler stands there twice"),
                               ("", "--rivals = '': must be none")]:
            self.refuse(message, "compare", "fib", "--rivals", value, environment={"LEAT_RIVALS": self.folder})
        for folder, why in [(os.path.join(self.folder, "nonesuch"), "No such file or directory"),
                            (os.path.join(self.folder, "idler"), "Not a directory")]:
            self.refuse(f"LEAT_RIVALS = '{folder}': {why}", "compare", "fib", environment={"LEAT_RIVALS": folder})
            self.assertIn("leat", self.succeed("info", environment={"LEAT_RIVALS": folder}))

    def test_those_that_were_built(self):
        folder = os.path.join(os.path.dirname(program.PROGRAM), "rivals")
        if not os.path.isdir(folder):
            return  # no other library was found
        for arguments in KERNELS:
            with self.subTest(arguments=arguments):
                # Each tells what it found, and the program compares.
                report = self.report("compare", *arguments, "--workers", "2", "--repeat", "1", "--warmup", "0",
                                     "--schedulers", "channel", environment={"LEAT_RIVALS": folder})
                named = {r["rival"] for r in report["rivals"]} | set(report["left_out"])
                self.assertEqual(named, set(os.listdir(folder)))

    def built(self, name):
        """A rival's program, or None."""
        path = os.path.join(os.path.dirname(program.PROGRAM), "rivals", name)
        return path if os.path.exists(path) else None

    def start(self, path, *arguments):
        """A rival that is ready."""
        process = subprocess.Popen([path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_run_as_many_steps_as_they_are_told(self):
        for name in ["openmp", "llvm-openmp", "onetbb", "std_async", "rayon", "lace", "parlay", "taskflow", "libfork"]:
            path = self.built(name)
            if path is None:
                continue
            with self.subTest(rival=name):
                # Were a step measured anew, 480 iterations of 10 ms would take seconds; so they have none.
                rival = self.start(path, "loop", "workers=1", "ns_per_step=1e12", "kind=CG", "scale=5", "clock=false")
                rival.stdin.write("run\n")
                rival.stdin.flush()
                seconds, found = rival.stdout.readline().split()
                self.assertEqual(found, "480")
                self.assertLess(float(seconds), 1)

    def test_std_async_keeps_to_as_many_cpus_as_workers(self):
        path = self.built("std_async")
        if path is None:
            return
        rival = self.start(path, "fib", "workers=1", "n=5")
        threads = [int(thread) for thread in os.listdir(f"/proc/{rival.pid}/task") if int(thread) != rival.pid]
        self.assertEqual([len(os.sched_getaffinity(thread)) for thread in threads], [1])


class CompareBadInput(program.ProgramTest):
    def test_commands_and_flags(self):
        self.refuse("frobnicate", "compare", "frobnicate")
        self.refuse("--frobnicate", "compare", "fib", "--frobnicate")
        for two in [["--json", "--markdown"], ["--csv", "--json"], ["--csv", "--markdown"]]:
            self.refuse("--json, --csv and --markdown: give one of them", "compare", "fib", *two)

    def test_messages_have_one_form(self):
        for message, *arguments in [
                ("leat: --schedulers = 'fair': must be one of channel, prell, work-stealing, ", "fib", "--schedulers",
                 "channel,fair"),
                ("leat: --schedulers = '': must be one of channel, ", "fib", "--schedulers", ""),
                ("leat: --schedulers = '': must be one of channel, ", "uts", "--schedulers", "channel,"),
                ("leat: --schedulers = '': must be one of channel, ", "fib", "--schedulers", ","),
                ("leat: --schedulers = 'channel,channel': channel stands there twice", "fib", "--schedulers",
                 "channel,channel"),
                ("leat: --repeat = 0: must be between 1 and 1000000", "spc", "--repeat", "0"),
                ("leat: --warmup = -1: must be between 0 and 1000", "spc", "--warmup", "-1"),
                ("leat: --warmup = 'x': must be a whole number", "spc", "--warmup", "x"),
                ("leat: --workers = 0: must be between 1 and 4096", "loop", "--workers", "0"),
                ("leat: -n = 61: must be between 0 and 60", "fib", "-n", "61"),
                ("leat: --tree = 'T9': must be one of T1, ", "uts", "--tree", "T9"),
                ("leat: -t = 7: must be 0, 1 or 2", "uts", "-t", "7"),
                ("leat: --kind = 'fg': must be one of FG, CG, ", "loop", "--kind", "fg"),
                ("leat: --scale = 0: must be between ", "loop", "--scale", "0"),
                ("leat: --block = 3: must divide -n = 64", "matmul", "-n", "64", "--block", "3"),
                ("leat: --block = 0: must divide -n = 2048", "lu", "--block", "0"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuse(message, "compare", *arguments)


class Compare_long(program.ProgramTest):
    def test_trees(self):
        for tree in ["T1", "T3"]:
            report = self.report("compare", "uts", "--tree", tree, "--workers", "2", "--repeat", "5")
            self.assertEqual(report["parameters"]["tree"], tree)
            self.assertEqual([s["scheduler"] for s in report["schedulers"]], SCHEDULERS)

    def test_fences_of_fib(self):
        """LCWS, section 5.2: less than 1 % of the fences of work-stealing."""
        report = self.report("compare", "fib", "-n", "32", "--workers", "1", "--counted", "--repeat", "1",
                             "--no-serial")
        counted = {s["scheduler"]: s["counted"] for s in report["schedulers"]}
        for scheduler in SCHEDULERS[2:]:
            self.assertLess(counted[scheduler]["fences"], 0.01 * counted["work-stealing"]["fences"], scheduler)
        self.assertEqual(f"{counted['channel']['fences_per_unit']:.2f}", "0.00")


if __name__ == "__main__":
    program.main()
