"""Draws figures that `leat figure NAME... --json` prints, as SVG; usage: draw.py FOLDER FILE.json

A picture for each figure, FOLDER/NAME.svg, with one plot for each quantity, and for each row where the x-axis has values: lines
over the x-axis, groups of bars, or boxes over the rows. Crosses and dashes are published numbers. It needs matplotlib.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

COLOURS = ("#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#bbbbbb")
BAR_WIDTH = 0.8  # of a group; groups are 1 apart
PLOTS_IN_A_ROW = 3


def number(label):
    try:
        return float(label)
    except ValueError:
        return None


def points_of(quantity, **labels):
    return [p for p in quantity["points"] if all(p[name] == label for name, label in labels.items())]


def draw_lines(axes, figure, quantity, row):
    labels = figure["x"]["labels"]
    places = [number(label) for label in labels]
    if None in places:
        places = list(range(len(labels)))
        axes.set_xticks(places, labels, fontsize=7)
    for i, column in enumerate(figure["columns"]["labels"]):
        points = points_of(quantity, row=row, column=column)
        found = [(place, p) for place, p in zip(places, points) if p["median"] is not None]
        colour = COLOURS[i % len(COLOURS)]
        axes.plot([x for x, _ in found], [p["median"] for _, p in found], marker="o", markersize=3, color=colour, label=column)
        axes.fill_between([x for x, _ in found], [p["least"] for _, p in found], [p["most"] for _, p in found], color=colour,
                          alpha=0.2, linewidth=0)
        published = [(place, p["published"]) for place, p in zip(places, points) if p["published"] is not None]
        axes.plot([x for x, _ in published], [y for _, y in published], linestyle="", marker="x", color=colour,
                  label=f"{column}, published" if published else None)
    axes.set_xlabel(figure["x"]["name"])
    axes.set_title(row, fontsize=8)
    axes.set_ylim(bottom=0)


def draw_bars(axes, figure, quantity, row):
    """The groups are rows; or places on the x-axis, if there are any."""
    groups = figure["x"]["labels"] if row is not None else figure["rows"]["labels"]
    columns = figure["columns"]["labels"]
    width = BAR_WIDTH / len(columns)
    published_named = False
    for i, column in enumerate(columns):
        points = points_of(quantity, column=column, **({} if row is None else {"row": row}))
        for j, p in enumerate(points):
            x = j + (i - (len(columns) - 1) / 2) * width
            if p["median"] is not None:
                axes.bar(x, p["median"], 0.92 * width, color=COLOURS[i % len(COLOURS)], label=column if j == 0 else None)
                if p["most"] > p["least"]:
                    axes.vlines(x, p["least"], p["most"], colors="black", linewidth=0.6)
            if p["published"] is not None:
                axes.hlines(p["published"], x - width / 2, x + width / 2, colors="black",
                            label=None if published_named else "published")
                published_named = True
    axes.set_xticks(range(len(groups)), groups, fontsize=7, rotation=30 if len(groups) > 3 else 0,
                    ha="right" if len(groups) > 3 else "center")
    axes.set_title(row or "", fontsize=8)


def draw_boxes(axes, figure, quantity):
    """A box over all rows, for each column and place on the x-axis."""
    columns, labels = figure["columns"]["labels"], figure["x"]["labels"]
    width = BAR_WIDTH / len(columns)
    for i, column in enumerate(columns):
        values = [[p["median"] for p in points_of(quantity, column=column, x=label) if p["median"] is not None] for label in labels]
        places = [j + (i - (len(columns) - 1) / 2) * width for j in range(len(labels))]
        boxes = axes.boxplot(values, positions=places, widths=0.8 * width, patch_artist=True, manage_ticks=False,
                             flierprops={"markersize": 2}, medianprops={"color": "black"})
        for box in boxes["boxes"]:
            box.set_facecolor(COLOURS[i % len(COLOURS)])
        axes.plot([], [], color=COLOURS[i % len(COLOURS)], label=column)
    axes.set_xticks(range(len(labels)), labels, fontsize=7)
    axes.set_xlabel(figure["x"]["name"])
    axes.axhline(1, color="black", linewidth=0.5)


def plots_of(figure):
    """(quantity, row) of each plot; the row is none where one plot has all rows."""
    with_x = figure["x"]["labels"] != [""] and figure["picture"] != "boxes"
    rows = figure["rows"]["labels"] if with_x else [None]
    return [(quantity, row) for quantity in figure["quantities"] for row in rows]


def draw(figure, path):
    plots = plots_of(figure)
    across = min(len(plots), PLOTS_IN_A_ROW)
    down = -(-len(plots) // across)
    bars = figure["picture"] == "bars" and plots[0][1] is None
    wide = max(3.4, 0.45 * len(figure["rows"]["labels"]) + 1.5) if bars else 3.4
    plot, all_axes = plt.subplots(down, across, figsize=(wide * across + 1.5, 2.8 * down), squeeze=False, layout="constrained")
    for axes in all_axes.flat[len(plots):]:
        axes.axis("off")
    for axes, (quantity, row) in zip(all_axes.flat, plots):
        if figure["picture"] == "boxes":
            draw_boxes(axes, figure, quantity)
        elif figure["picture"] == "lines":
            draw_lines(axes, figure, quantity, row)
        else:
            draw_bars(axes, figure, quantity, row)
        axes.set_ylabel(quantity["name"], fontsize=8)
        axes.tick_params(labelsize=7)
    handles, names = all_axes.flat[0].get_legend_handles_labels()
    if any(names):
        # Beside the last picture: "outside" places are unknown to matplotlib before 3.7.
        all_axes.flat[-1].legend(handles, names, fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    plot.suptitle(f"{figure['figure']}: {figure['title']}", fontsize=8)
    plot.savefig(path, metadata={"Date": None})
    plt.close(plot)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "leat"})  # small, and the same each time
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for figure in json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")):
        if figure["picture"] != "none":
            draw(figure, folder / f"{figure['figure']}.svg")


if __name__ == "__main__":
    main()
