"""The frame of the house checks: which files there are, what is code in them, and how a check runs and tests itself.

A check is a function that takes the root of a source tree and yields violations, "file:line: what is wrong". Run as a
program, a check inspects the tree named by its argument; with --self-test it inspects trees planted in a temporary
directory, so that a check which sees nothing does not pass for a clean house.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

CPP = (".hpp", ".cpp")
SCRIPTS = (".py", ".sh", ".cmake")
SCRIPT_NAMES = ("CMakeLists.txt", "CMakePresets.json", "dev", "run")
FOLDERS = ("include", "src", "adapters", "bench", "cli", "sim", "mpi", "cmake", "tests", ".ci")

_LEXEME = re.compile(
    r"""
      (?P<comment> //(?:[^\\\n]|\\.|\\\n)* | /\*.*?\*/ )
    | (?P<raw>     R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)" )
    | (?P<number>  \b\d[\w.]*(?:'\w+)* )
    | (?P<string>  "(?:\\.|[^"\\\n])*" )
    | (?P<char>    '(?:\\.|[^'\\\n])+' )
    """,
    re.VERBOSE | re.DOTALL,
)
_INCLUDE_LINE = re.compile(r"^[ \t]*\#[ \t]*include\b")


def cpp_files(root, *folders):
    """The C++ files below the given folders of the tree, sorted."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CPP and path.is_file():
                yield path


def code_files(root):
    """Every file of code of the tree: C++, scripts, and what describes the build."""
    for path in [root / "CMakeLists.txt", root / "CMakePresets.json", root / "dev"]:
        if path.is_file():
            yield path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix in CPP + SCRIPTS or path.name in SCRIPT_NAMES):
                yield path


def read(path):
    return path.read_text(encoding="utf-8")


def without_comments(text):
    """The text with comments blanked, and with the insides of literals blanked except in #include lines; line numbers stay."""

    def blank(match):
        found = match.group(0)
        if match.lastgroup == "number":
            return found
        if match.lastgroup == "string":
            line_start = text.rfind("\n", 0, match.start()) + 1
            if _INCLUDE_LINE.match(text[line_start : match.start()]):
                return found
        return re.sub(r"[^\n]", " ", found)

    return _LEXEME.sub(blank, text)


def at(root, path, line):
    return f"{path.relative_to(root)}:{line}"


def _self_test(check, plants):
    """Each plant is (name, {path: text}, how many violations are expected, what one of them must say)."""
    failures = 0
    for name, files, expected, says in plants:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for relative, text in files.items():
                path = root / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = list(check(root))
        if len(found) != expected or (expected and not any(says in line for line in found)):
            failures += 1
            print(f"self-test '{name}': expected {expected} violation(s) saying '{says}', found {found}")
    print(f"{len(plants) - failures} of {len(plants)} planted trees judged rightly")
    return failures == 0


def main(check, plants):
    """Runs a check as a program; the exit status is 0 when the tree, or the self-test, is fine."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("root", nargs="?", type=Path, help="root of the source tree")
    parser.add_argument("--self-test", action="store_true", help="inspect planted violations instead")
    arguments = parser.parse_args()
    if arguments.self_test:
        sys.exit(0 if _self_test(check, plants) else 1)
    if arguments.root is None or not (arguments.root / "include").is_dir():
        parser.error("the root of the source tree is needed (it holds include/)")
    found = list(check(arguments.root.resolve()))
    for line in found:
        print(line)
    print(f"{len(found)} violation(s)")
    sys.exit(1 if found else 0)
