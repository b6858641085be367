# A part of ./dev: builds the site of the pages. It uses the functions of ./dev.

# As in ./dev: Debian package | how to see it | what for
needs_of_docs="\
doxygen|doxygen|to read the docstrings
python3-venv|python3-venv|for Sphinx and its extensions, from PyPI"

# Sphinx and its extensions in an environment of their own, made anew when their versions change.
sphinx() {
  local venv=build/docs/python
  if ! cmp -s docs/site/requirements.txt "$venv/requirements.txt"; then
    rm -rf -- "$venv"
    quietly build/logs/docs-venv.log python3 -m venv "$venv" || fail "could not make $venv"
    quietly build/logs/docs-pip.log "$venv/bin/pip" install --quiet --requirement docs/site/requirements.txt ||
      fail "could not install what docs/site/requirements.txt names"
    cp docs/site/requirements.txt "$venv/requirements.txt"
  fi
  "$venv/bin/sphinx-build" "$@"
}

run_docs() {
  (($# == 0)) || fail "docs takes nothing"
  need "$needs_of_docs"
  mkdir -p build/docs
  doxygen docs/site/Doxyfile || fail "Doxygen found errors in docstrings"
  sphinx -q -E -W --keep-going -b html -j auto -c docs/site . build/docs/site || fail "the pages have errors"
  local page
  for page in build/docs/site/docs/api/*.html; do
    grep -q 'class="sig ' "$page" || fail "$page has no declaration"
  done
  say "build/docs/site/index.html"
}
