"""Weakens one order at a time where leat's headers name it, and sees that the clients of the checked platform find that.

usage: mutants.py ROOT PROGRAM [PART OF A HEADER'S NAME]

PROGRAM is leat_test_checked (weakened.cpp). It is asked which places each suite comes by; then the suites run with each of them
weakened: acq_rel becomes acquire, and release; a full fence none; anything else relaxed. What is not found must be
among those of which docs/checked.md says why: _STRONGER.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Parts of lines with orders that no client needs: (header, part of the line, weakened to, or all).
_STRONGER = []

_WEAKER = {"acq_rel": ("acquire", "release"), "acquire": ("relaxed",), "release": ("relaxed",), "seq_cst": ("relaxed",)}
_SECONDS_MAX = 300


def _run(program, suite, **environment):
    arguments = [program, f"--gtest_filter={suite}.*-*_long", "--gtest_fail_fast"]
    environment = {**os.environ, **environment}
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", env=environment, timeout=_SECONDS_MAX)


def _suites(program):
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return [s for s in re.findall(r"^(\w+)\.$", listed, re.MULTILINE) if s != "checker"]


def _sites(program, suite):
    """(file, line) -> the orders that are named there."""
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place, "sites")
        ran = _run(program, suite, LEAT_SITES=str(file))
        if ran.returncode != 0:
            sys.exit(f"{suite} fails as it is:\n{ran.stdout}")
        sites = {}
        for line in file.read_text().splitlines():
            name, number, order = line.rsplit(" ", 2)
            if "/src/leat/" in name and "/platform/" not in name:
                sites.setdefault((name, int(number)), set()).add(order)
        return sites


def _found(program, suite, file, line, weaker):
    """How Relacy calls what it finds, and when; or None."""
    try:
        ran = _run(program, suite, LEAT_WEAKEN=f"{file}:{line}:{weaker}")
    except subprocess.TimeoutExpired:
        return None
    if ran.returncode == 0:
        return None
    found = re.search(r"^([A-Z][A-Z /]+[A-Z])(?: \(.*)?\niteration: (\d+)", ran.stdout, re.MULTILINE)
    return f"{found[1].lower()}, execution {found[2]}" if found else "ends the program"


def _is_stronger(header, text, weaker):
    return any(header == h and part in text and to in (weaker, "all") for h, part, to in _STRONGER)


def main(root, program, part=""):
    sites = {}
    for suite in _suites(program):
        for place, orders in _sites(program, suite).items():
            known = sites.setdefault(place, (set(), []))
            known[0].update(orders)
            known[1].append(suite)
    mutants = holes = 0
    for (file, line), (orders, suites) in sorted(sites.items()):
        header = file[file.index("/src/leat/") + len("/src/leat/") :]
        if part not in header:
            continue
        text = pathlib.Path(root, "src/leat", header).read_text().splitlines()[line - 1].split("//")[0].strip()
        strongest = next(o for o in ("acq_rel", "seq_cst", "release", "acquire") if o in orders)
        for weaker in _WEAKER[strongest]:
            mutants += 1
            outcome = None
            for suite in suites:
                outcome = _found(program, suite, header, line, weaker)
                if outcome:
                    outcome = f"`{suite}`: {outcome}"
                    break
            if not outcome:
                outcome = "not found, as it says in docs/checked.md"
                if not _is_stronger(header, text, weaker):
                    holes += 1
                    outcome = "NOT FOUND"
            what = "no fence" if strongest == "seq_cst" else weaker
            print(f"| `{header}` | `{text}` | {what} | {outcome} |", flush=True)
    print(f"{mutants} mutants, {holes} not found and not explained")
    return holes != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
