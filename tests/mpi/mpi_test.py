"""Clusters on MPI, from outside: mpi_test.py MPIEXEC MPI_RANK LEAT [SUITE]"""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC, MPI_RANK, LEAT = sys.argv[1:4]
LEAT_MPI = os.path.join(os.path.dirname(os.path.realpath(LEAT)), "leat-mpi")  # what the ranks of `leat uts --cluster` become
ENGINES = ("messages", "rma", "two-sided")
# Open MPI refuses to run as root, or more ranks than there are cores, unless told. MPICH has no such words.
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
)
END_S_MAX = 10  # a run that fails is over on all ranks after so long


def command(ranks, *words):
    return [MPIEXEC, "-n", str(ranks), *words]


def run(ranks, *words, timeout_s=500):
    return subprocess.run(command(ranks, *words), env=ENVIRONMENT, capture_output=True, text=True, timeout=timeout_s)


class Trees(unittest.TestCase):
    def test_known_trees_are_counted_exactly(self):
        for ranks in (1, 2, 3, 4):
            for engine in ENGINES:
                for tree in ("T1", "T3"):
                    with self.subTest(ranks=ranks, engine=engine, tree=tree):
                        done = run(ranks, LEAT, "uts", "--cluster", "--engine", engine, "--tree", tree, "--json", "--no-serial")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        report = json.loads(done.stdout)
                        self.assertEqual(report["ranks"], ranks)
                        self.assertEqual(report["engine"], engine)
                        self.assertTrue(report["result_ok"])
                        self.assertEqual(report["count"], report["expected_count"])
                        self.assertEqual(report["counters"]["tasks"], report["count"])

    def test_ranks_of_several_workers_count_exactly(self):
        for ranks in (1, 2):
            for engine in ENGINES:
                for tree in ("T1", "T3"):
                    with self.subTest(ranks=ranks, engine=engine, tree=tree):
                        done = run(ranks, LEAT, "uts", "--cluster", "--engine", engine, "--workers", "3", "--tree", tree, "--json", "--no-serial")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        report = json.loads(done.stdout)
                        self.assertEqual(report["workers"], 3)
                        self.assertEqual(report["count"], report["expected_count"])
                        self.assertEqual(report["counters"]["tasks"], report["count"])
                        self.assertGreater(report["counters"]["open_takes"], 0)

    def test_a_bad_option_is_named_once(self):
        done = run(2, LEAT, "uts", "--cluster", "--engine", "pigeons")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("--engine = 'pigeons'"), 1, done.stderr)

    def test_ranks_that_would_do_different_things_are_named(self):
        tree = ["uts", "--cluster", "--no-serial", "--tree", "T1"]
        odd = (["--engine", "rma"], ["--repeat", "2"], ["--tree", "T3"], ["--tree", "T9"], ["--workers", "0"], ["--help"])
        for words in odd:
            for first, second in ((tree, tree + words), (tree + words, tree)):
                with self.subTest(first=first, second=second):
                    both = [MPIEXEC, "-n", "1", LEAT, *first, ":", "-n", "1", LEAT, *second]
                    done = subprocess.run(both, env=ENVIRONMENT, capture_output=True, text=True, timeout=END_S_MAX)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("rank 0:", done.stderr)
                    self.assertIn("rank 1:", done.stderr)


class TinyTrees(unittest.TestCase):
    RUNS = 500  # for each engine, with two ranks, with four, and with two of three workers

    def test_runs_end(self):
        for ranks, workers in ((2, "1"), (4, "1"), (2, "3")):
            for engine in ENGINES:
                with self.subTest(ranks=ranks, workers=workers, engine=engine):
                    done = run(ranks, MPI_RANK, engine, workers, "tiny", str(self.RUNS))
                    self.assertEqual(done.returncode, 0, done.stderr)


class TinyTrees_long(TinyTrees):
    RUNS = 2500


class LargeMessages(unittest.TestCase):
    def test_nobody_waits_for_a_sender_that_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            # Over TCP it takes the sender's help; common memory would hide it.
            over_tcp = dict(ENVIRONMENT, OMPI_MCA_btl="tcp,self")
            ranks = command(2, MPI_RANK, "transport", "large", folder)
            done = subprocess.run(ranks, env=over_tcp, capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)


def ranks_of(launcher, program):
    """The processes under mpiexec that run a program, in order."""
    parents = {}
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            if os.path.realpath(f"/proc/{entry}/exe") == os.path.realpath(program):
                found.append(int(entry))
        except OSError:
            continue

    def descends(process):
        while process in parents:
            if process == launcher:
                return True
            process = parents[process]
        return False

    return sorted(filter(descends, found))


