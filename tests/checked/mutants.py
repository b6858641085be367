"""Weakens one order at a time where leat's headers name it, and sees that the clients of the checked platform find that.

usage: mutants.py ROOT PROGRAM [PART OF A HEADER'S NAME]

PROGRAM is leat_test_checked (weakened.cpp). It is asked which places each suite comes by; then the suites run with each of them
weakened: acq_rel becomes acquire, and release; a full fence none; anything else relaxed. What is not found must be
among those of which docs/internals/checked.md says why: _STRONGER. What is found must be in the table of that page, and nothing else.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Orders that no client needs, as it says in docs/internals/checked.md: header, part of the line (| is where it begins; #2: the second such line),
# what it is weakened to.
_STRONGER = [
    ("channel/mpmc.hpp", "|ticket = tail_.load(platform::acquire)", "relaxed"),
    ("channel/mpmc.hpp", "if (head_.compare_exchange_weak", "relaxed"),
    ("channel/mpsc.hpp", "const std::size_t sum = waiting_.load", "relaxed"),
    ("channel/mpsc.hpp", "fresh = fresh_.load(platform::acquire)", "relaxed"),
    ("channel/mpsc.hpp", "if (fresh_.compare_exchange_weak", "acquire"),
    ("channel/mpsc.hpp", "if (fresh_.compare_exchange_weak", "release"),
    ("channel/one_shot.hpp", "std::uintptr_t found = word_.load(platform::acquire);#1", "relaxed"),
    ("channel/one_shot.hpp", "return !(found & state_bits) &&", "release"),
    ("channel/ring.hpp", "|std::uint64_t tail = tail_.load(platform::acquire)", "relaxed"),
    ("channel/ring.hpp", "const std::uint64_t head = head_.load(platform::seq_cst)", "relaxed"),
    ("channel/ring.hpp", "const std::uint64_t tail = tail_.load(platform::seq_cst)", "relaxed"),
    ("channel/spsc.hpp", "const std::uint64_t head = head_.load(platform::acquire)", "relaxed"),
    ("channel/spsc.hpp", "const std::uint64_t tail = tail_.load(platform::acquire)", "relaxed"),
    ("deque/fork_stack.hpp", "limit_->exchange(acknowledged_", "acquire"),
    ("deque/fork_stack.hpp", "limit_->exchange(signalled", "release"),
    ("deque/private.hpp", "limit_.exchange(acknowledged_", "acquire"),
    ("deque/private.hpp", "limit_.exchange(signalled", "release"),
    ("deque/private.hpp", "was = limit_.exchange(unsignalled()", "acquire"),
    ("deque/private.hpp", "was = limit_.exchange(unsignalled()", "release"),
    ("deque/public_part.hpp", "head_.exchange(closed", "acquire"),
    ("deque/public_part.hpp", "head_.exchange(closed", "release"),
    ("deque/public_part.hpp", "if (!head_.compare_exchange_strong", "acquire"),
    ("deque/public_part.hpp", "if (!head_.compare_exchange_strong", "release"),
    ("deque/public_part.hpp", "head = head_.load(platform::acquire)", "relaxed"),
    ("deque/public_part.hpp", "return head_.compare_exchange_strong", "acquire"),
    ("deque/public_part.hpp", "return head_.compare_exchange_strong", "release"),
    ("handshake/group_count.hpp", "remote_.fetch_add(std::exchange(local_", "acquire"),
    ("handshake/group_count.hpp", "remote_.fetch_add(std::exchange(local_", "release"),
    ("handshake/group_count.hpp", "remote_.fetch_sub(tasks", "release"),
    ("handshake/offer.hpp", "return word_.load(platform::acquire) == state::given_up", "relaxed"),
    ("handshake/offer.hpp", "word_.compare_exchange_strong(found, state::met", "release"),
    ("handshake/parker.hpp", "P::fence();#2", "relaxed"),
    ("handshake/presence.hpp", "called_.exchange(1", "acquire"),
    ("handshake/presence.hpp", "return state_.load(platform::acquire) != state::here", "relaxed"),
    ("handshake/presence.hpp", "state_.exchange(state::returning", "acquire"),
    ("handshake/relief.hpp", "word_.compare_exchange_strong(found, state::called", "release"),
    ("handshake/watch.hpp", "P::fence();#2", "relaxed"),
    ("memory/block_cache.hpp", "balance_.fetch_sub", "acquire"),
    ("memory/block_cache.hpp", "balance_.fetch_sub", "release"),
    ("memory/block_cache.hpp", "s.top.exchange(closed", "relaxed"),
    ("memory/block_cache.hpp", "balance_.fetch_add", "acquire"),
    ("memory/block_cache.hpp", "balance_.fetch_add", "release"),
    ("post/combining_manager.hpp", "waiting_victims_.fetch_add", "relaxed"),
    ("post/combining_manager.hpp", "waiting_victims_.load", "relaxed"),
    ("task/dependent.hpp", "while (!other.after_.compare_exchange_weak", "acquire"),
    ("task/dependent.hpp", "l = after_.exchange(closed()", "release"),
    ("task/future_record.hpp", "taken_.exchange(record_gone", "acquire"),
    ("task/future_task.hpp", "taken = taken_.load(platform::acquire)", "relaxed"),
    ("task/future_task.hpp", "taken_.exchange(holders_gone", "release"),
    ("task/future_task.hpp", "mark(by_holder, me), platform::acquire", "relaxed"),
    ("task/future_task.hpp", "mark(by_record, me), platform::acquire", "relaxed"),
]

_EXPLAINED = set()  # those of _STRONGER that were come by and not found
_WEAKER = {"acq_rel": ("acquire", "release"), "acquire": ("relaxed",), "release": ("relaxed",), "seq_cst": ("relaxed",)}
_SECONDS_MAX = 300
_TEXT_MAX = 70  # characters of a line in the page's table


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
    explained = [s for s in _STRONGER if header == s[0] and s[1] in text and weaker == s[2]]
    _EXPLAINED.update(explained)
    return bool(explained)


def _row(header, text, weaker):
    """What the page's table says of an order, but for what finds it."""
    short = text.replace("|", "\\|")
    short = short if len(short) <= _TEXT_MAX else short[:_TEXT_MAX].rstrip() + " ..."
    return f"| `{header}` | `{short}` | {weaker} |"


