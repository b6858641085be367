"""`leat bench` from outside.

Usage: bench_test.py PROGRAM [CLASS...]
"""

import os

import program


class Bench(program.ProgramTest):
    # Each kernel with a small size, and its number of forks or tasks.
    KERNELS = [
        (["fib", "-n", "16"], 1596),
        (["fib", "-n", "16", "--form", "plain"], 1596),
        (["treerec", "-n", "10"], 88),
        (["treerec", "-n", "10", "--form", "plain", "--us", "0"], 88),
        (["treerec", "-n", "10", "--construct", "future"], 88),
        (["treerec", "-n", "10", "--construct", "group"], 88),
        (["treerec", "-n", "10", "--construct", "future", "--wait", "any"], 88),
        (["nqueens", "-n", "8"], 2056),
        (["nqueens", "-n", "8", "--form", "plain"], 2056),
        (["nqueens", "-n", "8", "--construct", "group"], 2056),
        (["nqueens", "-n", "8", "--construct", "group", "--wait", "any"], 2056),
        (["spc", "--tasks", "1000"], 1000),
        (["channel", "--messages", "1000"], 1000),
        (["channel", "--shape", "to-one", "--messages", "1000", "--senders", "3", "--room", "2"], 1000),
        (["channel", "--shape", "among", "--messages", "1000", "--room", "1"], 1000),
        (["channel", "--shape", "ball", "--messages", "100"], 100),
        (["spc", "--tasks", "100", "--us", "10", "--construct", "spawn"], 100),
        (["spc", "--tasks", "100", "--us", "10", "--clock", "--splittable"], 100),
        (["treerec", "-n", "10", "--us", "1", "--clock"], 88),
        (["bpc", "-d", "20", "--us", "1"], 200),
        (["bpc", "-d", "20", "--us", "3", "--clock", "--polls"], 200),
        (["bpc", "-n", "5", "-d", "20", "--us", "0", "--construct", "spawn"], 120),
        (["bpc", "-n", "50", "-d", "10", "--us", "1", "--splittable"], 510),
        (["bpc", "-n", "50", "-d", "10", "--us", "1", "--splittable", "--construct", "spawn"], 510),
        (["lu", "-n", "64", "--block", "8"], 76),
        (["lu", "-n", "64", "--block", "8", "--construct", "future"], 84),
        (["lu", "-n", "64", "--block", "8", "--construct", "graph"], 84),
        (["lu", "-n", "64", "--block", "8", "--construct", "after"], 84),
        (["wavefront", "-n", "20", "--ns", "100"], 400),
        (["wavefront", "-n", "20", "--ns", "0", "--construct", "after"], 400),
        (["dag", "-n", "500", "--ns", "100"], 500),
        (["dag", "-n", "500", "--ns", "0", "--construct", "future"], 500),
        (["heat", "-n", "64", "--steps", "10"], 40),
    ]
    OWN = ["forks", "ns_per_fork", "ns_per_task", "counted"]

    def test_json_of_every_kernel(self):
        for arguments, forks in self.KERNELS:
            for workers in [1, 2, 8]:
                with self.subTest(arguments=arguments, workers=workers):
                    report = self.report("bench", *arguments, "--workers", str(workers))
                    for member in program.SCHEMA + self.OWN:
                        self.assertIn(member, report)
                    self.assertEqual(report["benchmark"], arguments[0])
                    self.assertEqual(report["workers"], workers)
                    self.assertIs(report["result_ok"], True)
                    self.assertEqual((report["forks"], report["counted"]["units"]), (forks, forks))
                    self.check_workers(report)
                    seconds, serial = report["seconds"], report["serial_seconds"]
                    self.assertAlmostEqual(report["speedup"], serial / seconds)
                    self.assertAlmostEqual(report["ns_per_task"], seconds / forks * 1e9, delta=0.01)
                    self.assertAlmostEqual(report["ns_per_fork"], (seconds * workers - serial) / forks * 1e9, delta=0.01)
                    for kind in ["fences", "cas", "rmw"]:
                        self.assertAlmostEqual(report["counted"][f"{kind}_per_unit"], report["counted"][kind] / forks)

    def test_sort(self):
        for arguments in [["-n", "30000"], ["-n", "30000", "--kind", "floats"], ["-n", "30000", "--kind", "strings"],
                          ["-n", "30000", "--stable"], ["-n", "0"]]:
            for workers in [1, 2, 8]:
                with self.subTest(arguments=arguments, workers=workers):
                    report = self.report("bench", "sort", *arguments, "--workers", str(workers))
                    for member in program.SCHEMA + self.OWN:
                        self.assertIn(member, report)
                    self.assertIs(report["result_ok"], True)
                    self.assertIsNone(report["ns_per_fork"], "its forks are not counted")
                    if "tbb_seconds" in report:
                        self.assertAlmostEqual(report["of_tbb"], report["seconds"] / report["tbb_seconds"])
        report = self.report("bench", "sort", "-n", "1000", "--kind", "strings", "--stable", "--no-serial")
        self.assertEqual(report["parameters"], {"kind": "strings", "n": 1000, "stable": True})
        self.assertIsNone(report["serial_seconds"])

    def test_given_parameters_are_reported(self):
        report = self.report("bench", "treerec", "-n", "9", "--us", "2", "--construct", "group", "--repeat", "3")
        self.assertEqual(report["parameters"], {"n": 9, "us": 2, "clock": False, "construct": "group", "wait": "own", "form": "context"})
        self.assertEqual(report["counted"]["size"], report["parameters"])
        self.assertEqual(report["repeat"], 3)

    def test_fib_is_held_against_real_calls(self):
        report = self.report("bench", "fib", "-n", "16")
        self.assertAlmostEqual(report["of_serial_call"], report["seconds"] / report["serial_call_seconds"])
        self.assertNotIn("serial_call_seconds", self.report("bench", "nqueens", "-n", "6"))

    def test_without_serial_program(self):
        report = self.report("bench", "fib", "-n", "12", "--no-serial")
        for member in ["serial_seconds", "serial_call_seconds", "of_serial_call", "speedup", "ns_per_fork"]:
            self.assertIsNone(report[member], member)
        text = self.succeed("bench", "fib", "-n", "12", "--no-serial")
        self.assertNotIn("serial", text)

    def test_uts_is_a_kernel_among_kernels(self):
        self.assertIn("uts ", self.succeed("bench"))
        tree = ["--tree", "T1", "--prefix", "6", "--workers", "2"]
        for form in (["uts"], ["bench", "uts"]):
            self.assertEqual(self.report(*form, *tree)["count"], 16000)
        self.refuse("--tree = ", "bench", "uts", "--tree", "nonesuch")
        self.refuse("--wait = 'any': must be own with --construct = 'fork'", "bench", "nqueens", "--wait", "any")
        self.refuse("--wait = 'some'", "bench", "treerec", "--wait", "some")
        self.assertIn("result    ok", self.succeed("bench", "uts", *tree, "--cluster"))

    def test_capacity(self):
        for kernel in [["fib", "-n", "12"], ["spc", "--tasks", "1000"], ["nqueens", "-n", "5"]]:
            report = self.report("bench", *kernel, "--workers", "3", "--repeat", "2", "--capacity")
            self.assertGreater(report["capacity"], 0)
            self.assertNotIn("capacity_seconds", report)
        self.assertIsNone(self.report("bench", "fib", "-n", "12")["capacity"])
        self.assertRegex(self.succeed("bench", "fib", "-n", "12", "--workers", "3", "--capacity"),
                         r"\ncapacity  [0-9.]+, of serial programs in 3 threads\n")
        self.assertRegex(self.succeed("uts", "--tree", "T1", "--workers", "1", "--capacity"), r"in 1 thread\n")
        self.refuse("--capacity needs the serial program", "bench", "fib", "-n", "12", "--no-serial", "--capacity")
        self.refuse("--capacity: lu has serial programs that cannot", "bench", "lu", "-n", "64", "--capacity")

    def test_nothing_to_fork(self):
        for arguments in [["fib", "-n", "0"], ["spc", "--tasks", "0"]]:
            report = self.report("bench", *arguments)
            self.assertEqual(report["forks"], 0)
            self.assertIsNone(report["ns_per_task"])
            self.assertIsNone(report["counted"]["rmw_per_unit"])
            self.assertIn("ok", self.succeed("bench", *arguments))

    def test_large_kernels_are_counted_in_a_smaller_size(self):
        report = self.report("bench", "spc", "--tasks", "2000000", "--no-serial", "--workers", "1")
        self.assertEqual(report["counted"]["size"]["tasks"], 1000000)
        self.assertEqual(report["counted"]["units"], 1000000)

    SUITE = {
        "random": ["comparison-sort", "integer-sort", "histogram", "remove-duplicates"],
        "words": ["word-counts", "suffix-array"],
        "rmat": ["independent-set", "matching", "spanning-forest"],
        "cube": ["convex-hull", "neighbours", "nbody", "ray-cast"],
    }

    def test_programs_of_the_suite(self):
        for first_input, kernels in self.SUITE.items():
            for kernel in kernels:
                for arguments in [[], ["--grain", "100"]]:
                    with self.subTest(kernel=kernel, arguments=arguments):
                        report = self.report("bench", kernel, "-n", "3000", *arguments, "--workers", "2")
                        for member in program.SCHEMA + self.OWN:
                            self.assertIn(member, report)
                        self.assertEqual(report["parameters"], {"n": 3000, "input": first_input, "grain": int((arguments or [0])[-1])})
                        self.assertIs(report["result_ok"], True)
                        self.check_workers(report)
                        self.check_sums(report["counted"], report["counted"]["worker_counters"],
                                        ["steals", "exposed", "unstolen"])
                self.assertIn(first_input, self.succeed("bench", kernel, "--help"))
                self.refuse("--input = 'no'", "bench", kernel, "--input", "no")
                self.refuse("-n = -1", "bench", kernel, "-n", "-1")

    def test_one_worker_needs_no_fence_and_no_read_modify_write(self):
        for arguments in [["fib", "-n", "25"], ["fib", "-n", "25", "--form", "plain"], ["nqueens", "-n", "10"],
                          ["spc", "--tasks", "200000"]]:
            report = self.report("bench", *arguments, "--workers", "1")
            for kind in ["fences", "cas", "rmw"]:
                self.assertEqual(f"{report['counted'][f'{kind}_per_unit']:.2f}", "0.00", (kind, report))

    def test_text(self):
        text = self.succeed("bench", "fib", "-n", "16", "--workers", "2")
        for part in ["fib (n 16, form context)", "serial ", "serial_call ", "parallel ", "2 workers", "speed-up ",
                     "ratio ", "1596 tasks", "counted ", "ok, 987"]:
            self.assertIn(part, text)

    def test_list_and_help(self):
        for text in [self.succeed("bench"), self.succeed("bench", "--help")]:
            for kernel in ["fib", "treerec", "nqueens", "spc", "bpc", "sort", "lu", "wavefront", "dag", "heat", "bfs", "channel", "loop", "threads", *sum(self.SUITE.values(), [])]:
                self.assertRegex(text, rf"(?m)^ *{kernel} ")
        text = self.succeed("bench", "nqueens", "--help")
        for part in ["-n N=13", "--construct", "--form", "--workers", "--scheduler", "--repeat", "--json", "--no-serial"]:
            self.assertIn(part, text)


