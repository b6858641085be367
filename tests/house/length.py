"""Files stay readable: none has more than 400 lines, but those that had more when this rule came, and they do not grow."""

import inspection

LINES_MAX = 400
# How many lines each of these may have. One that no longer needs it is taken off the list.
LONGER = {
    "dev": 401,
    "tests/cli/compare_test.py": 489,
    "tests/unit/blocking_test.cpp": 491,
    "tests/unit/bubble_test.cpp": 404,
    "tests/unit/channel_interleaving_test.cpp": 437,
    "tests/unit/cluster_snapshot_test.cpp": 403,
    "tests/unit/deque_test.cpp": 417,
    "tests/unit/fork_join_exception_test.cpp": 415,
    "tests/unit/fork_join_test.cpp": 424,
    "tests/unit/parallel_for_test.cpp": 475,
    "tests/unit/parallel_sort_test.cpp": 440,
    "tests/unit/spawn_for_test.cpp": 447,
    "tests/unit/task_group_test.cpp": 484,
    "tests/unit/thread_test.cpp": 478,
}


def check(root):
    for path in inspection.code_files(root):
        lines = len(inspection.read(path).splitlines())
        name = path.relative_to(root).as_posix()
        most = LONGER.get(name, LINES_MAX)
        if lines > most:
            yield f"{inspection.at(root, path, lines)}: {lines} lines, {most} at most"
        if name in LONGER and lines <= LINES_MAX:
            yield f"{inspection.at(root, path, lines)}: {lines} lines, and so none of the longer files"


_LONG, _LONG_MAX = max(LONGER.items(), key=lambda item: item[1])

PLANTS = [
    ("as long as may be", {"src/leat/task/a.hpp": "\n" * LINES_MAX}, 0, ""),
    ("one line more", {"src/leat/task/a.hpp": "\n" * (LINES_MAX + 1)}, 1, "401 lines"),
    ("a script", {"cmake/a.cmake": "\n" * (LINES_MAX + 1)}, 1, "cmake/a.cmake"),
    ("no last newline", {"cli/a.cpp": "\n" * LINES_MAX + "int a;"}, 1, "401 lines"),
    ("one of the longer", {_LONG: "\n" * _LONG_MAX}, 0, ""),
    ("one of the longer that grows", {_LONG: "\n" * (_LONG_MAX + 1)}, 1, f"{_LONG_MAX + 1} lines, {_LONG_MAX} at most"),
    ("one of the longer that is not", {_LONG: "\n" * LINES_MAX}, 1, "none of the longer"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
