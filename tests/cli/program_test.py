"""The program leat from outside, but for its benchmarks.

Usage: program_test.py PROGRAM [CLASS...]
"""

import os
import re
import unittest

import program


class Info(program.ProgramTest):
    def test_text(self):
        text = self.succeed("info", "--workers", "3")
        self.assertRegex(text, r"(?m)^leat +\d+\.\d+\.\d+( \([^()]+\))?$")
        self.assertRegex(text, r"(?m)^workers +3$")

    def test_json(self):
        info = self.report("info")
        self.assertGreaterEqual(info["cpus"], 1)
        self.assertEqual(info["workers"], info["cpus"])
        self.assertEqual(info["scheduler"], "channel")
        for member in ["version", "spares", "spin_us", "interrupt_after_us", "bind", "seed"]:
            self.assertIn(member, info)
        self.assertIsInstance(info["cpu_notes"], list)
        self.assertEqual(self.succeed("--version").strip(), info["version"])
        self.assertRegex(info["described"], r"^(|v[0-9.]+(-.*)?|[0-9a-f]{7,}(-dirty)?)$")

    def test_environment_is_in_force_unless_an_option_is_given(self):
        environment = {"LEAT_NUM_WORKERS": "3", "LEAT_SPIN": "7", "LEAT_INTERRUPT_AFTER": "8", "LEAT_SCHEDULER": "channel"}
        info = self.report("info", environment=environment)
        self.assertEqual((info["workers"], info["spin_us"], info["interrupt_after_us"]), (3, 7, 8))
        self.assertEqual(self.report("info", "--workers", "2", environment=environment)["workers"], 2)

    def test_what_thieves_ask_for_is_the_strategy_of_the_options(self):
        self.assertEqual(self.report("info")["strategy"], "adaptive")
        for steal, strategy in [("one", "steal-one"), ("half", "steal-half"), ("adaptive", "adaptive")]:
            self.assertEqual(self.report("info", "--steal", steal)["strategy"], strategy)
            self.assertRegex(self.succeed("info", "--steal", steal), rf"(?m)^strategy +{strategy}$")

    def test_help(self):
        self.assertIn("uts", self.succeed("--help"))
        text = self.succeed("uts", "--help")
        for known in ["T1 ", "T3XXL ", "--repeat", "--no-serial", "--construct", "default tree"]:
            self.assertIn(known, text)
        self.assertNotIn("Excludes", text)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = program.leat("info", stdout=full)
        self.assertEqual(done.returncode, program.FAILED, done)
        self.assertIn("cannot write", done.stderr)


class Progress(program.ProgramTest):
    CLEAR = rb"\r\x1b\[K"

    def steps(self, *arguments):
        """What the program shows on a terminal, step by step, without the seconds of those that take long."""
        with program.at_terminal(*arguments) as (process, read):
            shown = read()
            self.assertEqual(process.wait(), program.OK, shown)
        self.assertTrue(shown == b"" or shown.endswith(b"\r\x1b[K"), shown)
        steps = [step for step in re.split(self.CLEAR, shown) if step]
        for step in steps:
            self.assertRegex(step, rb"^\x1b\[\?7l[^\n]*\x1b\[\?7h$", "it stays in one line, however narrow the terminal")
        plain = [re.sub(r", [0-9]+ s(, .*)?$", "", step[len(b"\x1b[?7l"):-len(b"\x1b[?7h")].decode()) for step in steps]
        return [step for i, step in enumerate(plain) if plain[i - 1:i] != [step]]

    def test_steps_replace_each_other(self):
        steps = self.steps("compare", "fib", "-n", "5", "--repeat", "2")
        self.assertEqual(len(steps), 2 * 8)
        for step in steps:
            self.assertRegex(step, r"^fib, round [12] of 2: [a-z-]+$")
        self.assertEqual(self.steps("bench", "fib", "-n", "5", "--workers", "2"),
                         ["run 1 of 1: serial", "run 1 of 1: serial_call", "run 1 of 1: 2 workers"])
        self.assertEqual(self.steps("uts", "--repeat", "2", "--workers", "1", "--counted"),
                         ["run 1 of 2: serial", "run 1 of 2: 1 worker", "run 2 of 2: serial", "run 2 of 2: 1 worker",
                          "counted run"])

    def test_simulations_say_which_world_it_is(self):
        if program.leat("sim").returncode != program.OK:
            raise unittest.SkipTest("no leat-sim here")
        self.assertEqual(self.steps("sim", "fib", "-n", "8", "--workers", "2"),
                         ["fib: serial", "fib: 1 worker", "fib: 2 workers"])
        self.assertEqual(self.steps("sim", "fib", "-n", "8", "--workers", "2", "--parallel-only"), ["fib: 2 workers"])
        self.assertEqual(self.steps("sim", "fib", "-n", "8", "--no-progress"), [])

    def test_none_is_shown_where_none_is_wanted(self):
        for arguments in [["uts"], ["bench", "fib", "-n", "5"], ["bench", "loop", "--kind", "uniform", "--scale", "0.001"],
                          ["compare", "fib", "-n", "5", "--repeat", "1"]]:
            with self.subTest(arguments=arguments):
                self.assertEqual(self.steps(*arguments, "--no-progress"), [])

    def test_a_long_run_shows_its_seconds_and_what_was_done(self):
        """The program would take minutes. It is ended when it has shown them."""
        for command, step in [(["uts"], "run 1 of 1: 1 worker"),
                              (["compare", "uts", "--schedulers", "channel", "--warmup", "0"], "uts, round 1 of 11: channel")]:
            with program.at_terminal(*command, "--tree", "T1XXL", "--workers", "1", "--no-serial") as (process, read):
                line = rb"\x1b\[\?7l" + step.encode() + rb", [1-9][0-9]* s, tasks [1-9][0-9]*(, steals [0-9]+)?\x1b\[\?7h"
                self.assertRegex(read(line), line)
                self.assertIsNone(process.poll())


