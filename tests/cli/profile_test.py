"""`leat explain`, `leat profile`, and `leat report` of a profile, from outside, with profiles that are made here.

Usage: profile_test.py PROGRAM [CLASS...]
"""

import json
import os
import stat
import tempfile

import program
import trace_events

MS = 1_000_000


def made(workers, elapsed_ms=1000, head="", of_worker=None, runtime="runtime"):
    """A profile with these workers, each a list of (letter, ms), or of whole lines of text, which `of_worker` adds."""
    text = f"leat profile 1\nprogram ./solve 12 <b>\nelapsed {elapsed_ms * MS}\nbefore 0\ncpus {len(workers)}\nquota none\nthrottled none\n"
    text += f"usage {elapsed_ms * MS} 0 10 0\n{head}runtime 0 {runtime} {len(workers)} work-stealing\n"
    for number, intervals in enumerate(workers):
        text += f"worker 0 {number}\ncounter tasks 1000\ncounter steals 10\nran {elapsed_ms * MS}\nqueued 0\n"
        text += (of_worker or {}).get(number, "") + "times 0\nat 0\n"
        text += "".join(f"{letter} {int(ms * MS)}\n" for letter, ms in intervals)
        for letter in sorted({letter for letter, _ in intervals}):
            lengths = [int(ms * MS) for l, ms in intervals if l == letter]
            text += f"sum {letter} {sum(lengths)} {len(lengths)}\n"
        text += "end\n"
    return text


GAPS_OF_50_US = "gap 15 1000 50000000\n"
BUSY = [[("r", 1000)], [("r", 1000)]]


