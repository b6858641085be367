"""No files include each other in a circle, also within a floor: so each can be read after those that it includes."""

import inspection
from floors import _included


def _graph(root):
    """For each file of include/ and src/, by its path from leat/ on: the file, and (line, target) of what it includes."""
    graph = {}
    for base in ("include", "src"):
        for path in inspection.cpp_files(root, base):
            text = inspection.without_comments(inspection.read(path))
            found = [(line, target) for line, target in _included(root, path, text) if target is not None]
            graph[path.relative_to(root / base).as_posix()] = (path, found)
    return graph


def check(root):
    graph = _graph(root)
    done = set()
    for start in sorted(graph):
        if start in done:
            continue
        trail, on_trail = [(start, iter(graph[start][1]))], {start}
        while trail:
            name, rest = trail[-1]
            line, target = next(rest, (None, None))
            if line is None:
                trail.pop()
                on_trail.discard(name)
                done.add(name)
            elif target in on_trail:
                circle = [n for n, _ in trail]
                circle = circle[circle.index(target) :] + [target]
                yield f"{inspection.at(root, graph[name][0], line)}: a circle of includes: {' -> '.join(circle)}"
            elif target in graph and target not in done:
                trail.append((target, iter(graph[target][1])))
                on_trail.add(target)


def _files(**includes):
    return {
        f"src/leat/task/{name}.hpp": "#pragma once\n" + "".join(f'#include "leat/task/{t}.hpp"\n' for t in targets)
        for name, targets in includes.items()
    }


PLANTS = [
    ("a chain", _files(a="b", b="c", c=""), 0, ""),
    ("a diamond", _files(a="bc", b="d", c="d", d=""), 0, ""),
    ("itself", _files(a="a"), 1, "leat/task/a.hpp -> leat/task/a.hpp"),
    ("two", _files(a="b", b="a"), 1, "b.hpp:2: a circle of includes: leat/task/a.hpp -> leat/task/b.hpp -> leat/task/a.hpp"),
    ("three beneath others", _files(a="b", b="c", c="d", d="b"), 1, "b.hpp -> leat/task/c.hpp -> leat/task/d.hpp"),
    ("two circles", _files(a="b", b="a", c="d", d="c"), 2, "circle"),
    ("in a comment", {"src/leat/task/a.hpp": '// #include "leat/task/a.hpp"\n'}, 0, ""),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
