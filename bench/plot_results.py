"""Draws what `leat compare --json` and `leat sim KERNEL --json` left in a folder, as PNG; usage: plot_results.py FOLDER

It writes into that folder, and prints the names.
`speedups.png`: the speed-up of each program with the most workers, a group of bars for each workload, with a dash from the
10th to the 90th percentile. `overheads.png`: T1/Ts, where programs ran with one worker, too. `profile-N.png`: where the
time of each simulated worker went, for the N-th such file. It needs matplotlib.
"""

import json
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit(f"plot_results.py: {sys.executable} has no matplotlib (Debian: python3-matplotlib, for /usr/bin/python3)")

COLOURS = ("#2a6fdb", "#d9822b", "#2f9e63", "#c03b5b", "#7b55c7", "#0f8b9d", "#8a6d3b", "#6b7480", "#b13ab0")
SPENDINGS = {"work": "running tasks", "memory": "queueing", "lines": "messages", "spinning": "searching",
             "waking": "waking", "asleep": "asleep"}
ROW = 0.28  # inches for a bar


def read(folder):
    """The comparisons and the profiles of a folder."""
    compared, profiles = [], []
    for path in sorted(folder.glob("*.json")):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            for one in found if isinstance(found, list) else [found]:
                if "spent_by_worker" in one:
                    profiles.append(one)
                elif one["schedulers"] + one["rivals"]:
                    compared.append(one)
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"plot_results.py: {path}: not what leat compare --json or leat sim --json writes: {error}")
    if not compared and not profiles:
        sys.exit(f"plot_results.py: {folder}: has no results in files that end in .json")
    return compared, profiles


def title_of(result):
    parameters = result["parameters"]
    shown = {k: parameters[k] for k in ("tree", "construct")} if parameters.get("tree") else parameters
    words = (f"{k} {v if isinstance(v, str) else json.dumps(v)}" for k, v in shown.items())
    return result["benchmark"] + " " + ", ".join(words)


def programs_of(result):
    return {p.get("scheduler") or p["rival"]: p for p in result["schedulers"] + result["rivals"]}


def draw_bars(compared, value_of, range_of, label, mark, path):
    """Groups of bars; programs that have no value in a group leave their place empty."""
    names = list(dict.fromkeys(n for r in compared for n, p in programs_of(r).items() if value_of(r, p) is not None))
    if not names:
        return
    plot, axes = plt.subplots(figsize=(8, 1 + ROW * len(compared) * len(names) ** 0.7), layout="constrained")
    height = 0.85 / len(names)
    for i, name in enumerate(names):
        for group, r in enumerate(compared):
            p = programs_of(r).get(name)
            value = None if p is None else value_of(r, p)
            if value is None:
                continue
            y = group - 0.425 + (i + 0.5) * height
            axes.barh(y, value, 0.9 * height, color=COLOURS[i % len(COLOURS)])
            if range_of:
                axes.hlines(y, *range_of(r, p), colors="black", linewidth=0.8)
        axes.barh(0, 0, color=COLOURS[i % len(COLOURS)], label=name)
    axes.axvline(mark, color="gray", linestyle="--", linewidth=0.8)
    axes.set_yticks(range(len(compared)), [title_of(r) for r in compared], fontsize=7)
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    save(plot, path)


def save(plot, path):
    plot.savefig(path, dpi=150)
    plt.close(plot)
    print(path)


def draw_profile(result, path):
    workers = result["spent_by_worker"]
    plot, axes = plt.subplots(figsize=(8, 1.2 + 0.08 * len(workers)), layout="constrained")
    before = [0.0] * len(workers)
    for i, (key, name) in enumerate(SPENDINGS.items()):
        shares = [100 * w[key] for w in workers]
        axes.barh(range(len(workers)), shares, 0.9, left=before, color=COLOURS[i], label=name)
        before = [b + s for b, s in zip(before, shares)]
    axes.set_xlim(0, 100)
    axes.margins(y=0.01)
    axes.set_xlabel("% of each worker's time")
    axes.set_ylabel("worker")
    axes.set_title(f"{title_of(result)}; {result['scheduler']}, {result['machine'] or 'a flat machine'}", fontsize=8)
    axes.invert_yaxis()
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    save(plot, path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    compared, profiles = read(folder)
    most = max((r["workers"] for r in compared), default=0)
    with_serial = [r for r in compared if r["workers"] == most and r["serial_seconds"] is not None]
    draw_bars(with_serial, lambda _, p: p["speedup"],
              lambda r, p: (r["serial_seconds"] / p["p90"], r["serial_seconds"] / p["p10"]),
              f"speed-up with {most} workers", most, folder / "speedups.png")
    draw_bars(with_serial, lambda _, p: p.get("overhead"), None, "T1/Ts", 1, folder / "overheads.png")
    for number, result in enumerate(profiles, 1):
        draw_profile(result, folder / f"profile-{number}.png")


if __name__ == "__main__":
    main()