class Loops(program.ProgramTest):
    # Each kind with a scale that makes it short, and its number of iterations.
    KINDS = [("FG", "0.002", 2000), ("CG", "0.02", 2), ("RG", "0.02", 20), ("IG", "0.02", 4), ("DG", "0.02", 4),
             ("uniform", "0.01", 100000), ("ramp", "0.005", 50000)]
    OWN = ["iterations", "ns_per_iteration", "overhead", "iterations_per_split", "openmp", "best_openmp",
           "of_best_openmp", "counted"]

    def test_json_of_every_kind(self):
        for kind, scale, iterations in self.KINDS:
            for workers in [1, 2, 8]:
                with self.subTest(kind=kind, workers=workers):
                    # OpenMP's best chunk takes a dozen loops to find; so only one kind has it with all numbers of workers.
                    without = [] if workers == 2 or kind == "FG" else ["--no-openmp"]
                    report = self.report("bench", "loop", "--kind", kind, "--scale", scale, "--workers", str(workers), *without)
                    for member in program.SCHEMA + self.OWN:
                        self.assertIn(member, report)
                    self.assertEqual(report["benchmark"], "loop")
                    self.assertEqual(report["parameters"], {"kind": kind, "strategy": "adaptive", "construct": "fork", "scale": float(scale), "clock": False,
                                                            "polls": False, "poll_us": 1})
                    self.assertIs(report["result_ok"], True)
                    self.assertEqual(report["iterations"], iterations)
                    self.check_workers(report)
                    speedup = report["serial_seconds"] / report["seconds"]
                    self.assertAlmostEqual(report["speedup"], speedup)
                    self.assertAlmostEqual(report["overhead"], workers / speedup - 1)
                    self.assertAlmostEqual(report["ns_per_iteration"], report["seconds"] / iterations * 1e9, delta=0.01)
                    self.assertIn("splits", report["counters"])

    def test_openmp_loops_with_their_best_chunks(self):
        report = self.report("bench", "loop", "--scale", "0.002", "--workers", "2", "--repeat", "2")
        if report["openmp"] is None:
            self.assertIsNone(report["best_openmp"])
            self.assertIn("not in this build", self.succeed("bench", "loop", "--scale", "0.002"))
            self.skipTest("this program was built without OpenMP")
        self.assertEqual(list(report["openmp"]), ["static", "dynamic", "guided"])
        for schedule, of_it in report["openmp"].items():
            self.assertIn(of_it["chunk"], [1, 4, 16, 64] + ([None] if schedule == "static" else []), schedule)
        seconds = {schedule: of_it["seconds"] for schedule, of_it in report["openmp"].items()}
        self.assertEqual(report["best_openmp"], min(seconds, key=seconds.get))
        self.assertAlmostEqual(report["of_best_openmp"], report["seconds"] / min(seconds.values()))

    def test_without_openmp_and_serial_loop(self):
        arguments = ["bench", "loop", "--kind", "uniform", "--scale", "0.001", "--no-openmp", "--no-serial"]
        report = self.report(*arguments)
        for member in ["openmp", "best_openmp", "of_best_openmp", "serial_seconds", "speedup", "overhead"]:
            self.assertIsNone(report[member], member)
        text = self.succeed(*arguments)
        self.assertNotIn("speed-up", text)
        self.assertNotIn("ratio ", text)

    def test_capacity(self):
        report = self.report("bench", "loop", "--scale", "0.002", "--no-openmp", "--workers", "2", "--capacity")
        self.assertGreater(report["capacity"], 0)
        self.assertIs(report["result_ok"], True)

    def test_strategies(self):
        for strategy in ["adaptive", "half", "guided"]:
            report = self.report("bench", "loop", "--scale", "0.002", "--strategy", strategy, "--workers", "3", "--no-openmp")
            self.assertEqual(report["parameters"]["strategy"], strategy)
            self.assertIs(report["result_ok"], True)

    def test_spawned_loops_and_loops_that_poll(self):
        for construct in ["spawn", "group"]:
            report = self.report("bench", "loop", "--scale", "0.002", "--construct", construct, "--workers", "3", "--no-openmp", "--clock",
                                 "--polls", "--poll-us", "5")
            self.assertEqual(report["parameters"]["construct"], construct)
            self.assertIs(report["result_ok"], True)

    def test_bad_constructs_and_polls(self):
        self.refuse("--construct = 'future'", "bench", "loop", "--construct", "future")
        self.refuse("--strategy = 'eager': with --construct spawn it must be adaptive, half or guided", "bench", "loop", "--construct", "spawn",
                    "--strategy", "eager")
        self.refuse("--strategy = 'eager': with --polls it must be adaptive, half or guided", "bench", "loop", "--clock", "--polls",
                    "--strategy", "eager")
        self.refuse("--polls: iterations poll while they wait by the clock; takes --clock", "bench", "loop", "--polls")
        self.refuse("--poll-us = 0", "bench", "loop", "--clock", "--polls", "--poll-us", "0")
        self.refuse("--poll-us requires --polls", "bench", "loop", "--poll-us", "5")

    def test_spawned_loops_count_their_splits(self):
        for construct in ["spawn", "group"]:
            alone = self.report("bench", "loop", "--scale", "0.002", "--construct", construct, "--workers", "1", "--no-openmp")["counters"]
            self.assertEqual((alone["splits"], alone["tasks"] > 0), (0, True), "the loop is a task, which forks are not")

    def test_polls_answer_thieves_of_long_iterations(self):
        def speedup(*arguments):
            return self.report("sim", "loop", "--kind", "CG", "--clock", "--construct", "spawn", "--strategy", "half", "--scheduler", "prell",
                               "--workers", "8", "--no-one-worker", *arguments)["speedup"]
        self.assertGreater(speedup("--polls", "--poll-us", "100"), 1.2 * speedup())

    def test_a_loop_of_one_worker_is_not_split(self):
        report = self.report("bench", "loop", "--scale", "0.01", "--workers", "1", "--no-openmp")
        self.assertEqual(report["counters"]["splits"], 0)
        self.assertEqual(report["iterations_per_split"], 10000)
        self.assertLess(sum(report["counted"][kind] for kind in ["fences", "cas", "rmw"]), 100, "of the run, not of iterations")

    def test_text(self):
        text = self.succeed("bench", "loop", "--kind", "FG", "--scale", "0.002", "--workers", "2")
        for part in ["loop (kind FG, strategy adaptive, construct fork, scale 0.002; 2000 iterations)", "serial ", "parallel ", "2 workers",
                     "speed-up ", "splits ", "overhead ", "OpenMP", "counted ", "ok, 2000 iterations"]:
            self.assertIn(part, text)


