# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random array programs: a program is a list of steps, each of which makes one array of the ones before it.

Steps hold text with the names of their inputs left open, so that a program can be shrunk: a step is dropped, or
replaced by plain data of its type and shape.
"""
from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

from turns import CARRIED, add_turns

INTEGERS = ["std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t", "int", "unsigned", "std::int64_t",
            "std::uint64_t"]
FLOATS = ["float", "double"]
OTHERS = ["bool", "fuzz::colour"]
TYPES = INTEGERS + FLOATS + OTHERS
BINARY = ["add", "sub", "mul", "quotient", "smaller", "larger"]


@dataclass(frozen=True)
class Shape:
    """Extents, or None where they are known only at run time; arrays of one `source` then have one size."""
    rank: int
    extents: tuple[int, ...] | None
    source: int = 0

    @property
    def volume(self) -> int | None:
        return None if self.extents is None else math.prod(self.extents)

    def text(self) -> str:
        return "{" + ", ".join(map(str, self.extents or ())) + "}"


@dataclass
class Step:
    """`name` is of `ikra::array<type, shape.rank>`. In `text`, `@0` is the first input's name."""
    name: str
    type: str
    shape: Shape
    text: str
    inputs: list[str] = field(default_factory=list)
    globals: str = ""  # declared in front of the program's function

    def statement(self) -> str:
        text = self.text
        for position, name in enumerate(self.inputs):
            text = text.replace(f"@{position}", name)
        return text


@dataclass
class Program:
    name: str
    steps: list[Step]
    reports: list[str]

    def text(self) -> str:
        """The declarations in front of the program, and its function."""
        lines = [step.globals for step in self.steps if step.globals]
        lines += [f"void {self.name}() {{", f'  const fuzz::report report("{self.name}");']
        lines.append('  report.attempt("whole", [&] {')
        lines += ["    " + line for step in self.steps for line in step.statement().split("\n")]
        lines += [f'    report("{name}", {name});' for name in self.reports]
        return "\n".join(lines + ["  });", "}", ""])

    def pruned(self) -> Program:
        """Without the steps that no report needs."""
        needed = set(self.reports)
        for step in reversed(self.steps):
            if step.name in needed:
                needed.update(step.inputs)
        return replace(self, steps=[step for step in self.steps if step.name in needed])


def data_step(name: str, type_: str, shape: Shape, seed: int) -> Step:
    values = f"fuzz::values<{type_}>({seed}, {shape.volume})"
    return Step(name, type_, shape, f"ikra::array<{type_}, {shape.rank}> {name}{{{values}, {shape.text()}}};")


