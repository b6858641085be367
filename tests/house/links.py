"""Each link of a page to a file of the tree leads to one."""

import re

import inspection

_CODE = re.compile(r"^([ ]*)```.*?^\1```[^\n]*$", re.MULTILINE | re.DOTALL)  # a lambda looks like a link
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def _pages(root):
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))


def check(root):
    for path in _pages(root):
        text = _CODE.sub(lambda found: "\n" * found[0].count("\n"), inspection.read(path))
        for match in _LINK.finditer(text):
            target = match.group(1)
            if re.match(r"[a-z]+:", target) or (path.parent / target).exists():
                continue
            line = text.count("\n", 0, match.start()) + 1
            yield f"{inspection.at(root, path, line)}: a link to {target}, which is not there"


PLANTS = [
    ("a page beside", {"docs/a.md": "[b](b.md)", "docs/b.md": "B"}, 0, ""),
    ("a folder above", {"docs/guide/a.md": "[b](../../b.md#c)", "b.md": "B"}, 0, ""),
    ("a place in the page", {"docs/a.md": "[b](#b)"}, 0, ""),
    ("elsewhere", {"docs/a.md": "[b](https://example.org/b.md)"}, 0, ""),
    ("a lambda", {"docs/a.md": "```cpp\n[&](int) { f(); };\n```\n[b](b.md)"}, 1, "docs/a.md:4: a link to b.md"),
    ("nowhere", {"docs/a.md": "\n[b](b.md#c)"}, 1, "docs/a.md:2: a link to b.md"),
    ("from the root", {"a.md": "[b](docs/b.md)"}, 1, "a.md:1"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
