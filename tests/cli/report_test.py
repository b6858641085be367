"""`leat report` from outside.

Usage: report_test.py PROGRAM [CLASS...]
"""

import html.parser
import json
import os
import tempfile
import xml.etree.ElementTree

import program


class Page(html.parser.HTMLParser):
    """What a page has: the rows of its tables, and whether its elements are closed in their order."""

    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.text, self.well_formed = [], [], "", True
        self.feed(text)
        self.well_formed = self.well_formed and not self.open

    def handle_starttag(self, tag, attributes):
        if tag in self.VOID:
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.well_formed = self.well_formed and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


class Report(program.ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def measure(self, name, *arguments):
        report = self.report("compare", *arguments, "--repeat", "5", "--schedulers", "channel,work-stealing")
        self.write(name, report)
        return report

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def page(self):
        path = self.succeed("report", self.folder).strip()
        self.assertEqual(path, os.path.join(self.folder, "index.html"))
        with open(path, encoding="utf-8") as file:
            page = Page(file.read())
        self.assertTrue(page.well_formed)
        return page

    def test_tables(self):
        found = self.measure("a.json", "fib", "-n", "16", "--workers", "2")
        found["rivals"] = [dict(found["schedulers"][0], rival="a<b", of_best=2.0, speedup=0.25, seconds=8.0,
                                standing="not told apart")]
        found["schedulers"][0].update(of_best=1.0, speedup=1.5, seconds=2.0, standing="best")
        found["schedulers"][1].update(of_best=1.25, speedup=0.00123, seconds=3.0, standing="slower")
        self.write("a.json", found)
        page = self.page()
        self.assertEqual(page.rows[:4], [["workload", "channel", "work-stealing", "a<b"],
                                         ["fib, n 16, form context", "1.50", "0.0012 -20.0 %", "0.25 -50.0 % ~"],
                                         ["times the best one's time (geometric mean of 1)", "1.000", "1.250", "2.000"],
                                         ["times channel's time (geometric mean of so many)", "1.000 of 1", "1.500 of 1",
                                          "4.000 of 1"]])
        self.assertRegex(page.text, r"90th percentile; noise \d+\.\d %")
        self.assertIn("Tasks that each worker executed", page.text)

    def test_curves_over_workers_and_programs_that_are_not_everywhere(self):
        for workers in ["1", "2", "4"]:
            self.measure(f"{workers}.json", "fib", "-n", "14", "--workers", workers)
        self.measure("5.json", "spc", "--tasks", "100", "--no-serial", "--workers", "4")
        page = self.page()
        self.assertIn("All workloads, 4 workers", page.text)
        self.assertIn("All workloads, 1 worker", page.text)
        self.assertEqual(page.text.count("speed-up"), 1, "one chart of curves")
        summaries, messages = 3 * 4 + 1, 2 * 3
        self.assertEqual(len(page.rows), summaries + messages)

    def test_means_are_of_the_workloads_in_which_a_program_takes_part(self):
        """A rival that is not everywhere, or with several workers only, does not leave the others without a mean."""
        found = self.measure("fib.json", "fib", "-n", "12", "--workers", "2")
        found["rivals"] = [dict(found["schedulers"][0], rival="fork-only", seconds=2 * found["schedulers"][0]["seconds"])]
        self.write("fib.json", found)
        self.measure("spc.json", "spc", "--tasks", "100", "--workers", "2")
        self.measure("one.json", "fib", "-n", "12", "--workers", "1")
        rows = self.page().rows
        two, one = [i for i, row in enumerate(rows) if row[0] == "workload"]
        self.assertEqual(rows[two], ["workload", "channel", "work-stealing", "fork-only"])
        self.assertIn("(geometric mean of 1)", rows[two + 3][0])
        self.assertEqual([rows[two + 4][1], rows[two + 4][3]], ["1.000 of 2", "2.000 of 1"])
        self.assertRegex(rows[two + 4][2], r"^\d+\.\d+ of 2$")
        self.assertEqual(rows[one], ["workload", "channel", "work-stealing"])
        self.assertIn("(geometric mean of 1)", rows[one + 2][0])

    def test_overheads_and_messages(self):
        self.measure("a.json", "fib", "-n", "16", "--workers", "2", "--alone")
        page = self.page()
        self.assertIn("Work overhead", page.text)
        self.assertIn(["a run", "tasks", "steals", "tasks stolen", "requests sent", "forwarded", "pooled", "revoked",
                       "updates", "parks"], page.rows)
        self.measure("a.json", "fib", "-n", "16", "--workers", "2")
        self.assertNotIn("Work overhead", self.page().text)

    def test_several_kernels_in_a_file(self):
        self.measure("a.json", "fib", "-n", "14", "spc", "--tasks", "100")
        self.assertEqual([row[0] for row in self.page().rows[1:3]],
                         ["fib, n 14, form context", "spc, tasks 100, us 0, clock false, construct group, splittable false"])

    def test_profiles(self):
        spent = {"work": 0.5, "memory": 0.1, "lines": 0.1, "spinning": 0.1, "waking": 0.1, "asleep": 0.1}
        self.write("profile.json", {"benchmark": "spc", "parameters": {"tasks": 10}, "machine": "a<b", "scheduler": "channel",
                                    "seconds": 0.0025, "speedup": None, "spent_by_worker": 12 * [spent]})
        page = self.page()
        self.assertIn("spc, tasks 10: execution-time profile", page.text)
        self.assertIn("each of 12 workers went, simulated on a<b, channel: 2.500 ms. Running tasks", page.text)
        self.assertNotIn("All workloads", page.text)
        self.measure("fib.json", "fib", "-n", "12")
        self.assertIn("All workloads", self.page().text)

    def picture(self):
        path = os.path.join(self.folder, "p.svg")
        self.assertEqual(self.succeed("report", self.folder, "--picture", path).strip(), path)
        root = xml.etree.ElementTree.parse(path).getroot()
        texts = [e.text for e in root.iter() if e.tag.endswith("text")]
        widths = [float(e.get("width")) for e in root.iter() if e.tag.endswith("rect") and e.get("y") != "8" and e.get("y")]
        return texts, widths

    def test_picture(self):
        found = self.measure("a & b.json", "fib", "-n", "12", "--workers", "2")
        found["schedulers"][1:] = []
        found["schedulers"][0].update(speedup=2.0)
        found["rivals"] = [dict(found["schedulers"][0], rival="one", speedup=1.0),
                           dict(found["schedulers"][0], rival="two", speedup=None)]
        self.write("a & b.json", found)
        self.write("c.json", dict(found, rivals=[]))
        self.write("d\u00e9\1.json", dict(found, rivals=[]))
        texts, widths = self.picture()
        for wanted in ["a & b", "c", "d\u00e9\ufffd", "leat", "one", "two", "2.00", "1.00", "speed-up over the serial program, 2 workers"]:
            self.assertIn(wanted, texts)
        self.assertEqual([round(w / widths[0], 2) for w in widths], [1, 0.5, 1, 1])

    def test_pictures_that_are_refused(self):
        found = self.measure("a.json", "fib", "-n", "12", "--workers", "2")
        self.refuse("--picture = '", "report", self.folder, "--picture", os.path.join(self.folder, "a.json"))
        self.refuse("--page excludes --picture", "report", self.folder, "--picture", "p.svg", "--page", "p.html")
        self.write("b.json", dict(found, workers=1))
        self.refuse("--picture: workers = 1 in b, 2 in a", "report", self.folder, "--picture", "p.svg")
        os.remove(os.path.join(self.folder, "b.json"))
        self.refuse("--picture = '': must be a file", "report", self.folder, "--picture", "")
        os.symlink("a.json", os.path.join(self.folder, "link.svg"))
        self.refuse("--picture = '", "report", self.folder, "--picture", os.path.join(self.folder, "link.svg"))
        one = found["schedulers"][0]
        self.write("a.json", dict(found, rivals=[dict(one, rival=f"rival {i}") for i in range(9)], schedulers=[one]))
        self.refuse("--picture: 10 programs: at most 8", "report", self.folder, "--picture", "p.svg")
        self.write("a.json", dict(found, schedulers=[dict(one, speedup=None)]))
        self.refuse("--picture: no result has a serial program", "report", self.folder, "--picture", "p.svg")

    def test_bad_input(self):
        self.refuse("has no file that ends in .json", "report", self.folder)
        self.refuse("nonesuch", "report", os.path.join(self.folder, "nonesuch"))
        self.write("odd.json", "{")
        self.refuse("odd.json: not what leat compare --json or leat sim --json writes", "report", self.folder)
        self.write("odd.json", {"benchmark": "fib"})
        self.refuse("odd.json: not what leat compare --json or leat sim --json writes", "report", self.folder)
        for odd in ["", "[1]", "null", "\0\1", '{"benchmark": "fi']:
            self.write("odd.json", odd)
            self.refuse("odd.json: not what leat compare --json or leat sim --json writes", "report", self.folder)
        good = self.report("compare", "fib", "-n", "10", "--repeat", "1", "--schedulers", "channel")
        for member, odd in [("workers", -1), ("workers", 0), ("repeat", 10**9), ("serial_seconds", 0)]:
            self.write("odd.json", dict(good, **{member: odd}))
            self.refuse(f"{member} = {int(odd)}: must be ", "report", self.folder)
        for member in ["seconds", "p10", "p90", "of_best", "speedup"]:
            for odd in [0, -0.5]:
                self.write("odd.json", dict(good, schedulers=[dict(good["schedulers"][0], **{member: odd})]))
                self.refuse(f"{member} = {odd}: must be between 1e-15 and 1e+15", "report", self.folder)
        os.remove(os.path.join(self.folder, "odd.json"))
        os.mkdir(os.path.join(self.folder, "folder.json"))
        self.refuse("has no file that ends in .json", "report", self.folder)
        self.refuse("FOLDER", "report")

    def test_results_that_are_none(self):
        for odd in ["[]", "[[]]", 100000 * "[" + 100000 * "]"]:
            self.write("odd.json", odd)
            self.refuse("odd.json: not what leat compare --json or leat sim --json writes", "report", self.folder)
        good = self.report("compare", "fib", "-n", "10", "--repeat", "1", "--schedulers", "channel")
        program_of = good["schedulers"][0]
        for odd, message in [(dict(good, schedulers=[]), "nothing was measured"),
                             (dict(good, result_ok=False), "result_ok = false"),
                             (dict(good, workers=1.5), "workers = 1.5: must be an integer"),
                             (dict(good, repeat="x"), 'repeat = "x": must be a number'),
                             (dict(good, schedulers=[dict(program_of, seconds=1e300)]), "seconds = 1e+300: must be"),
                             (dict(good, schedulers=[dict(program_of, p10=2, p90=1)]), "p10 = 2: is more than p90 = 1"),
                             (dict(good, schedulers=[dict(program_of, counters={"tasks": -1})]), "tasks = -1: must be a count")]:
            self.write("odd.json", odd)
            self.refuse(message, "report", self.folder)
        spent = {"work": 0.5, "memory": 0.1, "lines": 0.1, "spinning": 0.1, "waking": 0.1, "asleep": 0.1}
        for workers, message in [([], "has no workers"), ([dict(spent, work=-5)], "work = -5: must be a share"),
                                 ([dict(spent, work=1.5)], "work = 1.5: must be a share")]:
            self.write("odd.json", {"benchmark": "spc", "parameters": {"tasks": 10}, "machine": "m", "scheduler": "channel",
                                    "seconds": 0.0025, "speedup": None, "spent_by_worker": workers})
            self.refuse(message, "report", self.folder)

    def test_files_that_are_none(self):
        path = os.path.join(self.folder, "odd.json")
        os.mkfifo(path)
        self.refuse("odd.json: is no file that can be read", "report", self.folder)
        os.remove(path)
        os.symlink("nonesuch", path)
        self.refuse("odd.json: is no file that can be read", "report", self.folder)

    def test_page_is_written_whole_or_not(self):
        self.measure("a.json", "fib", "-n", "10")
        self.page()
        path = os.path.join(self.folder, "index.html")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        self.refuse("--page = ", "report", self.folder, "--page", os.path.join(self.folder, "a.json"))
        done = program.leat("report", self.folder, file_size=1024)
        self.assertNotEqual(done.returncode, program.OK)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        done = program.leat("report", self.folder, "--page", "/dev/full")
        self.assertEqual((done.returncode, "cannot write /dev/full" in done.stderr), (program.FAILED, True), done)
        self.assertTrue(os.path.exists("/dev/full"))

    def test_page_that_cannot_be_written(self):
        self.measure("a.json", "fib", "-n", "10")
        done = program.leat("report", self.folder, "--page", os.path.join(self.folder, "none", "a.html"))
        self.assertEqual(done.returncode, program.FAILED)
        self.assertIn("cannot write", done.stderr)


if __name__ == "__main__":
    program.main()
