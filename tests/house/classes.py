"""No class of leat has more than 25 fields or 40 member functions: a larger one has parts with a state of their own.

A field is a member of an object, of its own and not of a base; a bit-field is one, a static member is none. Each overload and
constructor is a function, even if defaulted, but not if deleted. Friends and nested types are neither; nested and local
classes are counted by themselves. Where the preprocessor chooses, the first choice is counted.
"""

import re

import inspection

FIELDS_MAX = 25
FUNCTIONS_MAX = 40
FOLDER = "src/leat"
# How many functions each of these may have: the world has all that a platform has, and all that keeps it going.
LARGER = {("src/leat/platform/simulation/simulation.hpp", "simulation"): 49}

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_TOKEN = re.compile(r"\w+|::|->\*?|<=>|<<=?|[<>=!+\-*/%&|^]=|&&|\|\||\+\+|--|\.\.\.|\S")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_CLASS = ("class", "struct", "union")
_NO_MEMBER = ("using", "typedef", "friend", "static_assert", "enum", *_CLASS)
_TAKES_PARENTHESES = ("alignas", "decltype", "explicit", "noexcept")


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _first_choices(text):
    """The text with directives blanked, and with all choices of the preprocessor but the first."""
    kept, end, other_choices = [], 0, []
    for match in _DIRECTIVE.finditer(text):
        between = text[end : match.start()]
        kept += [_blank(between) if any(other_choices) else between, _blank(match[0])]
        end = match.end()
        if match[1] in ("if", "ifdef", "ifndef"):
            other_choices.append(False)
        elif match[1] in ("elif", "else") and other_choices:
            other_choices[-1] = True
        elif match[1] == "endif" and other_choices:
            other_choices.pop()
    return "".join([*kept, text[end:]])


class _code:
    """Tokens; where each of them stands in the text; and for each bracket that opens, which one closes it."""

    def __init__(self, text):
        found = list(_TOKEN.finditer(text))
        self.tokens = [match[0] for match in found]
        self.places = [match.start() for match in found]
        self.closing = {}
        open_ones = []
        for i, token in enumerate(self.tokens):
            if token in _CLOSED_BY:
                open_ones.append(i)
            elif open_ones and token == _CLOSED_BY[self.tokens[open_ones[-1]]]:
                self.closing[open_ones.pop()] = i

    def angle_end(self, i):
        """The > that closes the < at i, or None if that one compares."""
        depth, at = 0, i
        while at < len(self.tokens):
            token = self.tokens[at]
            if token == "<":
                depth += 1
            elif token == ">":
                depth -= 1
                if depth == 0:
                    return at
            elif token in ";)]}":
                return None
            at = self.closing.get(at, at) + 1
        return None

    def after_group(self, i):
        """Behind the brackets that open at i, of any kind; behind i if none open there."""
        if self.tokens[i] == "<":
            return (self.angle_end(i) or i) + 1
        return self.closing.get(i, i) + 1

    def after_requirements(self, i):
        """Behind the clause whose first operand comes after the token at i."""
        at = i + 1
        while self.tokens[at] == "!":
            at += 1
        if self.tokens[at] == "requires":  # an expression: a body, maybe after parameters
            at = self.after_group(at + 1) if self.tokens[at + 1] == "(" else at + 1
            at = self.after_group(at)
        else:
            at = self.after_group(at)
            while self.tokens[at] in ("::", "<"):
                at = at + 2 if self.tokens[at] == "::" else self.after_group(at)
        return self.after_requirements(at) if self.tokens[at] in ("&&", "||") else at

    def head(self, i):
        """The name of the class that is defined at i, and the index of the brace that opens it; or None."""
        name = "(unnamed)"
        at = i + 1
        in_bases = False
        while at < len(self.tokens):
            token = self.tokens[at]
            if token == "{":
                return name, at
            if token == ":":
                in_bases = True
            elif not in_bases and re.match(r"[A-Za-z_]", token):
                name = name if token in ("final", "alignas") else token
            elif not in_bases and token not in ("::", "[", "<", "(") or token in (";", ")", "}"):
                return None
            if token == "(" and self.tokens[at - 1] != "alignas" and not in_bases:
                return None
            at = self.after_group(at)
        return None

    def classes(self):
        """Each class that is defined anywhere: its name, and the indices of the word and of its braces."""
        for i, token in enumerate(self.tokens):
            if token in _CLASS and self.tokens[max(i - 1, 0)] != "enum":
                found = self.head(i)
                if found and found[1] in self.closing:
                    yield found[0], i, found[1], self.closing[found[1]]

    def members(self, first, last):
        """The declarations between two braces. Each is a list of pairs: a token, and what is inside where it opens brackets."""
        declaration, at = [], first + 1
        while at < last:
            token = self.tokens[at]
            if token == ";" or (token == ":" and declaration and declaration[-1][0] in ("public", "protected", "private")):
                yield declaration if token == ";" else []
                declaration, at = [], at + 1
            elif token == "requires":
                at = self.after_requirements(at)
            elif token == "operator":
                end = at + 1
                while self.tokens[end] != "(":
                    end += 1
                if end == at + 1:  # operator()
                    end = self.closing[end] + 1
                declaration.append(("operator", []))
                at = end
            else:
                end = self.after_group(at)
                ends = token == "{" and _is_body(declaration)
                declaration.append((token, self.tokens[at + 1 : end - 1]))
                at = end
                if ends:
                    yield declaration
                    declaration = []
        yield declaration


