"""Every header begins with #pragma once: it stands before any code, and exactly once."""

import re

import inspection

_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*$", re.MULTILINE)


def check(root):
    for path in inspection.cpp_files(root, *inspection.FOLDERS):
        text = inspection.without_comments(inspection.read(path))
        found = list(_ONCE.finditer(text))
        if path.suffix == ".cpp":
            if found:
                yield f"{inspection.at(root, path, text.count(chr(10), 0, found[0].start()) + 1)}: #pragma once in a source file"
            continue
        if len(found) != 1:
            yield f"{inspection.at(root, path, 1)}: {len(found)} times #pragma once, wanted 1"
        elif text[: found[0].start()].strip():
            yield f"{inspection.at(root, path, 1)}: code before #pragma once"


PLANTS = [
    ("fine", {"include/leat/a.hpp": "// Why.\n/* more\n */\n#pragma once\n"}, 0, ""),
    ("fine source", {"src/leat/task/a.cpp": "int a;\n"}, 0, ""),
    ("missing", {"tests/unit/a.hpp": "int a;\n"}, 1, "tests/unit/a.hpp:1: 0 times"),
    ("in a comment", {"src/leat/task/a.hpp": "// #pragma once\n"}, 1, "0 times"),
    ("twice", {"src/leat/task/a.hpp": "#pragma once\n#pragma once\n"}, 1, "2 times"),
    ("late", {"src/leat/task/a.hpp": "int a;\n#pragma once\n"}, 1, "code before"),
    ("in a source", {"src/leat/task/a.cpp": "#pragma once\n"}, 1, "source file"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
