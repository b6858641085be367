"""Each rule of a protocol is defined once, each rule that is cited is defined, and rules can be read at once.

A rule's name is a word and a number. The rule is defined where a list item of a page in docs/ begins with the name in bold, or
a line of a header's comment with the name between two blanks and two blanks. All else that looks like it is a citation.

On a page of docs/internals a rule is a short text, then its reason, then its guards. The guide, which is for users, defines none.
"""

import re

import inspection

_NAME = r"([A-Z]{3,})-(\d+)"
_IN_PAGE = re.compile(rf"^- \*\*{_NAME}\*\* ", re.MULTILINE)
_IN_HEADER = re.compile(rf"^[ \t]*///?  {_NAME}  ", re.MULTILINE)
_CITED = re.compile(rf"(?<![\w-]){_NAME}(?!\w)")
_ALL_CITED = re.compile(r"\b[Rr]ules? ([A-Z]{3,})(?![\w-])")
_NO_RULES = {"SHA", "UTF"}

# A rule of these pages: its text, of WORDS_MAX words at most, *Why:*, *Checked by:*. It ends with its list item.
PAGES_OF_SHORT_RULES = "docs/internals/"
PAGES_WITHOUT_RULES = "docs/guide/"
WORDS_MAX = 60
_WHY, _CHECKED_BY = "*Why:*", "*Checked by:*"
_END_OF_ITEM = re.compile(r"^(?:- |#)|\n(?=\n\S)", re.MULTILINE)

# Letters and a number are too short for a name: two protocols soon share it.
_SHORT = re.compile(r"(?<![\w-])(?:([Rr]ules? [A-Z]{1,2}\d{1,2}|[Rr]ules [A-Z]{1,2})|([A-Z]{1,2}\d{1,2}))(?!\w)")
# Trees of UTS, and one that is none; the first is also a time with one worker. What leat itself is made of knows no trees.
_TREES = {f"T{n}" for n in (1, 2, 3, 4, 5, 9)}
_WITHOUT_TREES = ("src", "include")


def _texts(root):
    """Every page, file of code and model, as (path, text)."""
    paths = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), *inspection.code_files(root)]
    for path in [*paths, *sorted((root / "tests" / "spin").glob("*.pml"))]:
        yield path, inspection.read(path)


def _definitions(root, path, text):
    if path.suffix == ".hpp":
        return _IN_HEADER.finditer(text)
    in_docs = path.relative_to(root).parts[0] == "docs"
    return _IN_PAGE.finditer(text) if in_docs else iter(())


def _faults_of_text(text, match):
    """What is wrong with the rule whose name matches."""
    end = _END_OF_ITEM.search(text, match.end())
    item = text[match.end() : end.start() if end else len(text)]
    own, why, rest = item.partition(_WHY)
    if not why:
        yield f"has no {_WHY}"
    if _CHECKED_BY not in rest:
        yield f"has no {_CHECKED_BY} after its text and {_WHY}"
    if len(own.split()) > WORDS_MAX:
        yield f"{len(own.split())} words, {WORDS_MAX} at most before {_WHY}"


def check(root):
    def place(path, text, match):
        return inspection.at(root, path, text.count("\n", 0, match.end()) + 1)

    texts = list(_texts(root))
    defined = {}
    for path, text in texts:
        for match in _definitions(root, path, text):
            name = f"{match[1]}-{match[2]}"
            if name in defined:
                yield f"{place(path, text, match)}: {name} is defined already: {defined[name]}"
            defined.setdefault(name, place(path, text, match))
            page = path.relative_to(root).as_posix()
            if page.startswith(PAGES_WITHOUT_RULES):
                yield f"{place(path, text, match)}: {name}: a rule's page is in {PAGES_OF_SHORT_RULES}"
            if page.startswith(PAGES_OF_SHORT_RULES):
                for fault in _faults_of_text(text, match):
                    yield f"{place(path, text, match)}: {name}: {fault}"
    words = {name.split("-")[0] for name in defined}
    for path, text in texts:
        for match in _ALL_CITED.finditer(text):
            if match[1] not in words:
                yield f"{place(path, text, match)}: no rules {match[1]} are defined"
        for match in _CITED.finditer(text):
            if match[0] not in defined and match[1] not in _NO_RULES:
                yield f"{place(path, text, match)}: no rule {match[0]} is defined"
        has_trees = path.relative_to(root).parts[0] not in _WITHOUT_TREES
        for match in _SHORT.finditer(text):
            if match[1] or match[2] not in _TREES or not has_trees:
                yield f"{place(path, text, match)}: {match[1] or match[2]}: a rule's name is a word and a number"


def _plum(number):  # so that this file may inspect itself
    return f"PLUM-{number}"