class Generator:
    """Makes the program of one seed; the same for a seed on every machine."""

    def __init__(self, seed: int, large: bool = False):
        self.large = large
        self.seed = seed
        self.dice = random.Random(f"ikra fuzz {seed}")
        self.name = f"program_{seed}"
        self.steps: list[Step] = []
        self.fresh = 0

    # expressions ------------------------------------------------------------------------------------

    def number(self, type_: str) -> str:
        if type_ == "bool":
            return self.dice.choice(["true", "false"])
        if type_ == "fuzz::colour":
            return "fuzz::colour::" + self.dice.choice(["red", "green", "blue"])
        if type_ in FLOATS:
            suffix = "f" if type_ == "float" else ""
            return self.dice.choice(["0.5", "1.0", "2.0", "0.25", "3.0"]) + suffix
        return f"{type_}({self.dice.choice([1, 2, 3, 5, 7, 100, 127])})"

    def expression(self, type_: str, scope: list[tuple[str, str]], depth: int) -> str:
        """An expression of exactly this type. scope: names that can be read, with their types."""
        leaves = [name for name, of in scope if of == type_]
        if depth <= 0 or self.dice.random() < 0.15:
            if leaves and self.dice.random() < 0.8:
                return self.dice.choice(leaves)
            if scope and self.dice.random() < 0.8:
                name, of = self.dice.choice(scope)
                return name if of == type_ else f"fuzz::to<{type_}>({name})"
            return self.number(type_)
        below = depth - 1
        form = self.dice.randrange(10)
        if form == 0:
            other = self.dice.choice(["int", "float", "unsigned"])
            return (f"({self.expression(other, scope, below)} < {self.number(other)} ? "
                    f"{self.expression(type_, scope, below)} : {self.expression(type_, scope, below)})")
        if type_ == "bool":
            other = self.dice.choice(INTEGERS + FLOATS)
            left, right = (self.expression(other, scope, below) for _ in range(2))
            if form < 5:
                return f"({left} {self.dice.choice(['<', '==', '>=', '!='])} {right})"
            left, right = (self.expression("bool", scope, below) for _ in range(2))
            return f"({left} {self.dice.choice(['&&', '||', '!='])} {right})"
        if type_ == "fuzz::colour" or form == 1:
            other = self.dice.choice(INTEGERS)
            return f"fuzz::to<{type_}>({self.expression(other, scope, below)})"
        left, right = (self.expression(type_, scope, below) for _ in range(2))
        if form < 6:
            return f"fuzz::{self.dice.choice(BINARY)}({left}, {right})"
        if type_ in FLOATS:
            if form == 6:
                return f"std::{self.dice.choice(['abs', 'floor', 'sqrt', 'trunc'])}({left})"
            return f"({left} {self.dice.choice('+-*')} {right})"
        if type_ in ("unsigned", "std::uint64_t"):
            return f"({left} {self.dice.choice(['+', '-', '*', '^', '&', '|'])} {right})"
        if form == 6:
            return f"{type_}({left} {self.dice.choice(['^', '&', '|'])} {right})"
        return f"fuzz::{self.dice.choice(BINARY)}({left}, {right})"

    def body(self, result: str, scope: list[tuple[str, str]]) -> str:
        """The statements of a function that returns a `result`, on one line."""
        form = self.dice.randrange(7)
        depth = self.dice.choice([1, 2, 2, 3])
        if form < 3:
            return f"return {self.expression(result, scope, depth)};"
        if form == 3:
            local = self.dice.choice(TYPES)
            first = f"const {local} local = {self.expression(local, scope, depth)};"
            return f"{first} return {self.expression(result, scope + [('local', local)], depth)};"
        if form == 4:
            test = self.expression("bool", scope, 2)
            return (f"if ({test}) return {self.expression(result, scope, depth)}; "
                    f"return {self.expression(result, scope, 1)};")
        if form == 5:
            inner = scope + [("k", "int"), ("sum", result)]
            return (f"{result} sum = {self.expression(result, scope, 1)}; "
                    f"for (int k = 0; k < {self.dice.randint(1, 5)}; ++k) "
                    f"{{ sum = {self.expression(result, inner, depth)}; "
                    f"if ({self.expression('bool', inner, 1)}) {self.dice.choice(['break', 'continue'])}; }} return sum;")
        choice = self.expression("int", scope, 1)
        return (f"switch ({choice}) {{ case 0: return {self.expression(result, scope, depth)}; "
                f"case 1: case 2: return {self.expression(result, scope, 1)}; "
                f"default: return {self.expression(result, scope, depth)}; }}")

    # sections ---------------------------------------------------------------------------------------

    def section(self, result: str, parameters: list[tuple[str, str]], before: list[str], inputs: list[Step],
                wants_globals: bool = True) -> tuple[str, str]:
        """An argument of an operation, and what it needs declared in front. `before` takes statements in front of
        the operation's, `inputs` the arrays that are captured."""
        scope = [(name, type_) for name, type_ in parameters if not type_.startswith("ikra::")]
        for name, type_ in parameters:
            if type_ == "ikra::index":
                scope += [(f"{name}[0]", "std::int64_t"), (f"{name}[1]", "std::int64_t")]
        declared = ", ".join(f"{self.parameter_type(type_)} {name}" for name, type_ in parameters)
        form = self.dice.randrange(8)
        tag = self.number_of_name()
        if wants_globals and form == 0:
            return f"section_{tag}", (f"static {result} section_{tag}({declared}) "
                                      f"{{ {self.body(result, scope)} }}")
        if wants_globals and form == 1:
            constant = self.dice.choice(INTEGERS)
            inner = scope + [("bias", constant)]
            return f"section_{tag}{{{self.number(constant)}}}", (
                f"struct section_{tag} {{ {constant} bias; {result} operator()({declared}) const "
                f"{{ {self.body(result, inner)} }} }};")
        captures = []
        if form in (2, 3):
            type_ = self.dice.choice(TYPES)
            before.append(f"const {type_} c{tag} = {self.number(type_)};")
            captures.append("=" if form == 2 else f"c{tag}")
            scope.append((f"c{tag}", type_))
        elif form == 4:
            type_ = self.dice.choice([t for t in TYPES if t != "bool"])
            size = self.dice.choice([1, 3, 50])
            before.append(f"const std::vector<{type_}> c{tag} = fuzz::values<{type_}>({int(tag)}, {size});")
            captures.append(f"c{tag}")
            place = self.expression("unsigned", scope, 1)
            scope.append((f"c{tag}[fuzz::within({place}, c{tag}.size())]", type_))
        elif form == 5:
            known = [s for s in self.steps if s.shape.volume]
            if known:
                step = self.dice.choice(known)
                inputs.append(step)
                name = f"@{len(inputs) - 1}"
                captures.append(f"a{tag} = {name}")
                place = self.expression("unsigned", scope, 1)
                scope.append((f"a{tag}[fuzz::within({place}, a{tag}.size())]", step.type))
        elif form == 6:
            scope.append((f"ikra::random({tag}, fuzz::to<std::uint64_t>({self.expression('int', scope, 0)})).bits()",
                          "unsigned"))
        text = self.body(result, scope)
        if form == 7 and "auto" not in declared:
            declared = ", ".join(f"auto {name}" for name, _ in parameters)
        return f"[{', '.join(captures)}]({declared}) -> {result} {{ {text} }}", ""

    @staticmethod
    def parameter_type(type_: str) -> str:
        return "ikra::index<2>" if type_ == "ikra::index" else type_

    def number_of_name(self) -> str:
        self.fresh += 1
        return f"{self.name.removeprefix('program_')}{self.fresh:03d}"

    # steps ------------------------------------------------------------------------------------------

    def add(self, type_: str, shape: Shape, expression: str, inputs: list[Step], before: list[str],
            declared: str = "") -> Step:
        name = f"v{len(self.steps)}"
        style = self.dice.randrange(6)
        if style == 0:  # built by another function
            text = f"const auto make_{name} = [&] {{ return {expression}; }};\nauto {name} = make_{name}();"
        else:
            text = f"auto {name} = {expression};"
        step = Step(name, type_, shape, "\n".join([*before, text]), [i.name for i in inputs], declared)
        self.steps.append(step)
        return step

    def random_shape(self) -> Shape:
        rank = self.dice.choice([1, 1, 1, 2, 2, 3, 4])
        if self.large:
            by_rank = {1: [(70001,), (300007,), (1000003,)], 2: [(1000, 700), (129, 4096), (300, 333)],
                       3: [(64, 65, 66), (9, 200, 200)], 4: [(16, 17, 18, 19)]}
            extents = self.dice.choice(by_rank[rank])
        elif rank == 1:
            extents = (self.dice.choice([0, 1, 2, 31, 33, 255, 257, 1000, 2047, 2500, 9000, 70001]),)
        elif rank == 2:
            extents = self.dice.choice([(1, 1), (3, 5), (40, 33), (17, 129), (200, 101), (0, 4), (7, 1)])
        else:
            extents = tuple(self.dice.choice([1, 2, 3, 5, 9, 16]) for _ in range(rank))
        return Shape(rank, extents)

    def add_data(self) -> None:
        shape = self.random_shape()
        self.steps.append(data_step(f"v{len(self.steps)}", self.dice.choice(TYPES), shape, self.dice.randrange(1000)))

    def pick(self, condition=lambda step: True) -> Step | None:
        """A step, late ones first: long chains and few separate ones."""
        known = [step for step in self.steps if condition(step)]
        if not known:
            return None
        return known[max(self.dice.randrange(len(known)), self.dice.randrange(len(known)))]

    def index_parameter(self, rank: int) -> list[tuple[str, str]]:
        return [("i", "std::int64_t")] if rank == 1 else [("i", "ikra::index")]

    def with_index(self, step: Step) -> bool:
        return step.shape.rank <= 2 and self.dice.random() < 0.25

    def add_tuples(self) -> None:
        """Tuples or pairs that are zipped or made, kept or not, and taken apart again."""
        first = self.pick()
        second = self.dice.choice([s for s in self.steps if s.shape == first.shape])
        result = self.dice.choice(TYPES)
        pair = f"{first.type}, {second.type}"
        kind, parts = self.dice.choice([("tuple", ["std::get<0>(t)", "std::get<1>(t)"]), ("pair", ["t.first", "t.second"])])
        taken = self.body(result, list(zip(parts, (first.type, second.type))))
        section = f"[](const std::{kind}<{pair}>& t) -> {result} {{ {taken} }}"
        if kind == "tuple":
            made = "@0.pzip(@1)"
        else:
            made = f"@0.pcombine(@1, []({first.type} x, {second.type} y) {{ return std::pair<{pair}>(x, y); }})"
        if self.dice.random() < 0.5:
            self.add(result, first.shape, f"{made}.pmap({section})", [first, second], [])
        else:  # kept in a variable, and computed before
            name = f"kept{len(self.steps)}"
            before = [f"const auto {name} = {made};"]
            if self.dice.random() < 0.5:
                before.append(f"(void){name}.begin();")
            self.add(result, first.shape, f"{name}.pmap({section})", [first, second], before)

    def add_pnew(self) -> None:
        shape = self.random_shape()
        if shape.rank > 2:
            shape = Shape(1, (513,))
        result = self.dice.choice(TYPES)
        before: list[str] = []
        inputs: list[Step] = []
        section, declared = self.section(result, self.index_parameter(shape.rank), before, inputs)
        extents = str(shape.extents[0]) if shape.rank == 1 else shape.text()
        self.add(result, shape, f"ikra::pnew({extents}, {section})", inputs, before, declared)

    def add_pmap(self, step: Step | None = None) -> None:
        step = step or self.pick()
        result = self.dice.choice(TYPES)
        before: list[str] = []
        inputs = [step]
        indexed = self.with_index(step)
        parameters = [("x", step.type)] + (self.index_parameter(step.shape.rank) if indexed else [])
        section, declared = self.section(result, parameters, before, inputs)
        view = "@0.with_index()" if indexed else "@0"
        self.add(result, step.shape, f"{view}.pmap({section})", inputs, before, declared)

    def add_pcombine(self, first: Step | None = None) -> None:
        first = first or self.pick()
        others = [s for s in self.steps if s.shape == first.shape]
        chosen = [self.dice.choice(others) for _ in range(self.dice.choice([1, 1, 2, 3]))]
        inputs = [first, *chosen]
        result = self.dice.choice(TYPES)
        before: list[str] = []
        indexed = self.with_index(first)
        parameters = [(f"x{k}", step.type) for k, step in enumerate(inputs)]
        parameters += self.index_parameter(first.shape.rank) if indexed else []
        names = ", ".join(f"@{k}" for k in range(1, len(inputs)))
        section, declared = self.section(result, parameters, before, inputs)
        view = "@0.with_index()" if indexed else "@0"
        self.add(result, first.shape, f"{view}.pcombine({names}, {section})", inputs, before, declared)

    def add_operator(self) -> None:
        first = self.pick(lambda s: s.type in ("unsigned", "std::uint64_t", "float", "double"))
        if not first:
            return self.add_pmap()
        second = self.dice.choice([s for s in self.steps if s.shape == first.shape and s.type == first.type])
        right = "@1" if self.dice.random() < 0.6 else self.number(first.type)
        inputs = [first, second] if right == "@1" else [first]
        self.add(first.type, first.shape, f"(@0 {self.dice.choice('+-*')} {right})", inputs, [])
        return None

    def add_pstencil(self, step: Step | None = None) -> None:
        step = step or self.pick(lambda s: s.shape.extents is not None and s.shape.rank <= 3)
        if not step:
            return self.add_pmap()
        rank = step.shape.rank
        reach = 2 if rank == 1 else 1
        offsets = sorted({tuple(self.dice.randint(-reach, reach) for _ in range(rank))
                          for _ in range(self.dice.randint(1, 5))})
        result = self.dice.choice(TYPES)
        border = self.dice.choice(["value", "keep", "clamp", "wrap"])
        outside = self.number(result)
        if border != "value":
            outside = f"ikra::{border}"
        if border == "keep":
            result = step.type
        reads = []
        for offset in offsets:
            place = f"v[{offset[0]}]" if rank == 1 else f"v({', '.join(map(str, offset))})"
            reads.append((place, step.type))
        places = ", ".join(str(o[0]) if rank == 1 else "{" + ", ".join(map(str, o)) + "}" for o in offsets)
        body = self.body(result, reads)
        parameter = self.dice.choice(["auto v", "const auto& v"])
        self.add(result, step.shape,
                 f"@0.pstencil({{{places}}}, {outside}, []({parameter}) -> {result} {{ {body} }})", [step], [])
        return None

    def add_stencils(self) -> None:
        """Stencils and maps after each other, and what comes of it beside what it began with."""
        first = self.pick(lambda s: s.shape.extents is not None and s.shape.rank <= 3)
        if not first:
            return self.add_pmap()
        last = first
        for _ in range(self.dice.randint(2, 4)):
            self.dice.choice([self.add_pstencil, self.add_pstencil, self.add_pmap, self.add_pcombine])(last)
            last = self.steps[-1]
        if self.dice.random() < 0.5:
            result = self.dice.choice(TYPES)
            body = self.body(result, [("x", last.type), ("y", first.type)])
            self.add(result, first.shape,
                     f"@0.pcombine(@1, []({last.type} x, {first.type} y) -> {result} {{ {body} }})", [last, first], [])
        return None

    def add_shared(self) -> None:
        """Several results of one array, which is computed for each or once."""
        step = self.pick()
        if self.dice.random() < 0.6:
            self.dice.choice([self.add_pmap, self.add_pcombine])(step)
            step = self.steps[-1]
        for _ in range(self.dice.randint(2, 3)):
            forms = [self.add_pmap, self.add_pmap, self.add_pcombine, self.add_preduce]
            if step.shape.extents is not None and step.shape.rank <= 3:
                forms.append(self.add_pstencil)
            self.dice.choice(forms)(step)

    def add_to_group(self) -> None:
        """Results over one array, whose elements are all read: one kernel may compute them."""
        step = self.pick()
        if self.dice.random() < 0.5:
            self.add_pmap(step)
            step = self.steps[-1]
        name = f"v{len(self.steps)}"
        parts = [f"{name}_{k}" for k in range(self.dice.randint(2, 4))]
        reduced = self.dice.random() < 0.5
        type_ = step.type if reduced else self.dice.choice(TYPES)
        lines: list[str] = []
        inputs, declared = [step], []
        for part in parts:
            if reduced:
                start = f"{self.number(step.type)}, " if self.dice.random() < 0.3 else ""
                lines.append(f"const auto {part} = @0.preduce({start}{self.combiner(step.type)});")
                continue
            indexed = self.with_index(step)
            parameters = [("x", step.type)] + (self.index_parameter(step.shape.rank) if indexed else [])
            section, globals_ = self.section(type_, parameters, lines, inputs)
            declared.append(globals_)
            lines.append(f"const auto {part} = {'@0.with_index()' if indexed else '@0'}.pmap({section});")
        lines.append(f"std::vector<{type_}> {name}_all;")
        self.dice.shuffle(parts)
        lines += [f"for (const {type_} e : {part}) {name}_all.push_back(e);" for part in parts]
        lines.append(f"ikra::array<{type_}, 1> {name}{{{name}_all}};")
        size = 1 if reduced else step.shape.volume
        shape = Shape(1, None, len(self.steps) + 1) if size is None else Shape(1, (size * len(parts),))
        self.steps.append(Step(name, type_, shape, "\n".join(lines), [i.name for i in inputs],
                               "\n".join(filter(None, declared))))

    def add_pselect(self) -> None:
        step = self.pick()
        before: list[str] = []
        inputs = [step]
        indexed = self.with_index(step)
        parameters = [("x", step.type)] + (self.index_parameter(step.shape.rank) if indexed else [])
        section, declared = self.section("bool", parameters, before, inputs)
        view = "@0.with_index()" if indexed else "@0"
        self.add(step.type, Shape(1, None, len(self.steps) + 1), f"{view}.pselect({section})", inputs, before, declared)

    def combiner(self, type_: str) -> str:
        """An associative function of two elements."""
        if type_ == "std::uint64_t" and self.dice.random() < 0.4:
            return "[](std::uint64_t f, std::uint64_t g) { return fuzz::compose(f, g); }"
        chosen = ["return a;", "return b;"]
        if type_ in INTEGERS:
            chosen += [f"return fuzz::{f}(a, b);" for f in ("add", "mul", "smaller", "larger")]
            chosen += [f"return {type_}(a ^ b);", f"return {type_}(a | b);"]
        if type_ == "bool":
            chosen += ["return a != b;", "return a || b;", "return a && b;"]
        return f"[]({type_} a, {type_} b) -> {type_} {{ {self.dice.choice(chosen)} }}"

    def add_preduce(self, step: Step | None = None) -> None:
        step = step or self.pick()
        start = f"{self.number(step.type)}, " if self.dice.random() < 0.4 else ""
        self.add(step.type, Shape(1, (1,)), f"@0.preduce({start}{self.combiner(step.type)})", [step], [])

    def add_shorthand(self) -> None:
        step = self.pick(lambda s: s.type in ("unsigned", "std::uint64_t"))
        if not step:
            return self.add_preduce()
        name = f"v{len(self.steps)}"
        call = self.dice.choice(["sum()"] + [
            f"{f}([]({step.type} x) {{ return {self.expression('bool', [('x', step.type)], 2)}; }})"
            for f in ("count", "any", "all")])
        result = step.type if call == "sum()" else "std::int64_t"
        text = f"ikra::array<{result}, 1> {name}{{std::vector<{result}>{{{result}(@0.{call})}}}};"
        self.steps.append(Step(name, result, Shape(1, (1,)), text, [step.name]))
        return None

    def add_reshape(self) -> None:
        step = self.pick(lambda s: s.shape.volume)
        if not step:
            return self.add_pmap()
        volume = step.shape.volume
        divisors = [d for d in range(1, min(volume, 200) + 1) if volume % d == 0]
        first = self.dice.choice(divisors)
        extents = self.dice.choice([(volume,), (first, volume // first), (volume // first, first)])
        shape = Shape(len(extents), extents)
        self.add(step.type, shape, f"@0.reshape({shape.text()})", [step], [])
        return None

    def add_view(self) -> None:
        step = self.pick(lambda s: s.shape.extents is not None and s.shape.rank in (1, 2))
        if not step:
            return self.add_pmap()
        extents = step.shape.extents
        if step.shape.rank == 2 and self.dice.random() < 0.5:
            self.add(step.type, Shape(2, extents[::-1]), "@0.transpose()", [step], [])
            return None
        begin = tuple(self.dice.randint(0, e) for e in extents)
        end = tuple(self.dice.randint(b, e) for b, e in zip(begin, extents))
        by = tuple(self.dice.choice([1, 1, 2, 3]) for _ in extents)
        shape = Shape(len(extents), tuple(-(-(e - b) // s) for b, e, s in zip(begin, end, by)))
        text = f"@0.slice({{{', '.join(map(str, begin))}}}, {{{', '.join(map(str, end))}}}, " \
               f"{{{', '.join(map(str, by))}}})"
        if len(extents) == 1:
            text = f"@0.slice(ikra::index<1>({begin[0]}), ikra::index<1>({end[0]}), ikra::index<1>({by[0]}))"
        self.add(step.type, shape, text, [step], [])
        return None

    def add_ordered(self) -> None:
        step = self.pick(lambda s: s.shape.rank == 1)
        if not step:
            return self.add_pmap()
        form = self.dice.randrange(6)
        if form == 0:
            self.add(step.type, step.shape, "@0.psort()", [step], [])
        elif form == 1:
            before = self.dice.choice(["b < a", "a < b"])
            if step.type in FLOATS:  # not-a-numbers have no order
                before = "fuzz::to<int>(a) < fuzz::to<int>(b)"
            self.add(step.type, step.shape, f"@0.psort([]({step.type} a, {step.type} b) {{ return {before}; }})",
                     [step], [])
        elif form == 2:
            inputs = [step]
            setup: list[str] = []
            section, declared = self.section(self.dice.choice(TYPES), [("x", step.type)], setup, inputs)
            self.add(step.type, step.shape, f"@0.psort_by({section})", inputs, setup, declared)
        elif form == 3:
            self.add(step.type, step.shape, f"@0.pscan({self.combiner(step.type)})", [step], [])
        elif form == 4:
            scan = self.dice.choice(["pscan", "pscan_exclusive"])
            self.add(step.type, step.shape,
                     f"@0.{scan}({self.number(step.type)}, {self.combiner(step.type)})", [step], [])
        else:
            bins = self.dice.choice([1, 7, 300])
            self.add("std::int64_t", Shape(1, (bins,)),
                     f"@0.phistogram({bins}, []({step.type} x) "
                     f"{{ return static_cast<int>(fuzz::within(x, {bins})); }})", [step], [])
        return None

    def add_places(self) -> None:
        step = self.pick(lambda s: s.shape.volume and s.shape.rank == 1)
        places = self.pick(lambda s: s.shape.rank == 1)
        if not step or not places:
            return self.add_pmap()
        size = step.shape.volume
        where = f"@1.pmap([]({places.type} x) {{ return static_cast<int>(fuzz::within(x, {size})); }})"
        if self.dice.random() < 0.5 or places.shape != step.shape:
            self.add(step.type, places.shape, f"@0.pgather({where})", [step, places], [])
        else:
            self.add(step.type, step.shape, f"@0.pscatter({where}, {size}, {self.number(step.type)})",
                     [step, places], [])
        return None

    def add_axis(self) -> None:
        step = self.pick(lambda s: s.shape.rank == 2 and s.shape.volume)
        if not step:
            return self.add_pmap()
        axis = self.dice.randrange(2)
        start = f"{self.number(step.type)}, " if self.dice.random() < 0.5 else ""
        self.add(step.type, Shape(1, (step.shape.extents[1 - axis],)),
                 f"@0.preduce_axis({axis}, {start}{self.combiner(step.type)})", [step], [])
        return None

    def add_by_key(self) -> None:
        step = self.pick(lambda s: s.shape.rank == 1)
        if not step:
            return self.add_pmap()
        keys = self.dice.choice([s for s in self.steps if s.shape == step.shape])
        if keys.type in FLOATS:
            return self.add_pmap()
        part = "second" if self.dice.random() < 0.7 else "first"
        result = step.type if part == "second" else keys.type
        self.add(result, Shape(1, None, len(self.steps) + 1),
                 f"@0.preduce_by_key(@1, {self.combiner(step.type)}).{part}", [step, keys], [])
        return None

    def add_loop(self) -> None:
        """A variable that a loop assigns: which commands meet is known only at run time."""
        step = self.pick()
        name = f"v{len(self.steps)}"
        first = self.expression(step.type, [("x", step.type)], 1)
        second = self.expression(step.type, [("x", step.type), ("y", step.type)], 1)
        text = (f"auto {name} = @0;\n"
                f"for (int k = 0; k < {self.dice.randint(1, 4)}; ++k) {{\n"
                f"  auto mapped = {name}.pmap([]({step.type} x) -> {step.type} {{ return {first}; }});\n"
                f"  if (k % 2 == {self.dice.randrange(2)}) {name} = mapped;\n"
                f"  else {name} = mapped.pcombine({name}, []({step.type} x, {step.type} y) -> {step.type} "
                f"{{ return {second}; }});\n}}")
        self.steps.append(Step(name, step.type, step.shape, text, [step.name]))

    def add_choice(self) -> None:
        """A variable whose value is chosen at run time: by conditional expressions, branches, returns and swaps."""
        step = self.pick()
        name, type_ = f"v{len(self.steps)}", step.type
        array = f"ikra::array<{type_}, {step.shape.rank}>"

        def changed(a: str) -> str:
            if self.dice.random() < 0.25:
                text = self.expression(type_, [("x", type_), ("y", type_)], 1)
                return f"{a}.pcombine(@0, []({type_} x, {type_} y) -> {type_} {{ return {text}; }})"
            text = self.expression(type_, [("x", type_)], 1)
            return f"{a}.pmap([]({type_} x) -> {type_} {{ return {text}; }})"

        def either(a: str) -> str:
            return a if self.dice.random() < 0.25 else changed(a)

        form = self.dice.randrange(6)
        if form == 0:
            lines = [f"{array} {name} = fuzz::flip() ? {changed('@0')} : {either('@0')};"]
        elif form == 1:
            lines = [f"{array} {name};", f"if (fuzz::flip()) {name} = {either('@0')};",
                     f"else {{ {name} = {changed('@0')}; {name} = {either(name)}; }}"]
        elif form == 2:
            returns = " ".join(f"if (fuzz::flip()) return {either('a')};" for _ in range(self.dice.randint(1, 3)))
            lines = [f"const auto make_{name} = [&](const {array}& a) -> {array} {{ {returns} return {changed('a')}; }};",
                     f"auto {name} = make_{name}({self.dice.choice(['@0', f'make_{name}(@0)'])});"]
        elif form == 3:
            lines = [f"{array} {name} = {either('@0')};"]
            lines += [f"if (fuzz::flip()) {name} = {changed(name)};" for _ in range(self.dice.randint(1, 5))]
        elif form == 4:
            lines = [f"auto {name} = {changed('@0')};", f"auto {name}_other = {changed('@0')};",
                     f"if (fuzz::flip()) std::swap({name}, {name}_other);",
                     f"{name} = {name}.pcombine({name}_other, []({type_} x, {type_} y) -> {type_} "
                     f"{{ return {self.expression(type_, [('x', type_), ('y', type_)], 2)}; }});"]
        else:
            lines = [f"{array} {name} = {changed('@0')};", f"for (int k = 0; k < {self.dice.randint(1, 3)}; ++k) {{",
                     f"  auto turn = {name};", f"  if (fuzz::flip()) turn = {changed('turn')};",
                     f"  else if (fuzz::flip()) {{ turn = {changed(name)}; continue; }}",
                     f"  {name} = fuzz::flip() ? {changed('turn')} : turn;", "}"]
        self.steps.append(Step(name, type_, step.shape, "\n".join(lines), [step.name]))

    def add_access(self) -> None:
        """Computes an array in the middle of the program."""
        step = self.pick()
        name = f"v{len(self.steps)}"
        self.steps.append(Step(name, step.type, step.shape, f"auto {name} = @0;\n(void){name}.begin();", [step.name]))

    def program(self) -> Program:
        for _ in range(self.dice.randint(1, 3)):
            self.add_data()
        forms = ([self.add_pmap] * 6 + [self.add_pcombine] * 5 + [self.add_pnew] * 2 + [self.add_pstencil] * 2 +
                 [self.add_stencils] * 3 + [self.add_shared] * 2 + [self.add_to_group] * 2 + [self.add_pselect] * 2 + [self.add_preduce] * 2 + [self.add_reshape] + [self.add_loop] +
                 [self.add_choice] * 3 + [self.add_access] + [self.add_tuples] * 2 + [self.add_operator] + [self.add_view] + [self.add_ordered] * 2 +
                 [self.add_places] + [self.add_axis] + [self.add_by_key] + [self.add_shorthand])
        for _ in range(self.dice.randint(3, 12)):
            self.dice.choice(forms)()
        used = {name for step in self.steps for name in step.inputs}
        results = [s.name for s in self.steps if s.name not in used or self.dice.random() < 0.15]
        self.dice.shuffle(results)
        results += add_turns(self, self.seed)
        return Program(self.name, self.steps, results)


def generate(seed: int, large: bool = False) -> Program:
    """The program of a seed; a large one has other arrays, long enough to be timed."""
    return Generator(seed, large).program().pruned()


def generate_turns(seed: int) -> Program:
    """A program of a loop over some data alone."""
    generator = Generator(seed, False)
    while not generator.pick(lambda step: step.type in CARRIED):
        generator.add_data()
    return Program(generator.name, generator.steps, add_turns(generator, seed, 1)).pruned()


def file_text(programs: list[Program]) -> str:
    """One file that runs all programs."""
    lines = ["// Made by test/fuzz/run_fuzz.py.", '#include "fuzz.hpp"', "", "namespace {", ""]
    lines += [program.text() for program in programs]
    lines += ["} // namespace", "", "int main() {"]
    lines += [f"  {program.name}();" for program in programs]
    return "\n".join(lines + ["}", ""])
