"""Faults of MPI: mpi_faults_test.py MPIEXEC MPI_FAULT_RANK [SUITE]"""

import os
import subprocess
import sys
import unittest

MPIEXEC, RANK = sys.argv[1:3]
# Open MPI refuses to run as root, or more ranks than there are cores, unless told. MPICH has no such words.
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
)
# In the order of kinds_that_end, and how many calls each makes at least.
KINDS_THAT_END = ("Comm_dup", "Iprobe", "Irecv", "Isend", "Test", "Rget", "Rget_accumulate", "Fetch_and_op", "Win_allocate", "Win_flush", "Barrier")
NOT_MET = 5


def run(ranks, *words, timeout_s=500):
    return subprocess.run([MPIEXEC, "-n", str(ranks), RANK, *map(str, words)], env=ENVIRONMENT, capture_output=True, text=True, timeout=timeout_s)


class Faults(unittest.TestCase):
    TIMES = 20
    ENDS = 2
    TIMEOUT_S = 500

    def expect_right(self, ranks, *words):
        done = run(ranks, *words, timeout_s=self.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout, end="")

    def test_runs_go_on(self):
        self.expect_right(2, "go-on", self.TIMES)

    def test_a_copy_of_the_communicator_that_is_refused_is_an_exception(self):
        for ranks in (1, 2):
            self.expect_right(ranks, "refused", self.TIMES)

    def test_nothing_is_lost_without_memory(self):
        self.expect_right(1, "memory", max(self.TIMES, 24))

    def test_a_start_with_less_support_of_threads_or_none(self):
        for _ in range(self.ENDS):
            self.expect_right(1, "low")
            self.expect_right(1, "start")

    def test_errors_end_all_ranks_with_a_message(self):
        for number, kind in enumerate(KINDS_THAT_END):
            for call in range(self.ENDS):
                with self.subTest(kind=kind, call=call):
                    done = run(2, "end", number, call % 3)
                    self.assertNotIn(done.returncode, (0, 4, NOT_MET), done.stderr)
                    # Open MPI's launcher cannot always read the message that a rank leaves it, and then names the file that reads it.
                    self.assertRegex(done.stderr, "(?i)fatal error|errors are fatal|MPI_ERR|ORTE_ERROR_LOG: .*show_help")
            print(f"MPI_{kind} fails: {self.ENDS} runs ended by MPI")


class Faults_long(Faults):
    TIMES = 1000
    ENDS = 100
    TIMEOUT_S = 1000


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