class ProfileFolder:
    """A folder for the files of a test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text, name="profile.txt", last="complete\n"):
        path = os.path.join(self.folder, name)
        if text.startswith("leat profile"):
            text += last
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def explain(self, text, *arguments):
        return self.report("explain", self.write(text), *arguments)


class Explain(ProfileFolder, program.ProgramTest):
    def expect(self, key, cost, text, *arguments):
        """The only verdict, and about what it costs."""
        found = self.explain(text, *arguments)
        self.assertEqual([v["key"] for v in found["verdicts"]], [key], found)
        self.assertAlmostEqual(found["verdicts"][0]["cost"], cost, delta=0.015)
        return found["verdicts"][0]

    def test_sound(self):
        found = self.explain(made(BUSY, of_worker={0: GAPS_OF_50_US}))
        self.assertEqual((found["verdicts"], found["workers"], found["seconds"]), ([], 2, 1.0))
        self.assertEqual(found["shares"]["running tasks"], 1.0)
        text = self.succeed("explain", os.path.join(self.folder, "profile.txt"))
        self.assertIn("./solve 12 <b>: 2 workers, 1.0 s\n", text)
        self.assertIn("It scales as well as it can: 100 % of the workers' time goes into tasks", text)
        nearly = self.explain(made([[("r", 1000)], [("r", 970), ("y", 30)]], of_worker={0: "gap 24 10 300000000\n"}))
        self.assertEqual((nearly["verdicts"], nearly["next"]["key"]), ([], "imbalance"))

    def test_serial_part(self):
        run = [("s", 300), ("r", 620), ("z", 80)]
        verdict = self.expect("serial", 0.19, made([run, run]))
        self.assertIn("38 % of the time is before, between and after the parallel calls (there is one)", verdict["text"])
        self.assertIn("\n  19 %  38 % of the time", self.succeed("explain", os.path.join(self.folder, "profile.txt")))
        several = [("r", 200), ("z", 100), ("r", 200), ("z", 100), ("r", 400)]
        self.assertIn("20 %", self.expect("serial", 0.1, made([several, several]))["text"])

    def test_serial_part_before_the_recording(self):
        text = made(BUSY).replace("before 0", f"before {1000 * MS}")
        self.expect("serial", 0.25, text)

    def test_the_begin_of_a_process_is_known_to_a_tick(self):
        text = made([[("r", 20)], [("r", 20)]], elapsed_ms=20)
        self.assertEqual(self.explain(text.replace("before 0", f"before {10 * MS}"))["verdicts"], [])
        self.assertEqual([v["key"] for v in self.explain(text.replace("before 0", f"before {20 * MS}"))["verdicts"]], ["serial"])

    def test_serial_part_inside_a_run(self):
        text = made([[("r", 1000)], [("s", 300), ("r", 400), ("z", 300)]], of_worker={0: "gap 28 2 600000000\n"})
        found = self.explain(text)
        self.assertEqual([v["key"] for v in found["verdicts"]], ["serial", "imbalance"])

    def test_chain(self):
        links = [("r", 1), ("w", 1)] * 500
        other = [("s", 1), ("r", 1)] * 500
        verdict = self.expect("chain", 0.5, made([links, other], of_worker={0: GAPS_OF_50_US}))
        self.assertIn("100 % of the time the tasks are a chain", verdict["text"])
        span = f"span {4100 * MS} {1200 * MS} {1300 * MS} 500\nsite a.cpp:3 {4000 * MS} 1 1 7\nsite solve.cpp:88 {1200 * MS} {1200 * MS} {1200 * MS} 5\n"
        verdict = self.expect("chain", 0.5, made([links, other], head=span))
        self.assertEqual(verdict["text"], "parallelism is 3.4: the longest chain is 1.2 s of 4.1 s")
        self.assertEqual(verdict["place"], "solve.cpp:88")
        self.assertIn("1.2 s of 4.1 s, in solve.cpp:88.", self.succeed("explain", os.path.join(self.folder, "profile.txt")))

    def test_work_and_span(self):
        span = f"span {4000 * MS} {1000 * MS} {2000 * MS} 500\nsite a.cpp:3 {4000 * MS} 1 1 7\nsite b.cpp:8 {1200 * MS} {600 * MS} {1200 * MS} 5\n"
        found = self.explain(made(BUSY, head=span, of_worker={0: GAPS_OF_50_US}))["span"]
        self.assertEqual((found["work_ns"], found["span_ns"], found["burdened_span_ns"], found["strands"]), (4000 * MS, 1000 * MS, 2000 * MS, 500))
        self.assertEqual([site["site"] for site in found["sites"]], ["b.cpp:8", "a.cpp:3"])
        text = self.succeed("explain", os.path.join(self.folder, "profile.txt"))
        self.assertRegex(text, r"the whole program +4.0 s +1.0 s +2.0 s +4.0 *\n")
        self.assertRegex(text, r"b.cpp:8 +1.2 s +600 ms +1.2 s +2.0 +5\n")
        self.assertIn("If each task that can be stolen is stolen, the parallelism is 2.0.", text)
        sites = "".join(f"site s.cpp:{i} 1 1 1 1\n" for i in range(20))
        self.explain(made(BUSY, head=span + sites, of_worker={0: GAPS_OF_50_US}))
        self.assertIn("and 10 more, which `leat report` lists\n", self.succeed("explain", os.path.join(self.folder, "profile.txt")))
        self.assertIsNone(self.explain(made(BUSY, of_worker={0: GAPS_OF_50_US}))["span"])

    def test_imbalance(self):
        verdict = self.expect("imbalance", 0.2, made([[("r", 1000)], [("r", 600), ("s", 400)]],
                                                     of_worker={0: "gap 28 1 400000000\n"}))
        self.assertIn("for up to 400 ms", verdict["text"])

    def test_tiny_tasks(self):
        gaps = "gap 5 16000 640000\n"  # 40 ns, of which reading the clock takes 20
        verdict = self.expect("tiny_tasks", 0.2, made(BUSY, of_worker={0: gaps, 1: gaps}))
        self.assertEqual(verdict["text"], "tasks take 40 ns on average")

    def test_inflation(self):
        one = self.write(made([[("r", 1000)]]), "one.txt")
        verdict = self.expect("inflation", 0.5, made(BUSY), "--one", one)
        self.assertIn("2.0 times as long with 2 workers as with one: memory bandwidth or false sharing", verdict["text"])
        self.expect("inflation", 0.25, made(BUSY), "--one", one, "--capacity", "1.333")
        self.assertEqual(self.explain(made(BUSY), "--one", one, "--capacity", "1")["verdicts"], [])
        two = self.write(made(BUSY), "two.txt")
        self.refuse(f"--one = '{two}': has 2 workers, and must have one", "explain", two, "--one", two)
        self.refuse("--capacity = -1: must be 0 or more", "explain", two, "--one", one, "--capacity", "-1")
        self.refuse("--capacity = 5: must be at most twice the number of workers, 2", "explain", two, "--one", one, "--capacity", "5")

    def test_locks_and_system_calls(self):
        machine = os.uname().machine
        futex, sleep = (98, 115) if machine == "aarch64" else (202, 230)
        verdict = self.expect("lock", 0.3, made(BUSY, of_worker={0: f"samples 100\ncall {futex} 60\n", 1: "samples 100\n"}))
        self.assertIn("locks: for 30 % of the tasks' time", verdict["text"])
        verdict = self.expect("system_calls", 0.4, made(BUSY, of_worker={0: f"samples 100\ncall {sleep} 39\ncall 9999 1\n"}))
        self.assertIn("most often clock_nanosleep", verdict["text"])
        self.assertIn("leat::blocking", verdict["advice"])
        self.assertEqual(self.explain(made(BUSY, of_worker={0: f"samples 5\ncall {futex} 5\n"}))["verdicts"], [], "too few")

    def test_quota_and_cpus(self):
        text = made(8 * [[("r", 1000)]]).replace("quota none", "quota 2.0").replace(f"usage {1000 * MS} ", f"usage {1990 * MS} ")
        self.assertIn("a quota of 2 CPUs is in force, 8 workers were made", self.expect("quota", 0.75, text)["text"])
        throttled = made(BUSY).replace("quota none", "quota 1.5").replace("throttled none", f"throttled {400 * MS}")
        self.assertIn("a quota of 1.5 CPUs", self.expect("quota", 0.2, throttled)["text"])
        crowded = made(4 * [[("r", 1000)]]).replace("cpus 4", "cpus 2").replace("queued 0", f"queued {500 * MS}")
        self.assertIn("4 workers were made for 2 CPUs", self.expect("cpus", 0.5, crowded)["text"])
        idle = made([[("r", 1), ("w", 1)] * 500, [("s", 1), ("r", 1)] * 500, [("s", 1000)], [("s", 1000)]], of_worker={0: GAPS_OF_50_US})
        costs = [{v["key"]: v["cost"] for v in self.explain(of)["verdicts"]} for of in (idle, idle.replace("cpus 4", "cpus 2"))]
        self.assertGreater(costs[0]["chain"], 0.3)
        self.assertAlmostEqual(costs[1]["chain"], costs[0]["chain"] / 3, places=3)

    def test_preemption(self):
        text = made(BUSY).replace("queued 0\ntimes 0\nat 0\nr", f"queued {240 * MS}\ntimes 0\nat 0\nr", 1)
        verdict = self.expect("preempted", 0.12, text)
        self.assertIn("worker 0 was preempted for 24 %: another process", verdict["text"])

    def test_calls_that_block_wait_for_a_cpu_too(self):
        half = [("r", 500), ("b", 500)]
        queued = f"queued {240 * MS}\ntimes 0\nat 0\nr"
        text = made([half, half]).replace("queued 0\ntimes 0\nat 0\nr", queued, 1)
        verdict = next(v for v in self.explain(text)["verdicts"] if v["key"] == "preempted")
        self.assertAlmostEqual(verdict["cost"], 0.06, places=3)

    def test_barriers(self):
        meetings = [("r", 0.04), ("w", 0.01)] * 20000
        others = [("r", 0.03), ("s", 0.02)] * 20000
        verdict = self.expect("barriers", 0.3, made([meetings, others]))
        self.assertIn("run tasks for 35 us at a time", verdict["text"])
        calls = [("r", 0.045), ("o", 0.005)] * 20000
        self.expect("barriers", 0.1 / 2, made([calls, [("r", 0.045), ("s", 0.005)] * 20000], runtime="team"))

    def test_work_for_few_of_many(self):
        lone = [("r", 700), ("s", 300)]
        self.expect("idle", 0.075, made([lone] + 3 * [[("r", 1000)]]))

    def test_time_of_the_system(self):
        faults = made(BUSY).replace(f"usage {1000 * MS} 0 10 0", f"usage {1000 * MS} {500 * MS} 800000 0")
        self.assertIn("800000 page faults", self.expect("page_faults", 0.25, faults)["text"])
        calls = made(BUSY).replace(f"usage {1000 * MS} 0 10 0", f"usage {1000 * MS} {500 * MS} 20 0")
        self.expect("system", 0.25, calls)

    def test_one_worker_and_none(self):
        self.assertEqual(self.explain(made([[("s", 500), ("r", 500)]]))["verdicts"], [], "nothing that more workers would mend")
        none = "leat profile 1\nprogram x\nelapsed 5\n"
        self.assertEqual(self.explain(none)["workers"], 0)
        self.assertIn("It made no runtime of leat", self.succeed("explain", os.path.join(self.folder, "profile.txt")))

    def test_several_runtimes(self):
        text = made([[("r", 500), ("o", 500)]] * 2)
        second = made([[("o", 500), ("r", 500)]] * 2)
        text += second[second.index("runtime 0"):].replace("runtime 0", "runtime 1").replace("worker 0", "worker 1")
        self.assertEqual(self.explain(text)["verdicts"], [], "one of them is always in a run")

    def test_bad_files(self):
        good = made(BUSY)
        for wrong, named in [(("leat profile 1", "leat profile 2"), "line 1: 'leat profile 2': a profile begins with"),
                             (("elapsed 1000000000", "elapsed soon"), "line 3: 'soon': nanoseconds must be a whole number"),
                             (("elapsed 1000000000", "elapsed -1"), "line 3: '-1'"),
                             (("elapsed 1000000000\n", ""), "elapsed is missing"),
                             (("cpus 2", "cpus 2 3"), "line 5: '3': nothing may follow here"),
                             (("cpus 2", "cpus"), "line 5: '': CPUs is missing"),
                             (("quota none", "quota nan"), "line 6: 'nan'"),
                             (("usage", "useage"), "line 8: 'useage': no such record here"),
                             (("worker 0 1", "worker 7 1"), "no such runtime"),
                             (("times 0", "colour blue"), "'colour': no such record in the section of a worker"),
                             (("r 1000000000", "x 1000000000"), "'x': a cause is one of rszwyabo"),
                             (("r 1000000000", "r 9999999999999999999"), "must be a whole number from 0 to 1000000000000000000"),
                             (("r 1000000000\n", "r 900000000000000000\n" * 2), "later than any clock says")]:
            with self.subTest(wrong=wrong):
                self.assertIn(wrong[0], good)
                self.refuse(f"profile.txt: {named}" if named.startswith("line") else named, "explain",
                            self.write(good.replace(*wrong)))
        self.refuse("the section of the last worker has no end", "explain", self.write(good[:-4], last=""))
        self.refuse("profile.txt: is cut off, as its last line is not 'complete'", "explain", self.write(good, last=""))
        self.refuse("is cut off", "explain", self.write(good[:good.index("worker 0 0")], last=""))
        self.refuse("line 1: 'x'", "explain", self.write("x"))

    def test_texts_are_shown_without_control_characters(self):
        self.refuse("line 1: '?]0;x? bad': a profile begins", "explain", self.write("\x1b]0;x\x07 bad\n"))
        self.refuse("is empty: the program still runs, or was killed", "explain", self.write(""))

    def test_more_calls_than_samples(self):
        text = made(BUSY, of_worker={0: "samples 3\ncall 202 4\n"})
        self.refuse("'4': samples inside the call, of all samples, must be a whole number from 0 to 3", "explain", self.write(text))

    def test_files_that_cannot_be_read(self):
        nowhere = os.path.join(self.folder, "nowhere")
        self.refuse(f"cannot read '{nowhere}': No such file or directory", "explain", nowhere)
        self.refuse("cannot read ''", "explain", "")
        self.refuse(f"cannot read '{self.folder}': it is neither a regular file nor a pipe", "explain", self.folder)
        self.refuse("cannot read '/dev/full': it is neither", "explain", "/dev/full")
        self.refuse("cannot read ''", "explain", self.write(made(BUSY)), "--one", "")

    def test_the_profile_with_one_worker_is_of_the_same_program(self):
        file, other = self.write(made(BUSY)), self.write(made(BUSY[:1]).replace("./solve 12", "./other 12"), "one.txt")
        self.refuse(f"--one = '{other}': is of './other 12 <b>', and {file} is of './solve 12 <b>'", "explain", file, "--one", other)


class ProfileCommand(ProfileFolder, program.ProgramTest):
    def script(self, lines):
        path = self.write("#!/bin/sh\n" + lines + "\n", "program.sh")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def profiled(self, lines, *arguments, options=()):
        self.file = os.path.join(self.folder, "made", "out.txt")
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        return program.leat("profile", "-o", self.file, *options, self.script(lines), *arguments)

    def test_runs_and_explains(self):
        source = self.write(made(BUSY), "source.txt")
        done = self.profiled(f'echo "got $# $2"; cat "{source}" > "$LEAT_PROFILE"', "--json", "a b")
        self.assertEqual((done.returncode, done.stderr), (program.OK, ""))
        self.assertTrue(done.stdout.startswith("got 2 a b\n\n./solve 12"), done.stdout)
        done = self.profiled(f'cp "{source}" "$LEAT_PROFILE"; exit 7', options=["--json"])
        self.assertEqual(done.returncode, 7)
        self.assertEqual(json.loads(done.stdout)["verdicts"], [])

    def test_a_mark_may_stand_before_the_program(self):
        source = self.write(made(BUSY), "source.txt")
        for options in (["--"], ["--json", "--"]):
            done = self.profiled(f'echo "got $*"; cp "{source}" "$LEAT_PROFILE"', "--", "x", options=options)
            self.assertEqual((done.returncode, done.stderr), (program.OK, ""))
            self.assertTrue(done.stdout.startswith("got -- x\n"), done.stdout)  # the program keeps its own

    def test_compares_with_one_worker(self):
        many, one = self.write(made(BUSY), "many.txt"), self.write(made([[("r", 300)]]), "one.txt")
        done = self.profiled(f'if [ "$LEAT_NUM_WORKERS" = 1 ]; then cp "{one}" "$LEAT_PROFILE"; else cp "{many}" "$LEAT_PROFILE"; fi',
                             options=["--one", "--json"])
        self.assertEqual(done.returncode, program.OK, done)
        self.assertEqual([v["key"] for v in json.loads(done.stdout)["verdicts"]], ["inflation"])
        self.assertTrue(os.path.exists(os.path.join(self.folder, "made", "out.one.txt")))

    def test_says_why_nothing_is_compared_with_one_worker(self):
        many = self.write(made(BUSY), "many.txt")
        for of_one, why in ((f'cp "{many}" "$LEAT_PROFILE"', "made 2 workers in spite of LEAT_NUM_WORKERS=1"),
                            (f'cp "{many}" "$LEAT_PROFILE"; exit 7', "ended with 7"), ("exit 7", "ended with 7, and wrote no profile")):
            done = self.profiled(f'if [ "$LEAT_NUM_WORKERS" = 1 ]; then {of_one}; else cp "{many}" "$LEAT_PROFILE"; fi',
                                 options=["--one", "--json"])
            self.assertEqual(done.returncode, program.OK, done)
            self.assertIn(why, done.stderr)
            self.assertEqual(json.loads(done.stdout)["verdicts"], [])

    def test_older_profiles_stay_and_programs_may_change_their_folder(self):
        source = self.write(made(BUSY), "source.txt")
        self.profiled(f'cp "{source}" "$LEAT_PROFILE"')
        program.leat("profile", "-o", self.file, os.path.join(self.folder, "missing"))
        self.assertGreater(os.path.getsize(self.file), 0)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        done = program.leat("profile", "-o", "here.txt", self.script(f'cd /; cp "{source}" "$LEAT_PROFILE"'))
        self.assertEqual((done.returncode, done.stderr), (program.OK, ""))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "here.txt")))

    def test_programs_that_fail(self):
        done = self.profiled("true")
        self.assertEqual(done.returncode, program.FAILED)
        self.assertIn("wrote no profile", done.stderr)
        done = self.profiled("exit 3")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("program.sh ended with 3, and wrote no profile", done.stderr)
        for before in ("", '> "$LEAT_PROFILE"; '):  # a program creates the file at its beginning
            done = self.profiled(before + "kill -9 $$")
            self.assertEqual((done.returncode, done.stdout), (128 + 9, ""))
            self.assertIn("program.sh was ended by signal 9 (Killed), and wrote no profile", done.stderr)
        missing = os.path.join(self.folder, "missing")
        done = program.leat("profile", "-o", os.path.join(self.folder, "out"), missing)
        self.assertEqual(done.returncode, program.FAILED)
        self.assertIn(f"cannot run {missing}", done.stderr)

    def test_bad_input(self):
        self.refuse("PROGRAM = ''", "profile")
        self.refuse("--frobnicate: no such option here", "profile", "--frobnicate", "true")
        for name in ("a,span", "a%p"):
            self.refuse("must be a file's name, without a comma and without %p", "profile", "-o", name, "true")
        self.refuse("-o = '/dev/full': must be a regular file, or none yet", "profile", "-o", "/dev/full", "true")
        script = self.script("exit 0")
        for name, options in ((script, ["-o", script]), (self.write("x", "out.one.txt"), ["--one", "-o", os.path.join(self.folder, "out.txt")])):
            self.refuse(f"-o = '{name}': must be a profile, or none yet: the file there would be lost", "profile", *options, script)
            self.assertTrue(os.path.getsize(name) > 0)


class ProfilePage(ProfileFolder, program.ProgramTest):
    def test_page(self):
        path = self.write(made([[("s", 300), ("r", 700)], [("s", 300), ("r", 600), ("z", 100)]]))
        written = self.succeed("report", path).strip()
        self.assertEqual(written, os.path.join(self.folder, "profile.html"))
        with open(written, encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("http", page, "it needs nothing else")
        self.assertIn("<h1>./solve 12 &lt;b&gt;</h1>", page)
        self.assertIn("30 % of the time is before", page)
        data = json.JSONDecoder().raw_decode(page[page.index("const D=") + len("const D="):])[0]
        self.assertEqual([(w["what"], w["ns"]) for w in data["workers"]],
                         [("sr", [300 * MS, 700 * MS]), ("srz", [300 * MS, 600 * MS, 100 * MS])])
        self.refuse("must not be a file that results are read from", "report", path, "--page", path)

    def test_page_of_many_intervals(self):
        many = [("r", 0.001), ("s", 0.0005)] * 200_000
        path = self.write(made([many, many], elapsed_ms=300))
        with open(self.succeed("report", path).strip(), encoding="utf-8") as file:
            page = file.read()
        self.assertLess(len(page), 4_000_000)
        self.assertIn("is drawn as what takes most of the time around it", page)

    def test_trace(self):
        path = self.write(made([[("s", 300), ("r", 700)], [("o", 300), ("r", 600), ("z", 100)]]))
        trace = os.path.join(self.folder, "trace.json")
        self.assertEqual(self.succeed("report", path, "--perfetto", trace), trace + "\n")
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual(trace_events.faults(events), [])
        spans = trace_events.spans(events)
        self.assertEqual(spans["runtime 0: runs"], [("run", 300_000.0, 1_000_000.0)])
        self.assertEqual(spans["runtime 0: worker 0"], [("searching", 0.0, 300_000.0), ("running tasks", 300_000.0, 1_000_000.0)])
        self.assertEqual(spans["runtime 0: worker 1"], [("running tasks", 300_000.0, 900_000.0), ("asleep", 900_000.0, 1_000_000.0)])
        self.refuse("must not be a file that results are read from", "report", path, "--perfetto", path)
        self.refuse("must be a file to write", "report", path, "--perfetto", "")
        self.refuse("a profile begins with", "report", trace, "--perfetto", os.path.join(self.folder, "other.json"))

    def test_checker_of_traces(self):
        def event(ph, ts, **more):
            return dict({"ph": ph, "ts": ts, "pid": 1, "tid": 1}, **more)

        begin, end = event("B", 1, name="a"), event("E", 2)
        self.assertEqual(trace_events.faults([begin, end]), [])
        for wrong in [[begin], [end], [begin, begin, end], [event("B", 3, name="a"), event("E", 2)], [event("B", 1), end],
                      [begin, event("E", 2, name="b")], [begin, dict(end, tid=2)], [event("X", 1, name="a")],
                      [event("X", 1, name="a", dur=5), event("X", 3, name="b", dur=5)], [event("?", 1)], [{"ph": "B"}],
                      [{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name"}]]:
            with self.subTest(wrong=wrong):
                self.assertNotEqual(trace_events.faults(wrong), [])


if __name__ == "__main__":
    program.main()
