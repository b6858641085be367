# The site of leat: README.md is its first page, docs/ the rest, docs/api/ the reference from the docstrings. `./dev docs` builds it.
from pathlib import Path

from pygments.lexers.special import TextLexer

root = Path(__file__).resolve().parents[2]  # the tree; Sphinx's source directory

project = "leat"
author = "the leat authors"
copyright = author
extensions = ["myst_parser", "breathe"]

root_doc = "README"
exclude_patterns = ["docs/site"]
include_patterns = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**.md"]
source_suffix = {".md": "markdown"}

myst_heading_anchors = 4  # as on the forges that show the pages
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"leat": str(root / "build/docs/doxygen/xml")}
breathe_default_project = "leat"
breathe_default_members = ("members",)
breathe_show_include = False
primary_domain = "cpp"
highlight_language = "text"

html_theme = "furo"
html_title = "leat"
html_additional_pages = {"index": "to_readme.html"}
templates_path = [str(root / "docs/site/_templates")]
html_copy_source = False
html_show_copyright = False

navigation = Path(__file__).with_name("navigation.md").read_text()


def add_navigation(app, name, text):
    """README.md has no table of contents of the site, which only Sphinx would understand."""
    if name == root_doc:
        text[0] += "\n" + navigation


def setup(app):
    app.add_lexer("mermaid", TextLexer)  # the forges draw these; here the text stands
    app.connect("source-read", add_navigation)
