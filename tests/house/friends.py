"""Classes of the scheduler, of tasks and of bubbles are none another's friends: they use what the other one says in public."""

import re

import inspection

ROOMS = ("handshake", "work", "waiting", "post", "scheduler", "entry", "task", "bubble", "thread")
FOLDERS = tuple(f"src/leat/{room}" for room in ROOMS)

_FRIEND = re.compile(r"\bfriend\s+(?:class|struct|typename)?\s*[\w:<>, ]+;")


def check(root):
    for path in inspection.cpp_files(root, *FOLDERS):
        text = inspection.without_comments(inspection.read(path))
        for match in _FRIEND.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{inspection.at(root, path, line)}: a friend class: {match.group(0)}"


def _source(text):
    return {"src/leat/task/a.hpp": text}


PLANTS = [
    ("none", _source("class a {\n  int b;\n};\n"), 0, ""),
    ("a class", _source("class a {\n  friend class b;\n};\n"), 1, "a.hpp:2: a friend class: friend class b;"),
    ("an instance", _source("class a {\n  friend b<int, c>;\n};\n"), 1, "friend b<int, c>;"),
    ("a template", _source("class a {\n  template <class Q>\n  friend class b;\n};\n"), 1, "friend class b;"),
    ("an operator", _source("class a {\n  friend bool operator==(const a&, const a&) = default;\n};\n"), 0, ""),
    ("a function", _source("class a {\n  friend void swap(a& x, a& y) {}\n};\n"), 0, ""),
    ("in a comment", _source("// friend class b;\n"), 0, ""),
    ("on another floor", {"src/leat/cluster/a.hpp": "class a { friend class b; };\n"}, 0, ""),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