def _words(declaration):
    return [token for token, _ in declaration]


def _is_body(declaration):
    """Whether the brace behind these tokens opens the body of a function."""
    words = _words(declaration)
    parameters = _parameters(declaration)
    # Behind a colon, what is constructed from {} has its name before the brace.
    return parameters is not None and (":" not in words[parameters:] or words[-1] in ("(", "{", "..."))


def _parameters(declaration):
    """The index of a function's parameters, or None for a declaration of something else."""
    for i, (token, inside) in enumerate(declaration):
        if token in ("=", "{", ":"):
            return None
        if token == "(" and declaration[max(i - 1, 0)][0] not in _TAKES_PARENTHESES:
            points = inside[:1] == ["*"] or inside[1:3] == ["::", "*"]  # a pointer to a function, or to a member
            return None if points else i
    return None


def _without_prefix(declaration):
    """The declaration without what may stand before its first word: a template's head, and attributes."""
    at = 0
    while at < len(declaration):
        token = declaration[at][0]
        if token == "[":
            at += 1
        elif token in ("template", "alignas"):
            at += 2
        else:
            break
    return declaration[at:]


def _count(declaration):
    """How many fields and how many functions a declaration declares."""
    declaration = _without_prefix(declaration)
    words = _words(declaration)
    if not words:
        return 0, 0
    if words[0] in _CLASS and "{" in words:  # a class with its objects, or an unnamed union, which is one
        return (1 + words.count(",") if words[-1] != "{" else int(words[1] == "{")), 0
    if words[0] in _NO_MEMBER:
        return 0, 0
    if _parameters(declaration) is not None:
        return 0, int(words[-2:] != ["=", "delete"])
    return (0, 0) if "static" in words else (1 + words.count(","), 0)


def counted(text):
    """Each class of a text: its name, where it begins, its fields, its functions."""
    code = _code(_first_choices(inspection.without_comments(text)))
    for name, start, first, last in code.classes():
        counts = [_count(declaration) for declaration in code.members(first, last)]
        yield name, text.count("\n", 0, code.places[start]) + 1, sum(c[0] for c in counts), sum(c[1] for c in counts)


def check(root):
    for path in inspection.cpp_files(root, FOLDER):
        for name, line, fields, functions in counted(inspection.read(path)):
            place = inspection.at(root, path, line)
            known = LARGER.get((path.relative_to(root).as_posix(), name))
            functions_max = known or FUNCTIONS_MAX
            if fields > FIELDS_MAX:
                yield f"{place}: {name} has {fields} fields, {FIELDS_MAX} at most"
            if functions > functions_max:
                yield f"{place}: {name} has {functions} functions, {functions_max} at most"
            if known and functions <= FUNCTIONS_MAX:
                yield f"{place}: {name} has {functions} functions, and so is none of the larger classes"


def _class(members, name="a"):
    return {"src/leat/task/a.hpp": f"#pragma once\nclass {name} {{\n{members}}};\n"}


def _counts(members, fields, functions):
    """A plant of these members and as many as are missing to one of each too many, so that exact counts are judged."""
    members += "".join(f"  int more{i};\n" for i in range(FIELDS_MAX + 1 - fields))
    members += "".join(f"  void more(x{i});\n" for i in range(FUNCTIONS_MAX + 1 - functions))
    return _class(members)


