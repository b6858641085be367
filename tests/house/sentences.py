"""No sentence of the guide, of the pages on the inside, or of README, CONTRIBUTING and ARCHITECTURE has more than 40 words: a reader takes in a sentence at once.

A cell of a table, an item of a list and a heading end a sentence. Code is no prose; `code` in a sentence is one word.
"""

import re

from inspection import at, main, read

WORDS_MAX = 40
PAGES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs/guide/**/*.md", "docs/internals/*.md")

_NO_PROSE = re.compile(r"^([ ]*)(```|~~~).*?^\1\2[^\n]*$|<!--.*?-->|^    [^\n]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)
# The end of a sentence, and what begins another one: an empty line, a cell, an item, a heading.
_END = re.compile(r"[.!?](?=[)*\"_]*\s)|\n[ ]*\n|\||\n[ ]*(?:[-*+]|\d+\.)[ ]|\n#+ ")
_WORD = re.compile(r"[\w'’.,%/=+-]*\w[\w'’%/=+-]*")


def sentences(text):
    """(line, words) of each sentence."""
    text = _NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    text = _LINK.sub(lambda found: found[1] + "\n" * found[0].count("\n", len(found[1])), text)
    text = _CODE.sub(lambda found: "code" + "\n" * found[0].count("\n"), text)
    begin = 0
    for end in [found.end() for found in _END.finditer(text)] + [len(text)]:
        words = _WORD.findall(text[begin:end])
        if words:
            line = text.count("\n", 0, text.index(words[0], begin)) + 1
            yield line, words
        begin = end


def check(root):
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            for line, words in sentences(read(path)):
                if len(words) > WORDS_MAX:
                    start = " ".join(words[:6])
                    yield f"{at(root, path, line)}: a sentence of {len(words)} words, at most {WORDS_MAX}: {start} ..."


FORTY = " ".join(["word"] * 40)
PLANTS = [
    ("forty", {"docs/guide/a.md": f"# A\n\n{FORTY}.\n"}, 0, ""),
    ("forty-one", {"docs/guide/a.md": f"# A\n\n{FORTY} more.\n"}, 1, "a.md:3: a sentence of 41"),
    ("below", {"docs/guide/moving/a.md": f"{FORTY}\nmore.\n"}, 1, "a sentence of 41"),
    ("code", {"README.md": f"{FORTY[:-5]} `a b c`.\n\n```cpp\n{FORTY} {FORTY}\n```\n"}, 0, ""),
    ("cells", {"README.md": f"| {FORTY} | {FORTY} |\n| --- | --- |\n"}, 0, ""),
    ("items", {"README.md": f"- {FORTY}\n- {FORTY}\n"}, 0, ""),
    ("link", {"README.md": f"[{FORTY}](a.md) more\n"}, 1, "41"),
    ("inside", {"docs/internals/a.md": f"{FORTY} more.\n"}, 1, "a sentence of 41"),
    ("elsewhere", {"docs/measurements/a.md": f"{FORTY} more.\n"}, 0, ""),
]

if __name__ == "__main__":
    main(check, PLANTS)