def _out_of_step(root, rows, part):
    """Rows that the page has too few or too many, as often as it does."""
    page = pathlib.Path(root, "docs/internals/checked.md").read_text()
    table = re.findall(r"^(\| `(\S+/\S+\.hpp)` \| `.+` \| (?:acquire|release|relaxed|no fence) \|) `", page, re.MULTILINE)
    there = collections.Counter(row for row, header in table if part in header)
    found = collections.Counter(rows)
    for missing in (found - there).elements():
        print(f"not in the table of docs/internals/checked.md: {missing}")
    for stale in (there - found).elements():
        print(f"in the table of docs/internals/checked.md, and not found: {stale}")
    return found != there


def main(root, program, part=""):
    sites = {}
    for suite in _suites(program):
        for place, orders in _sites(program, suite).items():
            known = sites.setdefault(place, (set(), []))
            known[0].update(orders)
            known[1].append(suite)
    mutants = holes = 0
    places = {}
    rows = []
    for (file, line), (orders, suites) in sorted(sites.items()):
        header = file[file.index("/src/leat/") + len("/src/leat/") :]
        if part not in header:
            continue
        text = pathlib.Path(root, "src/leat", header).read_text().splitlines()[line - 1].split("//")[0].strip()
        nth = places[header, text] = places.get((header, text), 0) + 1
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
                outcome = "not found, as it says in docs/internals/checked.md"
                if not _is_stronger(header, f"|{text}#{nth}", weaker):
                    holes += 1
                    outcome = "NOT FOUND"
            row = _row(header, text, "no fence" if "fence()" in text else weaker)
            if outcome.startswith("`"):
                rows.append(row)
            print(f"{row} {outcome} |", flush=True)
    print(f"{mutants} mutants, {len(rows)} found, {holes} not found and not explained")
    for needless in [s for s in _STRONGER if part in s[0] and s not in _EXPLAINED]:
        holes += 1
        print(f"found, or not there, though _STRONGER has it: {needless}")
    return _out_of_step(root, rows, part) or holes != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
