"""Includes run downwards only: a file includes its own floor and lower ones, never a sibling on its own level."""

import re

import inspection

LEVELS = {
    "platform": 0,
    "channel": 1,
    "deque": 1,
    "events": 1,
    "fibre": 1,
    "memory": 1,
    "topology": 1,
    "protocol": 2,
    "handshake": 3,
    "profile": 4,
    "waiting": 4,
    "work": 4,
    "post": 5,
    "strands": 5,
    "scheduler": 6,
    "published": 7,
    "entry": 8,
    "task": 9,
    "loop": 10,
    "bubble": 11,
    "cluster": 11,
    "thread": 12,
    "public": 13,
}
# Pure decisions stand on nothing: no atomics, no clock. The name of the namespace is nothing of the machine's.
FORBIDDEN = {("protocol", "platform")}
NAMESPACE = "leat/platform/abi.hpp"

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_NAMED = re.compile(r'^(?:<([^>]+)>|"([^"]+)")')


def floor_of(include_path):
    """The floor that leat/<...> belongs to; what lies directly in leat/ is public."""
    parts = include_path.split("/")
    return "public" if len(parts) == 2 else parts[1]


def _included(root, path, text):
    """Yields (line, include path from leat/ on, or None when it cannot be told)."""
    for match in _INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        named = _NAMED.match(match.group(1))
        if not named:
            yield line, None
            continue
        target = named.group(1) or named.group(2)
        beside = (path.parent / target).resolve()
        if named.group(2) and not target.startswith("leat/"):
            for base in ("src", "include"):
                if beside.is_file() and beside.is_relative_to((root / base).resolve()):
                    target = beside.relative_to((root / base).resolve()).as_posix()
        if target.startswith("leat/"):
            yield line, target


def check(root):
    for base in ("include", "src"):
        for path in inspection.cpp_files(root, base):
            floor = floor_of(path.relative_to(root / base).as_posix())
            if floor not in LEVELS:
                yield f"{inspection.at(root, path, 1)}: '{floor}' is no floor of the house"
                continue
            for line, target in _included(root, path, inspection.without_comments(inspection.read(path))):
                where = inspection.at(root, path, line)
                if target == NAMESPACE:
                    continue
                if target is None:
                    yield f"{where}: an include whose file cannot be read off"
                    continue
                below = floor_of(target)
                if below not in LEVELS:
                    yield f"{where}: includes {target}, which is on no floor of the house"
                elif below == floor:
                    continue
                elif (floor, below) in FORBIDDEN:
                    yield f"{where}: {floor} must not include {below} ({target})"
                elif LEVELS[below] == LEVELS[floor]:
                    yield f"{where}: {floor} includes its sibling {below} ({target})"
                elif LEVELS[below] > LEVELS[floor]:
                    yield f"{where}: {floor} includes {below}, a floor above it ({target})"


def _source(floor, include):
    return {f"src/leat/{floor}/a.hpp": f"#pragma once\n#include {include}\n"}


PLANTS = [
    ("own floor", _source("channel", '"leat/channel/spsc.hpp"'), 0, ""),
    ("floor below", _source("scheduler", '"leat/platform/native.hpp"'), 0, ""),
    ("public over all", {"include/leat/a.hpp": '#include "leat/events/counters.hpp"\n#include <leat/b.hpp>\n'}, 0, ""),
    ("system header", _source("platform", "<atomic>"), 0, ""),
    ("in a comment", _source("platform", '<a>\n// #include "leat/task/x.hpp"\n/*\n#include "leat/task/x.hpp"\n*/'), 0, ""),
    ("upwards", _source("channel", '"leat/task/future.hpp"'), 1, "a.hpp:2: channel includes task, a floor above"),
    ("upwards in angles", _source("deque", "<leat/scheduler/worker.hpp>"), 1, "above"),
    ("spaced out", {"src/leat/deque/a.hpp": '  #  include   "leat/scheduler/worker.hpp"  // why\n'}, 1, "above"),
    ("up to the door", _source("task", "<leat/runtime.hpp>"), 1, "task includes public"),
    ("sibling", _source("channel", '"leat/deque/split.hpp"'), 1, "sibling deque"),
    ("protocol on platform", _source("protocol", '"leat/platform/order.hpp"'), 1, "protocol must not include platform"),
    ("protocol in its namespace", _source("protocol", '"leat/platform/abi.hpp"'), 0, ""),
    ("protocol on channel", _source("protocol", '"leat/channel/mpsc.hpp"'), 0, ""),
    ("unknown floor", {"src/leat/attic/a.cpp": "\n"}, 1, "'attic' is no floor"),
    ("unknown target", _source("task", '"leat/attic/a.hpp"'), 1, "no floor"),
    ("by a macro", _source("task", "HEADER"), 1, "cannot be read off"),
    (
        "relative",
        {"src/leat/channel/a.hpp": '#include "../task/b.hpp"\n', "src/leat/task/b.hpp": "#pragma once\n"},
        1,
        "task/b.hpp",
    ),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