class Threads(program.ProgramTest):
    OPERATIONS = ["yield_alone", "switching", "switching_apart", "create_and_join"]
    KINDS = ["thread", "bubble", "nptl"]

    def setUp(self):
        done = program.leat("bench", "threads", "--count", "1", "--repeat", "1")
        if "built without user-level threads" in done.stderr:
            self.skipTest("there is no Boost.Context")

    def test_json(self):
        for machine in ["", "numa:2 core:2 pu:1"]:
            arguments = ["--machine", machine] if machine else []
            report = self.report("bench", "threads", "--count", "50", "--repeat", "3", *arguments)
            self.assertEqual(report["parameters"], {"count": 50, "machine": machine})
            self.assertEqual((report["benchmark"], report["workers"], report["repeat"]), ("threads", 1, 3))
            self.assertIs(report["result_ok"], True)
            self.assertEqual(list(report["operations"]), self.OPERATIONS)
            for kinds in report["operations"].values():
                self.assertEqual(list(kinds), self.KINDS)
                for found in kinds.values():
                    self.assertGreater(found["p10"], 0)
                    self.assertLessEqual(found["p10"], found["ns"])
                    self.assertLessEqual(found["ns"], found["p90"])
                    if os.uname().machine == "x86_64":
                        self.assertGreater(found["cycles"], found["ns"] / 2, "of a processor with 500 MHz or more")
                    else:
                        self.assertIsNone(found["cycles"])

    def test_text(self):
        text = self.succeed("bench", "threads", "--count", "50", "--repeat", "2")
        for part in ["threads (count 50), 1 worker", "medians of 2 rounds", *self.OPERATIONS, *self.KINDS]:
            self.assertIn(part, text)

    def test_bad_input(self):
        self.refuse("--count = 0: must be between 1 and", "bench", "threads", "--count", "0")
        self.refuse("--repeat = 0: must be between 1 and", "bench", "threads", "--repeat", "0")
        self.refuse("machine 'foo'", "bench", "threads", "--machine", "foo")


class Bench_long(program.ProgramTest):
    def test_defaults(self):
        for kernel, forks in [("fib", 63245985), ("nqueens", 4674889), ("spc", 1000000), ("bpc", 100000)]:
            report = self.report("bench", kernel, "--workers", "2")
            self.assertEqual(report["forks"], forks)
            self.assertIs(report["result_ok"], True)


if __name__ == "__main__":
    program.main()
