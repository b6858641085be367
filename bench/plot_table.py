"""Draws rows of the table of docs/measurements/benchmarks.md as bars; usage: plot_table.py PAGE PICTURE

The rows are those named below: speed-ups over the serial program with two workers. It needs matplotlib.
"""

import pathlib
import re
import sys

try:
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit(f"plot_table.py: {sys.executable} has no matplotlib (Debian: python3-matplotlib, for /usr/bin/python3)")

ROWS = {  # the command of a row, and what a reader may call it
    "uts --tree T1 --construct fork": "unbalanced tree T1",
    "uts --tree T3 --construct fork": "unbalanced tree T3",
    "nqueens -n 12": "12 queens",
    "treerec --us 1 -n 25": "recursion, 1 us a leaf",
    "spc --us 1 --tasks 200000": "one producer, 1 us a task",
    "bpc --us 1 -d 20000": "producers and consumers, 1 us",
    "lu -n 2048 --block 32": "LU, blocks of 32",
    "bfs --kind rmat --scale 18": "breadth-first search",
}
COLUMNS = {"`channel`": ("leat", "#2a6fdb"), "oneTBB": ("oneTBB", "#d9822b"), "OpenMP, GCC": ("OpenMP, GCC", "#2f9e63"),
           "OpenMP, LLVM": ("OpenMP, LLVM", "#8a6d3b")}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read(page):
    """{column: [speed-up of each row]}"""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    begin = next((i for i, line in enumerate(lines) if "`channel`" in line and "oneTBB" in line), None)
    if begin is None:
        sys.exit(f"plot_table.py: {page}: has no table with the columns `channel` and oneTBB")
    head = cells(lines[begin])
    rows = {}
    for line in lines[begin:]:
        rows.setdefault(cells(line)[0].strip("`"), cells(line))  # later tables may have a row of the same name
    missing = [name for name in ROWS if name not in rows]
    if missing:
        sys.exit(f"plot_table.py: {page}: has no row '{missing[0]}'")
    return {c: [float(re.search(r"[\d.]+", rows[r][head.index(c)])[0]) for r in ROWS] for c in COLUMNS}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = read(pathlib.Path(sys.argv[1]))
    plot, axes = plt.subplots(figsize=(8, 4.6))
    height = 0.8 / len(found)
    for i, (column, values) in enumerate(found.items()):
        name, colour = COLUMNS[column]
        axes.barh([r + i * height for r in range(len(ROWS))], values, height, label=name, color=colour)
    axes.set_yticks([r + 0.4 - height / 2 for r in range(len(ROWS))], ROWS.values())
    axes.invert_yaxis()
    axes.axvline(1, color="#888888", linewidth=0.8, linestyle=":")
    axes.set_xlabel("speed-up over the serial program, two workers (longer is faster)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    plot.savefig(sys.argv[2], dpi=130, bbox_inches="tight", facecolor="white")


if __name__ == "__main__":
    main()
