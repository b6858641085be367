"""Files stay readable: about 400 lines is the aim, and more than 500 is a violation."""

import inspection

LINES_MAX = 500


def check(root):
    for path in inspection.code_files(root):
        lines = len(inspection.read(path).splitlines())
        if lines > LINES_MAX:
            yield f"{inspection.at(root, path, lines)}: {lines} lines, {LINES_MAX} at most"


PLANTS = [
    ("as long as may be", {"src/leat/task/a.hpp": "\n" * LINES_MAX}, 0, ""),
    ("one line more", {"src/leat/task/a.hpp": "\n" * (LINES_MAX + 1)}, 1, "501 lines"),
    ("a script", {"cmake/a.cmake": "\n" * (LINES_MAX + 1)}, 1, "cmake/a.cmake"),
    ("no last newline", {"cli/a.cpp": "\n" * LINES_MAX + "int a;"}, 1, "501 lines"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
