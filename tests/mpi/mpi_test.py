"""Clusters on MPI, from outside: mpi_test.py MPIEXEC MPI_RANK LEAT [SUITE]"""

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
ENGINES = ("messages", "rma")
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


def run(ranks, *words, timeout_s=100):
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
                        self.assertGreater(report["counters"]["parts"], 0)

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
    RUNS = 500  # for each engine, with two ranks and with four

    def test_runs_end(self):
        for ranks in (2, 4):
            for engine in ENGINES:
                with self.subTest(ranks=ranks, engine=engine):
                    done = run(ranks, MPI_RANK, engine, "tiny", str(self.RUNS))
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


class Snapshots(unittest.TestCase):
    KILLS = 20

    def test_runs_that_are_killed_go_on_to_the_exact_count(self):
        draw = random.Random(9)
        resumed = 0
        with tempfile.TemporaryDirectory() as folder:
            for kill in range(self.KILLS):
                file = os.path.join(folder, str(kill))
                engine = ENGINES[kill % 2]
                words = [LEAT, "uts", "--cluster", "--engine", engine, "--tree", "T3", "--json", "--no-serial"]
                words += ["--snapshot", file, "--snapshot-every", "0.01"]
                whole = subprocess.Popen(
                    command(2, *words), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
                )
                time.sleep(draw.uniform(0.05, 0.5))
                os.killpg(whole.pid, signal.SIGKILL)
                whole.wait()
                if os.path.exists(file):
                    words.append("--resume")
                    resumed += 1
                done = run(draw.choice((1, 2, 3)), *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                self.assertEqual(report["count"], report["expected_count"])
        print(f"{resumed} of {self.KILLS} runs went on with a snapshot")


class Snapshots_long(Snapshots):
    KILLS = 100


class Failure(unittest.TestCase):
    def test_an_exception_ends_all_ranks(self):
        for ranks in (2, 4):
            for engine in ENGINES:
                with self.subTest(ranks=ranks, engine=engine):
                    begin = time.monotonic()
                    done = run(ranks, MPI_RANK, engine, "throw", "1")
                    self.assertLess(time.monotonic() - begin, END_S_MAX)
                    self.assertNotEqual(done.returncode, 0)
                    told = done.stderr.count("rank 1 failed: the mill stands still")
                    self.assertEqual(told, ranks - 1, done.stderr)

    def test_a_rank_that_is_killed_ends_all(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                run_of_all = subprocess.Popen(
                    command(3, MPI_RANK, engine, "endless"),
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
                ranks = self.ranks_of(run_of_all.pid)
                self.assertEqual(len(ranks), 3)
                begin = time.monotonic()
                os.kill(ranks[1], signal.SIGKILL)
                output, _ = run_of_all.communicate(timeout=100)
                self.assertLess(time.monotonic() - begin, END_S_MAX)
                self.assertNotEqual(run_of_all.returncode, 0)
                self.assertRegex(output, r"(?i)killed|signal 9|exit code: 9")
                # MPICH 4.0.2's mpiexec names a process, and not always the right one.
                self.assertRegex(output, "(?i)rank 1|pid (" + "|".join(map(str, ranks)) + ")")
                for rank in ranks:
                    self.assertFalse(os.path.exists(f"/proc/{rank}/exe"), f"process {rank} is still there")

    @staticmethod
    def ranks_of(launcher):
        """The processes under mpiexec that run the test's program, in order."""
        parents = {}
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
                if os.path.realpath(f"/proc/{entry}/exe") == os.path.realpath(MPI_RANK):
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
