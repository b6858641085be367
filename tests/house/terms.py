"""A page of the guide uses a term of the house only after it has said what it means.

The first use of a term in a page's prose stands in emphasis, as a definition does (`*thief*`), or is the text of a link that
leads to its meaning (docs/guide/words.md has all). README.md, too. Headings and code do not count.
"""

import re

from inspection import at, main, read

PAGES = ("README.md", "docs/guide/**/*.md")
# Each with the forms that it may have. Words that a programmer knows, such as task, worker and deque, are no terms of the house.
TERMS = {
    "thief": r"thie(?:f|ves)",
    "victim": r"victims?",
    "compensating worker": r"compensating (?:worker|thread)s?|spares?",
    "leapfrogging": r"leapfrog\w*",
    "exposure": r"expos(?:e|es|ed|ing|ures?)",
    "public part": r"public parts?",
    "private part": r"private parts?",
    "descendant": r"descendants?",
    "manager": r"managers?",
    "watchdog": r"watchdogs?",
    "carrier": r"carriers?",
    "burst": r"bursts?",
    "regeneration": r"regenerat\w+",
    "bubble": r"bubbles?",
    "green thread": r"green threads?|user-level threads?",
    "domain": r"domains?",
    "rank": r"ranks?",
    "arena": r"arenas?",
    "steal request": r"steal requests?",
    "tombstone": r"tombstones?",
}

_NO_PROSE = re.compile(
    r"^([ ]*)(```|~~~).*?^\1\2[^\n]*$|<!--.*?-->|^    [^\n]*$|^#+ [^\n]*$|(`+)[^`].*?\3", re.MULTILINE | re.DOTALL
)
_TARGET = re.compile(r"\]\([^)]*\)")


def _blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def _defines(text, begin, end):
    """Whether the words from begin to end are in emphasis, or in the text of a link."""
    before, after = text[text.rfind("\n\n", 0, begin) + 1 : begin], text[end:]
    emphasis = re.search(r"(?:^|[^*\w])(\*{1,2}|_)[^*_|\n]*$", before) and re.match(r"[^*|]*?(\*|_)", after)
    link = before.count("[") > before.count("]") and "]" in after
    return bool(emphasis) or link


def check(root):
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            text = _NO_PROSE.sub(_blank, read(path))
            text = _TARGET.sub(lambda found: "]" + " " * (len(found[0]) - 1), text)
            for term, forms in TERMS.items():
                uses = re.finditer(rf"\b(?:{forms})\b", text, re.IGNORECASE)
                found = next((use for use in uses if not use[0].isupper()), None)  # in capitals it is the name of a rule
                if found and not _defines(text, found.start(), found.end()):
                    line = text.count("\n", 0, found.start()) + 1
                    yield f"{at(root, path, line)}: '{found[0]}' before its definition: write *{term}* and its meaning, or a link"


PLANTS = [
    ("defined", {"docs/guide/a.md": "A *thief* is a worker without tasks. The thief asks.\n"}, 0, ""),
    ("not defined", {"docs/guide/a.md": "\nThe thief asks.\n"}, 1, "a.md:2: 'thief'"),
    ("defined later", {"docs/guide/a.md": "Thieves ask. A *thief* is a worker.\n"}, 1, "'Thieves'"),
    ("linked", {"docs/guide/a.md": "[thieves](b.md#thief) ask; then thieves wait.\n"}, 0, ""),
    ("a target is no text", {"docs/guide/a.md": "[b](thief) The thief asks.\n"}, 1, "'thief'"),
    ("code", {"docs/guide/a.md": "`thief`\n\n```cpp\nthief t;\n```\n"}, 0, ""),
    ("heading", {"docs/guide/a.md": "# The thief\n"}, 0, ""),
    ("more words", {"docs/guide/a.md": "The *first thief of all* asks. A thief waits.\n"}, 0, ""),
    ("a rule", {"docs/guide/a.md": "See LEAPFROG-2.\n"}, 0, ""),
    ("README", {"README.md": "A bubble.\n"}, 1, "README.md:1"),
    ("elsewhere", {"docs/internals/a.md": "A bubble.\n"}, 0, ""),
]

if __name__ == "__main__":
    main(check, PLANTS)
