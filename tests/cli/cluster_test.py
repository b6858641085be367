"""`leat uts --cluster` from outside, on one rank: a copy of the program that has no leat-mpi beside it.

Usage: cluster_test.py PROGRAM [CLASS...]
"""

import json
import os
import re
import shutil
import tempfile

import program

TREE = ["-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "19"]


class OneRank(program.ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "files")
        os.mkdir(self.folder)
        self.executable = os.path.join(folder.name, "leat")
        shutil.copy(program.PROGRAM, self.executable)
        self.file = os.path.join(self.folder, "cut")

    def count(self, *arguments, **more):
        return program.leat("uts", "--cluster", "--no-serial", *arguments, executable=self.executable, **more)

    def counted(self, *arguments):
        done = self.count(*arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (program.OK, ""), done)
        return json.loads(done.stdout)

    def snapshot_of_t1(self):
        """The last one of a run, which leaves something to do."""
        self.counted("--tree", "T1", "--snapshot", self.file, "--snapshot-every", "0.01")

    def test_a_launcher_is_refused(self):
        """Else each of its processes would count the whole tree."""
        for name in ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"]:
            done = self.count(*TREE, environment={name: "2"})
            self.assertEqual((done.returncode, done.stdout), (program.FAILED, ""), done)
            self.assertIn(f"an MPI launcher has started this as one of several ({name} = 2), but there is no {self.executable}-mpi",
                          done.stderr)
            self.assertEqual(self.count(*TREE, environment={name: "1"}).returncode, program.OK)

    def test_a_snapshot_alone_is_refused(self):
        for message, *arguments in [
                (f"--snapshot = {self.file}: nothing is written or read without --snapshot-every or --resume", "--snapshot",
                 self.file),
                ("--snapshot = '': --snapshot-every and --resume need a file", "--snapshot-every", "1"),
                ("--snapshot = '': --snapshot-every and --resume need a file", "--resume"),
        ]:
            done = self.count(*TREE, *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (program.BAD_INPUT, "", f"leat: {message}\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_progress_is_shown_on_standard_error(self):
        done = self.count("--tree", "T1", "--repeat", "2", "--progress-every", "0.01", "--json")
        self.assertEqual(done.returncode, program.OK, done)
        lines = done.stderr.splitlines()
        shown = [re.fullmatch(r"rank 0: (\d+) tasks, \d+\.\d s", line) for line in lines]
        self.assertTrue(all(shown), done.stderr)
        tasks = [int(line[1]) for line in shown]
        runs = [i for i, n in enumerate(tasks) if n == 4130071]
        self.assertEqual((len(runs), runs[-1:]), (2, [len(tasks) - 1]), done.stderr)
        for run in (tasks[:runs[0]], tasks[runs[0] + 1:-1]):
            self.assertTrue(run, "a run of more than 10 ms is shown while it lasts")
            self.assertEqual(run, sorted(run), done.stderr)
        self.assertEqual(json.loads(done.stdout)["count"], 4130071)
        short = self.count(*TREE, "--progress-every", "1000")
        self.assertRegex(short.stderr, r"\Arank 0: \d+ tasks, \d+\.\d s\n\Z")
        self.assertEqual(self.count(*TREE, "--progress-every", "0").stderr, "")

    def test_a_run_goes_on_where_its_progress_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.count(*TREE, "--progress-every", "0.01", "--json", stderr=full)
        self.assertEqual(done.returncode, program.OK)
        self.assertTrue(json.loads(done.stdout)["result_ok"])

    def test_a_time_that_is_none_is_refused(self):
        for flag in ["--progress-every", "--snapshot-every"]:
            for value, told in [("-1", "-1"), ("nan", "nan"), ("2e9", "2000000000")]:
                done = self.count(*TREE, flag, value)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (program.BAD_INPUT, "", f"leat: {flag} = {told}: must be 0 to 1000000000\n"))

    def test_nothing_beside_a_snapshot_is_touched(self):
        with open(self.file + ".new", "w", encoding="utf-8") as letter:
            letter.write("a letter")
        self.snapshot_of_t1()
        with open(self.file + ".new", encoding="utf-8") as letter:
            self.assertEqual(letter.read(), "a letter")
        self.assertEqual(sorted(os.listdir(self.folder)), ["cut", "cut.new"])

    def test_what_a_link_names_is_written(self):
        os.symlink("there", self.file)
        self.snapshot_of_t1()
        self.assertEqual(os.readlink(self.file), "there")
        self.assertFalse(os.path.islink(os.path.join(self.folder, "there")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["cut", "there"])
        self.assertEqual(self.counted("--tree", "T1", "--snapshot", self.file, "--resume")["count"], 4130071)

    def test_nothing_is_left_of_a_snapshot_that_cannot_be_written(self):
        done = self.count("--tree", "T1", "--snapshot", self.file, "--snapshot-every", "0.01", file_size=100)
        self.assertEqual((done.returncode, done.stdout), (program.FAILED, ""), done)
        self.assertIn(f"cannot write the snapshot '{self.file}'", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_other_programs_name_bad_values(self):
        for message, *arguments in [
                ("-n = 19: must be between 1 and 18", "nqueens", "-n", "19"),
                ("--items = 129: must be between 1 and 128", "knapsack", "--items", "129"),
                ("--tolerance = 1: must be between 1e-11 and 0.1", "quadrature", "--tolerance", "1"),
        ]:
            done = program.leat(arguments[0], "--cluster", *arguments[1:], executable=self.executable)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (program.BAD_INPUT, "", f"leat: {message}\n"))

    def test_other_programs_check_what_they_find(self):
        for name, *arguments in [("nqueens", "-n", "8"), ("knapsack", "--items", "30"), ("quadrature", "--tolerance", "1e-4")]:
            done = program.leat(name, "--cluster", *arguments, executable=self.executable)
            self.assertEqual((done.returncode, done.stderr), (program.OK, ""), done)
            self.assertRegex(done.stdout, r"(?m)^by rank +\d+ nodes$")
            self.assertRegex(done.stdout, r"(?m)^result +ok$")

    def test_speed_is_that_of_the_nodes_of_this_run(self):
        whole = self.counted(*TREE)
        self.assertEqual(whole["counters"]["tasks"], whole["count"])
        self.assertAlmostEqual(whole["nodes_per_second"], whole["count"] / whole["seconds"], delta=1)
        self.snapshot_of_t1()
        rest = self.counted("--tree", "T1", "--snapshot", self.file, "--resume")
        self.assertEqual(rest["count"], rest["expected_count"])
        tasks = rest["counters"]["tasks"]
        self.assertTrue(0 < tasks < rest["count"], rest)
        self.assertAlmostEqual(rest["nodes_per_second"], tasks / rest["seconds"], delta=1)
        text = self.count("--tree", "T1", "--snapshot", self.file, "--resume").stdout
        self.assertRegex(text, rf"(?m)^this run +{tasks} nodes, the snapshot has the others$")
        self.assertNotIn("this run", self.count(*TREE).stdout)


if __name__ == "__main__":
    program.main()
