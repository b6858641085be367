"""Writes the C++ blocks of a page as source files, for a test to compile and run.

usage: blocks.py PAGE FOLDER

The word after `cpp` says what a block is: a whole `program`, one over `mpi`, one that runs `simulated`, one that uses `openmp`
or `onetbb` and not leat, `declarations`, or statements, if there is none. A comment `<!-- given ... -->` right before a block is compiled before it, at namespace scope.
A file is written only if it changes. Prints a line for each file: its kind and its name.
"""

import re
import sys
from pathlib import Path

PROGRAMS = ("program", "mpi", "simulated", "openmp", "onetbb")
KINDS = PROGRAMS + ("declarations", "")
_BLOCK = re.compile(
    r"(?:^<!-- given\n(?P<given>.*?)^-->\n+)?^(?P<indent>[ ]*)```cpp(?P<kind>[^\n]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
# What a block that is no program may use without saying so.
_HEADERS = """#include <leat/bubble.hpp>
#include <leat/cluster.hpp>
#include <leat/leat.hpp>
#include <leat/thread.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>
"""


def blocks(text):
    """(line, kind, given, text) of each block, its line in the page being that of its first line of code."""
    for match in _BLOCK.finditer(text):
        kind = match["kind"].strip()
        line = text.count("\n", 0, match.start("text")) + 1
        if kind not in KINDS:
            raise ValueError(f"line {line - 1}: '```cpp {kind}': must be one of {', '.join(k or '(nothing)' for k in KINDS)}")
        yield line, kind, match["given"] or "", match["text"]


def source(page, line, kind, given, text):
    where = f'#line {line} "{page}"\n'
    if kind in PROGRAMS:
        return where + text
    name = f"block_at_{line}"
    if kind == "declarations":
        return f"namespace {name} {{\n{given}{where}{text}}}  // namespace {name}\n"
    return f"namespace {name} {{\n{given}[[maybe_unused]] void block() {{\n{where}{text}}}\n}}  // namespace {name}\n"


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    fragments, stems = [], []
    for line, kind, given, text in blocks(page.read_text(encoding="utf-8")):
        code = source(page, line, kind, given, text)
        if kind in PROGRAMS:
            write(folder / f"{page.stem}_{line}.cpp", code)
            stems.append(f"{page.stem}_{line}")
            print(kind, stems[-1])
        else:
            fragments.append(code)
    if fragments:
        write(folder / f"{page.stem}.cpp", _HEADERS + "\n" + "\n".join(fragments))
        stems.append(page.stem)
        print("fragments", page.stem)
    for old in folder.glob("*.cpp"):  # of blocks that stand elsewhere now, or nowhere
        if old.stem not in stems:
            old.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
