"""No marker of unfinished work in the code: finish it, or write it where plans are kept."""

import re

import inspection

# In halves, so that this file may inspect itself.
MARKERS = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
_MARKER = re.compile(r"\b(?:" + "|".join(MARKERS) + r")\b")


def check(root):
    for path in inspection.code_files(root):
        for line, text in enumerate(inspection.read(path).splitlines(), start=1):
            for match in _MARKER.finditer(text):
                yield f"{inspection.at(root, path, line)}: marker {match.group(0)}"


PLANTS = [
    ("clean", {"src/leat/task/a.hpp": f"// a todo list, a hackney, mktemp {6 * 'X'}\n"}, 0, ""),
    *[(marker, {"src/leat/task/a.hpp": f"\n// {marker}: later\n"}, 1, f"a.hpp:2: marker {marker}") for marker in MARKERS],
    ("in the build", {"tests/CMakeLists.txt": f"# {MARKERS[0]}\n", "dev": f"# {MARKERS[1]}(me)\n"}, 2, "dev:1"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