class Snapshots(unittest.TestCase):
    KILLS = 20

    def test_runs_that_are_killed_go_on_to_the_exact_count(self):
        draw = random.Random(9)
        with tempfile.TemporaryDirectory() as folder:
            for kill in range(self.KILLS):
                file = os.path.join(folder, str(kill))
                engine, workers = ENGINES[kill % len(ENGINES)], ("1", "3")[kill // len(ENGINES) % 2]
                words = [LEAT, "uts", "--cluster", "--engine", engine, "--workers", workers, "--tree", "T3", "--json", "--no-serial"]
                words += ["--snapshot", file, "--snapshot-every", "0.01"]
                with self.subTest(kill=kill, engine=engine, workers=workers):
                    self.kill_one_with_a_snapshot(words, file, draw.choice((False, True)), draw)
                    done = run(draw.choice((1, 2, 3)), *words, "--resume")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    report = json.loads(done.stdout)
                    self.assertEqual(report["count"], report["expected_count"])
                    self.assertLess(report["counters"]["tasks"], report["count"], "the snapshot has the others")

    def kill_one_with_a_snapshot(self, words, file, all_ranks, draw):
        """Counts the tree again and again, and kills the launcher with all ranks, or one rank, some time after the first snapshot."""
        endless = subprocess.Popen(
            command(2, *words, "--repeat", "1000000"),
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while not os.path.exists(file) or os.path.getsize(file) == 0:
                self.assertIsNone(endless.poll(), "the run ends before its first snapshot")
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.3))
            self.assertIsNone(endless.poll(), "the run ends by itself")
            ranks = ranks_of(endless.pid, LEAT_MPI)
            self.assertEqual(len(ranks), 2)
            if all_ranks:
                os.killpg(endless.pid, signal.SIGKILL)
            else:
                os.kill(draw.choice(ranks), signal.SIGKILL)
            self.assertNotEqual(endless.wait(END_S_MAX), 0)
            end = time.monotonic() + END_S_MAX
            while any(os.path.exists(f"/proc/{rank}/exe") for rank in ranks):
                self.assertLess(time.monotonic(), end, "a rank goes on without the others")
                time.sleep(0.001)
        finally:
            if endless.poll() is None:
                os.killpg(endless.pid, signal.SIGKILL)
                endless.wait()


class Snapshots_long(Snapshots):
    KILLS = 100


class Programs(unittest.TestCase):
    def test_results_are_exact(self):
        """Each program compares its result with a known or a serial one, and ends with another status if it differs."""
        programs = {
            "nqueens": (["-n", "11"], "solutions", 2680),
            "quadrature": (["--tolerance", "1e-7"], "intervals", 361581),
            "knapsack": (["--items", "60", "--seed", "1"], "value", 20177),
        }
        for ranks in (1, 2, 3):
            for engine in ENGINES:
                for workers in ("1", "3"):
                    for name, (words, field, expected) in programs.items():
                        with self.subTest(ranks=ranks, engine=engine, workers=workers, program=name):
                            done = run(ranks, LEAT, name, "--cluster", "--engine", engine, "--workers", workers, "--json", *words)
                            self.assertEqual(done.returncode, 0, done.stderr)
                            report = json.loads(done.stdout)
                            self.assertTrue(report["result_ok"])
                            self.assertEqual(report[field], expected)
                            self.assertEqual(len(report["tasks_by_rank"]), ranks)
                            self.assertEqual(sum(report["tasks_by_rank"]), report["counters"]["tasks"])


class Bounds(unittest.TestCase):
    KILLS = 6

    def test_runs_that_are_killed_go_on_to_the_best_solution(self):
        draw = random.Random(11)
        with tempfile.TemporaryDirectory() as folder:
            for kill in range(self.KILLS):
                file = os.path.join(folder, str(kill))
                engine, workers = ENGINES[kill % len(ENGINES)], ("1", "3")[kill // len(ENGINES) % 2]
                words = [LEAT, "knapsack", "--cluster", "--engine", engine, "--workers", workers, "--json", "--no-serial"]
                words += ["--snapshot", file, "--snapshot-every", "0.01"]
                with self.subTest(kill=kill, engine=engine, workers=workers):
                    Snapshots.kill_one_with_a_snapshot(self, words, file, draw.choice((False, True)), draw)
                    done = run(draw.choice((1, 2, 3)), *words, "--resume")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    report = json.loads(done.stdout)
                    self.assertEqual(report["value"], report["expected_value"])
                    self.assertLess(report["counters"]["tasks"], report["nodes"], "the snapshot has the others")


class Failure(unittest.TestCase):
    KILLS = 1  # for each engine

    def test_an_exception_ends_all_ranks(self):
        for ranks, workers in ((2, "1"), (4, "1"), (2, "3")):
            for engine in ENGINES:
                with self.subTest(ranks=ranks, workers=workers, engine=engine):
                    begin = time.monotonic()
                    done = run(ranks, MPI_RANK, engine, workers, "throw", "1")
                    self.assertLess(time.monotonic() - begin, END_S_MAX)
                    self.assertNotEqual(done.returncode, 0)
                    told = done.stderr.count("rank 1 failed: the mill stands still")
                    self.assertEqual(told, ranks - 1, done.stderr)

    def test_a_rank_that_is_killed_ends_all(self):
        for engine, workers in itertools.product(ENGINES, ("1", "3")):
            for kill in range(self.KILLS):
                with self.subTest(engine=engine, workers=workers, kill=kill):
                    self.kill_one_of_three(engine, workers, (kill + 1) % 3)

    def kill_one_of_three(self, engine, workers, number):
        run_of_all = subprocess.Popen(
            command(3, MPI_RANK, engine, workers, "endless"),
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        told = ""  # a launcher may break the lines of one rank by those of another
        while told.count("working") < 3:
            line = run_of_all.stdout.readline()
            self.assertNotEqual(line, "", told)
            told += line
        ranks = ranks_of(run_of_all.pid, MPI_RANK)
        self.assertEqual(len(ranks), 3)
        begin = time.monotonic()
        os.kill(ranks[number], signal.SIGKILL)
        output, _ = run_of_all.communicate(timeout=100)
        self.assertLess(time.monotonic() - begin, END_S_MAX)
        self.assertNotEqual(run_of_all.returncode, 0)
        self.assertRegex(output, r"(?i)killed|signal 9|exit code: 9")
        # MPICH 4.0.2's mpiexec names a process, and not always the right one.
        self.assertRegex(output, f"(?i)rank {number}|pid (" + "|".join(map(str, ranks)) + ")")
        for rank in ranks:
            self.assertFalse(os.path.exists(f"/proc/{rank}/exe"), f"process {rank} is still there")


class Failure_long(Failure):
    KILLS = 50


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