def _exactly(name, members, fields, functions):
    """Two plants: one with as many as may be, and one with one more of each."""
    yield name, _counts(members, fields + 1, functions + 1), 0, ""
    yield f"{name}, one more", _counts(members, fields, functions), 2, f"a.hpp:2: a has {FIELDS_MAX + 1} fields"


_FIELDS = """
  int a = 1, b{2}, c[3];
  const std::array<std::pair<int, long>, (4 > 3)> d{{1, 2}, {3, 4}};
  void (*e)(void*, bool) = nullptr;
  std::function<void(int)> f = [](int x) { return g(x); };
  [[no_unique_address]] alignas(64) typename P::template atomic<bool> h{false};
  unsigned i : 3 = 1;
  decltype(f()) k;
"""
_FUNCTIONS = """
 public:
  a() = default;
  explicit a(int x) noexcept(sizeof(x) > 4) : b_{x}, c_(f(x)), d_<int>{} { if (x) g(); }
  template <class... T>
  a(T... t) : T(t)... {}
  a(const a&) = delete;
  ~a() { h(); }
  [[nodiscard]] auto g() const -> std::vector<int> { return {}; }
  operator bool() const { return true; }
  bool operator<(const a& o) const { return x < o.x; }
  a& operator=(int x);
  void operator()(int) &&;
  template <class F, class = std::enable_if_t<(sizeof(F) > 1)>>
    requires requires(F f) { f(); } && (sizeof(F) < 9)
  void call(F f) { f(); }
  void call(int) requires(N > 1) { f(); }
  virtual std::pair<int, int> of(int x = f(1), int y = {}) = 0;
"""
_NEITHER = """
  using b = int;
  typedef int c;
  friend class d;
  friend bool operator==(const a&, const a&) { return true; }
  template <class T>
  friend struct e;
  enum class f : int { x, y };
  enum { z };
  static_assert(sizeof(int) < 8, "x");
  static constexpr int g = 1, h = 2;
  static inline std::vector<int> i{1, 2};
  struct k;
  struct l { int a, b; void c(); };
  template <class T>
  class m final : public n<T> { int a; void b() { struct o { int x; }; } };
  // int p;
"""
_CHOICE = "#if A\n  int a;\n#elif B\n  int a;\n#else\n  int a;\n#ifdef C\n  int c;\n#endif\n#endif\n#define D int e;\n"
_MANY = "".join(f"  int f{i};\n" for i in range(FIELDS_MAX + 1))
(_FILE, _LARGE), _LARGE_MAX = next(iter(LARGER.items()))


def _large(functions):
    return {_FILE: f"class {_LARGE} {{\n" + "".join(f"  void f{i}();\n" for i in range(functions)) + "};\n"}


PLANTS = [
    *_exactly("no more than that", "", 0, 0),
    *_exactly("fields", _FIELDS, 9, 0),
    *_exactly("functions", _FUNCTIONS, 0, 12),
    *_exactly("neither", _NEITHER, 0, 0),
    *_exactly("choices", _CHOICE, 1, 0),
    *_exactly("objects of nested classes", "  struct { int x; } b, c;\n  union { int d; float e; };\n", 3, 0),
    ("nested", _class("  struct b {\n" + _MANY + "  };\n"), 1, "a.hpp:3: b has 26 fields"),
    ("local", {"src/leat/task/a.cpp": "void f() {\n  struct b : c<1> {\n" + _MANY + "  };\n}\n"}, 1, "a.cpp:2: b has 26 fields"),
    ("a template", {"src/leat/task/a.hpp": "template <class T>\nstruct alignas(8) b<T*> final {\n" + _MANY + "};\n"}, 1, "a.hpp:2: b has 26"),
    ("elsewhere", {"cli/a.hpp": "struct a {\n" + _MANY + "};\n"}, 0, ""),
    ("an enumeration", {"src/leat/task/a.hpp": "enum class a { " + ", ".join(f"b{i}" for i in range(99)) + " };\n"}, 0, ""),
    ("a larger class", _large(_LARGE_MAX), 0, ""),
    ("a larger class that grows", _large(_LARGE_MAX + 1), 1, f"{_LARGE_MAX + 1} functions, {_LARGE_MAX} at most"),
    ("a larger class that is not", _large(FUNCTIONS_MAX), 1, "none of the larger"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
