"""No function branches more than fifteen times (McCabe's cyclomatic complexity), but a switch that only names things.

Counted by lizard (PyPI), which need not be installed for the other checks.
"""

import pathlib
import sys

import inspection

BRANCHES_MAX = 15
FOLDERS = ("include", "src", "adapters", "bench", "cli", "sim", "mpi")


def _only_names(lines):
    """Whether each line of the function is of a switch whose cases return a literal."""
    inside = [line.strip() for line in lines[1:]]
    return all(
        not line
        or line in ("}", "};", "return \"?\";")
        or line.startswith(("switch (", "case ", "default:", "return \"", "//"))
        for line in inside
    )


def check(root):
    import lizard

    for path in inspection.cpp_files(root, *FOLDERS):
        lines = inspection.read(path).splitlines()
        for function in lizard.analyze_file(str(path)).function_list:
            branches = function.cyclomatic_complexity
            body = lines[function.start_line - 1 : function.end_line]
            if branches > BRANCHES_MAX and not _only_names(body):
                yield (
                    f"{inspection.at(root, path, function.start_line)}: {function.name} branches {branches} times, "
                    f"{BRANCHES_MAX} at most"
                )


def _function(branches):
    return {"src/leat/task/a.cpp": "int f(int x) {\n" + "  if (x == 1) ++x;\n" * (branches - 1) + "  return x;\n}\n"}


_NAMES = "\n".join(f'    case {i}: return "{i}";' for i in range(20))

PLANTS = [
    ("as many as may be", _function(BRANCHES_MAX), 0, ""),
    ("one more", _function(BRANCHES_MAX + 1), 1, "a.cpp:1: f branches 16 times"),
    ("names", {"src/leat/task/a.cpp": "const char* f(int x) {\n  switch (x) {\n" + _NAMES + "\n  }\n  return \"?\";\n}\n"}, 0, ""),
    (
        "a switch that does more",
        {"src/leat/task/a.cpp": "int f(int x) {\n  switch (x) {\n" + "\n".join(f"    case {i}: ++x; break;" for i in range(20)) + "\n  }\n  return x;\n}\n"},
        1,
        "branches",
    ),
]

if __name__ == "__main__":
    # Where `./dev test` has installed it.
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "build" / "python"))
    inspection.main(check, PLANTS)
