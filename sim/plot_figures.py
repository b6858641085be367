"""Draws what `leat sim --figure NAME --json` prints, as SVG; usage: plot_figures.py FOLDER FILE.json...

One group of bars for each workload, one bar for each scheduler or strategy: the simulated speed-up. A dash over a bar is the
published one, where a number is published. FOLDER gets NAME.svg for each figure NAME. It needs matplotlib.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

COLOURS = ("#4477aa", "#ee9944", "#66aa55")
BAR_WIDTH = 0.8  # of a group; groups are 1 apart


def draw(figure, path):
    points = figure["points"]
    workloads = list(dict.fromkeys(p["workload"] for p in points))
    kinds = list(dict.fromkeys(p["with"] for p in points))
    plot, axes = plt.subplots(figsize=(max(4.0, 0.9 * len(workloads) + 1.5), 3.2), layout="constrained")
    width = BAR_WIDTH / len(kinds)
    published_named = False
    for i, kind in enumerate(kinds):
        for p in points:
            if p["with"] != kind:
                continue
            x = workloads.index(p["workload"]) + (i - (len(kinds) - 1) / 2) * width
            first = p["workload"] == workloads[0]
            axes.bar(x, p["speedup"], 0.92 * width, color=COLOURS[i % len(COLOURS)], label=kind if first else None)
            if p["published"] is not None:
                axes.hlines(p["published"], x - width / 2, x + width / 2, colors="black",
                            label=None if published_named else "published")
                published_named = True
    axes.set_xticks(range(len(workloads)), workloads, fontsize=7, rotation=20, ha="right")
    axes.set_ylabel("speed-up")
    axes.set_title(f"{figure['figure']}: {figure['title']}", fontsize=8)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    plot.savefig(path, metadata={"Date": None})
    plt.close(plot)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "leat"})  # small, and the same each time
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        figure = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
        draw(figure, folder / f"{figure['figure']}.svg")


if __name__ == "__main__":
    main()
