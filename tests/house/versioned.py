"""Each namespace of the library is opened with the version in it: namespace leat::inline LEAT_ABI (src/leat/platform/abi.hpp).

A file that opens one reads abi.hpp first: LEAT_ABI would else be the namespace's name. clang gives names another prefix where one file of two opens the
namespace without the version.
"""

import re

import inspection

ABI = "src/leat/platform/abi.hpp"
LIBRARY = ("include/leat", "src/leat", "adapters")
PROGRAMS = ("bench", "cli", "sim", "mpi", "examples", "tests")
UNVERSIONED = "built"  # for people who read a linker's message
OPENED = re.compile(r"\bnamespace\s+leat\b((?:::(?:inline\s+)?\w+)*)\s*\{")
INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
VERSION = "::inline LEAT_ABI"


def _names(inner):
    return inner.split("::")[1:]


class _tree:
    """The library's files, with what each one reads."""

    def __init__(self, root):
        self.texts = {}
        for path in inspection.cpp_files(root, *LIBRARY):
            self.texts[path.relative_to(root).as_posix()] = inspection.without_comments(inspection.read(path))

    def reads(self, name, seen=None):
        seen = set() if seen is None else seen
        beside = name.rsplit("/", 1)[0]
        for included in INCLUDED.findall(self.texts[name]):
            for place in (f"{beside}/{included}", f"include/{included}", f"src/{included}"):
                if place in self.texts and place not in seen:
                    seen.add(place)
                    self.reads(place, seen)
        return seen


def check(root):
    tree = _tree(root)
    library = set()
    for name, text in tree.texts.items():
        versioned = False
        for match in OPENED.finditer(text):
            where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
            inner = match.group(1)
            if _names(inner)[:1] == [UNVERSIONED]:
                continue
            if not inner.startswith(VERSION):
                yield f"{where}: opens leat{inner} without the version: namespace leat::inline LEAT_ABI"
            else:
                versioned = True
                library.update(_names(inner)[1:2])
        if versioned and ABI not in tree.reads(name):
            yield f"{name}:1: does not read leat/platform/abi.hpp, and so opens a namespace that is called LEAT_ABI"
    for path in inspection.cpp_files(root, *PROGRAMS):
        text = inspection.without_comments(inspection.read(path))
        for match in OPENED.finditer(text):
            names = _names(match.group(1))
            if not names or names[0] in library:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{inspection.at(root, path, line)}: opens leat{match.group(1)}, a namespace of the library, without the version"


def _header(text, include='#include "leat/platform/abi.hpp"\n'):
    return {"src/leat/platform/abi.hpp": "#pragma once\n", "src/leat/task/a.hpp": f"#pragma once\n{include}{text}\n"}


_TASK = "namespace leat::inline LEAT_ABI::task {}"

PLANTS = [
    ("versioned", _header(_TASK), 0, ""),
    ("the root", _header("namespace leat::inline LEAT_ABI {}"), 0, ""),
    ("for linkers", _header("namespace leat::built {}"), 0, ""),
    ("in a comment", _header("// namespace leat::task {}"), 0, ""),
    ("of a program", _header(_TASK) | {"cli/a.hpp": "namespace leat::cli {}\n"}, 0, ""),
    ("by another header", _header(_TASK) | {"src/leat/loop/b.hpp": '#include "leat/task/a.hpp"\n' + _TASK + "\n"}, 0, ""),
    ("plain", _header("namespace leat::task {}"), 1, "a.hpp:3: opens leat::task without the version"),
    ("plain root", _header("namespace leat {\nnamespace task {}\n}"), 1, "opens leat without"),
    ("in two lines", _header("namespace leat::task\n{}"), 1, "opens leat::task without"),
    ("not read", _header(_TASK, ""), 1, "does not read leat/platform/abi.hpp"),
    ("in a test", _header(_TASK) | {"tests/unit/a.cpp": "namespace leat::task {}\n"}, 1, "a.cpp:1: opens leat::task, a namespace of the library"),
    ("root in a test", _header(_TASK) | {"tests/unit/a.cpp": "namespace leat {}\n"}, 1, "a namespace of the library"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
