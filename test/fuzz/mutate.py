# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of C++ sources: the mutant of a seed, with one to three random changes of its tokens.

Sources are read as tokens, with brackets paired. A change need not leave C++ that compiles, so nothing here knows types.
"""
from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

TOKEN = re.compile(r"""
  (?P<skip> //[^\n]* | /\*.*?\*/ | (?m:^)[ \t]*\#(?:\\\n|[^\n])* | \s+ )
| (?P<text> (?:u8|u|U|L)?R"(?P<raw>[^(]*)\(.*?\)(?P=raw)" | "(?:\\.|[^"\\\n])*" )
| (?P<number> '(?:\\.|[^'\\\n])' | \.?[0-9](?:[eEpP][+-]|'(?=[0-9a-fA-F])|[\w.])* )
| (?P<name> [A-Za-z_]\w* )
| (?P<sign> \.\.\. | <=> | <<= | ->\* | :: | -> | \+\+ | -- | << | && | \|\| | [-+*/%&|^<>=!]= | . )
""", re.VERBOSE | re.DOTALL)

ARITHMETIC = ["int", "unsigned", "float", "short", "long", "bool", "char", "double", "unsigned char", "std::int64_t"]
OPERATORS = [["+", "-", "*", "/", "%", "&", "|", "^", ","], ["==", "!=", "<", ">", "<=", ">="], ["&&", "||", "&", "|"],
             ["=", "+=", "-=", "*=", "/=", "|=", "^="], ["++", "--"]]
INTEGERS = ["0", "1", "-1", "3u", "5L", "7ull", "2147483647", "0x80000000", "'a'", "true", "1.5f", "(2)"]
FLOATS = ["0.f", "-0.0", "1e30", "0.1f", "1e-320", "3", "-1.L"]
CALLS = {"pmap", "peach", "pnew", "pcombine", "preduce", "pfilter", "pscan", "psort", "pstencil", "pupdate", "pgroup_by"}
KEYWORDS = set("""alignas alignof auto bool break case catch char class const constexpr consteval continue decltype default delete do
double else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator
override private protected public requires return short signed sizeof static static_assert struct switch template this throw true
try typedef typename union unsigned using virtual void volatile while concept static_cast const_cast reinterpret_cast""".split())
BLOCKS = {"if", "for", "while", "do", "switch", "else"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}

# Names of emitted code: a struct's members, its parameters and locals, what is in a file's namespace.
EMITTED = ["body", "code", "here", "tick", "ticks", "first_tick", "diverges", "repeats", "reads_members_once", "adds", "lanes", "lane",
           "results", "side_by_side", "is_in_tiles", "compute_lanes", "element", "element_0", "self", "w", "s", "call", "node_0", "columns_view",
           "checked_columns_view", "reporting_columns_view", "layout", "unit", "checks", "turn", "given_0", "id", "place", "of", "first", "end"]

HELPERS = {
    "mutant_same": "template <class F> F mutant_same(F f) { return f; }",
    "mutant_call": "template <class F> struct mutant_call {\n  F f;\n  template <class... T> decltype(auto) operator()(T... x) const { return f(x...); }\n"
                   "};\ntemplate <class F> mutant_call(F) -> mutant_call<F>;",
    "mutant_curry": "template <class F> auto mutant_curry(F f) {\n  return [f](auto... x) { return f(x...); };\n}",
}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Source:
    """A text, its tokens, which brackets belong together, and its statements."""
    text: str
    tokens: list[Token] = field(default_factory=list)
    pair: dict[int, int] = field(default_factory=dict)
    statements: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens = [Token(m.lastgroup if m.lastgroup != "raw" else "text", m[0], m.start(), m.end())
                       for m in TOKEN.finditer(self.text) if not m["skip"]]
        stack: list[int] = []
        begins: list[int] = []
        for i, t in enumerate(self.tokens):
            if t.text in OPENING:
                stack.append(i)
                begins.append(i + 1)
            elif t.text in CLOSING and stack:
                opened = stack.pop()
                begins.pop()
                self.pair[opened], self.pair[i] = i, opened
                if t.text == "}" and begins and self.at(i + 1) not in ("else", ";", ",", ")", ".", "(", "}", "->") and self.in_block(stack):
                    self.statement(begins, i)
            elif t.text == ";" and begins and self.in_block(stack):
                self.statement(begins, i)

    def in_block(self, stack: list[int]) -> bool:
        return bool(stack) and self.tokens[stack[-1]].text == "{"

    def statement(self, begins: list[int], last: int) -> None:
        if self.at(begins[-1]) not in ("else", "case", "default", "public", "private", "protected"):
            self.statements.append((begins[-1], last))
        begins[-1] = last + 1

    def at(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def span(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def line(self, i: int) -> int:
        return self.text.count("\n", 0, self.tokens[i].start) + 1

    def lambda_at(self, i: int) -> tuple[int, int, int] | None:
        """The parameters' and the body's brackets, and the end, of a lambda that begins at token i."""
        if self.at(i) != "[" or i not in self.pair:
            return None
        opened = self.pair[i] + 1
        if self.at(opened) != "(" or opened not in self.pair:
            return None
        body = self.pair[opened] + 1
        while body < len(self.tokens) and self.at(body) not in ("{", ";", ",", ")", "("):
            body += 1
        return (opened, body, self.pair[body]) if self.at(body) == "{" and body in self.pair else None


# An edit is (first token, last token, new text); the tokens from first to last are replaced.
Edit = tuple[int, int, str]


def swap_statements(s: Source, dice: Random) -> list[Edit]:
    first = dice.randrange(len(s.statements))
    near = [x for x in s.statements if x[0] > s.statements[first][1]][:3]
    one, other = s.statements[first], dice.choice(near)
    return [(*one, s.span(*other)), (*other, s.span(*one))]


def delete_statement(s: Source, dice: Random) -> list[Edit]:
    return [(*dice.choice(s.statements), ";" if dice.random() < 0.3 else "")]


def duplicate_statement(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice(s.statements)
    return [(*one, s.span(*one) + "\n" + s.span(*one))]


def copy_statement(s: Source, dice: Random) -> list[Edit]:
    first = dice.randrange(len(s.statements))
    other = dice.choice(s.statements[max(0, first - 6):first + 7])
    return [(*s.statements[first], s.span(*other) + "\n" + s.span(*s.statements[first]))]


def nest_statement(s: Source, dice: Random) -> list[Edit]:
    first, last = dice.choice([x for x in s.statements if s.at(x[1]) == ";" or s.at(x[0]) in BLOCKS])
    form = dice.choice(["{{ {} }}", "if (true) {{ {} }}", "if constexpr (sizeof(int) == 4) {{ {} }}", "do {{ {} }} while (false);",
                        "for (int mutant = 0; mutant < 1; ++mutant) {{ {} }}", "switch (0) {{ default: {} }}", "while (true) {{ {} break; }}",
                        "[&] {{ {} }}();", "[&](auto) {{ {} }}(0);", "[&]<class T>() {{ {} }}.template operator()<int>();",
                        "if (int mutant = 1; mutant) {{ {} }} else {{ {} }}", "for (int mutant : {{1, 2}}) {{ (void)mutant; {} }}",
                        "if (const auto mutant = 2) {} "])
    return [(first, last, form.replace("{{", "\0").replace("}}", "\1").replace("{}", s.span(first, last)).replace("\0", "{").replace("\1", "}"))]


def change_type(s: Source, dice: Random) -> list[Edit]:
    """One, those of a line, or all of a type."""
    found = [i for i, t in enumerate(s.tokens) if t.text in ARITHMETIC and s.at(i - 1) not in ("unsigned", "long")
             and s.at(i + 1) not in ("unsigned", "long", "int") and not (t.text == "int" and s.at(i + 1) in ("main", "argc"))]
    one = dice.choice(found)
    new = dice.choice([t for t in ARITHMETIC if t != s.at(one)])
    reach = dice.random()
    if reach < 0.3:
        found = [one]
    elif reach < 0.7:
        found = [i for i in found if s.line(i) == s.line(one)]
    return [(i, i, new) for i in found if s.at(i) == s.at(one)]


def change_operator(s: Source, dice: Random) -> list[Edit]:
    def is_spaced(i: int) -> bool:
        t = s.tokens[i]
        return s.text[t.start - 1].isspace() == s.text[t.end:t.end + 1].isspace() and (t.text not in "<>&*" or s.text[t.start - 1] == " ")
    group = dice.choice(OPERATORS)
    one = dice.choice([i for i, t in enumerate(s.tokens) if t.kind == "sign" and t.text in group and s.at(i - 1) != "operator" and
                       (t.text != "," or dice.random() < 0.1) and (is_spaced(i) or t.text in ("++", "--"))])
    return [(one, one, dice.choice([x for x in group if x != s.at(one)]))]


def negate(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice(operands(s))
    return [(*one, dice.choice(["-{}", "!{}", "~{}", "+{}", "(-{})", "!!{}", "sizeof {}", "{}++", "--{}"]).format(s.span(*one)))]


def change_const(s: Source, dice: Random) -> list[Edit]:
    consts = [i for i, t in enumerate(s.tokens) if t.text in ("const", "constexpr", "mutable", "static", "inline", "virtual", "override", "final",
                                                              "noexcept", "explicit")]
    if consts and dice.random() < 0.5:
        one = dice.choice(consts)
        return [(one, one, dice.choice(["", "", "const", "constexpr", "static"]) if s.at(one) in ("const", "constexpr", "static") else "")]
    if dice.random() < 0.3:
        opened = [x for i in range(len(s.tokens)) if (x := s.lambda_at(i))]
        one = dice.choice(opened)[1]
        return [(one, one, dice.choice(["mutable {", "noexcept {", "constexpr {"]))]
    types = [i for i, t in enumerate(s.tokens) if t.text in ARITHMETIC + ["auto"] and s.at(i - 1) in ("(", ",", ";", "{", "}")]
    one = dice.choice(types)
    return [(one, one, dice.choice(["const ", "const ", "static ", "constexpr ", "volatile ", "static const ", "static constexpr "]) + s.at(one))]


def change_literal(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice([i for i, t in enumerate(s.tokens) if t.kind == "number"])
    return [(one, one, dice.choice(FLOATS if re.search(r"\.|\df$", s.at(one)) and dice.random() < 0.8 else INTEGERS))]


def bodies(s: Source) -> list[tuple[int, int]]:
    """Lambdas that are arguments of operations; all lambdas where there are none."""
    every = [(i, x[2]) for i in range(len(s.tokens)) if (x := s.lambda_at(i))]
    return [x for x in every if s.at(x[0] - 1) in ("(", ",") and (s.at(x[0] - 2) in CALLS or s.at(x[0] - 1) == ",")] or every


def wrap_body(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice(bodies(s))
    form = dice.choice(["mutant_same({})", "mutant_call{{{}}}", "mutant_curry({})", "mutant_curry(mutant_same({}))", "mutant_call{{mutant_call{{{}}}}}",
                        "[mutant = {}](auto... x) {{ return mutant(x...); }}", "[](auto... x) {{ return {}(x...); }}",
                        "[](auto&&... x) {{ return ({})(x...); }}", "[=](auto... x) -> decltype(auto) {{ return ({})(x...); }}",
                        "[&] {{ return {}; }}()", "[](auto f) {{ return f; }}({})", "[](auto f) {{ return [f](auto... x) {{ return f(x...); }}; }}({})",
                        "(true ? {0} : {0})", "std::move({})", "({})", "+{}"])
    return [(*one, form.format(s.span(*one)))]


def make_generic(s: Source, dice: Random) -> list[Edit]:
    """Types of parameters become placeholders, template parameters or references."""
    opened, body, _ = s.lambda_at(dice.choice(bodies(s))[0])
    close, form, edits = s.pair[opened], dice.choice(["auto", "auto&&", "const auto&", "T", "T...", "const T&", "auto..."]), []
    for i in range(opened + 1, close):
        if s.tokens[i].kind == "name" and s.at(i + 1) in (",", ")") and s.at(i - 1) not in ("(", ","):
            first = i - 1
            while first > opened and s.at(first) not in (",", "("):
                first -= 1
            edits.append((first + 1, i, f"{form} {s.at(i)}"))
            break
    if not edits:
        raise IndexError
    if "T" in form:
        edits.append((opened - 1, opened - 1, "]" + ("<class... T>" if "..." in form else "<class T>")))
    if s.at(body - 1) == ")" and dice.random() < 0.3:
        edits.append((body, body, dice.choice(["-> decltype(auto) {", "-> int {", "-> float {", "-> auto {", "-> long {"])))
    return edits


def nest_in_template(s: Source, dice: Random) -> list[Edit]:
    """main's body, or that of another function, moves into a template; some types become its parameter."""
    mains = [i for i, t in enumerate(s.tokens) if t.text == "main" and s.at(i - 1) == "int" and s.at(i + 1) == "(" and s.at(i + 2) == ")"]
    name = dice.choice(mains)
    body = name + 3
    end = s.pair[body]
    types = [i for i in range(body, end) if s.at(i) in ("int", "float", "double") and s.at(i + 1) not in ("long", "int")]
    kind = s.at(dice.choice(types)) if types else "int"
    edits = [(i, i, "T") for i in types if s.at(i) == kind and dice.random() < 0.7]
    form = dice.choice(["template", "lambda", "class", "pack"])
    if form == "template":
        return [(name - 1, name + 2, "template <class T> int mutant_main()"), *edits,
                (end, end, f"return 0; }}\nint main() {{ return mutant_main<{kind}>(); }}")]
    if form == "class":
        return [(name - 1, name + 2, "template <class T> struct mutant_class { template <int N> static int run()"), *edits,
                (end, end, f"return N; }}\n}};\nint main() {{ return mutant_class<{kind}>::run<0>(); }}")]
    if form == "pack":
        return [(name - 1, name + 2, "template <class... Ts> int mutant_main() { return ([]<class T>()"), *edits,
                (end, end, f"return 0; }}.template operator()<Ts>() + ...); }}\nint main() {{ return mutant_main<{kind}>(); }}")]
    return [(body, body, "{ return []<class T>(T) -> int {"), *edits, (end, end, f"return 0; }}({kind}()); }}")]


