"""What `leat sim` refuses: its own options, and machine files. Its clusters.

Usage: sim_test.py PROGRAM [CLASS...]
"""

import json
import os
import tempfile
import unittest

import program

KERNEL = ["fib", "-n", "8", "--workers", "2"]


class SimBadInput(program.ProgramTest):
    def setUp(self):
        if program.leat("sim").returncode != program.OK:
            raise unittest.SkipTest("no leat-sim here")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "machine.json")

    def on(self, text):
        """The arguments that simulate the kernel on the machine of that text."""
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return ["sim", *KERNEL, "--machine", self.file]

    def refuse_machine(self, why, text):
        with self.subTest(machine=str(text)[:80]):
            self.refuse(f"leat: machine file '{self.file}': {why}", *self.on(text))

    def test_options(self):
        for message, *arguments in [
                ("--seed = '4': already given as '3'", *KERNEL, "--seed", "3", "--seed", "4"),
                ("--json: takes no value", *KERNEL, "--json=2"),
                ("--frobnicate: no such option here", *KERNEL, "--frobnicate"),
                ("--alone: no such option here", *KERNEL, "--alone"),
                ("frobnicate: no such command here", "frobnicate"),
                ("--order = 'sideways': must be one of ", *KERNEL, "--order", "sideways"),
                ("--machine = '': must be a file", *KERNEL, "--machine", ""),
                ("--machine = 'numa-4x4': costs are those of a machine only where the order is by time", *KERNEL, "--machine",
                 "numa-4x4", "--order", "random"),
                ("--workers = 49: the machine 'opteron-4x12' has 48 units", "fib", "--workers", "49", "--machine",
                 "opteron-4x12"),
                ("--json: no such option here", "--json", "fib"),
                ("--places = 'numa': takes --bind", *KERNEL, "--scheduler", "prell", "--places", "numa"),
                ("prell.places = 'numa': takes the scheduler prell, and it is 'channel'", *KERNEL, "--bind", "--places", "numa"),
                ("prell.places = 'numa': each has a manager, so prell.termination must be worker or dedicated, and it is 'root'",
                 *KERNEL, "--bind", "--scheduler", "prell", "--places", "numa", "--termination", "root"),
                ("--places = 'cabinet': the machine has no such domains; it has machine, package, numa, core", *KERNEL,
                 "--bind", "--scheduler", "prell", "--places", "cabinet", "--machine", "opteron-4x12"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuse(f"leat: {message}", "sim", *arguments)

    def test_places_are_those_of_the_machine(self):
        for places, outside in [("machine", False), ("package", True)]:
            report = json.loads(self.succeed(
                "sim", "fib", "-n", "16", "--workers", "24", "--machine", "opteron-4x12", "--bind", "--scheduler", "prell",
                "--places", places, "--json"))
            self.assertEqual(report["choices"]["places"], places)
            self.assertEqual(report["counters"]["steals_outside"] > 0, outside)
            self.assertGreater(report["counters"]["steals"], report["counters"]["steals_outside"])

    def test_machine_files_that_cannot_be_read(self):
        for path in ["nonesuch", os.path.dirname(self.file)]:
            self.refuse(f"leat: machine file '{path}': cannot be read", "sim", *KERNEL, "--machine", path)
        self.refuse_machine("", "")
        self.refuse_machine("is no object", "[]")
        self.refuse_machine("more than 8 objects and lists inside each other",
                            '{"about":' + 100000 * "[" + 100000 * "]" + "}")

    def test_members_of_machine_files(self):
        self.refuse_machine("'frobnicate' = 1: no such member", {"frobnicate": 1})
        self.refuse_machine("name = 3: must be text", {"name": 3})
        for value in ["-1", '"x"', "2000000000", "null"]:
            self.refuse_machine(f"load_ns = {value}: must be a number of nanoseconds between 0 and 1e9",
                                f'{{"load_ns": {value}}}')
        for name in ["work_slowdown", "smt_slowdown"]:
            self.refuse_machine(f"{name} = 0: must be a number between 1 and 1000", {name: 0})
        kinds = "must be one of any, integer, floating, memory"
        for pairs, message in [(3, " = 3: must be an object of kinds of work"), ({"wood": {}}, f": 'wood': {kinds}"),
                               ({"any": 2}, ": any = 2: must be an object of kinds of work"),
                               ({"any": {"wood": 2}}, f": any: 'wood': {kinds}"),
                               ({"integer": {"memory": 0.5}}, ": integer: memory = 0.5: must be a number between 1 and 1000")]:
            self.refuse_machine(f"smt_pairs{message}", {"smt_pairs": pairs})
        self.succeed(*self.on({"smt_pairs": {"integer": {"memory": 1.2, "integer": 1.9}}}))
        for value in [-1, 0, 2e6]:
            self.refuse_machine(f"memory_gb_s = {json.dumps(value)}: must be a number of bytes for each nanosecond between 0.001 and 1e6",
                                {"memory_gb_s": value})
        self.refuse_machine("step_ns = -1: must be a number of nanoseconds between 0 and 1e9", {"step_ns": -1})
        self.refuse_machine('sources = "a table": must be a list of texts', {"sources": "a table"})
        self.refuse_machine("sources: 3: must be text", {"sources": ["a table", 3]})
        self.succeed(*self.on({"sources": ["a table", "another"]}))

    def test_who_spins_gets_on(self):
        """Else a world in which nothing takes time has no end."""
        for name in ["relax_ns", "yield_ns"]:
            self.refuse_machine(f"{name} = 0: must be a number of nanoseconds between 1 and 1e9", {name: 0})
        names = ["load", "store", "rmw", "line", "fence", "clock", "wait", "wake", "wake_call", "signal", "signal_call",
                 "thread"]
        self.succeed(*self.on({**{f"{name}_ns": 0 for name in names}, "relax_ns": 1, "yield_ns": 1}))

    def test_levels_of_machine_files(self):
        self.refuse_machine("levels = {}: must be a list", {"levels": {}})
        self.refuse_machine("levels: 3 is no object", {"levels": [3]})
        self.refuse_machine("levels: {} has no children", {"levels": [{}]})
        self.refuse_machine("levels: name = 3: must be text", {"levels": [{"name": 3, "children": 2}]})
        self.refuse_machine("levels: 'kind' = 3: must be one of name, children, line_ns", {"levels": [{"kind": 3}]})
        for children in [-2, 0, 2.5, 4097, "two"]:
            self.refuse_machine(f"levels: children = {json.dumps(children)}: must be a whole number between 1 and 4096",
                                {"levels": [{"name": "core", "children": children}]})
        self.refuse_machine("levels: more than 65536 units", {"levels": 2 * [{"children": 4096}]})
        self.refuse_machine("levels: 17 of them: must be 16 at most", {"levels": 17 * [{"children": 1}]})


class SimulatedClusters(program.ProgramTest):
    """`leat sim cluster`: ranks of several workers, and a network, in one world."""

    SMALL = ["-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "19"]

    def setUp(self):
        if program.leat("sim").returncode != program.OK:
            raise unittest.SkipTest("no leat-sim here")

    def counted(self, *words):
        report = json.loads(self.succeed("sim", "cluster", *self.SMALL, "--workers", "3", "--json", *words))
        self.assertEqual(report["counters"]["tasks"], report["count"])
        self.assertLessEqual(report["efficiency"], 1)
        return report

    def test_ranks_share_the_work_of_both_engines(self):
        one = self.counted("--ranks", "1")
        for engine in ["messages", "rma", "two-sided"]:
            four = self.counted("--ranks", "4", "--engine", engine)
            self.assertEqual(four["count"], one["count"])
            self.assertGreater(four["counters"]["tasks_given"], 0)
            self.assertEqual(four["counters"]["tasks_given"], four["counters"]["tasks_taken"])
            self.assertLess(four["seconds"], 0.5 * one["seconds"])

    def test_the_same_again(self):
        words = ["--ranks", "3", "--engine", "rma"]
        self.assertEqual(self.counted(*words)["trace"], self.counted(*words)["trace"])
        traces = [self.counted(*words, "--seed", seed)["trace"] for seed in ["0", "1", "2", "1"]]
        self.assertEqual(traces[1], traces[3])
        self.assertEqual(len(set(traces)), 3)

    def test_the_network_takes_its_time(self):
        words = ["--ranks", "8", "--ranks-of-a-node", "2", "--engine", "rma", "--no-prefetch"]
        usual = self.counted(*words)["seconds"]
        self.assertGreater(self.counted(*words, "--latency-us", "500")["seconds"], 1.2 * usual)
        self.assertGreater(self.counted(*words, "--same-node-us", "5000")["seconds"], usual)
        self.assertGreater(self.counted(*words, "--gb-s", "0.001")["seconds"], usual)
        self.assertGreater(self.counted(*words, "--call-us", "50")["seconds"], 1.2 * usual)

    def test_nodes_have_ranks(self):
        self.assertEqual(self.counted("--nodes", "3", "--ranks-of-a-node", "2")["ranks"], 6)

    def test_a_prefix_of_a_tree_too_large_to_count(self):
        words = ["sim", "cluster", "--tree", "T1WL", "--prefix", "7", "--ranks", "3", "--workers", "1", "--json"]
        report = json.loads(self.succeed(*words))
        self.assertEqual(report["count"], 63914)  # of T1 with seven levels, as published
        self.assertEqual(report["parameters"]["prefix"], 7)

    def test_ranks_steal_on_their_node_first(self):
        words = ["--ranks", "8", "--ranks-of-a-node", "4", "--engine", "rma", "--no-prefetch"]
        share = {}
        for per_node in ["0", "1"]:
            counters = self.counted(*words, "--ranks-per-node", per_node)["counters"]
            share[per_node] = counters["steals_inside"] / counters["answers_work"]
            self.assertEqual(counters["steals_inside"] + counters["steals_outside"], counters["answers_work"])
        self.assertGreater(share["0"], 0.5)
        self.assertEqual(share["1"], 0)

    def test_who_is_asked_and_how_much_is_shared(self):
        for engine in ["messages", "rma", "two-sided"]:
            traces = {self.counted("--ranks", "6", "--engine", engine, *words)["trace"]
                      for words in ([], ["--victims", "ring"], ["--victims", "random"], ["--victims", "last"],
                                    ["--chunk", "2"], ["--chunk", "2", "--threshold", "9"])}
            self.assertEqual(len(traces), 5, engine)  # one of the orders is the default
        usual = self.counted("--ranks", "6", "--engine", "rma")["trace"]
        self.assertNotEqual(self.counted("--ranks", "6", "--engine", "rma", "--prefetch-victim", "ring")["trace"], usual)

    def test_bad_input(self):
        for message, *words in [
                ("--ranks = 0", "--ranks", "0"),
                ("--ranks = 4001", "--ranks", "4001", "--workers", "2"),
                ("--ranks-of-a-node = 5", "--ranks", "4", "--ranks-of-a-node", "5"),
                ("--workers = 0", "--workers", "0"),
                ("--engine = 'smoke': must be one of messages, rma, two-sided", "--engine", "smoke"),
                ("--victims = 'nearest': must be one of last, ring, random", "--victims", "nearest"),
                ("--prefetch-victim = 'last': must be one of random, ring", "--prefetch-victim", "last"),
                ("--ranks-per-node = -1", "--ranks-per-node", "-1"),
                ("--chunk = 1000001", "--chunk", "1000001"),
                ("--threshold = 5", "--chunk", "5", "--threshold", "5"),
                ("--nodes = 0", "--nodes", "0"),
                ("--nodes = 2: leave out --ranks", "--nodes", "2", "--ranks", "2"),
                ("--nodes = 334", "--nodes", "334", "--workers", "1", "--ranks-of-a-node", "24"),
                ("--seed = -1", "--seed", "-1"),
                ("--node-us = -1: must be 0 to", "--node-us", "-1"),
                ("--latency-us = 1000000000: must be 0 to", "--latency-us", "1e9"),
                ("--gb-s = 0: must be 0.001 to", "--gb-s", "0"),
                ("--construct = 'fork': a cluster has tasks of its own", "--construct", "fork"),
                ("--tree = 'T9'", "--tree", "T9"),
        ]:
            with self.subTest(words=words):
                self.refuse(f"leat: {message}", "sim", "cluster", *words)


if __name__ == "__main__":
    program.main()
