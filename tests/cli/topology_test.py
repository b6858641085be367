"""`leat topology` from outside.

Usage: topology_test.py PROGRAM [CLASS...]
"""

import json
import os
import tempfile

import program

NO_OTHER_MACHINE = {"HWLOC_XMLFILE": "", "HWLOC_SYNTHETIC": ""}


class Topology(program.ProgramTest):
    def test_drawing_of_a_description(self):
        self.assertEqual(self.succeed("topology", "--synthetic", "numa:2 core:2 pu:1", "--workers", "5"), """\
machine
|-- numa 0
|   |-- core 0, pu 0  workers 0, 4
|   `-- core 1, pu 1  worker 1
`-- numa 1
    |-- core 2, pu 2  worker 2
    `-- core 3, pu 3  worker 3
4 units, 4 levels, 5 workers
""")

    def test_workers_do_not_share_a_core_while_another_is_free(self):
        text = self.succeed("topology", "--synthetic", "core:2 pu:2", "--workers", "3")
        self.assertIn("pu 0  worker 0\n", text)
        self.assertIn("pu 2  worker 1\n", text)
        self.assertIn("pu 1  worker 2\n", text)
        self.assertIn("pu 3\n", text)

    def test_json_has_the_whole_tree(self):
        deep = self.report("topology", "--synthetic", "group:2 package:4 numa:4 core:8 pu:2")
        self.assertEqual((deep["source"], deep["units"], deep["levels"]), ("described", 512, 6))
        domains = deep["domains"]
        self.assertEqual(len(domains), 1 + 2 + 8 + 32 + 256 + 512)
        for number, domain in enumerate(domains):
            self.assertEqual(sum(domains[child]["units"] for child in domain["children"]) or 1, domain["units"])
            for child in domain["children"]:
                self.assertGreater(child, number)
                self.assertEqual(domains[child]["depth"], domain["depth"] + 1)
        workers = [worker for domain in domains for worker in domain.get("workers", [])]
        self.assertEqual(sorted(workers), list(range(512)))

    def test_this_machine(self):
        report = self.report("topology", environment=NO_OTHER_MACHINE)
        self.assertEqual(report["source"], "host")
        units = [domain for domain in report["domains"] if not domain["children"]]
        self.assertEqual({unit["cpu"] for unit in units}, os.sched_getaffinity(0))
        self.assertEqual(sum(len(unit["workers"]) for unit in units), self.report("info")["workers"])
        self.assertIn("(CPU ", self.succeed("topology", environment=NO_OTHER_MACHINE))

    def machine_file(self, *words, **more):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "machine.json")
            self.succeed("topology", "--machine-file", name, *words, **more)
            with open(name, encoding="utf-8") as file:
                written = json.load(file)
            units = self.report("sim", "fib", "-n", "12", "--workers", "1", "--machine", name)
            self.assertEqual(units["machine"], name)
        return written

    def test_machine_file(self):
        written = self.machine_file("--synthetic", "package:2 numa:1 core:3 pu:2")
        self.assertEqual([(level["name"], level["children"]) for level in written["levels"]], [("package", 2), ("core", 3), ("pu", 2)])
        self.assertGreater(written["smt_slowdown"], 1)
        self.assertNotIn("smt_slowdown", self.machine_file("--synthetic", "numa:2 core:4 pu:1"))

    def test_machine_file_of_this_machine(self):
        units = 1
        for level in self.machine_file(environment=NO_OTHER_MACHINE)["levels"]:
            units *= level["children"]
        self.assertEqual(units, len(os.sched_getaffinity(0)))

    def test_machine_file_of_one_unit(self):
        self.assertEqual([level["children"] for level in self.machine_file("--synthetic", "pu:1")["levels"]], [1])

    def test_bound_workers_are_in_force(self):
        self.assertEqual(self.report("bench", "fib", "-n", "10", "--bind", "--workers", "2")["workers"], 2)


class TopologyBadInput(program.ProgramTest):
    def test_machine_file_that_cannot_be_written(self):
        self.refuse("--machine-file", "topology", "--machine-file", "/nowhere/machine.json")

    def test_descriptions(self):
        for named, text in [
                ("machine 'numa:2 cor:4 pu:1': 'cor:4' begins with none of", "numa:2 cor:4 pu:1"),
                ("'core:0' must be a word, a colon and a number between 1 and 65536", "core:0 pu:1"),
                ("'core:four' must be", "core:four pu:1"),
                ("'core:2' comes after pu", "pu:1 core:2"),
                ("must end with pu", "core:2"),
                ("has no levels", ""),
                ("'pu:65536' makes more than 65536 units", "core:2 pu:65536"),
        ]:
            with self.subTest(text=text):
                self.refuse(named, "topology", "--synthetic", text)

    def test_workers(self):
        for value in ["0", "4097", "two"]:
            self.refuse(f"--workers = {value if value != 'two' else repr(value)}", "topology", "--workers", value)

    def test_victims(self):
        self.refuse("--victims = 'far': must be one of random, near", "bench", "fib", "--victims", "far")
        self.refuse("--victims = 'near': takes --bind", "bench", "fib", "--victims", "near")

    def test_environment(self):
        described = {"HWLOC_XMLFILE": "", "HWLOC_SYNTHETIC": "pu:3"}
        if self.report("topology", environment=described)["source"] != "described":
            self.skipTest("built without hwloc")
        self.refuse("HWLOC_SYNTHETIC = 'cores:many': ", "topology",
                    environment={"HWLOC_XMLFILE": "", "HWLOC_SYNTHETIC": "cores:many"})
        self.refuse("HWLOC_SYNTHETIC = 'cores:many': ", "bench", "fib", "-n", "5", "--bind",
                    environment={"HWLOC_XMLFILE": "", "HWLOC_SYNTHETIC": "cores:many"})
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [("half.xml", '<topology version="2.0"><object type="Mach'), ("text.xml", "numa:2")]:
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content)
                self.refuse(f"HWLOC_XMLFILE = '{path}': ", "topology", environment={"HWLOC_XMLFILE": path})
            missing = os.path.join(folder, "missing.xml")
            self.refuse(f"HWLOC_XMLFILE = '{missing}': ", "topology", environment={"HWLOC_XMLFILE": missing})


if __name__ == "__main__":
    program.main()