class BadInput(program.ProgramTest):
    def test_commands(self):
        self.refuse("command")
        self.refuse("frobnicate", "frobnicate")
        self.refuse("--frobnicate", "--frobnicate")
        self.refuse("--frobnicate", "uts", "--frobnicate")
        self.refuse("frobnicate", "info", "frobnicate")
        self.refuse("frobnicate", "bench", "frobnicate")
        self.refuse("--frobnicate", "bench", "fib", "--frobnicate")

    def test_messages_have_one_form(self):
        """leat: OPTION = VALUE: why"""
        for message, *arguments in [
                ("leat: --workers = 0: must be between 1 and 4096", "uts", "--workers", "0"),
                ("leat: --workers = 'two': must be a whole number", "bench", "fib", "--workers", "two"),
                ("leat: --workers = '': must be a whole number", "info", "--workers", ""),
                ("leat: --scheduler = 'fair': must be one of ", "uts", "--scheduler", "fair"),
                ("leat: --repeat = 0: must be between 1 and 1000000", "bench", "spc", "--repeat", "0"),
                ("leat: -t = 7: must be 0, 1 or 2", "uts", "-t", "7"),
                ("leat: -r = -1: the seed must be between 0 and 4294967295", "uts", "-r", "-1"),
                ("leat: --tree = 'T9': must be one of T1, ", "uts", "--tree", "T9"),
                ("leat: -n = 61: must be between 0 and 60", "bench", "fib", "-n", "61"),
                ("leat: --construct = 'future': must be one of spawn, fork, group", "uts", "--construct", "future"),
                ("leat: --steal = 'two': must be one of one, half, adaptive", "bench", "spc", "--steal", "two"),
                ("leat: --kind = 'fg': must be one of FG, CG, ", "bench", "loop", "--kind", "fg"),
                ("leat: --strategy = 'third': must be one of adaptive, ", "bench", "loop", "--strategy", "third"),
                ("leat: --scale = 0: must be between 1e-06 and 100", "bench", "loop", "--scale", "0"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuse(message, *arguments)
        for name, value, why in [("LEAT_NUM_WORKERS", "two", "must be a whole number"),
                                 ("LEAT_SCHEDULER", "fair", "must be one of ")]:
            self.refuse(f"leat: {name} = '{value}': {why}", "info", environment={name: value})
        self.refuse("leat: LEAT_NUM_WORKERS = 0: must be between 1 and 4096", "info",
                    environment={"LEAT_NUM_WORKERS": "0"})

    def test_kernel_parameters(self):
        for kernel, option, values in [
                ("fib", "-n", ["-1", "61", "abc", "1.5", ""]),
                ("fib", "--form", ["both", "Plain", ""]),
                ("treerec", "-n", ["-1", "61"]),
                ("treerec", "--us", ["-1", "1000001"]),
                ("treerec", "--construct", ["spawn", "thread"]),
                ("nqueens", "-n", ["0", "19"]),
                ("nqueens", "--construct", ["future", "spawn"]),
                ("spc", "--tasks", ["-1", "100000001"]),
                ("spc", "--us", ["-1", "abc"]),
                ("spc", "--construct", ["fork", "future"]),
                ("bpc", "-n", ["-1", "1000001"]),
                ("bpc", "-d", ["0", "1000001"]),
                ("bpc", "--us", ["-1"]),
                ("bpc", "--construct", ["fork"]),
                ("sort", "-n", ["-1", "1000000001"]),
                ("sort", "--kind", ["chars"]),
                ("loop", "--kind", ["", "CGG"]),
                ("loop", "--strategy", ["", "one"]),
                ("loop", "--scale", ["-1", "101", "nan", "1e+300", "abc", ""]),
        ]:
            for value in values:
                with self.subTest(kernel=kernel, option=option, value=value):
                    self.refuse(option, "bench", kernel, option, value)
                    self.refuse(value, "bench", kernel, option, value)
        self.refuse("-d = 1000000", "bench", "bpc", "-n", "1000", "-d", "1000000")

    def test_unknown_tree_lists_the_known_ones(self):
        for name in ["T1", "T2", "T5", "T3L", "T1XXL", "T3XXL", "T9"]:
            self.refuse(name, "uts", "--tree", "T9")
        self.refuse("--tree", "uts", "--tree", "")
        self.refuse("-b", "uts", "--tree", "T1", "-b", "4")
        self.refuse("-a", "uts", "-a", "1", "--tree", "T1")

    def test_workers(self):
        for command in [["uts"], ["info"], ["bench", "fib", "-n", "5"]]:
            for value in ["0", "10000000", "-3", "abc", "2.5", "1e3", "99999999999999999999", "0x2", ""]:
                self.refuse(value, *command, "--workers", value)

    def test_scheduler(self):
        self.refuse("nonesuch", "uts", "--scheduler", "nonesuch")
        self.refuse("nonesuch", "info", "--scheduler", "nonesuch")

    def test_repeated_options(self):
        for message, *arguments in [
                ("--workers = '3': already given as '2'", "info", "--workers", "2", "--workers", "3"),
                ("-n = '11': already given as '10'", "bench", "fib", "-n", "10", "-n", "11", "-n", "12"),
                ("--tree = '': already given as 'T1'", "uts", "--tree", "T1", "--tree", ""),
                ("--schedulers = 'lcws-half': already given as 'channel'", "compare", "fib", "--schedulers", "channel",
                 "--schedulers", "lcws-half"),
        ]:
            self.refuse(f"leat: {message}\n", *arguments)

    def test_flags_take_no_values(self):
        for flag, arguments in (("json", ["info", "--json=false"]), ("no-serial", ["uts", "--no-serial=-1"]),
                                ("splittable", ["bench", "bpc", "--splittable=0"]),
                                ("resume", ["uts", "--cluster", "--resume=no"])):
            self.refuse(f"leat: --{flag}: takes no value\n", *arguments)
        self.succeed("info", "--json=true")

    def test_environment(self):
        for name in ["LEAT_NUM_WORKERS", "LEAT_SPIN", "LEAT_SCHEDULER"]:
            for command in ["uts", "info"]:
                self.refuse("abc", command, environment={name: "abc"})
                self.refuse(name, command, environment={name: "-1x"})
        for name in ["LEAT_NUM_WORKERS", "LEAT_SPIN", "LEAT_SPARES", "LEAT_INTERRUPT_AFTER"]:
            self.refuse(f"leat: {name} = 99999999999999999999: out of range", "info",
                        environment={name: "99999999999999999999"})
        self.refuse("LEAT_NUM_WORKERS", "uts", environment={"LEAT_NUM_WORKERS": "0"})
        self.refuse("10000000", "uts", environment={"LEAT_NUM_WORKERS": "10000000"})

    def test_repeat(self):
        for value in ["0", "-1", "abc", "1.5", "1000001", "99999999999999999999"]:
            self.refuse(value, "uts", "--repeat", value)
            self.refuse(value, "bench", "fib", "-n", "5", "--repeat", value)

    def test_tree_parameters(self):
        for option, values in {
                "-t": ["3", "-1", "abc", "99999999999"],
                "-a": ["4", "-1", "abc"],
                "-b": ["-1", "nan", "inf", "1e999", "abc", ""],
                "-r": ["-1", "4294967296", "abc"],
                "-q": ["1", "1.5", "-0.1", "nan", "abc"],
                "-m": ["-1", "abc", "2.5"],
                "-d": ["0", "-3", "2.5", "abc", "3000000000"],
        }.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refuse(option, "uts", option, value)
                    self.refuse(value, "uts", option, value)

    def test_trees_that_are_not_expected_to_end(self):
        self.refuse("-q = 0.5", "uts", "-t", "0", "-b", "10", "-q", "0.5", "-m", "2")
        self.refuse("-m = 9", "uts", "-t", "2", "-q", "0.2", "-m", "9")
        self.refuse("-b = 0.5", "uts", "-a", "1", "-b", "0.5")
        self.refuse("-d = 1", "uts", "-a", "1", "-d", "1")
        self.refuse("-b = 1000000000", "uts", "-t", "0", "-b", "1e9")

    def test_trees_that_nobody_can_wait_for(self):
        for arguments in [["-d", "1000000"], ["-d", "1000000", "-a", "2"], ["-d", "30", "-a", "3"], ["-t", "2", "-d", "100"],
                          ["-d", "100000", "-a", "1"], ["-d", "2147483647"]]:
            with self.subTest(arguments=arguments):
                depth = arguments[arguments.index("-d") + 1]
                self.refuse(f"leat: -d = {depth}: with -b = 4 more than 1e+16 nodes are expected\n", "uts", *arguments)
        self.refuse("leat: -q = 0.25: with -b = 100000 more than 1e+16 nodes are expected\n", "uts", "-t", "0", "-b", "1e5", "-q",
                    "0.2499999999999999")
        self.refuse("-q = 0.25", "uts", "-t", "2", "-q", "0.2499999999999999")


class SmallTrees(program.ProgramTest):
    TREE = ["uts", "-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "19"]

    def test_json_has_the_members_of_the_schema(self):
        report = self.report(*self.TREE, "--workers", "2", "--repeat", "3")
        for member in program.SCHEMA + ["count", "nodes_per_second", "max_depth", "leaves"]:
            self.assertIn(member, report)
        self.assertEqual(report["benchmark"], "uts")
        self.assertEqual(report["scheduler"], "channel")
        self.assertEqual(report["workers"], 2)
        self.assertEqual(report["repeat"], 3)
        self.assertIs(report["result_ok"], True)
        self.assertEqual((report["count"], report["leaves"], report["max_depth"]), (16000, 12839, 6))
        self.assertAlmostEqual(report["speedup"], report["serial_seconds"] / report["seconds"])
        self.assertAlmostEqual(report["nodes_per_second"], 16000 / report["seconds"], delta=1)
        parameters = report["parameters"]
        self.assertEqual([parameters[letter] for letter in "tadbr"], [1, 3, 6, 4.0, 19])
        self.assertIsNone(parameters["tree"])

    def test_counted(self):
        self.assertIsNone(self.report(*self.TREE)["counted"])
        for construct in ["spawn", "fork", "group"]:
            for scheduler, fences in [("channel", 0), ("work-stealing", 1), ("lcws-half", 0)]:
                report = self.report(*self.TREE, "--construct", construct, "--scheduler", scheduler, "--workers", "1",
                                     "--counted")
                self.assertIs(report["result_ok"], True)
                self.assertEqual((report["counted"]["size"], report["counted"]["units"]), (report["parameters"], 16000))
                self.assertEqual(round(report["counted"]["fences_per_unit"]), fences, (construct, scheduler))
        report = self.report(*self.TREE, "--counted", "--workers", "3")
        self.check_workers(report)
        self.assertEqual(sum(of_it["tasks"] for of_it in report["counted"]["worker_counters"]), 15999)
        self.assertIn("a node, in 16000 nodes", self.succeed(*self.TREE, "--counted"))

    def test_every_child_is_a_task(self):
        report = self.report(*self.TREE, "--repeat", "4")
        self.assertEqual(report["counters"]["tasks"], report["count"] - 1, "of one run, not of all")
        self.assertIn("steals", report["counters"])

    def test_scheduler_can_be_named(self):
        self.assertEqual(self.report(*self.TREE, "--scheduler", "channel")["scheduler"], "channel")

    def test_thieves_find_the_same_whatever_they_ask_for(self):
        self.assertEqual(self.report(*self.TREE)["steal"], "adaptive")
        for steal in ["one", "half", "adaptive"]:
            report = self.report(*self.TREE, "--steal", steal, "--workers", "3")
            self.assertEqual((report["steal"], report["count"]), (steal, 16000))
            counters = report["counters"]
            if steal == "one":
                self.assertEqual(counters["steals_half"], 0)
            if steal == "half":
                self.assertEqual(counters["steals_half"], counters["steals"])

    def test_constructs_find_the_same(self):
        for construct in ["spawn", "fork", "group"]:
            for workers in ["1", "2", "8"]:
                report = self.report(*self.TREE, "--construct", construct, "--workers", workers)
                self.assertEqual((report["count"], report["leaves"], report["max_depth"]), (16000, 12839, 6))
                self.assertEqual(report["parameters"]["construct"], construct)
                self.assertIs(report["result_ok"], True)

    def test_the_default_tree_is_called_so(self):
        self.assertIn("default tree", self.succeed("uts"))
        self.assertNotIn("default tree", self.succeed("uts", "-d", "6"))
        self.assertNotIn("default tree", self.succeed(*self.TREE))

    def test_without_serial_traversal(self):
        report = self.report(*self.TREE, "--no-serial")
        self.assertIsNone(report["serial_seconds"])
        self.assertIsNone(report["speedup"])
        self.assertEqual(report["count"], 16000)
        self.assertNotIn("speed-up", self.succeed(*self.TREE, "--no-serial"))

    def test_text(self):
        text = self.succeed(*self.TREE, "--workers", "2")
        for part in ["16000 nodes", "serial ", "parallel ", "2 workers", "speed-up ", "nodes/s ", "steals ", "ok"]:
            self.assertIn(part, text)

    def test_all_types_and_defaults(self):
        for options, count in [([], 1732), (["-b", "0"], 1), (["-t", "1", "-a", "2", "-d", "6", "-b", "3"], 4781),
                               (["-t", "1", "-a", "1", "-d", "4", "-b", "3"], 647),
                               (["-t", "0", "-b", "200.7", "-q", "0.124", "-m", "8", "-r", "1"], 5281),
                               (["-t", "2", "-a", "0", "-d", "9", "-b", "4", "-r", "1"], 5279),
                               (["-d", "1000000", "-b", "0.5"], 3), (["-d", "2147483647", "-b", "0", "-a", "3"], 1)]:
            self.assertEqual(self.report("uts", *options)["count"], count, options)


class Memory(program.ProgramTest):
    SPACE = 1 << 29  # bytes

    def fail_for_want_of_memory(self, message, *arguments, environment=None):
        done = program.leat(*arguments, environment=environment, address_space=self.SPACE)
        self.assertEqual(done.returncode, program.FAILED, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, f"leat: not enough memory for {message}\n")

    def setUp(self):
        if program.leat("info", address_space=self.SPACE).returncode != program.OK:
            self.skipTest("a sanitizer needs more address space")

    def test_messages_name_what_it_was_for(self):
        """A worker has 64 MiB of address space for its forks."""
        self.fail_for_want_of_memory("64 workers", "bench", "fib", "-n", "5", "--workers", "64")
        self.fail_for_want_of_memory("64 workers", "uts", "-b", "2", "--workers", "64")
        self.fail_for_want_of_memory("7 schedulers with 64 workers each", "compare", "fib", "-n", "5", "--workers",
                                     "64")
        self.fail_for_want_of_memory("compare loop", "compare", "loop", "--kind", "uniform", "--scale", "100")
        self.fail_for_want_of_memory("64 workers", "bench", "fib", "-n", "5", environment={"LEAT_NUM_WORKERS": "64"})
        self.fail_for_want_of_memory("bench loop with kind uniform, strategy adaptive, construct fork, scale 100", "bench", "loop",
                                     "--kind", "uniform", "--scale", "100")


class KnownTrees_long(program.ProgramTest):
    def test_constructs(self):
        for name in ["T1", "T2", "T3", "T4", "T5"]:
            for construct in ["fork", "group"]:
                report = self.report("uts", "--tree", name, "--construct", construct)
                self.assertEqual(report["count"], report["expected_count"])
                self.assertIs(report["result_ok"], True)

    def test_a_tree_deeper_than_forks_may_nest(self):
        self.assertIs(self.report("uts", "--tree", "T3L", "--construct", "fork", "--no-serial")["result_ok"], True)

    def test_by_name(self):
        for name, count, depth in [("T1", 4130071, 10), ("T2", 4117769, 81), ("T3", 4112897, 1572),
                                   ("T4", 4132453, 134), ("T5", 4147582, 20)]:
            report = self.report("uts", "--tree", name)
            self.assertEqual(report["parameters"]["tree"], name)
            self.assertEqual((report["count"], report["expected_count"]), (count, count))
            self.assertEqual(report["max_depth"], depth)
            self.assertIs(report["result_ok"], True)

    def test_parameters_of_a_known_tree_are_recognised(self):
        report = self.report("uts", "-t", "1", "-a", "3", "-d", "10", "-b", "4", "-r", "19", "--no-serial")
        self.assertEqual(report["parameters"]["tree"], "T1")
        self.assertEqual(report["expected_count"], 4130071)


if __name__ == "__main__":
    program.main()
