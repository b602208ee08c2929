# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C++ expressions that are defined for all inputs: the expression of a seed, files of them, smaller ones.

An expression is a tree (expression_nodes.py) of forms (expression_forms.py). It is shrunk by putting a part in place of
a whole of its type.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, replace

from expression_forms import Generator
from expression_nodes import (
    CLASSES, COMMA, ENUM_RANGE, I32, NUMBERS, POSTFIX, U32, Node, Number)


@dataclass
class Expression:
    """One line of a program's output. `use` is how the value is used: {} is its text."""
    number: int
    node: Node
    use: str
    actor: bool = False

    def lines(self) -> list[str]:
        declared = sorted((v for v in self.node.variables() if v.start), key=lambda v: int(v.name[1:]))
        return [*(v.start for v in declared), "digest out;", self.use.format(self.node.render()), *(f"out.{v.known};" for v in declared)]


def generate(seed: int) -> Expression:
    """Two of five are about the order of effects; of these one in three runs in peach."""
    kind = seed % 5
    ordered, actor = kind >= 3, kind == 4 and seed % 3 != 0
    generator = Generator(seed, ordered, actor)
    node = generator.expression()
    uses = ["out.put({});"] * 2 + ["const auto r = {};\nout.put(r);", "if ({})\n  out.add(1);"]
    if isinstance(node.type, Number):
        uses += [f"const {node.type.name} r = {{}};\nout.put(r);", f"const {node.type.name} r({{}});\nout.put(r);",
                 f"out.put([&]() -> {node.type.name} {{{{ return {{}}; }}}}());", f"{node.type.name} r{{{{{{}}}}}};\nout.put(r);"]
    use = generator.dice.choice(uses)
    if "r({" in use and re.match(r"[\w:]+[({]", node.render()):  # would declare a function
        use = "out.put({});"
    if node.binds == COMMA and ("put({" in use or "r = {" in use or "r{" in use or "r(" in use):
        node = replace(node, extra=True)
        use = use.replace("{}", "({})", 1)
    return Expression(seed, node, use, actor)


# files --------------------------------------------------------------------------------------------------

def function(e: Expression) -> list[str]:
    return [f"u64 e{e.number}(u32 k) {{", *("  " + part for line in e.lines() for part in line.split("\n")), "  return out.hash;", "}", ""]


def case(position: int, e: Expression, result: str) -> list[str]:
    return [f"    case {position}: {{ // e{e.number}", *("      " + part for line in e.lines() for part in line.split("\n")), f"      {result}", "    }"]


def file_text(expressions: list[Expression]) -> str:
    """One file: a third of the values' expressions are functions, the others stand in sections; actors have a peach."""
    values = [e for e in expressions if not e.actor]
    actors = [e for e in expressions if e.actor]
    functions = [e for e in values if e.number % 2 == 0]
    lines = ["// Made by test/fuzz/run_expressions.py.", '#include "expressions.hpp"', "", "using namespace fuzz;", "", "namespace {", ""]
    for e in functions:
        lines += function(e)
    lines += ["} // namespace", "", "int main() {"]
    for label, group in (("function", functions), ("section", [e for e in values if e.number % 2 != 0])):
        if not group:
            continue
        lines += [f'  std::printf("# {label}: {" ".join(str(e.number) for e in group)}\\n");',
                  f"  tell(0, numbers({len(group)}).pmap([](u32 number) -> u64 {{", "    const u32 k = number % inputs;",
                  "    switch (number / inputs) {"]
        for position, e in enumerate(group):
            if label == "function":
                lines.append(f"    case {position}: return e{e.number}(k);")
            else:
                lines += case(position, e, "return out.hash;")
        lines += ["    default: return k;", "    }", "  }));"]
    if actors:
        lines += [f'  std::printf("# actors: {" ".join(str(e.number) for e in actors)}\\n");',
                  f"  tell_actors(0, {len(actors)}, [](const std::vector<actor*>& actors) {{", "    ikra::array{actors}.peach([](actor* s) {",
                  "    const u32 k = s->id() % inputs;", "    switch (s->id() / inputs) {"]
        for position, e in enumerate(actors):
            lines += case(position, e, "s->tell(out.hash); break;")
        lines += ["    default: break;", "    }", "    });", "  });"]
    return "\n".join([*lines, "}", ""])


# shrinking ----------------------------------------------------------------------------------------------

def parts_of(node: Node, path: tuple = ()):
    """All parts with their paths, the whole first."""
    yield path, node
    for position, kid in enumerate(node.kids):
        yield from parts_of(kid, (*path, position))


def with_part(node: Node, path: tuple, part: Node) -> Node:
    if not path:
        return part
    kids = list(node.kids)
    kids[path[0]] = with_part(kids[path[0]], path[1:], part)
    return replace(node, kids=kids)


def fits(part: Node, instead_of: Node, must_be_place: bool) -> bool:
    return (part.type == instead_of.type and part.low >= instead_of.low and part.high <= instead_of.high and part.scale <= instead_of.scale and
            part.promoted == instead_of.promoted and (part.place or not (must_be_place or instead_of.place)))


def smaller(e: Expression):
    """Expressions with a part in place of a whole, or a number; their numbers count up from 0."""
    number = 0
    for use in ("out.put({});",):
        if e.use != use and e.node.binds != COMMA:
            yield Expression(number, e.node, use, e.actor)
            number += 2
    candidates = []
    for path, node in parts_of(e.node):
        if not path:
            candidates += [(part, "out.put({});") for place, part in parts_of(node) if place and part.type in (*NUMBERS, *CLASSES, *ENUM_RANGE)
                           and not any(name in part.render() for name in PARAMETERS)]
            continue
        if not node.kids and (node.type not in NUMBERS or node.text.isdigit() or node.place):
            continue
        parent = e.node
        for step in path[:-1]:
            parent = parent.kids[step]
        must = path[-1] in parent.places
        if node.extra:
            candidates.append((with_part(e.node, path, replace(node, extra=False)), e.use))
        for place, part in parts_of(node):
            if place and fits(part, node, must):
                candidates.append((with_part(e.node, path, part), e.use))
        if isinstance(node.type, Number) and not must and not node.type.floating:
            value = max(node.low, min(3, node.high))
            text = str(value) if node.type == I32 else f"{value}U" if node.type == U32 else None
            if text and node.text != text:
                candidates.append((with_part(e.node, path, Node(text, [], [], POSTFIX, node.type, value, value)), e.use))
    candidates.sort(key=lambda made: made[0].size())
    for node, use in candidates:
        if node.binds == COMMA:
            node = replace(node, extra=True)
            use = "out.put(({}));"
        yield Expression(number, node, use, e.actor)
        number += 2


PARAMETERS = [f"{name}{i}" for name in "pqr" for i in range(2)]
