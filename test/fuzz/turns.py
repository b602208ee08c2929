# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops of host sections: what they carry, read and decide. They end after a few turns whatever they read.

Drawn from dice of their own, so that the rest of a seed's program is the same with and without them.
"""
from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs import Generator, Step

CARRIED = ["std::int16_t", "int", "unsigned", "std::int64_t", "std::uint64_t"]


class TurnWriter:
    """The text of one loop over the variables `a` and `b`, with a total that it adds to."""

    def __init__(self, generator: Generator, a: str, b: str, step: Step):
        self.generator, self.dice = generator, generator.dice
        self.a, self.b, self.type, self.rank = a, b, step.type, step.shape.rank
        self.count = step.shape.volume or 0  # elements, if known; 0: none are read by their place
        self.locals = 0
        self.counters = ["k"]  # of the loops around a statement

    def array(self) -> str:
        return self.dice.choice([self.a, self.a, self.b])

    def command(self) -> str:
        """An array of the carried type."""
        type_ = self.type
        captures, scope = self.dice.choice([("", []), ("k", [("k", "int")]), ("total", [("total", "std::uint64_t")]),
                                            ("by = state.low + k", [("by", "std::uint64_t")]), ("by = k * 3", [("by", "int")]), ("by = total * 3 + 1", [("by", "std::uint64_t")]),
                                            ("state", [("state.low", "std::uint64_t"), ("state.left", "int")])])
        form = self.dice.randrange(9)
        if form == 8:  # in one kernel, or two
            text = self.generator.expression(type_, [("x", type_), *scope], 2)
            both = self.generator.expression(type_, [("x", type_), ("y", type_)], 2)
            return (f"{self.array()}.pcombine({self.array()}.pmap([{captures}]({type_} x) -> {type_} {{ return {text}; }}), "
                    f"[]({type_} x, {type_} y) -> {type_} {{ return {both}; }})")
        if form == 7:
            text = self.generator.expression(type_, [("x", type_), *scope], 2)
            index, place = ("std::int64_t i", "i") if self.rank == 1 else (f"const ikra::index<{self.rank}>& i", f"i[{self.rank - 1}]")
            return (f"ikra::pnew({self.array()}.shape(), [{captures}]({index}) -> {type_} "
                    f"{{ const {type_} x = static_cast<{type_}>({place}); return {text}; }})")
        if form > 4:
            helper, by = self.dice.choice(["changed", "kept", "own"]), self.dice.choice(self.counters)
            return f"{helper}({self.array()}, {by})"
        if form == 0 and self.rank == 1:
            text = self.generator.expression(type_, [("x", type_), ("v[0]", type_), ("v[1]", type_)], 2)
            border = self.generator.number(type_)
            if self.dice.random() < 0.5:
                border = border.replace("(", "{").replace(")", "}")
            return (f"{self.array()}.pstencil({{-1, 0, 1}}, {border}, "
                    f"[](const auto& v) -> {type_} {{ const {type_} x = v[-1]; return {text}; }})")
        if form < 3:
            text = self.generator.expression(type_, [("x", type_), ("y", type_), *scope], 2)
            return f"{self.array()}.pcombine({self.array()}, [{captures}]({type_} x, {type_} y) -> {type_} {{ return {text}; }})"
        text = self.generator.expression(type_, [("x", type_), *scope], 2)
        return f"{self.array()}.pmap([{captures}]({type_} x) -> {type_} {{ return {text}; }})"

    def read(self) -> str:
        """A number that an array gives."""
        of = self.array() if self.dice.random() < 0.6 else self.command()
        form = self.dice.randrange(6 if self.count else 5)
        if form == 4:
            return self.by_key(of)
        if form == 5:
            place = self.dice.choice([f"total % {self.count}", f"({self.dice.choice(self.counters)} * 5U + 3) % {self.count}", "0",
                                      f"state.low++ % {self.count}"])
            return f"{self.array()}[{place}]"
        if form == 0:
            test = self.generator.expression("bool", [("x", self.type)], 2)
            return f"{of}.{self.dice.choice(['count', 'any', 'all'])}([]({self.type} x) {{ return {test}; }})"
        if form == 1 and self.type in ("unsigned", "std::uint64_t"):
            return f"{of}.sum()"
        start = self.dice.choice([f"{self.generator.number(self.type)}, ", f"static_cast<{self.type}>(total), ", "", ""])
        return f"{of}.preduce({start}{self.generator.combiner(self.type)}){self.dice.choice(['[0]', '.value()'])}"

    def by_key(self, of: str) -> str:
        """A number of an array of another shape: what a few keys have, or how often they occur."""
        bins = self.dice.randint(1, 9)
        key = f"static_cast<int>(static_cast<std::uint64_t>(x) % {self.dice.randint(1, bins)})"
        start = self.dice.choice([self.generator.number(self.type), f"static_cast<{self.type}>(total)"])
        form = self.dice.randrange(4)
        if form == 0:
            return f"{of}.pmap([]({self.type} x) {{ return {key}; }}).phistogram({bins})[total % {bins}]"
        keys = f"[]({self.type} x) {{ return {key}; }}" if form < 3 else f"{self.array()}.pmap([]({self.type} x) {{ return {key}; }})"
        sums = f"{of}.reduce_by_index({bins}, {keys}, {start}, {self.generator.combiner(self.type)})"
        if form == 1:
            return f"{sums}[{self.dice.randrange(bins)}]"
        if form == 2:
            return f"{self.array()}.pmap([s = {sums}]({self.type} x) -> {self.type} {{ return s[static_cast<std::uint64_t>(x) % {bins}]; }}).preduce({self.generator.combiner(self.type)})[0]"
        return f"{sums}.preduce({self.generator.combiner(self.type)}).value()"

    def test(self) -> str:
        """A condition over numbers, which may change some."""
        form = self.dice.randrange(8)
        if form == 0:
            return f"state.left{self.dice.choice(['--', '++'])} {self.dice.choice(['>', '<'])} {self.dice.randint(0, 9)}"
        if form == 1:
            return f"(state.low += {self.dice.choice(['total', '3'])}) % 3 == 0"
        if form == 2:
            return f"--state.left % {self.dice.randint(2, 4)} == 0 && total % 2 == 1"
        return f"total % {self.dice.randint(2, 5)} {self.dice.choice(['==', '!='])} {self.dice.randint(0, 1)}"

    def ends(self, *ways: str) -> list[str]:
        return [f"if ({self.test()}) {self.dice.choice(ways)};"]

    def loop(self, depth: int) -> list[str]:
        """A loop within the turn, of few turns."""
        self.locals += 1
        name, most = f"j{self.locals}", self.dice.choice(["2", "3", "k % 3", f"static_cast<int>({self.test()}) + 1"])
        self.counters.append(name)
        if self.dice.random() < 0.35:
            body = self.maps()
        else:
            body = self.block(depth - 1)
            if self.dice.random() < 0.4:
                body += [*self.ends("break", "continue", "return"), *self.statement(0)]
        self.counters.pop()
        if self.dice.random() < 0.7:
            return [f"for (int {name} = 0; {name} < {most}; ++{name}) {{", *body, "}"]
        return [f"int {name} = 0;", "do {", f"++{name};", *body, f"}} while ({name} < 3 && {self.test()});"]

    def maps(self) -> list[str]:
        """Maps of one array, with what a turn captures: a kernel may do all turns of a loop of them."""
        of, lines = self.dice.choice([self.a, self.b]), []
        for _ in range(self.dice.randint(1, 2)):
            capture, scope = self.dice.choice([("", []), ("", []), ("k", [("k", "int")]), ("total", [("total", "std::uint64_t")]), ("by = total * 3", [("by", "std::uint64_t")]),
                                               (f"by = {self.counters[-1]} + 1", [("by", "int")])])
            lines.append(f"{of} = {of}.pmap([{capture}]({self.type} x) -> {self.type} {{ return {self.generator.expression(self.type, [('x', self.type), *scope], 2)}; }});")
        return [*lines, *(["total += 3;"] if self.dice.random() < 0.3 else [])]

    def choice(self, depth: int) -> list[str]:
        """A switch; some of its cases fall through, or leave what is around it."""
        lines = [f"switch (total % {self.dice.randint(2, 4)}) {{"]
        labels = self.dice.sample(["case 0:", "case 1:", "case 2:", "default:"], self.dice.randint(1, 4))
        for label in labels:
            end = self.dice.choice(["break;", "break;", "break;", "[[fallthrough]];", "continue;", "return;"])
            inner = self.ends("break", "continue") if self.dice.random() < 0.3 else []
            last = label == labels[-1]
            lines += [label, "{", *self.block(depth - 1), *inner, *self.statement(0), "}", "" if last and end[0] == "[" else end]
        return [*lines, "}"]

    def statement(self, depth: int) -> list[str]:
        if depth > 0:
            kind = self.dice.random()
            if kind < 0.12:
                return self.loop(depth)
            if kind < 0.2:
                return self.choice(depth)
            if kind < 0.24:
                return self.ends("return", "continue", "break")
        form = self.dice.randrange(10)
        if form < 3:
            set_ = f"{self.array()} = {self.command()};"
            return [set_] if self.dice.random() < 0.7 else [set_, *self.again()]
        if form < 6:
            return [f"total += static_cast<std::uint64_t>({self.read()});"]
        if form == 6:
            return [f"std::swap({self.a}, {self.b});"]
        if form == 7 and depth > 0:
            self.locals += 1
            name = f"m{self.locals}"
            return [f"const auto {name} = {self.command()};", f"{self.array()} = {name};"]
        if form == 9 and depth > 0 and self.dice.random() < 0.5:
            return self.together()
        if form == 8 and depth > 0:
            test = self.test() if self.dice.random() < 0.6 else f"static_cast<std::uint64_t>({self.read()}) % 2 == 0"
            return [f"if ({test}) {{", *self.block(depth - 1), *(["} else {", *self.block(depth - 1)]
                                                                 if self.dice.random() < 0.5 else []), "}"]
        if self.dice.random() < 0.4:
            return self.chosen(depth)
        return [self.dice.choice(["state.turn();", "total += state.seen(k);",
                                  "total = total * 31 + static_cast<std::uint64_t>(k);", "if (total % 2 == 1) total /= 2;",
                                  "for (int m = 0; m < k; ++m) total ^= total << 3;", f"{self.b} = {self.a};",
                                  "state.low = state.low * 7 + total;", "total += state.low++ + (k > 1 ? state.left-- : 2);",
                                  "for (int m = 0, n = 3; m < n; ++m, --n) state.low ^= total >> m;",
                                  "state = {total, k};", "{ const auto before = state; state.low = total; total ^= before.low; }",
                                  "last[total % 3] += state.low;", "state.low ^= last[1]; last[2] = last[0] * 3 + total;",
                                  "last = {total, last[0], last[1]};",
                                  "now = total % 3 == 0 ? color::red : color::blue;", "if (now == color::red) now = color::blue; else total += 5;"])]

    def chosen(self, depth: int) -> list[str]:
        """What an expression chooses, or a loop through a list of numbers."""
        form = self.dice.randrange(5)
        if form == 0:
            sides = [self.array(), self.command()]
            self.dice.shuffle(sides)
            return [f"{self.array()} = {self.test()} ? {sides[0]} : {sides[1]};"]
        if form == 1:
            text = self.generator.expression(self.type, [("x", self.type)], 2)
            return [f"{self.array()} = ({self.test()} ? {self.a} : {self.b}).pmap([]({self.type} x) -> {self.type} {{ return {text}; }});"]
        if form == 2:
            return [f"total += static_cast<std::uint64_t>({self.test()} {self.dice.choice(['&&', '||'])} {self.read()} != 0);"]
        if form == 3 or depth == 0:
            return [f"total ^= {self.test()} ? static_cast<std::uint64_t>({self.read()}) : state.seen(k);"]
        self.locals += 1
        name = f"l{self.locals}"
        numbers = [self.dice.choice(["0", "1", "2", "k", "static_cast<int>(total % 5)"]) for _ in range(self.dice.choice([1, 2, 3, 9]))]
        self.counters.append(name)
        body = self.block(depth - 1)
        if self.dice.random() < 0.3:
            body += [*self.ends("break", "continue", "return"), *self.statement(0)]
        self.counters.pop()
        return [f"for (const {self.dice.choice(['int', 'int&', 'auto'])} {name} : {{{', '.join(numbers)}}}) {{", *body, "}"]

    def again(self) -> list[str]:
        """A variable that is set several times, and read between or not."""
        name = self.array()
        lines = [line for _ in range(self.dice.randint(1, 3)) for line in
                 [*([self.dice.choice(["total += 3;", f"total += static_cast<std::uint64_t>({name}.preduce({self.generator.combiner(self.type)}).value());"])]
                    if self.dice.random() < 0.3 else []), f"{name} = {self.command()};"]]
        return [f"{name} = {self.command()};", *lines]

    def together(self) -> list[str]:
        """Arrays that one kernel may store, with a number that they give."""
        self.locals += 1
        m, n = f"m{self.locals}", f"n{self.locals}"
        first, second = self.command(), self.command()
        if self.dice.random() < 0.5:
            second = f"{m}.pcombine({self.array()}, []({self.type} x, {self.type} y) -> {self.type} {{ return {self.generator.expression(self.type, [('x', self.type), ('y', self.type)], 2)}; }})"
        between = self.dice.choice([[], [], ["total += 3;"], [f"{self.array()} = {m};"]])
        of = self.dice.choice([m, n, f"{n}.pcombine({m}, []({self.type} x, {self.type} y) -> {self.type} {{ return {self.generator.expression(self.type, [('x', self.type), ('y', self.type)], 2)}; }})"])
        reads = [f"total += static_cast<std::uint64_t>({of}.preduce({self.generator.combiner(self.type)}).value());"]
        return [f"const auto {m} = {first};", *between, f"const auto {n} = {second};", *(reads if self.dice.random() < 0.7 else []),
                f"{self.a} = {m};", f"{self.b} = {n};"]

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.dice.randint(1, 3)) for line in self.statement(depth)]

    def helpers(self) -> list[str]:
        """Lambdas that the loop calls: a generic one, and two that keep what never changes, one by a name of its own."""
        text = [self.generator.expression(self.type, [("x", self.type), (name, "int")], 2) for name in ("by", "seven", "by")]
        return [f"const auto changed = [](const auto& of, int by) {{ return of.pmap([by](auto x) -> {self.type} {{ return {text[0]}; }}); }};",
                f"const auto kept = [seven](const ikra::array<{self.type}, {self.rank}>& of, int) {{",
                f"  return of.pmap([seven]({self.type} x) -> {self.type} {{ return {text[1]}; }});", "};",
                f"const auto own = [by = seven * 3](const ikra::array<{self.type}, {self.rank}>& of, int) {{",
                f"  return of.pmap([by]({self.type} x) -> {self.type} {{ return {text[2]}; }});", "};"]

    def text(self) -> list[str]:
        return [*self.helpers(), *self.loop_text()]

    def loop_text(self) -> list[str]:
        body = [line for _ in range(self.dice.randint(1, 4)) for line in self.statement(2)]
        if self.dice.random() < 0.4:
            body += [f"if ({self.test()}) {self.dice.choice(['break', 'continue'])};", *self.statement(0)]
        if self.dice.random() < 0.8:
            body += [f"total += static_cast<std::uint64_t>({self.read()});"]
        most = self.dice.randint(0, 6)
        form = self.dice.randrange(3)
        if form == 0:
            return [f"for (int k = 0; k < {most}; ++k) {{", *body, "}"]
        decides = f"k++ < {most}" if form == 1 and not any("continue" in line for line in body) else f"k < {most}"
        head = ["int k = 0;"]
        if decides.startswith("k++"):
            decides, body = f"k < {most} && {self.decision()}", [*body, "++k;"]
            return [*head, f"while ({decides}) {{", *body, "}"]
        return [*head, "do {", "++k;", *body, f"}} while ({decides} && {self.decision()});"]

    def decision(self) -> str:
        """What a loop's condition asks: numbers, or a reduction."""
        if self.dice.random() < 0.6:
            return self.test()
        test = self.generator.expression("bool", [("x", self.type)], 2)
        return f"{self.array()}.count([]({self.type} x) {{ return {test}; }}) % {self.dice.randint(2, 5)} != 1"


