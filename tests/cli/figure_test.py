"""`leat figure` from outside.

Usage: figure_test.py PROGRAM [CLASS...]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import program

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = SOURCE / "docs" / "measurements" / "figures.md"

DOCUMENTS = {"paper": {"title": "A paper", "words": {}, "left_out": {"2": "it draws a machine"}}}
FIGURE = {
    "document": "paper",
    "title": "A producer",
    "says": "More workers are faster.",
    "command": "sim spc --tasks 200 --us 10 --no-one-worker",
    "columns": {"words": "--workers {}", "values": ["1", "4"]},
    "seeds": 2,
    "quick": {"words": "--tasks 20"},
    "quantities": [{"name": "speed-up", "is": "/speedup", "published": {}}, {"name": "seconds", "is": "/seconds", "digits": 9}],
    "criteria": [
        {"kind": "order", "this": {"column": "4"}, "that": {"column": "1"}},
        {"kind": "range", "this": {"column": "4"}, "least": 1000},
    ],
}


def expect_worlds():
    if program.leat("sim").returncode != program.OK:
        raise unittest.SkipTest("no leat-sim here")


def changed(**members):
    return {**FIGURE, **members}


class InFolder:
    """Definitions and kept results in a folder of their own."""

    def setUp(self):
        expect_worlds()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.definitions = os.path.join(folder.name, "definitions")
        self.kept = os.path.join(folder.name, "kept")
        self.folder = folder.name
        os.mkdir(self.definitions)
        self.define("documents", DOCUMENTS)

    def define(self, name, what):
        with open(os.path.join(self.definitions, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(what, file)

    def words(self, *arguments):
        return ["figure", *arguments, "--definitions", self.definitions, "--folder", self.kept]

    def figure(self, *arguments):
        return self.succeed(*self.words(*arguments))

    def kept_files(self):
        return sorted(name for name in os.listdir(self.kept) if name.endswith(".json"))

    def missing(self, *arguments):
        return [line for line in self.figure(*arguments, "--dry-run").splitlines() if line.startswith("missing")]


class Figure(InFolder, program.ProgramTest):
    def test_lists_figures(self):
        for name in ["paper-3.11", "paper-3.9"]:
            self.define(name, FIGURE)
        self.assertEqual(self.figure(), "paper-3.9   A producer\npaper-3.11  A producer\n")

    def test_reports_numbers_and_verdicts(self):
        self.define("paper-1", FIGURE)
        found, = json.loads(self.figure("paper-1", "--json"))
        self.assertEqual((found["figure"], found["ordering"], found["size"]), ("paper-1", "as published", "not as published"))
        speedups, seconds = found["quantities"]
        one, four = speedups["points"]
        self.assertGreater(four["median"], one["median"])
        for quantity in [speedups, seconds]:
            for point in quantity["points"]:
                self.assertLessEqual(point["least"], point["median"])
                self.assertLessEqual(point["median"], point["most"])
        # A world is the same whether leat figure or leat sim asks for it.
        world = json.loads(self.succeed("sim", "spc", "--tasks", "200", "--us", "10", "--workers", "1", "--seed", "1", "--json"))
        self.assertLessEqual(one["least"], world["speedup"])
        self.assertLessEqual(world["speedup"], one["most"])
        text = self.figure("paper-1")
        self.assertIn(f"{four['median']:.2f} against {one['median']:.2f}", text)
        self.assertIn("Size, not as published: speed-up: 4 is 1000 at least.", text)
        self.assertIn("leat sim spc --tasks 200 --us 10 --no-one-worker\n", text)

    def test_markdown_has_the_same_numbers(self):
        self.define("paper-1", FIGURE)
        found, = json.loads(self.figure("paper-1", "--json"))
        markdown = self.figure("paper-1", "--markdown")
        self.assertTrue(markdown.startswith("## paper-1: A producer\n\nMore workers are faster.\n"), markdown)
        self.assertIn(f"{found['quantities'][0]['points'][1]['median']:.2f}", markdown)

    def test_takes_patterns_and_all(self):
        for name in ["paper-3.9", "paper-4.1", "paper-3.11"]:
            self.define(name, FIGURE)
        for names, chosen in [(["paper-3.*"], ["paper-3.9", "paper-3.11"]), (["all"], ["paper-3.9", "paper-3.11", "paper-4.1"]),
                              (["paper-4.1", "paper-3.9", "paper-4.1"], ["paper-3.9", "paper-4.1"])]:
            found = json.loads(self.figure(*names, "--json"))
            self.assertEqual([figure["figure"] for figure in found], chosen)
        summary = self.figure("all").split("\n\n")[0]
        self.assertIn("paper-4.1   as published  not as published", summary)

    def test_refuses_what_is_not_there(self):
        self.define("paper-3.9", FIGURE)
        for named, arguments in [("figure = 'paper-39': there is none; near are paper-3.9", ["paper-39"]),
                                 ("figure = 'x*': there is none", ["x*"]),
                                 ("figure = 'paper-2': is left out: it draws a machine", ["paper-2"]),
                                 ("--jobs = 0: must be between 1 and", ["all", "--jobs", "0"]),
                                 ("figure: takes a name", ["--quick"]), ("--page = '': must name a file or a folder", ["all", "--page", ""])]:
            self.refuse(f"leat: {named}", *self.words(*arguments))
        self.refuse("leat: " + self.folder + ": has no definitions", "figure", "--definitions", self.folder)

    def test_refuses_definitions_by_file_and_member(self):
        path = os.path.join(self.definitions, "paper-1.json")
        for member, value, why in [("title", 3, "title = 3: must be text"), ("speed", 1, "speed = 1: no such member"),
                                   ("quantities", [], "quantities = []: must be a list")]:
            self.define("paper-1", changed(**{member: value}))
            self.refuse(f"leat: {path}: {why}", *self.words())
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        self.refuse(f"leat: {path}: ", *self.words())

    def test_names_a_quantity_that_is_not_printed(self):
        self.define("paper-1", changed(quantities=[{"name": "heat", "is": "/heat"}], criteria=[]))
        done = program.leat(*self.words("paper-1"))
        self.assertEqual(done.returncode, program.FAILED)
        self.assertIn("paper-1: there is no number at /heat in what 'leat sim spc", done.stderr)

    def test_a_quick_run_is_smaller(self):
        self.define("paper-1", FIGURE)
        commands = self.figure("paper-1", "--quick", "--dry-run").splitlines()
        self.assertEqual(commands, [f"missing leat sim spc --tasks 20 --us 10 --no-one-worker --workers {workers} --seed 1 --json" for workers in [1, 4]])

    def test_runs_native_commands(self):
        self.define("paper-1", changed(command="bench fib -n 15 --repeat 1", seeds=1, criteria=[],
                                       quantities=[{"name": "seconds", "is": "/seconds"}]))
        found, = json.loads(self.figure("paper-1", "--json"))
        self.assertGreater(found["quantities"][0]["points"][0]["median"], 0)

    def test_leats_variables_change_nothing(self):
        self.define("paper-1", FIGURE)
        before = self.figure("paper-1")
        self.kept += "-others"
        self.assertEqual(self.succeed(*self.words("paper-1"), environment={"LEAT_SCHEDULER": "lcws-user"}), before)


class FigureKept(InFolder, program.ProgramTest):
    def test_what_is_kept_is_not_run_again(self):
        self.define("paper-1", FIGURE)
        before = self.figure("paper-1")
        times = {name: os.stat(os.path.join(self.kept, name)).st_mtime_ns for name in self.kept_files()}
        self.assertEqual(len(times), 4)
        self.assertEqual(self.missing("paper-1"), [])
        self.assertEqual(self.figure("paper-1"), before)
        self.assertEqual({name: os.stat(os.path.join(self.kept, name)).st_mtime_ns for name in self.kept_files()}, times)

    def test_figures_share_runs(self):
        self.define("paper-1", FIGURE)
        self.define("paper-3", changed(columns={"words": "--workers {}", "values": ["4", "8"]}, criteria=[]))
        self.figure("paper-1")
        self.assertEqual(len(self.missing("paper-3")), 2)

    def test_a_corrupt_file_is_run_again(self):
        self.define("paper-1", FIGURE)
        before = self.figure("paper-1")
        names = self.kept_files()
        for name, content in zip(names, [b"", b'{"command"', b"[]\n", b'{"command": 3, "build": "", "output": {}}']):
            with open(os.path.join(self.kept, name), "wb") as file:
                file.write(content)
        self.assertEqual(len(self.missing("paper-1")), 4)
        self.assertEqual(self.figure("paper-1"), before)
        self.assertEqual(self.kept_files(), names)

    def test_another_machine_is_another_build(self):
        machine = os.path.join(self.folder, "machine.json")
        self.define("paper-1", changed(command=f"sim fib -n 8 --no-one-worker --machine {machine}"))
        with open(machine, "w", encoding="utf-8") as file:
            json.dump({"load_ns": 5}, file)
        before = self.figure("paper-1")
        self.assertEqual(self.missing("paper-1"), [])
        with open(machine, "w", encoding="utf-8") as file:
            json.dump({"load_ns": 50}, file)
        self.assertEqual(len(self.missing("paper-1")), 4)
        self.assertNotEqual(self.figure("paper-1"), before)

    def test_a_failed_command_is_named_and_the_others_are_kept(self):
        self.define("paper-1", changed(columns={"words": "--workers {}", "values": ["1", "0", "4"]}))
        done = program.leat(*self.words("paper-1"))
        self.assertEqual(done.returncode, program.FAILED, done)
        self.assertRegex(done.stderr, r"leat: paper-1: leat sim spc --tasks 200 --us 10 --no-one-worker --workers 0 --seed 1 --json: "
                                      r"status 2: leat: --workers = 0: must be between")
        self.assertEqual(len(self.kept_files()), 4)
        self.assertIn("as published", done.stdout)
        self.assertEqual(os.listdir(self.kept), [name for name in os.listdir(self.kept) if name.endswith(".json")])
        self.assertEqual(len(self.missing("paper-1")), 2)

    def test_a_command_that_lasts_too_long_is_ended(self):
        self.define("paper-1", changed(command="sim spc --tasks 100000000 --us 1 --no-one-worker", limit_seconds=1, seeds=1,
                                       columns={"values": ["all"]}, criteria=[]))
        done = program.leat(*self.words("paper-1"))
        self.assertEqual(done.returncode, program.FAILED, done)
        self.assertIn("--json: took longer than 1 s", done.stderr)
        self.assertEqual(self.kept_files(), [])

    def test_goes_on_after_an_interrupt(self):
        self.define("paper-1", changed(seeds=40))
        process = subprocess.Popen([program.PROGRAM, *self.words("paper-1", "--jobs", "1")], env=program.clean(None),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 60
        while not (os.path.isdir(self.kept) and self.kept_files()) and time.monotonic() < deadline:
            time.sleep(0.001)
        os.killpg(process.pid, signal.SIGINT)
        process.wait()
        before = {name: os.stat(os.path.join(self.kept, name)).st_mtime_ns for name in self.kept_files()}
        self.assertGreater(len(before), 0)
        self.assertLessEqual(len(self.missing("paper-1")), 80 - len(before))
        found, = json.loads(self.figure("paper-1", "--json"))
        self.assertEqual(found["ordering"], "as published")
        after = {name: os.stat(os.path.join(self.kept, name)).st_mtime_ns for name in self.kept_files()}
        self.assertEqual(len(after), 80)
        self.assertEqual({name: after[name] for name in before}, before)


class FigurePage(InFolder, program.ProgramTest):
    def page(self, *arguments, environment=None):
        path = os.path.join(self.folder, "page.md")
        said = self.succeed(*self.words("all", "--page", path, "--machine", "A machine", "--date", "2020-02-02", *arguments),
                            environment=environment)
        self.assertEqual(said, path + "\n")
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_has_a_summary_and_a_section_for_each_figure(self):
        self.define("paper-1", FIGURE)
        self.define("paper-3", changed(title="Again"))
        page = self.page()
        self.assertIn("2020-02-02. Native runs: A machine.", page)
        self.assertRegex(page, r"\| paper-3 \| +as published \| +not as published \|")
        for name in ["paper-1", "paper-3"]:
            section = self.figure(name, "--markdown")
            self.assertIn(section, re.sub(r"\n!\[.*\n", "", page))
        self.assertIn("- paper-2: it draws a machine", page)

    def test_says_that_there_are_no_pictures(self):
        self.define("paper-1", FIGURE)
        self.assertIn("There are no pictures: ", self.page(environment={"PATH": self.folder}))

    def test_draws_pictures_where_it_can(self):
        for picture in ["bars", "lines", "boxes"]:
            self.define(f"paper-{picture}", changed(picture=picture, x={"words": "--tasks {}", "values": ["8", "12"]}))
        os.symlink(SOURCE / "figures" / "draw.py", os.path.join(self.definitions, "draw.py"))
        page = self.page()
        if subprocess.run(["/usr/bin/env", "python3", "-c", "import matplotlib"], stderr=subprocess.DEVNULL, check=False).returncode:
            self.assertIn("There are no pictures: ModuleNotFoundError: No module named 'matplotlib'.", page)
            return
        for picture in ["bars", "lines", "boxes"]:
            self.assertIn(f"![paper-{picture}](page/paper-{picture}.svg)", page)
            with open(os.path.join(self.folder, "page", f"paper-{picture}.svg"), encoding="utf-8") as file:
                self.assertIn("<svg", file.read())


class FigureDefinitions(program.ProgramTest):
    """The definitions that come with the program."""

    def setUp(self):
        expect_worlds()

    def commands(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            lines = self.succeed("figure", "all", "--dry-run", "--folder", folder, *arguments).splitlines()
        return [line.split()[2:] for line in lines]

    def test_each_command_is_understood(self):
        """One word that no command knows comes last, so that none runs; the program must find fault with that one alone."""
        tried = set()
        for words in self.commands() + self.commands("--quick"):
            pairs = [word for i, word in enumerate(words) if word != "--seed" and words[max(i - 1, 0)] != "--seed"]
            tried.add(tuple(pairs))
        shapes = {}  # numbers make no difference to what is understood
        for words in sorted(tried):
            shapes.setdefault(tuple(re.sub(r"^\d+(\.\d+)?$", "N", word) for word in words), words)
        for words in shapes.values():
            with self.subTest(words=" ".join(words)):
                self.refuse("leat: --nonesuch: no such option here", *words, "--nonesuch")

    def test_each_has_criteria(self):
        for path in sorted((SOURCE / "figures").glob("*.json")):
            if path.name != "documents.json":
                self.assertTrue(json.loads(path.read_text(encoding="utf-8")).get("criteria"), path)


class FigureMeasured(program.ProgramTest):
    """What the page has of worlds is what the command prints: a change of the scheduler that changes it must measure again."""

    # None with futures in recursions: their words lie in frames, and compilers of one version lay these out differently
    # with the folder of the sources (docs/guide/simulation.md).
    SHOWN = ["lcws-long-loops", "thesis-3.12", "thesis-3.13"]

    def setUp(self):
        expect_worlds()

    def test_sections_are_what_the_command_prints(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in self.SHOWN:
            with self.subTest(figure=name), tempfile.TemporaryDirectory() as folder:
                section = self.succeed("figure", name, "--markdown", "--folder", folder)
                self.assertIn(section, re.sub(r"\n!\[.*\n", "", page))


if __name__ == "__main__":
    program.main()
