"""`leat predict`: what it prints of synthetic recordings, and what it refuses.

Usage: predict_test.py PROGRAM [CLASS...]
"""

import json
import os
import statistics
import tempfile
import unittest

import program
import recording


class Predictions(program.ProgramTest):
    def setUp(self):
        if program.leat("sim").returncode != program.OK:
            raise unittest.SkipTest("no leat-sim here")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "solve.strands")

    def write(self, *streams, **how):
        with open(self.file, "wb") as file:
            file.write(recording.recorded(*streams, **how))

    def write_fib(self, n=12, ns=5000):
        stream = recording.Stream()
        site = stream.site("fib.cpp:3")
        stream.run(lambda: recording.fib(stream, n, ns, site))
        self.write(stream, program="fib")

    def predicted(self, *arguments):
        return json.loads(self.succeed("predict", self.file, *arguments, "--json"))

    def test_work_and_span(self):
        self.write_fib()
        found = self.predicted("--workers", "1,4")
        self.assertEqual(found["work_ns"], 465 * 5000)
        self.assertEqual(found["span_ns"], 12 * 5000)
        self.assertEqual(found["strands"], 465)
        self.assertEqual([p["workers"] for p in found["predictions"]], [1, 4])
        for p in found["predictions"]:
            self.assertLessEqual(p["speedup"], min(p["bounds"].values()))
            self.assertAlmostEqual(sum(p["spent"].values()), 1, places=3)
        self.assertGreater(found["predictions"][1]["speedup"], 2.5)

    def test_text(self):
        self.write_fib()
        text = self.succeed("predict", self.file, "--workers", "2,60", "--machine", "opteron-4x12", "numa-4x4")
        for words in ["fib, recorded by 1 thread", "work 0.002325 s in 465 strands", "span 0.000060 s, parallelism 38.75",
                      "opteron-4x12", "has 48 units", "has 16 units", "work law"]:
            self.assertIn(words, text)

    def test_the_time_with_one_worker(self):
        self.write_fib()
        found = self.predicted("--workers", "1,4", "--one", "0.0021")
        self.assertAlmostEqual(found["predictions"][0]["seconds"], 0.0021, places=6)
        self.assertAlmostEqual(found["work_ns"] + 465 * found["bias_ns"], 465 * 5000, delta=2)
        self.assertIn("ns shorter than recorded", self.succeed("predict", self.file, "--workers", "4", "--one", "0.0021"))

    def test_a_longer_time_with_one_worker(self):
        self.write_fib()
        found = self.predicted("--workers", "1,4", "--one", "0.0046")
        self.assertAlmostEqual(found["predictions"][0]["seconds"], 0.0046, places=5)
        self.assertEqual(found["bias_ns"], 0)
        self.assertAlmostEqual(found["work_ns"], 465 * 5000 * found["strand_factor"], delta=2)
        self.assertIn("times as long as recorded", self.succeed("predict", self.file, "--workers", "4", "--one", "0.0046"))

    def test_more_recordings(self):
        """Each has another strand that the system interrupted."""
        files = []
        for interrupted in range(3):
            stream = recording.Stream()
            site = stream.site("fib.cpp:3")

            def parts(interrupted=interrupted, stream=stream, site=site):
                for i in range(3):
                    stream.strand(900_000 if interrupted == i else 100_000)
                    recording.fib(stream, 5, 5000, site)

            stream.run(parts)
            self.file = self.file.removesuffix(".strands") + f"-{interrupted}.strands"
            self.write(stream)
            files.append(self.file)
        self.file = files.pop()
        found = self.predicted("--workers", "1", "--again", *files)
        self.assertEqual([found["work_ns"], found["again"]], [3 * 15 * 5000 + 300_000, files])
        self.assertIn("each strand takes the least of its times in 3 recordings",
                      self.succeed("predict", self.file, "--workers", "1", "--again", *files))
        other = self.file
        self.write_fib()
        self.refuse(f"leat: --again = '{files[0]}': the computation is not that of the first recording: ", "predict",
                    other, "--again", files[0])
        self.refuse("leat: recording '/nonesuch': cannot be read", "predict", other, "--again", "/nonesuch")

    def test_sums(self):
        stream = recording.Stream()
        stream.run(lambda: stream.strand(5000).add(recording.SUMS, 20_000_000, 50_000, 4000, 1400))
        self.write(stream, sampled=512)
        found = self.predicted("--workers", "4")
        self.assertEqual([found["work_ns"], found["span_ns"], found["strands"]], [20_005_000, 55_000, 4001])
        self.assertEqual([found["sampled"], found["subtrees_of_sums"], found["sums_work_ns"]], [512, 1, 20_000_000])
        self.assertGreater(found["predictions"][0]["speedup"], 3.5)
        self.assertIn("of 1 subtree only the sums were recorded: 0.020000 s of the work", self.succeed("predict", self.file, "--workers", "1"))

    def test_numbers_of_workers_by_the_machine(self):
        self.write_fib(n=3)
        found = self.predicted("--machine", "numa-4x4")
        self.assertEqual([p["workers"] for p in found["predictions"]], [1, 2, 4, 8, 16])

    def test_the_same_as_the_kernel(self):
        """leat sim fib: 1 ns in each call. A run is so short that one unlucky steal costs a tenth of it, hence medians of seeds."""
        self.write_fib(n=18, ns=1)
        for machine in ["opteron-4x12", "xeon-phi-60x4"]:
            kernel, found = [], []
            for seed in ["0", "1", "2"]:
                there = ("--workers", "48", "--machine", machine, "--seed", seed)
                kernel.append(self.report("sim", "fib", "-n", "18", "--form", "plain", "--parallel-only", *there)["seconds"])
                found.append(self.predicted(*there)["predictions"][0]["seconds"])
            self.assertAlmostEqual(statistics.median(found) / statistics.median(kernel), 1, delta=0.1)

    def test_the_profile_beside_it(self):
        self.write_fib()
        profile = self.file.removesuffix(".strands")
        seconds = {}
        for kind in ["runtime", "default"]:
            with open(profile, "w", encoding="utf-8") as file:
                file.write(f"leat profile 1\nprogram fib\nruntime 0 {kind} 1 channel\n")
            found = json.loads(self.succeed("predict", profile, "--workers", "1", "--json"))
            seconds[kind] = found["predictions"][0]["seconds"]
        self.assertLess(seconds["default"], seconds["runtime"])

    def test_a_profile_of_another_program(self):
        self.write_fib()
        profile = self.file.removesuffix(".strands")
        with open(profile, "w", encoding="utf-8") as file:
            file.write("leat profile 1\nprogram sort 3\nruntime 0 runtime 1 channel\n")
        self.refuse(f"leat: profile '{profile}': is of 'sort 3', and the recording beside it of 'fib'", "predict", profile)

    def test_a_profile_without_a_recording(self):
        profile = self.file.removesuffix(".strands") + "-alone"
        with open(profile, "w", encoding="utf-8") as file:
            file.write("leat profile 1\nprogram fib\n")
        self.refuse(f"leat: recording '{profile}.strands': is not beside its profile; a program leaves it if it is linked with "
                    f"leat::profiled, and LEAT_PROFILE is {profile},record", "predict", profile)

    def test_refused_options(self):
        self.write_fib(n=3)
        for message, *arguments in [
                ("--workers = '4,x': must be numbers between 1 and 4096, with commas between them", "--workers", "4,x"),
                ("--workers = '0': must be numbers", "--workers", "0"),
                ("--machine = '': must be a file, or a name", "--machine", ""),
                ("machine file 'nonesuch': cannot be read", "--machine", "nonesuch"),
                ("--one = -1: must be above 0, and less than 100000", "--one", "-1"),
                ("--one = 1e-09: must be above ", "--one", "1e-9"),
                ("--seed = -1: must not be negative", "--seed", "-1"),
                ("--scheduler = 'fast': must be one of ", "--scheduler", "fast"),
                ("--frobnicate: no such option here", "--frobnicate"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuse(f"leat: {message}", "predict", self.file, *arguments)

    def test_refused_recordings(self):
        self.refuse("leat: recording '/nonesuch': cannot be read", "predict", "/nonesuch")
        for stream, why in [
                (recording.Stream().add(99), ": 99: no such operation"),
                (recording.Stream().add(recording.RUN), ": run: has no end in its worker's stream"),
                (recording.Stream().add(recording.RUN).add(recording.AWAIT, 8).add(recording.RUN_END),
                 ": await 8: there is no such future, nor such a task"),
        ]:
            self.write(stream)
            self.refuse(f"leat: recording '{self.file}': at byte ", "predict", self.file)
            self.assertIn(why, program.leat("predict", self.file).stderr)
        self.write(recording.Stream())
        self.refuse(f"leat: recording '{self.file}': has no strands: the program executed no run", "predict", self.file)


if __name__ == "__main__":
    program.main()