class StencilLoop:
    """A loop within the turn that is a stencil over its own results: a GPU does several of its turns at once."""

    def __init__(self, seed: int, a: str, b: str, type_: str, rank: int):
        self.dice = random.Random(f"ikra fuzz stencil loops {seed}")
        self.a, self.b, self.type, self.rank = a, b, type_, rank
        self.stands = self.dice.random() < 0.5

    def stencil(self, of: str) -> str:
        near = [[0] * self.rank]
        for d in range(self.rank):
            near += [[by if e == d else 0 for e in range(self.rank)] for by in self.dice.sample([-2, -1, 1, 2], self.dice.randint(0, 2))]
        near = near[self.dice.randint(0, len(near) > 1):]
        places = ["{" + ", ".join(map(str, at)) + "}" if self.rank > 1 else str(at[0]) for at in near]
        reads = ["v(" + ", ".join(map(str, at)) + ")" if self.rank > 1 else f"v[{at[0]}]" for at in near]
        border = self.dice.choice(["ikra::keep", "ikra::clamp", "ikra::wrap", "ikra::wrap", f"static_cast<{self.type}>(7)"])
        captures, more = self.dice.choice([("", ""), ("seven", " + static_cast<std::uint64_t>(seven)"), ("k", " ^ static_cast<std::uint64_t>(k)")])
        sum_ = " + ".join(f"static_cast<std::uint64_t>({read}) * {self.dice.randint(1, 9)}" for read in reads)
        return f"{of}.pstencil({{{', '.join(places)}}}, {border}, [{captures}](const auto& v) -> {self.type} {{ return static_cast<{self.type}>(({sum_}){more}); }})"

    def inside(self, lines: list[str]) -> list[str]:
        """The program's loop, with this one at the begin of its turn."""
        if not self.stands:
            return lines
        count = self.dice.choice(["0", "1", "2", "3", "5", "8", "17", "k * 3"])
        turn = self.dice.choice([[f"{self.a} = {self.stencil(self.a)};"], [f"{self.b} = {self.a};", f"{self.a} = {self.stencil(self.b)};"],
                                 [f"const auto next = {self.stencil(self.a)};", f"{self.a} = next;"],
                                 [f"{self.b} = {self.stencil(self.a)};", f"std::swap({self.a}, {self.b});"]])
        loop = self.dice.choice([[f"for (int step = 0; step < {count}; ++step) {{", *turn, "}"],
                                 [f"int step = {count};", "while (step-- > 0) {", *turn, "}"]])
        first = next(k for k, line in enumerate(lines) if line.startswith(("for (int k", "while (", "do {")))
        return [*lines[:first + 1], *loop, *lines[first + 1:]]