def operands(s: Source) -> list[tuple[int, int]]:
    """Names, literals and calls that stand as operands."""
    found = []
    for i, t in enumerate(s.tokens):
        if t.kind not in ("name", "number") or t.text in KEYWORDS - {"this", "true", "false"}:
            continue
        if s.at(i - 1) not in ("=", "(", ",", "+", "-", "*", "/", "return", "%", "<", ">", "==", "&&", "||", "?", ":", "+=", "-=", "["):
            continue
        last = i
        while s.at(last + 1) in (".", "->", "::") and last + 2 < len(s.tokens):
            last += 2
        while s.at(last + 1) in ("(", "[") and last + 1 in s.pair:
            last = s.pair[last + 1]
            while s.at(last + 1) in (".", "->") and last + 2 < len(s.tokens):
                last += 2
        if s.at(last + 1) in (")", ",", ";", "+", "-", "*", "/", "%", "<", ">", "==", "&&", "||", "?", ":", "]", "}"):
            found.append((i, last))
    return found


def wrap_expression(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice(operands(s))
    form = dice.choice(["std::move({0})", "std::max({0}, {0})", "ikra::max({0}, {0})", "(true ? {0} : {0})", "static_cast<decltype({0})>({0})",
                        "[&] {{ return {0}; }}()", "std::as_const({0})", "std::forward<decltype({0})>({0})", "*&{0}", "({0})", "(0, {0})",
                        "[](auto x) {{ return x; }}({0})", "std::identity()({0})", "mutant_same({0})", "[&]() -> decltype(auto) {{ return ({0}); }}()",
                        "std::get<0>(std::tuple{{{0}}})", "std::array{{{0}, {0}}}[1]", "decltype({0}){{{0}}}", "std::min({{{0}, {0}}})",
                        "[mutant = {0}] {{ return mutant; }}()", "({0} ? {0} : decltype({0})())", "int({0})", "float({0})", "std::clamp({0}, {0}, {0})"])
    return [(*one, form.format(s.span(*one)))]


def change_captures(s: Source, dice: Random) -> list[Edit]:
    one = dice.choice([i for i in range(len(s.tokens)) if s.lambda_at(i)])
    close = s.pair[one]
    inside = s.span(one + 1, close - 1) if close > one + 1 else ""
    if not inside or inside in ("&", "="):
        return [(one, close, dice.choice([x for x in ("[]", "[&]", "[=]", "[=, mutant = 1]") if x != f"[{inside}]"]))]
    parts = [p.strip() for p in inside.split(",")]
    i = dice.randrange(len(parts))
    bare = parts[i].lstrip("&*")
    new = dice.choice(["&" + bare, bare, f"{bare} = {bare}", f"&{bare} = {bare}", f"{bare} = std::move({bare})", "*this" if bare == "this" else "&", "="]
                      if re.fullmatch(r"\w+", bare) else ["&", "=", "&" + bare, bare])
    parts[i] = new
    return [(one, close, f"[{', '.join(parts)}]" if dice.random() < 0.9 else "[]")]


def swap_identifier(s: Source, dice: Random) -> list[Edit]:
    names = [i for i, t in enumerate(s.tokens) if t.kind == "name" and t.text not in KEYWORDS and t.text not in ("std", "ikra", "main")
             and s.at(i - 1) != "::" and s.at(i + 1) != "::"]
    one = dice.choice(names)
    position = bisect_right(names, one)
    near = [s.at(i) for i in names[max(0, position - 15):position + 15] if s.at(i) != s.at(one)] if dice.random() < 0.8 else [s.at(i) for i in names]
    return [(one, one, dice.choice(near))]


def rename_as_emitted(s: Source, dice: Random) -> list[Edit]:
    """All of one declared name, the captured ones first, become a name that emitted code has."""
    def is_declared(i: int) -> bool:
        return s.at(i + 1) in ("=", ";", ",", ")", "(", "{", ":") and (s.tokens[i - 1].kind == "name" or s.at(i - 1) in ("&", "*", ">"))
    names = {t.text for i, t in enumerate(s.tokens) if i and t.kind == "name" and t.text not in KEYWORDS and is_declared(i)}
    names -= {"main", *(t.text for i, t in enumerate(s.tokens) if i and s.at(i - 1) == "::")}
    captured = {t.text for i, t in enumerate(s.tokens) if t.kind == "name" and s.at(i - 1) in ("[", ",") and s.at(i + 1) in ("]", ",")} & names
    old = dice.choice(sorted(captured if captured and dice.random() < 0.7 else names))
    new = dice.choice([name for name in EMITTED if name not in {t.text for t in s.tokens}])
    return [(i, i, new) for i, t in enumerate(s.tokens) if t.text == old]


def change_parameter(s: Source, dice: Random) -> list[Edit]:
    """By value, by reference, by reference to const."""
    found = [i for i, t in enumerate(s.tokens) if t.kind == "name" and s.at(i + 1) in (",", ")") and s.at(i - 1) not in ("(", ",", ".", "->", "::")
             and (s.tokens[i - 1].kind == "name" or s.at(i - 1) in ("&", "*", ">", "&&")) and s.at(i - 1) not in ("return", "case")]
    one = dice.choice(found)
    if s.at(one - 1) in ("&", "*", "&&"):
        return [(one - 1, one - 1, dice.choice(["", "&", "*", "&&"]))]
    first = one - 1
    while s.tokens[first - 1].kind == "name" or s.at(first - 1) == "::":
        first -= 1
    return [(first, one, dice.choice(["const {}& {}", "{}&& {}", "{}& {}", "const {} {}", "{}* {}"]).format(s.span(first, one - 1), s.at(one)))]


CHANGES = {swap_statements: 3, delete_statement: 2, duplicate_statement: 2, copy_statement: 2, nest_statement: 5, change_type: 5, change_operator: 3,
           negate: 2, change_const: 3, change_literal: 3, wrap_body: 5, make_generic: 4, nest_in_template: 3, wrap_expression: 6, change_captures: 4,
           swap_identifier: 2, change_parameter: 2, rename_as_emitted: 5}


@dataclass
class Mutant:
    """`changes` says what was done, a line each."""
    seed: int
    origin: Path
    text: str
    changes: list[str]


def apply(s: Source, edits: list[Edit]) -> str:
    text = s.text
    for first, last, new in sorted(edits, reverse=True):
        text = text[:s.tokens[first].start] + new + text[s.tokens[last].end:]
    return text


def with_helpers(text: str) -> str:
    """What changes name is declared after the last of the includes that begin a file."""
    needed = [declaration for name, declaration in HELPERS.items() if name in text]
    includes = list(re.finditer(r"^#include [^\n]*\n", text, re.MULTILINE))
    place = includes[-1].end() if includes else 0
    headers = "".join(f"#include <{h}>\n" for h in ("algorithm", "array", "functional", "tuple", "utility"))
    return text[:place] + headers + "".join(d + "\n" for d in needed) + text[place:]


def mutate(seed: int, origins: list[Path]) -> Mutant:
    """Small sources are chosen more often."""
    dice = Random(seed)
    texts = [path.read_text() for path in origins]
    origin = dice.choices(range(len(origins)), [1 / (60 + text.count("\n")) for text in texts])[0]
    text, changes = texts[origin], []
    wanted = dice.choice([1, 1, 1, 2, 2, 3])
    for _ in range(200):
        if len(changes) == wanted:
            break
        change = dice.choices(list(CHANGES), list(CHANGES.values()))[0]
        source = Source(text)
        try:
            edits = change(source, dice)
            changed = apply(source, edits)
        except (IndexError, KeyError, ValueError):  # the source has nothing of the kind
            continue
        if changed != text:
            shown = "; ".join(f"`{source.span(a, b)}` to `{new}`" for a, b, new in edits[:2])
            changes.append(f"line {source.line(edits[0][0])}: {change.__name__}: " + re.sub(r"\s+", " ", shown)[:240])
            text = changed
    return Mutant(seed, origins[origin], with_helpers(text), changes)
