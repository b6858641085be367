"""Runs the program leat as a user does, and checks its exit status and what it writes.

Usage: program_test.py PROGRAM [CLASS...]
"""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = None

# Exit status.
OK = 0
FAILED = 1
BAD_INPUT = 2

# The members that every measuring command reports.
SCHEMA = ["benchmark", "parameters", "scheduler", "workers", "repeat", "result_ok", "serial_seconds", "seconds",
          "speedup", "counters"]


def leat(*arguments, environment=None, stdout=subprocess.PIPE):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LEAT_")}
    clean.update(environment or {})
    return subprocess.run([PROGRAM, *arguments], env=clean, stdout=stdout, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=600, check=False)


class ProgramTest(unittest.TestCase):
    def succeed(self, *arguments, environment=None):
        done = leat(*arguments, environment=environment)
        self.assertEqual(done.returncode, OK, done)
        self.assertEqual(done.stderr, "", "nothing but progress on a terminal goes to standard error")
        return done.stdout

    def report(self, *arguments, environment=None):
        return json.loads(self.succeed(*arguments, "--json", environment=environment))

    def refuse(self, named, *arguments, environment=None):
        """The program must name the bad value, print nothing else, and say by its status that the input is at fault."""
        done = leat(*arguments, environment=environment)
        self.assertEqual(done.returncode, BAD_INPUT, done)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("leat: "), done.stderr)
        self.assertIn(named, done.stderr)


class Info(ProgramTest):
    def test_text(self):
        text = self.succeed("info", "--workers", "3")
        self.assertRegex(text, r"(?m)^leat +\d+\.\d+\.\d+$")
        self.assertRegex(text, r"(?m)^workers +3$")

    def test_json(self):
        info = self.report("info")
        self.assertGreaterEqual(info["cpus"], 1)
        self.assertEqual(info["workers"], info["cpus"])
        self.assertEqual(info["scheduler"], "channel")
        for member in ["version", "spin_us", "pin", "seed"]:
            self.assertIn(member, info)
        self.assertEqual(self.succeed("--version").strip(), info["version"])

    def test_environment_is_in_force_unless_an_option_is_given(self):
        environment = {"LEAT_NUM_WORKERS": "3", "LEAT_SPIN": "7", "LEAT_SCHEDULER": "channel"}
        info = self.report("info", environment=environment)
        self.assertEqual((info["workers"], info["spin_us"]), (3, 7))
        self.assertEqual(self.report("info", "--workers", "2", environment=environment)["workers"], 2)

    def test_help(self):
        self.assertIn("uts", self.succeed("--help"))
        text = self.succeed("uts", "--help")
        for known in ["T1 ", "T3XXL ", "--repeat", "--no-serial"]:
            self.assertIn(known, text)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = leat("info", stdout=full)
        self.assertEqual(done.returncode, FAILED, done)
        self.assertIn("cannot write", done.stderr)


class BadInput(ProgramTest):
    def test_commands(self):
        self.refuse("command")
        self.refuse("frobnicate", "frobnicate")
        self.refuse("--frobnicate", "--frobnicate")
        self.refuse("--frobnicate", "uts", "--frobnicate")
        self.refuse("frobnicate", "info", "frobnicate")

    def test_unknown_tree_lists_the_known_ones(self):
        for name in ["T1", "T2", "T5", "T3L", "T1XXL", "T3XXL", "T9"]:
            self.refuse(name, "uts", "--tree", "T9")
        self.refuse("--tree", "uts", "--tree", "")
        self.refuse("-b", "uts", "--tree", "T1", "-b", "4")

    def test_workers(self):
        for command in ["uts", "info"]:
            for value in ["0", "10000000", "-3", "abc", "2.5", "1e3", "99999999999999999999", "0x2", ""]:
                self.refuse(value, command, "--workers", value)

    def test_scheduler(self):
        self.refuse("nonesuch", "uts", "--scheduler", "nonesuch")
        self.refuse("nonesuch", "info", "--scheduler", "nonesuch")

    def test_environment(self):
        for name in ["LEAT_NUM_WORKERS", "LEAT_SPIN", "LEAT_SCHEDULER"]:
            for command in ["uts", "info"]:
                self.refuse("abc", command, environment={name: "abc"})
                self.refuse(name, command, environment={name: "-1x"})
        self.refuse("LEAT_NUM_WORKERS", "uts", environment={"LEAT_NUM_WORKERS": "0"})
        self.refuse("10000000", "uts", environment={"LEAT_NUM_WORKERS": "10000000"})

    def test_repeat(self):
        for value in ["0", "-1", "abc", "1.5", "1000001", "99999999999999999999"]:
            self.refuse(value, "uts", "--repeat", value)

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


class SmallTrees(ProgramTest):
    TREE = ["uts", "-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "19"]

    def test_json_has_the_members_of_the_schema(self):
        report = self.report(*self.TREE, "--workers", "2", "--repeat", "3")
        for member in SCHEMA + ["count", "nodes_per_second", "max_depth", "leaves"]:
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

    def test_every_child_is_a_task(self):
        report = self.report(*self.TREE, "--repeat", "4")
        self.assertEqual(report["counters"]["tasks"], report["count"] - 1, "of one run, not of all")
        self.assertIn("steals", report["counters"])

    def test_scheduler_can_be_named(self):
        self.assertEqual(self.report(*self.TREE, "--scheduler", "channel")["scheduler"], "channel")

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
                               (["-t", "2", "-a", "0", "-d", "9", "-b", "4", "-r", "1"], 5279)]:
            self.assertEqual(self.report("uts", *options)["count"], count, options)


class KnownTrees_long(ProgramTest):
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
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