class Holder:
    """Where the loop's two arrays are: in variables, in two buffers that take turns, or in a struct. And what the host does in some turns."""

    def __init__(self, seed: int, array: str, a: str, b: str):
        self.dice = random.Random(f"ikra fuzz holders {seed}")
        self.form = self.dice.choice(["variables", "variables", "buffers", "buffers", "struct"])
        self.acts = self.dice.random() < 0.3
        self.array, self.a, self.b = array, a, b
        of, now = f"{a}_of", f"{a}_now"
        self.names = {"variables": (a, b), "buffers": (f"{of}[{now}]", f"{of}[1 - {now}]"), "struct": (f"{of}.one", f"{of}.other")}[self.form]
        self.turned = f"{now} = 1 - {now};" if self.form == "buffers" else f"{of} = {{{of}.other, {of}.one, {of}.turns + 1}};"

    def declared(self) -> list[str]:
        if self.form == "variables":
            return [f"{self.array} {self.a} = @0, {self.b} = @0;"]
        if self.form == "buffers":
            return [f"{self.array} {self.a}_of[2] = {{@0, @0}};", f"int {self.a}_now = {self.dice.randrange(2)};"]
        return [f"struct {self.a}_both {{ {self.array} one, other; int turns; }} {self.a}_of{{@0, @0, 0}};"]

    def inside(self, lines: list[str]) -> list[str]:
        """The loop over the arrays where they are."""
        if self.form == "variables":
            return lines
        out = []
        for line in lines:
            out.append(re.sub(rf"\b{self.b}\b", self.names[1], re.sub(rf"\b{self.a}\b", self.names[0], line)))
            if line.endswith(";") and line.startswith(("total", self.a)) and self.dice.random() < 0.4:
                out.append(self.turned)
        return out

    def with_host(self, lines: list[str]) -> list[str]:
        """The same with what the host does in some turns, at the begin of each."""
        first = next(k for k, line in enumerate(lines) if line.startswith(("for (int k", "while (", "do {")))
        return [*lines[:first + 1], "if (k % 3 == 1) {", "notes.push_back(total);", "}", *lines[first + 1:]] if self.acts else lines

    def after(self) -> list[str]:
        given = [] if self.form == "variables" else [f"const {self.array} {self.a} = {self.names[0]}, {self.b} = {self.names[1]};"]
        return [*given, *([f'report("{self.a} notes", ikra::array{{std::move(notes)}});'] if self.acts else [])]