_PAGE = {"docs/a.md": f"## Rules\n\n- **{_plum(1)}** One.\n- **{_plum(2)}** Two, by {_plum(1)}.\n"}
_HEADER = {"src/leat/task/a.hpp": f"// Rules:\n//  {_plum(1)}  One\n//      and more.\n//  {_plum(2)}  Two ({_plum(1)}).\n"}
_PLUMS = "PLUM"
_OLD = f"W{6}"


def _protocol(words, reason=f"{_WHY} so.", guards=f"{_CHECKED_BY} a test."):
    item = f"- **{_plum(1)}** {'word ' * words}\n  {reason}\n  {guards}\n"
    return {"docs/internals/protocol.md": f"{item}- **{_plum(2)}** One. {_WHY} so. {_CHECKED_BY} it.\n\nFor all.\n"}


PLANTS = [
    ("a page", _PAGE, 0, ""),
    ("a header", _HEADER, 0, ""),
    ("documentation", {"src/leat/task/a.hpp": f"/// Rules:\n///  {_plum(1)}  One.\n"}, 0, ""),
    ("cited in code", {**_PAGE, "tests/unit/a.cpp": f"// {_plum(1)} to {_plum(2)}\n"}, 0, ""),
    ("cited in a list", {**_PAGE, "src/leat/task/a.hpp": f"/// - {_plum(1)} The same, in short.\n"}, 0, ""),
    ("twice", {**_PAGE, **_HEADER}, 2, f"a.hpp:2: {_plum(1)} is defined already: docs/a.md:3"),
    ("twice in a page", {"docs/a.md": f"- **{_plum(1)}** One.\n- **{_plum(1)}** Two.\n"}, 1, "docs/a.md:2"),
    ("not in docs", {"a.md": f"- **{_plum(1)}** One.\n"}, 1, f"a.md:1: no rule {_plum(1)} is defined"),
    ("no such number", {**_PAGE, "tests/spin/a.pml": f"\n// ({_plum(3)})\n"}, 1, f"tests/spin/a.pml:2: no rule {_plum(3)}"),
    ("no such word", {**_PAGE, "dev": f"# A{_plum(1)}\n"}, 1, f"dev:1: no rule A{_plum(1)}"),
    ("all of a word", {**_PAGE, "dev": f"# Rules {_PLUMS}.\n"}, 0, ""),
    ("all of no word", {**_PAGE, "dev": f"# Rules {_PLUMS}S.\n"}, 1, f"dev:1: no rules {_PLUMS}S are defined"),
    ("no rules", {"src/leat/task/a.hpp": f"// SHA-{1}, UTF-{8}, C++-{20}, -O{2}, T{1}L, uT{1}, 0xF{1}\n"}, 0, ""),
    ("short", {"src/leat/task/a.hpp": f"\n// ({_OLD})\n"}, 1, f"a.hpp:2: {_OLD}: a rule's name"),
    ("short, many", {"docs/a.md": f"rules {_OLD} and X{1}; C{10}, CW{3}-CW{4}\n"}, 4, f"a.md:1: CW{3}"),
    ("short, without a number", {"docs/a.md": f"in rules {_OLD[0]}, Q\n"}, 1, f"a.md:1: rules {_OLD[0]}: a rule's name"),
    ("as many words as may be", _protocol(WORDS_MAX), 0, ""),
    ("a word more", _protocol(WORDS_MAX + 1), 1, f"protocol.md:1: {_plum(1)}: {WORDS_MAX + 1} words"),
    ("a long reason", _protocol(1, reason=f"{_WHY} {'word ' * WORDS_MAX}"), 0, ""),
    ("no reason", _protocol(1, reason=""), 2, f"protocol.md:1: {_plum(1)}: has no {_WHY}"),
    ("no guards", _protocol(1, guards=""), 1, f"protocol.md:1: {_plum(1)}: has no {_CHECKED_BY}"),
    ("guards before the reason", _protocol(1, f"{_CHECKED_BY} it.", f"{_WHY} so."), 1, f"{_plum(1)}: has no {_CHECKED_BY}"),
    ("long on another page", {"docs/a.md": f"- **{_plum(1)}** {'word ' * (WORDS_MAX + 1)}\n"}, 0, ""),
    ("in the guide", {"docs/guide/a.md": f"- **{_plum(1)}** One. {_WHY} so. {_CHECKED_BY} it.\n"}, 1, f"{_plum(1)}: a rule's page is in docs/internals"),
    ("trees", {"docs/a.md": f"on T{3} (T{1}), `--tree T{5}`\n"}, 0, ""),
    ("no tree", {"docs/a.md": f"rule T{3}\n"}, 1, f"a.md:1: rule T{3}"),
    ("trees in leat", {"src/leat/task/a.hpp": f"// (T{3})\n"}, 1, f"a.hpp:1: T{3}"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
