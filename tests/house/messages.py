"""Each message of the library is on the page of messages, and each variable that it reads is on that of options.

A message is a string literal with two words or more, or an #error. In an assertion it counts only if it names leat or Parlay: others
are about leat's own code. In CMake's files the strings that begin with leat, or with the name of one of its options, are messages. The
page has a message as code in the first cell of a row, with NAME, NAMES, N, TEXT, FILE or "..." for what varies. All literals of a
statement are in one message of the page, in order, unless the statement chooses between literals. A message that is no longer in the
sources leaves the page.
"""

import re

import inspection

MESSAGES, OPTIONS = "docs/guide/troubleshooting.md", "docs/guide/options.md"
FOLDERS = ("src/leat", "include/leat", "adapters")
# Platforms of tests alone.
NO_PART = ("src/leat/platform/checked.hpp", "src/leat/platform/execution.hpp", "src/leat/platform/relacy.hpp")

_STATEMENT = re.compile(r"#[^\n]*|[^;{}#]+")
_LEXEME = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.[^'\n]*|[^'\\\n])'|"(?P<string>(?:\\.|[^"\\\n])*)\"""", re.DOTALL)
_NO_MESSAGE = re.compile(r"\basm\b|^[ \t]*#[ \t]*include\b|^#[ \t]*(?:include|define)\b")
_ASSERTION = re.compile(r"\b(?:static_)?assert\s*\(")
_FILLED_IN = re.compile(r"%[-0-9.]*l*[a-z]|\$\{\w+\}|@\w+@")
_WORD = re.compile(r"[A-Za-z_]{2,}")
_CMAKE = re.compile(r'"((?:leat|LEAT_)(?:\\.|[^"\\])*)"', re.DOTALL)
_VARIES = re.compile(r"\b(?:NAMES?|N|TEXT|FILE)\b|\.\.\.")
_TABLE = re.compile(r"^\| message \|.*\n(?:\|.*\n)+", re.MULTILINE)
_FIRST_CELL = re.compile(r"^\| (`.*?) \| ", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_VARIABLE = re.compile(r"(?:LEAT|PARLAY|HWLOC)_[A-Z_]+")


def _is_prose(text):
    return len(_WORD.findall(text)) >= 2 and " " in text.strip()


def _pieces(literals):
    """The texts of these literals between what is filled in, but for words that stand alone, which are names."""
    text = "%d".join(literals).replace("\\\n", "").replace("\\n", " ").replace('\\"', '"')
    found = [piece for piece in _FILLED_IN.split(text) if _WORD.search(piece) and not piece.isidentifier()]
    return [" ".join(piece.split()) for piece in found]


def _literals_of(text, code, first, last):
    """The literals of a statement, with their places. Those beside each other are one."""
    found, end = [], None
    for match in _LEXEME.finditer(text, first, last):
        if match["string"] is None:
            continue
        if end is not None and not code[end : match.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + match["string"])
        else:
            found.append((match.start(), match["string"]))
        end = match.end()
    return found


def _statements(root):
    """Each statement with literals, as (path, line, literals, whether it chooses between them)."""
    for path in inspection.cpp_files(root, *FOLDERS):
        text = inspection.read(path)
        code = inspection.without_comments(text)
        for match in _STATEMENT.finditer(code):
            found = _literals_of(text, code, *match.span())
            if found and not _NO_MESSAGE.search(match[0]) and path.relative_to(root).as_posix() not in NO_PART:
                literals = [literal for _, literal in found]
                if _ASSERTION.search(match[0]) and not re.search("leat|parlay", "".join(literals)):
                    continue
                yield path, text.count("\n", 0, found[0][0]) + 1, literals, "?" in match[0]
    for path in [root / "CMakeLists.txt", *sorted((root / "cmake").glob("leat*"))]:
        text = inspection.read(path) if path.is_file() else ""
        for match in _CMAKE.finditer(text):
            yield path, text.count("\n", 0, match.start()) + 1, [match[1]], False


def _page(root, name):
    return inspection.read(root / name) if (root / name).is_file() else ""


def check(root):
    page, options = _page(root, MESSAGES), _page(root, OPTIONS)
    cells = [cell for table in _TABLE.findall(page) for cell in _FIRST_CELL.findall(table)]
    messages = [code for cell in cells for code in _CODE.findall(cell)]
    known = set()
    for path, line, literals, chooses in _statements(root):
        pieces = _pieces(literals)
        known.update(piece for piece in pieces if " " in piece)
        prose = list(filter(_is_prose, pieces))
        for wanted in [[piece] for piece in prose] if chooses else [pieces] if prose else []:
            in_order = re.compile(".*?".join(map(re.escape, wanted)))
            if not any(map(in_order.search, messages)):
                yield f"{inspection.at(root, path, line)}: not on {MESSAGES}: {' ... '.join(wanted)}"
        for literal in filter(_VARIABLE.fullmatch, literals):
            if f"`{literal}`" not in options:
                yield f"{inspection.at(root, path, line)}: not on {OPTIONS}: {literal}"
    longest_first = sorted(known, key=len, reverse=True)
    for message in messages:
        rest = message
        for piece in longest_first:
            rest = rest.replace(piece, "...")
        for part in filter(_is_prose, _VARIES.split(rest)):
            line = page.count("\n", 0, page.find(message)) + 1
            yield f"{MESSAGES}:{line}: not in the sources: {part.strip()}"


def _planted(code, *messages, options="", path="src/leat/a.cpp"):
    table = "".join(f"| {message} | why | what |\n" for message in ("message", "---", *messages))
    return {path: code, MESSAGES: f"# A\n\n{table}\n| else |\n| --- |\n| `no message` | |\n", OPTIONS: options}


_WHOLE = 'throw e("leat: a stack of " + text(n) + " bytes: " + why);\n'
_CHOICE = 'return e(n == 1 ? "leat: one wait" : "leat: several waits");\n'

PLANTS = [
    ("fine", _planted(_WHOLE, "`leat: a stack of N bytes: TEXT`"), 0, ""),
    ("missing", _planted("\n" + _WHOLE), 1, "src/leat/a.cpp:2: not on docs/guide/troubleshooting.md: leat: a stack of ... bytes:"),
    ("in another order", _planted(_WHOLE, "`N bytes: leat: a stack of`"), 1, "a.cpp:1: not on"),
    ("in two rows", _planted(_WHOLE, "`leat: a stack of N`", "`leat: N bytes: TEXT`"), 1, "a.cpp:1: not on"),
    ("in no table of messages", _planted('f("no message");\n'), 1, "no message"),
    ("in a header", _planted('f("It is so.");\n', path="include/leat/a.hpp"), 1, "include/leat/a.hpp:1"),
    ("in an adapter", _planted('#error "It is so."\n', path="adapters/a/a.hpp"), 1, "adapters/a/a.hpp:1"),
    ("literals beside each other", _planted('f("It is " // "Why."\n  "so.");\n', "`It is so.`"), 0, ""),
    ("a choice", _planted(_CHOICE, "`leat: one wait`, `leat: several waits`"), 0, ""),
    ("half of a choice", _planted(_CHOICE, "`leat: one wait`"), 1, "leat: several waits"),
    ("a format", _planted(r'print("rank %u is so, %s\n", name);' + "\n", "`rank N is so, NAME`"), 0, ""),
    ("an assertion of leat's own", _planted('static_assert(a, "It is so.");\nassert(b && "It is so.");\n'), 0, ""),
    ("an assertion for programs", _planted('static_assert(a, "leat::f: It is so.");\n'), 1, "leat::f: It is so."),
    ("names, comments, assembly", _planted('f("a"); // "It is so."\n#include "a b.hpp"\nasm("push ax, bx");\n'), 0, ""),
    ("of a test's platform", _planted('f("It is so.");\n', path=NO_PART[0]), 0, ""),
    ("of CMake", _planted('set(a "leat needs ${b} \\\nnow" "It is so.")\n', path="CMakeLists.txt"), 1, "CMakeLists.txt:1"),
    ("of a package", _planted('set(a "leat needs @b@ now")\n', "`leat needs NAME now`", path="cmake/leat.in"), 0, ""),
    ("no longer there", _planted("", "`leat: it was so`"), 1, "troubleshooting.md:5: not in the sources: leat: it was so"),
    ("partly there", _planted(_WHOLE, "`leat: a stack of N bytes: TEXT, it was so`"), 1, "not in the sources: , it was so"),
    ("a variable", _planted('get("LEAT_A_B");\n', options="| `LEAT_A_B` | number |\n"), 0, ""),
    ("no variable", _planted('get("LEAT_A_B");\nf("LEAT_IN_A", "LEAT_C.");\n', options="LEAT_A\n"), 2, "LEAT_A_B"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
