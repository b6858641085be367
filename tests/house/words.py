"""One vocabulary: a word that was replaced by the field's does not come back.

Each retired word is a pattern, with the word to use instead. The patterns are of identifiers and of phrases where the bare
word has an ordinary meaning. ARCHITECTURE.md has the glossary.
"""

import re

import inspection

_FOLDERS = ("src", "include", "docs/internals", "docs/guide")
_SCHEDULER = ("src/leat/handshake/", "src/leat/work/", "src/leat/waiting/", "src/leat/post/", "src/leat/scheduler/", "src/leat/entry/")
_CHANNELS = ("src/leat/channel/", "docs/internals/channels.md")
_BUBBLES = ("src/leat/bubble/", "src/leat/thread/", "docs/guide/bubbles.md", "docs/internals/bubbles.md")  # a carrier rests, and a program has wishes for its bubbles

# Pattern, what to use, where it is refused (a path's beginning; all, if empty), and where it is not.
_RETIRED = [
    (r"absen(?:t|ce)", "blocked, blocking", "", ()),
    (r"attend(?:s|ed|ing|ance|ants?)?(?:_\w*)?|\w+_attend(?:ed|ance|ants?)?", "combine, combiner; or proxy, poll for", "", ()),
    (r"in (?:its|their|the \w+'s) stead|begin_look|end_look", "poll for; proxy", "", ()),
    (r"stand_ins?_?|spares? (?:that )?stands? in", "compensate, compensating worker", "", ()),
    (r"stands? in for (?:who|workers|one that|somebody|those)", "compensate", "", ()),
    (r"tickets?|\w*_tickets?_?|tickets?_\w*", "ownership of a request", "", _CHANNELS),
    (r"(?:comes?|came|coming|go|goes|went|gone|brings?|brought) to rest|at rest", "in the idle pool, pooled", "", _BUBBLES),
    (r"requests? (?:that )?rests?|rest(?:s|ed|ing)? with the manager|resting requests?", "in the idle pool, pooled", "", ()),
    (r"(?:what|nothing|something) rests", "in the idle pool, pooled", "", _BUBBLES),
    (r"at_rest|\w+_to_rest|\w+_at_rest|show_resting|requests_rested|thieves_rest", "pool, pooled", "", ()),
    (r"holes?|\w+_holes?|holes?_\w+", "tombstone", "", ()),
    (r"followers?_?|on_followers?|follows_", "leapfrog request; a waiter that leapfrogs", "", ()),
    (r"key_|with_key|has_key|under (?:a|the|its|that) key", "join target", "", ()),
    (r"wish(?:es|ed)?|\w+_wish(?:es)?|wish(?:es)?_\w+", "exposure request", "", _BUBBLES),
    (r"insist(?:s|ed)?|exposure::ahead|ahead_max", "urgent; eager", "", ()),
    (r"\w*crews?_?", "carriers, green threads; workers of a rank", "", ()),
    (r"(?:\w+_)?looks?_(?:max|ns|left_?|again|at_all|at_pool|if_asked)", "poll; check, try", "", ()),
    (r"(?:interrupted|foreign|own|last|per)_looks?", "poll; check, try", "", ()),
    (r"look(?:s|ed|ing)?", "poll; check, read, search", _SCHEDULER, ()),
    (r"whoever|somebody", "a named thing", _SCHEDULER, ()),
]
_PATTERNS = [(re.compile(rf"(?<![\w-])(?:{p})(?!\w)", re.IGNORECASE), use, here, but) for p, use, here, but in _RETIRED]

# Lines about the channels' own tickets, which is the field's word for them.
_OF_CHANNELS = re.compile(r"mailbox|mpmc", re.IGNORECASE)


def _texts(root):
    """The code and the pages that the words are checked in, as (path, text)."""
    paths = [root / "ARCHITECTURE.md"]
    for folder in _FOLDERS:
        suffixes = (".md",) if folder.startswith("docs") else inspection.CPP
        paths += [path for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes]
    for path in paths:
        if path.is_file():
            yield path, inspection.read(path)


def check(root):
    for path, text in _texts(root):
        name = path.relative_to(root).as_posix()
        retired = [(pattern, use) for pattern, use, here, but in _PATTERNS if name.startswith(here) and not name.startswith(but)]
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, use in retired:
                for match in pattern.finditer(line):
                    if "ticket" not in match[0].lower() or not _OF_CHANNELS.search(line):
                        yield f"{inspection.at(root, path, number)}: {match[0]}: say {use}"


def _header(text):
    return {"src/leat/scheduler/a.hpp": f"// {text}\n"}


PLANTS = [
    ("fine", {**_header("The proxy polls for a blocked worker."), "ARCHITECTURE.md": "A request in the idle pool.\n"}, 0, ""),
    ("a word", _header("The Attendant."), 1, "src/leat/scheduler/a.hpp:1: Attendant: say combine, combiner"),
    ("an identifier", {"src/leat/task/a.cpp": "int a;\nbool attend_absent();\n"}, 1, "src/leat/task/a.cpp:2: attend_absent: say combine"),
    ("two in a line", _header("An absent worker leaves a hole."), 2, "hole: say tombstone"),
    ("in a page", {"docs/guide/a.md": "It comes to rest.\n", "docs/internals/a.md": "at rest\n"}, 2, "docs/guide/a.md:1"),
    ("in ARCHITECTURE.md", {"ARCHITECTURE.md": "# A\n\nabsence\n"}, 1, "ARCHITECTURE.md:3: absence"),
    ("in no page of reference", {"docs/measurements/a.md": "at rest\n", "tests/a.hpp": "// at rest\n"}, 0, ""),
    ("what rests", _header("The request rests, and is at rest."), 2, "say in the idle pool"),
    ("the rest", _header("The rest is restored, and all rests on fences."), 0, ""),
    ("a part of a word", _header("A whole thread is followed; a keyword, a lookout; a stakeholder."), 0, ""),
    ("a channel's ticket", {"src/leat/channel/a.hpp": "int ticket;\n", "docs/internals/a.md": "| mpmc | `ticket` |\n"}, 0, ""),
    ("a request's ticket", _header("It shows its ticket."), 1, "ownership"),
    ("a program's wishes", {"src/leat/bubble/a.hpp": "// wishes\n", "src/leat/loop/a.hpp": "// wishes\n"}, 1, "src/leat/loop/a.hpp:1"),
    ("a member", {"src/leat/task/a.hpp": "void* key_;\nvoid* key;\n"}, 1, "a.hpp:1: key_: say join target"),
    ("a stand-in in a test", _header("A function stands in for the system's."), 0, ""),
    ("a spare", _header("The option `spares`; no spare stands in."), 1, "compensating worker"),
    ("nouns of the scheduler", _header("Whoever looks wakes somebody."), 3, "Whoever: say a named thing"),
    ("nouns elsewhere", {"src/leat/loop/a.hpp": "// Whoever looks wakes somebody.\n"}, 0, ""),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