def add_turns(generator: Generator, seed: int, share: float = 0.4) -> list[str]:
    """Adds a loop to a share of all programs. Returns the names that it leaves to be reported."""
    outer = generator.dice
    generator.dice = random.Random(f"ikra fuzz turns {seed}")
    try:
        step = generator.pick(lambda s: s.type in CARRIED)
        if not step or generator.dice.random() >= share:
            return []
        a, b = f"v{len(generator.steps)}", f"v{len(generator.steps)}_b"
        lines = TurnWriter(generator, a, b, step).text()
        holder = Holder(seed, f"ikra::array<{step.type}, {step.shape.rank}>", a, b)
        lines = StencilLoop(seed, a, b, step.type, step.shape.rank).inside(lines)
        lines = holder.inside(holder.with_host(lines))
        text = "\n".join([*holder.declared(), "std::uint64_t total = 1;", *(["std::vector<std::uint64_t> notes;"] if holder.acts else []),
                          "struct of_turns {", "  std::uint64_t low = 3;", "  int left = 5;",
                          "  void turn() {", "    low = low * 5 + 1;", "    if (left-- < 0) left = 7;", "  }",
                          "  std::uint64_t seen(int by) const {", "    const std::uint64_t both = low ^ static_cast<std::uint64_t>(left);",
                          "    return both + static_cast<std::uint64_t>(by);", "  }", "} state;", "std::array<std::uint64_t, 3> last{1, 2, 3};",
                          "enum class color { blue, red }; auto now = color::blue;",
                          "[[maybe_unused]] int seven = 7;", "ikra::host_section([&] {", *("  " + line for line in lines), "});", *holder.after(),
                          f'report("{b}", {b});', f'report("{a} total", ikra::array{{std::vector<std::uint64_t>{{total, state.low + static_cast<std::uint64_t>(state.left), last[0], last[1], last[2], static_cast<std::uint64_t>(now)}}}});'])
        generator.steps.append(type(step)(a, step.type, step.shape, text, [step.name]))
        return [a]
    finally:
        generator.dice = outer
