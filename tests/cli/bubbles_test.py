"""Programs of bubbles in simulated worlds, and the page of a trace, from outside.

Usage: bubbles_test.py PROGRAM [CLASS...]
"""

import json
import os
import tempfile
import unittest

import program

ON_NODES = ["--workers", "16", "--machine", "numa-4x4", "--parallel-only"]


class Bubbles(program.ProgramTest):
    def setUp(self):
        if "conduction" not in program.leat("sim").stdout:
            raise unittest.SkipTest("no leat-sim with user-level threads here")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def simulate(self, *arguments):
        return self.report("sim", *arguments, *ON_NODES)

    def test_regeneration_pays_and_moves_nothing_to_and_fro(self):
        kept = self.simulate("mesh", "--cycles", "16", "--way", "kept")
        regenerated = self.simulate("mesh", "--cycles", "16", "--way", "regenerated")
        self.assertEqual((kept["events"]["moves"], kept["events"]["widenings"]), (0, 0))
        self.assertGreater(kept["seconds"] / regenerated["seconds"], 1.3)
        moved = regenerated["events"]["moves"] + regenerated["events"]["widenings"]
        self.assertGreater(moved, 0)
        self.assertLessEqual(moved, regenerated["parameters"]["cycles"], "one a cycle")

    def test_bubbles_are_as_fast_as_bound(self):
        seconds = {way: self.simulate("conduction", "--rows", "100", "--cell-ns", "80", "--cycles", "10", "--way", way)["seconds"]
                   for way in ["simple", "bound", "bubbles", "tree"]}
        self.assertLess(seconds["bubbles"], 1.02 * seconds["bound"])
        self.assertLess(seconds["tree"], 1.02 * seconds["bound"])
        self.assertGreater(seconds["simple"], 1.3 * seconds["bound"])

    def test_every_worker_comes_to_carry(self):
        """What answers a wait that is over is not to lie with the worker while it computes (WORKER-13)."""
        seconds = [self.simulate("conduction", "--rows", "100", "--cell-ns", "80", "--cycles", "10", "--way", way,
                                 "--seed", str(seed))["seconds"]
                   for seed in range(6) for way in ["bound", "bubbles"]]
        self.assertLess(max(seconds), 1.05 * min(seconds))

    def test_gangs_gain(self):
        """Threads of one gang at a time, each with its data on its unit; and the communication thread goes first."""
        ran = {way: self.simulate("gangs", "--steps", "60", "--bind", "--way", way) for way in ["threads", "gangs"]}
        self.assertGreater(ran["threads"]["seconds"], 1.3 * ran["gangs"]["seconds"])
        self.assertGreater(ran["threads"]["events"]["answered_us"], 2 * ran["gangs"]["events"]["answered_us"])
        self.assertGreater(ran["gangs"]["events"]["recalls"], 1, "slices end")

    def test_pairs_gain(self):
        """By symbiosis alone: on a machine whose kinds of work are all the same to each other bubbles bring nothing."""
        with open(os.path.join(os.path.dirname(__file__), "../../machines/xeon-2-ht.json"), encoding="utf-8") as file:
            machine = json.load(file)
        alike = os.path.join(self.folder, "alike.json")
        del machine["smt_pairs"]
        with open(alike, "w", encoding="utf-8") as file:
            json.dump(machine, file)
        gains = []
        for on in ["xeon-2-ht", alike]:
            seconds = [self.report("sim", "pairs", "--cycles", "20", "--workers", "4", "--machine", on, "--bind",
                                   "--parallel-only", "--way", way)["seconds"] for way in ["simple", "bubbles"]]
            gains.append(seconds[0] / seconds[1])
        self.assertGreater(gains[0], 1.15)
        self.assertLess(gains[1], 1.1)

    def test_figures_of_table_2(self):
        """Within 5 % of the published speed-ups; bubbles in advection are faster."""
        for kernel, published in [("conduction", [10.58, 15.82, 15.8]), ("advection", [9.11, 12.4, 12.4])]:
            for way, speedup in zip(["simple", "bound", "bubbles"], published):
                with self.subTest(kernel=kernel, way=way):
                    found = self.report("sim", kernel, "--way", way, *ON_NODES[:-1], "--bind", "--no-one-worker")["speedup"]
                    self.assertGreater(found, speedup / 1.05)
                    self.assertLess(found, speedup * (1.15 if (kernel, way) == ("advection", "bubbles") else 1.05))

    def test_page_of_a_trace(self):
        trace = os.path.join(self.folder, "mesh.json")
        counts = self.simulate("mesh", "--cells", "5000", "--cycles", "9", "--trace", trace)["events"]
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["events"]
        for incident, count in [("down", "down"), ("burst", "bursts"), ("moved", "moves"), ("widened", "widenings")]:
            self.assertEqual(sum(e[1] == incident for e in events), counts[count], incident)
        path = self.succeed("report", trace).strip()
        self.assertEqual(path, os.path.join(self.folder, "mesh.html"))
        with open(path, encoding="utf-8") as file:
            page = file.read()
        data = page[page.index("const D=") + len("const D="):]
        self.assertEqual(json.JSONDecoder().raw_decode(data)[0]["events"], events)
        self.assertNotIn("http", page, "it needs nothing else")

    def test_trace_that_cannot_be_written(self):
        mesh = ["sim", "mesh", "--cells", "10000000", "--cycles", "1000", "--trace"]  # told before the hours that it would take
        self.refuse("must be a file's name", *mesh, "")
        for file in (self.folder, os.path.join(self.folder, "nowhere", "trace")):
            done = program.leat(*mesh, file)
            self.assertEqual((done.returncode, done.stderr), (program.FAILED, f"leat: cannot write {file}\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_input(self):
        odd = os.path.join(self.folder, "odd.json")
        with open(odd, "w", encoding="utf-8") as file:
            file.write("{}")
        self.refuse("odd.json: no trace of bubbles", "report", odd)
        places = [["machine", 0, 0, 0, 2], ["core", 0, 0, 0, 1]]
        event = [5, "inserted", 0, 1, 1, 1]
        good = {"bubble_trace": "t", "left_out": 0, "places": places, "events": [event]}
        for wrong in [{"places": "x"}, {"places": []}, {"places": [[1, 2]]}, {"places": [places[0], ["core", 1, 0, 0, 1]]},
                      {"events": "abc"}, {"events": [[]]}, {"events": [[5, "frobnicated", 0, 1, 1, 1]]},
                      {"events": [[5, "inserted", -5, 1, 1, 1]]}, {"events": [[5, "inserted", 4e9, 1, 1, 1]]},
                      {"events": [[5, "down", 0, None, 2, 1]]}, {"events": [event, [6, "inserted", 1, 0, 1, 1]]},
                      {"events": [[5, "inserted", 0, 0, 1, 1]]}, {"left_out": -1}, {"left_out": "x"}]:
            with self.subTest(wrong=wrong):
                with open(odd, "w", encoding="utf-8") as file:
                    json.dump(dict(good, **wrong), file)
                self.refuse("odd.json: no trace of bubbles", "report", odd)
        with open(odd, "w", encoding="utf-8") as file:
            file.write('{"bubble_trace":"t","places":[],"events":' + 100000 * "[" + 100000 * "]" + "}")
        self.refuse("odd.json: no trace of bubbles", "report", odd)
        with open(odd, "w", encoding="utf-8") as file:
            json.dump(good, file)
        self.succeed("report", odd)


if __name__ == "__main__":
    program.main()
