"""Which words `leat complete` says may follow, and what bash makes of them.

Usage: completion_test.py PROGRAM [CLASS...]
"""

import os
import pathlib
import subprocess

import program

SCRIPT = pathlib.Path(__file__).parents[2] / "cli/completion/leat.bash"


class Completion(program.ProgramTest):
    def after(self, *words):
        return self.succeed("complete", *words).split()

    def bash(self, *words):
        """What bash offers for the last word of a command line."""
        line = " ".join(words)
        script = (f'source "{SCRIPT}"; COMP_WORDS=({line} {"" if words[-1] else chr(34) * 2}); '
                  'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _leat "${COMP_WORDS[0]}"; printf "%s\\n" "${COMPREPLY[@]}"')
        found = subprocess.run(["bash", "-c", script], env=program.clean({}), stdout=subprocess.PIPE, check=True,
                               universal_newlines=True, timeout=60)
        return found.stdout.split()

    def test_commands_and_options(self):
        self.assertEqual([w for w in self.after() if not w.startswith("-")],
                         ["bench", "compare", "explain", "figure", "info", "predict", "profile", "report", "sim", "topology", "uts"])
        self.assertIn("fib", self.after("bench"))
        self.assertTrue({"--help", "--workers", "-n"} <= set(self.after("bench", "fib")))
        self.assertNotIn("--page", self.after("bench", "fib"))
        self.assertIn("--page", self.after("report", "a folder"))

    def test_values_of_options(self):
        self.assertEqual(self.after("bench", "uts", "--construct"), ["spawn", "fork", "group"])
        self.assertIn("lcws-signal", self.after("compare", "--schedulers"))
        self.assertEqual(self.after("bench", "fib", "-n"), [])
        self.assertIn("-n", self.after("bench", "fib", "-n", "7"))
        self.assertIn("--json", self.after("bench", "fib", "--no-serial"))
        self.assertEqual(self.after("bench", "fib", "--steal", "="), ["one", "half", "adaptive"])
        self.assertIn("--json", self.after("bench", "fib", "--steal=one"))
        self.assertEqual(self.after("bench", "uts", "--refusal"), ["forward", "acknowledge"])

    def test_options_and_kernels_of_compare_follow_a_kernel(self):
        self.assertTrue({"--rivals", "-n", "uts"} <= set(self.after("compare", "fib")))

    def test_words_that_name_nothing(self):
        for words in [["nonesuch"], ["bench", "nonesuch"], ["bench", "fib", "--nonesuch"], ["bench", "fib", "-n", "7", "x"]]:
            self.assertEqual(self.after(*words), [], words)

    def test_in_bash(self):
        self.assertEqual(self.bash(program.PROGRAM, "to"), ["topology"])
        self.assertEqual(self.bash(program.PROGRAM, "bench", "mat"), ["matching", "matmul"])
        self.assertEqual(self.bash(program.PROGRAM, "bench", "uts", "--construct", ""), ["spawn", "fork", "group"])
        self.assertEqual(self.bash(program.PROGRAM, "compare", "--schedulers", "prell,ch"), ["prell,channel"])
        self.assertEqual(self.bash(program.PROGRAM, "bench", "fib", "--steal", "="), ["one", "half", "adaptive"])
        self.assertEqual(self.bash("'" + program.PROGRAM + "'", "inf"), ["info"])
        self.assertEqual(self.bash(os.path.join(program.NO_RIVALS.name, "none"), "be"), [])


if __name__ == "__main__":
    program.main()
