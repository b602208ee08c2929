# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of random expressions: what is made of what, for the functions and classes of expressions.hpp.

Forms raise Undefined where C++ would not define their result; another one is tried then.
"""
from __future__ import annotations

import random
from dataclasses import replace

from expression_nodes import (
    AND, ASSIGN, B, BINARY, BIT_AND, BIT_OR, C, CLASSES, COMMA, COMPARE, CONDITION, D, ENUMERATORS, ENUM_RANGE, EQUAL,
    F, I16, I32, I64, I8, NUMBERS, OR, ORDER, POSTFIX, PREFIX, PRODUCT, SHIFT, SPELLINGS, SUM, U16, U32, U64, U8,
    Node, Number, Undefined, Variable, apart, arithmetic_type, common, computed, converted, fit)


class Generator:
    """Makes the expression of one seed; the same for a seed on every machine."""

    def __init__(self, seed: int, ordered: bool, actor: bool):
        self.dice = random.Random(f"ikra expression {seed} {ordered} {actor}")
        self.seed, self.ordered, self.actor = seed, ordered, actor
        self.variables: list[Variable] = []
        self.inner: list[list[Node]] = []  # parameters of the lambdas around
        self.no_writes = 0  # within lambdas that capture copies
        if ordered:  # few variables, so that operands meet
            for t in self.dice.sample([U32, U32, I32, U8, I16, U64], 2):
                self.declare(t)
            if actor:
                self.variables.append(Variable("s", "actor"))
            else:
                self.declare("source")
                if self.dice.random() < 0.5:
                    self.declare("random")
            if self.dice.random() < 0.4:
                self.declare("pt")

    # variables --------------------------------------------------------------------------------------

    def declare(self, t) -> Variable:
        name = f"v{len(self.variables)}"
        seed = self.dice.randrange(1000)
        noise = f"noise(k, {seed})"
        if t == I32:
            v = Variable(name, t, -20000, 20000, 0, f"int {name} = static_cast<int>(draw(k, {seed}, -100, 100));", f"put({name})")
        elif t == I64:
            v = Variable(name, t, -200000, 200000, 0, f"i64 {name} = draw(k, {seed}, -100000, 100000);", f"put({name})")
        elif t in (F, D):
            v = Variable(name, t, -50, 50, 1, f"{t.name} {name} = static_cast<{t.name}>(draw(k, {seed}, -100, 100)) / 2;", f"put({name})")
        elif t == B:
            v = Variable(name, t, 0, 1, 0, f"bool {name} = {noise} % 2U != 0U;", f"put({name})")
        elif isinstance(t, Number):
            v = Variable(name, t, t.low, t.high, 0, f"{t.name} {name} = static_cast<{t.name}>({noise});", f"put({name})")
        elif t in ENUMERATORS:
            low, high = ENUM_RANGE.get(t, (0, 0))
            values = [f"{t}::{e}" for e in ENUMERATORS[t]]
            v = Variable(name, t, low, high, 0, f"{t} {name} = {noise} % 2U != 0U ? {values[0]} : {values[seed % 2 + 1]};", f"put({name})")
        elif t == "pt":
            v = Variable(name, t, 0, 0, 0, f"pt {name}{{static_cast<u32>({noise}), {seed}U}};", f"put({name})")
        elif t == "half":
            v = Variable(name, t, -50, 50, 0, f"half {name}{{static_cast<int>(draw(k, {seed}, -100, 100))}};", f"put({name})")
        elif t == "wide":
            v = Variable(name, t, -51, 51, 1, f"wide {name}{{static_cast<int>(draw(k, {seed}, -50, 50))}};", f"put({name})")
        elif t == "tiny":
            v = Variable(name, t, 0, 255, 0, f"tiny {name}{{static_cast<u8>({noise})}};", f"put({name})")
        elif t == "source":
            v = Variable(name, t, 0, 0, 0, f"source {name}{{static_cast<u32>({noise})}};", f"put({name})")
        elif t == "fields":
            v = Variable(name, t, 0, 0, 0, f"fields {name}{{k % 8U, static_cast<int>(draw(k, {seed}, -16, 15)), "
                         f"static_cast<u32>({noise} % 4096U), static_cast<u8>(k)}};", f"put({name})")
        elif t == "random":
            v = Variable(name, t, 0, 0, 0, f"ikra::random {name}({seed}, k);", f"put({name}.bits())")
        elif t == "array":
            v = Variable(name, t, 0, 0, 0, f"u32 {name}[4] = {{k, {seed}U, static_cast<u32>({noise}), 4U}};",
                         f"put({name}[0] + {name}[1] * 3U + {name}[2] * 5U + {name}[3] * 7U)")
        else:
            raise AssertionError(t)
        self.variables.append(v)
        return v

    def variable(self, t) -> Variable:
        if t == "array" and self.no_writes:  # no lambda inside of a section captures a copy of one
            raise Undefined
        known = [v for v in self.variables if v.type == t]
        if known and (self.inner or self.dice.random() < 0.6):
            return self.dice.choice(known)
        if self.ordered and isinstance(t, Number) and len(self.variables) > 5 and known:
            return self.dice.choice(known)
        return self.declare(t)

    def name(self, v: Variable) -> Node:
        return Node(v.name, [], [], POSTFIX, v.type, v.low, v.high, v.scale, True, None, frozenset([v.name]), frozenset(), (v,))

    # leaves -----------------------------------------------------------------------------------------

    def literal(self) -> Node:
        text, t, value = self.dice.choice([
            ("{}", I32, None), ("{}", I32, None), ("{}U", U32, None), ("{}L", I64, None), ("{}UL", U64, None),
            ("'a'", C, 97), ("'\\n'", C, 10), ("true", B, 1), ("false", B, 0), ("0x1f", I32, 31), ("07U", U32, 7), ("1'000", I32, 1000),
            ("sizeof(i16)", U64, 2)])
        if value is None:
            value = self.dice.choice([0, 1, 2, 3, 5, 7, 10, 100])
            text = text.format(value)
        return Node(text, [], [], POSTFIX, t, value, value)

    def decimal(self) -> Node:
        t = self.dice.choice([F, D])
        value, scale, text = self.dice.choice([(1, 0, "1.0"), (2, 0, "2."), (1, 1, "0.5"), (3, 1, "2.5"), (1, 2, ".25"), (10, 0, "1e1"), (4, 0, "0x1p2")])
        return Node(text + ("f" if t == F else ""), [], [], POSTFIX, t, value if scale == 0 else 0, value, scale)

    def leaf(self) -> Node:
        roll = self.dice.random()
        if self.inner and roll < 0.5:
            return self.dice.choice(self.dice.choice(self.inner))
        if roll < 0.2:
            return self.literal()
        if roll < 0.24:
            return self.decimal()
        if roll < 0.28:
            e = self.dice.choice(["level", "count"])
            n = self.dice.choice(ENUMERATORS[e])
            return Node(f"{e}::{n}" if self.dice.random() < 0.5 else f"fuzz::{n}", [], [], POSTFIX, e, *ENUM_RANGE[e])
        if roll < 0.33:
            return self.name(self.variable(self.dice.choice(["half", "tiny", "wide", "level", "count"])))
        if roll < 0.37:
            v = self.variable("fields")
            member, t, promoted, low, high = self.dice.choice([("a", U32, I32, 0, 7), ("b", I32, I32, -16, 15), ("c", U32, I32, 0, 4095), ("d", U8, I32, 0, 63)])
            return Node(f"{v.name}.{member}", [], [], POSTFIX, t, low, high, 0, False, promoted, frozenset([v.name]), frozenset(), (v,))
        if self.ordered and roll < 0.8:
            choices = [v for v in self.variables if isinstance(v.type, Number)]
            return self.name(self.dice.choice(choices))
        return self.name(self.variable(self.dice.choice([*NUMBERS, I32, I32, U32, U32, I64, U64])))

    # making -----------------------------------------------------------------------------------------

    def node(self, text, kids, needs, binds, t, low=0, high=0, scale=0, order=False, place=False, writes=(), reads=(), uses=(), places=(),
             fields=False) -> Node:
        """order: C++ says which operand comes first. fields: bit-fields may stand there, to which no reference binds."""
        if not fields and any(kid.promoted for kid in kids):
            raise Undefined
        if not order:
            apart(*kids)
        read = frozenset().union(*(kid.reads for kid in kids), reads)
        written = frozenset().union(*(kid.writes for kid in kids), writes)
        return Node(text, kids, needs, binds, t, low, high, scale, place, None, read, written, tuple(uses), tuple(places))

    def number(self, depth: int) -> Node:
        """Any number, enumeration without scope, or object that becomes a number."""
        for _ in range(20):
            if depth <= 0 or self.dice.random() < 0.08:
                made = self.leaf()
            else:
                try:
                    made = self.dice.choice(self.forms())(depth - 1)
                except Undefined:
                    continue
            if made.size() > 60:
                continue
            if self.dice.random() < 0.05:
                made = replace(made, extra=True)
            return made
        return self.leaf()

    def real(self, depth: int) -> Node:
        """A number of arithmetic type."""
        for _ in range(20):
            made = self.number(depth)
            if isinstance(made.type, Number):
                return made
        return self.literal()

    def integer(self, depth: int) -> Node:
        for _ in range(20):
            made = self.real(depth)
            if not made.type.floating:
                return made
        return self.literal()

    def spelled(self, t: Number, one_word: bool = False) -> str:
        choices = [s for s in SPELLINGS.get(t.name, [t.name]) if not one_word or " " not in s]
        return self.dice.choice(choices)

    def cast(self, kid: Node, t: Number) -> Node:
        low, high, scale = converted(kid, t)
        form = self.dice.randrange(3)
        if form == 0:
            return self.node(f"({self.spelled(t)}){{0}}", [kid], [PREFIX], PREFIX, t, low, high, scale, fields=True)
        if form == 1 or "std::pair{" in kid.render():  # g++ takes (T(std::pair{…}.first)) * x for a cast to a function
            return self.node(f"static_cast<{self.spelled(t)}>({{0}})", [kid], [COMMA], POSTFIX, t, low, high, scale, fields=True)
        return self.node(f"{self.spelled(t, True)}({{0}})", [kid], [ASSIGN], POSTFIX, t, low, high, scale, fields=True)

    def of(self, t: Number, depth: int) -> Node:
        """Exactly a t, which braces and templates ask for."""
        if self.ordered and t == U32 and self.dice.random() < 0.5:
            return self.effect_u32(depth)
        kid = self.number(depth)
        for _ in range(3):
            if kid.type == t and not kid.promoted:
                return kid
            kid = self.number(depth)
        return self.cast(kid, t)

    def as_int(self, depth: int, t: Number = I32) -> Node:
        """What converts to t with its value known."""
        kid = self.number(depth)
        converted(kid, t)
        return kid

    def plain_int(self, depth: int) -> Node:
        """What converts to int without a conversion of a class."""
        kid = self.real(depth)
        converted(kid, I32)
        return kid

    def operator(self, depth: int) -> Node:
        """Mostly with an operator outermost, which parentheses may be lost around."""
        if self.dice.random() < 0.4:
            return self.number(depth)
        for _ in range(5):
            try:
                return self.dice.choice([self.arithmetic, self.arithmetic, self.shift, self.compare, self.logic, self.choose, self.unary])(depth)
            except Undefined:
                pass
        return self.number(depth)

    def operand(self, depth: int) -> Node:
        """Of an operator: often a call that leaves nothing of itself."""
        if depth > 0 and self.dice.random() < 0.25:
            try:
                return self.through(depth - 1)
            except Undefined:
                pass
        return self.number(depth)

    def forms(self):
        simple = [self.arithmetic] * 8 + [self.compare] * 3 + [self.logic] * 2 + [self.unary] * 4 + [self.shift] * 3 + [self.choose] * 4 + \
                 [self.any_cast] * 3 + [self.through] * 6 + [self.smallest] * 3 + [self.function] * 4 + [self.member] * 4 + [self.part] * 2 + \
                 [self.conversions] * 2 + [self.lambda_call] * 2 + [self.enumeration] + [self.pointer]
        if self.no_writes:
            return simple
        effects = [self.assign] * 2 + [self.step] * 2 + [self.comma]
        if not self.ordered:
            return simple * 2 + effects
        return simple + effects * 3 + [self.effect_any] * 30

    # the forms --------------------------------------------------------------------------------------

    def arithmetic(self, depth: int) -> Node:
        op = self.dice.choice([*BINARY, "+", "-", "*", "*"])
        a, b = self.operand(depth), self.operand(depth)
        if op in "/%" and b.low <= 0 <= b.high:
            b = self.dice.choice([Node(str(n), [], [], POSTFIX, I32, n, n) for n in (3, 7, 10, 64)])
        t = common(arithmetic_type(a), arithmetic_type(b))
        low, high, scale = computed(op, t, converted(a, t), converted(b, t))
        binds = BINARY[op]
        return self.node(f"{{0}} {op} {{1}}", [a, b], [binds, binds + 1], binds, t, low, high, scale, fields=True)

    def compare(self, depth: int) -> Node:
        op = self.dice.choice(list(COMPARE))
        a, b = self.operand(depth), self.operand(depth)
        t = common(arithmetic_type(a), arithmetic_type(b))
        converted(a, t), converted(b, t)
        binds = COMPARE[op]
        return self.node(f"{{0}} {op} {{1}}", [a, b], [binds, binds + 1], binds, B, 0, 1, fields=True)

    def logic(self, depth: int) -> Node:
        op, binds = self.dice.choice([("&&", AND), ("||", OR)])
        return self.node(f"{{0}} {op} {{1}}", [self.operand(depth), self.operand(depth)], [binds, binds + 1], binds, B, 0, 1, order=True, fields=True)

    def unary(self, depth: int) -> Node:
        op = self.dice.choice("-+~!-")
        kid = self.operand(depth)
        if op == "!":
            return self.node("!{0}", [kid], [PREFIX], PREFIX, B, 0, 1, fields=True)
        t = arithmetic_type(kid)
        low, high, scale = converted(kid, t)
        if op == "~":
            if t.floating:
                raise Undefined
            low, high = fit(t, ~high, ~low, False)
        elif op == "-":
            low, high = (-high, -low) if t.floating else fit(t, -high, -low, False)
        return self.node(op + "{0}", [kid], [PREFIX], PREFIX, t, low, high, scale, fields=True)

    def shift(self, depth: int) -> Node:
        op = self.dice.choice(["<<", ">>"])
        a, b = self.operand(depth), self.operand(depth)
        t, tb = arithmetic_type(a), arithmetic_type(b)
        if t.floating or tb.floating:
            raise Undefined
        low, high, _ = converted(a, t)
        if b.low < 0 or b.high >= t.bits:
            n = self.dice.randrange(1, 8)
            b = Node(str(n), [], [], POSTFIX, I32, n, n) if self.dice.random() < 0.5 else \
                self.node("{0} & 7", [b], [BIT_AND], BIT_AND, common(tb, I32), 0, 7)
        if op == "<<":
            low, high = fit(t, low << b.high, high << b.high, True) if low < 0 else fit(t, 0, high << b.high, True)
        else:
            low, high = min(low, 0), max(high, 0)
        return self.node(f"{{0}} {op} {{1}}", [a, b], [SHIFT, SHIFT + 1], SHIFT, t, low, high, order=True, fields=True)

    def choose(self, depth: int) -> Node:
        c, a, b = self.operand(depth), self.operand(depth), self.operand(depth)
        place = False
        if a.type == b.type:
            t = a.type
            if a.promoted or b.promoted:
                raise Undefined
            low, high, scale = min(a.low, b.low), max(a.high, b.high), max(a.scale, b.scale)
            place = a.place and b.place
        elif isinstance(a.type, Number) and isinstance(b.type, Number):
            t = common(arithmetic_type(a), arithmetic_type(b))
            if a.promoted or b.promoted:
                raise Undefined
            (la, ha, sa), (lb, hb, sb) = converted(a, t), converted(b, t)
            low, high, scale = min(la, lb), max(ha, hb), max(sa, sb)
        else:  # an object becomes what the other one is
            number, thing = (a, b) if isinstance(a.type, Number) else (b, a)
            if not isinstance(number.type, Number) or thing.type not in CLASSES or number.promoted:
                raise Undefined
            t = number.type
            low, high, scale = converted(thing, t)
            low, high, scale = min(low, number.low), max(high, number.high), max(scale, number.scale)
        return self.node("{0} ? {1} : {2}", [c, a, b], [OR, COMMA, ASSIGN], CONDITION, t, low, high, scale, order=True, place=place)

    def any_cast(self, depth: int) -> Node:
        return self.cast(self.number(depth), self.dice.choice(NUMBERS))

    def through(self, depth: int) -> Node:
        """std::move, std::forward, std::as_const, std::get: calls that leave nothing of themselves."""
        kid = self.operator(depth)
        if kid.promoted:
            raise Undefined
        name = self.type_name(kid)
        form = self.dice.randrange(9)
        low, high, scale = kid.low, kid.high, kid.scale

        def made(text, kids=(kid,), order=True, places=()):
            return self.node(text, list(kids), [ASSIGN] * len(kids), POSTFIX, kid.type, low, high, scale, order=order, places=places)
        if form < 2:
            return made("std::move({0})")
        if form == 2 and (not kid.kids or OR <= kid.binds <= PRODUCT) and not (kid.place and self.no_writes):  # copies are const
            return made(f"std::forward<{name}>({{0}})")
        if form == 3:
            if not kid.place:
                return made("std::move({0})")
            return made("std::as_const({0})", places=(0,))
        if form == 4:
            other = self.real(depth - 1)
            return made("std::get<1>(std::pair{{{0}, {1}}})", (other, kid))
        if form == 5:
            other = self.real(depth - 1)
            return made("std::get<0>(std::tuple{{{0}, {1}}})", (kid, other))
        if form == 6:
            other = self.real(depth - 1)
            return made("std::pair{{{0}, {1}}}.first", (kid, other))
        if form == 7 and isinstance(kid.type, Number):
            other = self.of(kid.type, depth - 1)
            low, high, scale = min(low, other.low), max(high, other.high), max(scale, other.scale)
            return made(f"std::array<{name}, 2>{{{{{{0}}, {{1}}}}}}[1]", (other, kid))
        other = self.real(depth - 1)
        return made("std::make_pair({0}, {1}).second", (other, kid), False)

    def type_name(self, node: Node) -> str:
        return self.spelled(node.type) if isinstance(node.type, Number) else node.type

    def smallest(self, depth: int) -> Node:
        name = self.dice.choice(["std::min", "std::max", "ikra::min", "ikra::max"])
        a = self.real(depth)
        if name.startswith("ikra"):
            b = self.of(a.type, depth)
            kids, order, text = [a, b], False, f"{name}({{0}}, {{1}})"
        elif self.dice.random() < 0.25:
            b, c = self.of(a.type, depth), self.of(a.type, depth - 1)
            kids, order, text = [a, b, c], True, f"{name}({{{{{{0}}, {{1}}, {{2}}}}}})"
        elif self.dice.random() < 0.4:
            t = self.dice.choice(NUMBERS)
            b = self.number(depth)
            ranges = [converted(kid, t) for kid in (a, b)]
            return self.node(f"{name}<{self.spelled(t)}>({{0}}, {{1}})", [a, b], [ASSIGN] * 2, POSTFIX, t, min(r[0] for r in ranges),
                             max(r[1] for r in ranges), max(r[2] for r in ranges))
        else:
            b = self.of(a.type, depth)
            kids, order, text = [a, b], False, f"{name}({{0}}, {{1}})"
        return self.node(text, kids, [ASSIGN] * len(kids), POSTFIX, a.type, min(kid.low for kid in kids), max(kid.high for kid in kids),
                         max(kid.scale for kid in kids), order=order)

    def call(self, text: str, kids: list[Node], t, low=None, high=None, **more) -> Node:
        if low is None:
            low, high = t.low, t.high
        return self.node(text, kids, [ASSIGN] * len(kids), POSTFIX, t, low, high, **more)

    def function(self, depth: int) -> Node:
        form = self.dice.randrange(12)
        if form == 0:
            return self.call("fuzz::cut({0})", [self.as_int(depth)], I32, 0, 255, fields=True)
        if form == 1:
            return self.call("sign_of({0})", [self.as_int(depth)], I32, -1, 1, fields=True)
        if form == 2:
            return self.call("joined({0}, {1})", [self.as_int(depth, U32), self.as_int(depth, U32)], U32, fields=True)
        if form == 3:
            return self.call("joined3({0}, {1}, {2})", [self.as_int(depth, U64), self.as_int(depth, U32), self.as_int(depth - 1, U8)], U64, fields=True)
        if form == 4:
            return self.call("narrow({0})", [self.as_int(depth, I16)], I16, fields=True)
        if form == 5:
            return self.call("with_default({0})", [self.as_int(depth)], I32, -3, 12, fields=True)
        if form == 6:
            return self.call("fuzz::kind({0})", [self.real(depth)], I32, 1, 15, fields=True)
        if form == 7:
            a, b = self.real(depth), self.real(depth)
            converted(a, common(arithmetic_type(a), arithmetic_type(b))), converted(b, common(arithmetic_type(a), arithmetic_type(b)))
            return self.call("greater({0}, {1})", [a, b], B)
        if form == 8:
            return self.call("times<3>({0})", [self.integer(depth)], I32, 0, 93)
        kid = self.number(depth)
        if kid.promoted:
            raise Undefined
        low, high, scale = kid.low, kid.high, kid.scale
        if form == 9:
            return self.call("same({0})", [kid], kid.type, low, high, scale=scale)
        if form == 10:
            return self.call("seen({0})", [kid], kid.type, low, high, scale=scale)
        if isinstance(kid.type, Number):
            t = self.dice.choice(NUMBERS)
            low, high, scale = converted(kid, t)
            return self.call(f"same<{self.spelled(t)}>({{0}})", [kid], t, low, high, scale=scale)
        return self.call("passed({0})", [kid], kid.type, low, high, scale=scale)

    def point(self, depth: int) -> Node:
        """A pt."""
        form = self.dice.randrange(14) if depth > 0 else 0
        if form < 2:
            return self.name(self.variable("pt"))
        if form < 4:
            return self.node("pt{{{0}, {1}}}", [self.of(U32, depth - 1), self.of(U32, depth - 1)], [ASSIGN] * 2, POSTFIX, "pt", order=True)
        if form == 4:
            op, binds = self.dice.choice([("+", SUM), ("-", SUM), ("|", BIT_OR)])
            return self.node(f"{{0}} {op} {{1}}", [self.point(depth - 1), self.point(depth - 1)], [binds, binds + 1], binds, "pt")
        if form == 5:
            return self.node("{0} * {1}", [self.point(depth - 1), self.as_int(depth - 1, U32)], [PRODUCT, PRODUCT + 1], PRODUCT, "pt")
        if form == 6:
            number = self.real(depth - 1)
            converted(number, U32)
            return self.node("{0} * {1}", [number, self.point(depth - 1)], [PRODUCT, PRODUCT + 1], PRODUCT, "pt")
        if form == 7:
            return self.node(self.dice.choice(["-{0}", "~{0}"]), [self.point(depth - 1)], [PREFIX], PREFIX, "pt")
        if form == 8:
            a, b = self.point(depth - 1), self.point(depth - 1)
            return self.node("{0} ? {1} : {2}", [self.number(depth - 1), a, b], [OR, COMMA, ASSIGN], CONDITION, "pt", order=True)
        if form == 9:
            return self.node("std::move({0})", [self.point(depth - 1)], [ASSIGN], POSTFIX, "pt")
        if form == 10:
            return self.node("{0}.turned()", [self.point(depth - 1)], [POSTFIX], POSTFIX, "pt")
        if form == 11:
            return self.node(self.dice.choice(["std::min({0}, {1})", "std::max({0}, {1})"]), [self.point(depth - 1), self.point(depth - 1)],
                             [ASSIGN] * 2, POSTFIX, "pt")
        if form == 12:
            return self.node("(pt){0}", [self.point(depth - 1)], [PREFIX], PREFIX, "pt")
        return self.node("{0}.operator+({1})", [self.point(depth - 1), self.point(depth - 1)], [POSTFIX, ASSIGN], POSTFIX, "pt", order=True)

    def member(self, depth: int) -> Node:
        form = self.dice.randrange(13)
        p = self.point(depth)
        if form < 3:
            return self.node(self.dice.choice(["{0}.x", "{0}.y"]), [p], [POSTFIX], POSTFIX, U32, 0, U32.high)
        if form == 3:
            return self.node("{0}.folded()", [p], [POSTFIX], POSTFIX, U32, 0, U32.high)
        if form == 4:
            return self.node("{0}.dot({1})", [p, self.point(depth)], [POSTFIX, ASSIGN], POSTFIX, U32, 0, U32.high, order=True)
        if form == 5:
            return self.node("{0}[{1}]", [p, self.as_int(depth, U32)], [POSTFIX, COMMA], POSTFIX, U32, 0, U32.high, order=True)
        if form == 6:
            return self.node("{0}({1}, {2})", [p, self.of(U32, depth), self.as_int(depth - 1, U32)], [POSTFIX, ASSIGN, ASSIGN], POSTFIX, U32, 0, U32.high)
        if form == 7:
            op, binds = self.dice.choice([("<", ORDER), ("==", EQUAL), ("!=", EQUAL)])
            return self.node(f"{{0}} {op} {{1}}", [p, self.point(depth)], [binds, binds + 1], binds, B, 0, 1)
        if form == 8:
            return self.node("!{0}", [p], [PREFIX], PREFIX, B, 0, 1)
        if form == 9:
            return self.node("static_cast<bool>({0})", [p], [COMMA], POSTFIX, B, 0, 1)
        if form == 10:
            return self.node("{0} ? {1} : {2}", [p, self.of(U32, depth), self.of(U32, depth)], [OR, COMMA, ASSIGN], CONDITION, U32, 0, U32.high, order=True)
        if form == 11:
            return self.call("folded2({0}, {1})", [p, self.point(depth)], U32)
        return self.call("fuzz::folded({0})", [p], U32)

    def part(self, depth: int) -> Node:
        """Of what is made in braces."""
        kids = [self.of(U32, depth) for _ in range(3)]
        form = self.dice.randrange(9)
        # In order, since braces are.
        texts = ["std::get<1>(std::tuple<u32, u64, u32>{{{0}, {1}, {2}}})", "std::array<u32, 3>{{{0}, {1}, {2}}}[1]", "ikra::index<3>{{{0}, {1}, {2}}}[2]",
                 "based{{{{{0}, {1}}}, {2}}}.all()", "fuzz::folded_line(line{{{{{0}, {1}}}, {{{2}, 4U}}}})", "line{{{{.x = {0}, .y = {1}}}, {{{2}}}}}.folded()",
                 "made{{{0}, {1}, (u8){2}}}.value", "std::pair<u32, u32>{{{0}, {1} - {2}}}.second", "made(pt{{{0}, {1}}}).value"]
        needs = [ASSIGN] * 3
        if form == 6:
            needs[2] = PREFIX
        if form == 7:
            needs[1:], kids = [SUM, SUM + 1], kids
            apart(kids[1], kids[2])
        if form == 8:
            kids = kids[:2]
        t = U64 if form == 0 else I64 if form == 2 else U32
        return self.node(texts[form], kids, needs, POSTFIX, t, 0, U32.high, order=True)

    def conversions(self, depth: int) -> Node:
        form = self.dice.randrange(6)
        if form == 0:
            return self.call("opened({0})", [self.plain_int(depth)], U32)
        if form == 1:
            return self.call("opened({0})", [self.point(depth)], U32)
        if form == 2:
            return self.call("opened2({0}, {1})", [self.plain_int(depth), self.point(depth)], U32)
        if form == 3:
            return self.call("boxed({0}).value", [self.plain_int(depth)], U32)
        if form == 4:
            return self.node("half{{{0}}}", [self.cast(self.integer(depth), I8)], [ASSIGN], POSTFIX, "half", -64, 64)
        return self.node("tiny{{{0}}}", [self.of(U8, depth)], [ASSIGN], POSTFIX, "tiny", 0, 255)

    def lambda_call(self, depth: int) -> Node:
        """A lambda called in place; with parameters of types, or generic."""
        kids = [self.real(depth) for _ in range(self.dice.randrange(1, 3))]
        if any(kid.promoted for kid in kids):
            raise Undefined
        level = len(self.inner)
        generic = self.dice.random() < 0.3
        names = [f"{'pqr'[level % 3]}{i}" for i in range(len(kids))]
        parameters = [Node(name, [], [], POSTFIX, kid.type, kid.low, kid.high, kid.scale, True) for name, kid in zip(names, kids)]
        if level > 1:
            raise Undefined
        capture = self.dice.choice(["=", "&", "&"]) if self.variables else "="
        self.inner.append(parameters)
        outer, self.no_writes = self.no_writes, self.no_writes + (capture == "=")
        try:
            body = self.real(depth)
        finally:
            self.inner.pop()
            self.no_writes = outer
        if body.promoted:
            raise Undefined
        declared = ", ".join(f"{'auto' if generic else self.type_name(kid)} {name}" for name, kid in zip(names, kids))
        arguments = ", ".join(f"{{{i}}}" for i in range(len(kids)))
        text = f"[{capture}]({declared}) {{{{ return {{{len(kids)}}}; }}}}({arguments})"
        apart(*kids)
        # The body runs after the arguments were computed.
        return self.node(text, [*kids, body], [ASSIGN] * len(kids) + [COMMA], POSTFIX, body.type, body.low, body.high, body.scale, order=True)

    def enumeration(self, depth: int) -> Node:
        form = self.dice.randrange(4)
        v = self.name(self.variable("colour"))
        if form == 0:
            return self.node("static_cast<int>({0})", [v], [COMMA], POSTFIX, I32, 0, 2)
        if form == 1:
            return self.node("{0} == colour::green", [v], [EQUAL], EQUAL, B, 0, 1)
        if form == 2:
            return self.node("fuzz::kind({0})", [v], [ASSIGN], POSTFIX, I32, 13, 13)
        return self.node("static_cast<level>({0})", [self.node("{0} & 31", [self.integer(depth)], [BIT_AND], BIT_AND, I32, 0, 31)], [COMMA], POSTFIX, "level", 0, 31)

    def pointer(self, depth: int) -> Node:
        form = self.dice.randrange(4)
        if form == 0:
            kid = self.name(self.variable(self.dice.choice([U32, I32, U8, I16])))
            return self.node("*&{0}", [kid], [PREFIX], PREFIX, kid.type, kid.low, kid.high, place=True, places=(0,))
        if form == 1:
            kid = self.name(self.variable("pt"))
            return self.node("(&{0})->y", [kid], [PREFIX], POSTFIX, U32, 0, U32.high, place=True, places=(0,))
        kid = self.name(self.variable("array"))
        index = self.integer(depth)
        index = self.node("{0} & 3", [index], [BIT_AND], BIT_AND, common(arithmetic_type(index), I32), 0, 3)
        if form == 2:
            return self.node("*({0} + {1})", [kid, index], [SUM, SUM + 1], PREFIX, U32, 0, U32.high, place=True, places=(0,))
        return self.node("{0}[{1}]", [kid, index], [POSTFIX, COMMA], POSTFIX, U32, 0, U32.high, order=True, place=True, places=(0,))

    # effects ----------------------------------------------------------------------------------------

    def target(self) -> Node:
        choices = [v for v in self.variables if v.type in (I32, U8, I16, U32, U64, I8, U16)]
        if not choices or not self.ordered and self.dice.random() < 0.5 and not self.inner:
            choices = [self.declare(self.dice.choice([I32, U32, U32, U8, I16, U64]))]
        return self.name(self.dice.choice(choices))

    def step(self, depth: int) -> Node:
        if self.no_writes:
            raise Undefined
        kid = self.target()
        written = {kid.text}
        op = self.dice.choice(["++{0}", "--{0}", "{0}++", "{0}--", "++{0}"])
        if op.startswith("{"):
            return self.node(op, [kid], [POSTFIX], POSTFIX, kid.type, kid.low, kid.high, writes=written, places=(0,))
        return self.node(op, [kid], [PREFIX], PREFIX, kid.type, kid.low, kid.high, place=True, writes=written, places=(0,))

    def assign(self, depth: int) -> Node:
        if self.no_writes:
            raise Undefined
        kid = self.target()
        t = kid.type
        op = self.dice.choice(["=", "+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>="])
        b = self.number(depth)
        if t == I32:
            op = self.dice.choice(["=", "+=", "-=", ">>="])
            if op != ">>=":
                b = self.cast(b, self.dice.choice([I8, U8]))
        if op in ("<<=", ">>="):
            if arithmetic_type(b).floating:
                raise Undefined
            b = self.node("{0} & 3", [b], [BIT_AND], BIT_AND, common(arithmetic_type(b), I32), 0, 3)
        elif op == "=":
            converted(b, t)
        else:
            both = common(arithmetic_type(kid), arithmetic_type(b))
            low, high, scale = computed(op[0], both, converted(kid, both), converted(b, both))
            if both.floating and (low < t.low or high > t.high):
                raise Undefined
        return self.node(f"{{0}} {op} {{1}}", [kid, b], [OR, ASSIGN], ASSIGN, t, kid.low, kid.high, order=True, place=True, writes={kid.text},
                         places=(0,))

    def comma(self, depth: int) -> Node:
        first = self.dice.choice([self.step, self.assign])(depth)
        then = self.number(depth)
        if then.promoted:
            raise Undefined
        return self.node("{0}, {1}", [first, then], [COMMA, ASSIGN], COMMA, then.type, then.low, then.high, then.scale, order=True, place=then.place)

    def effect_any(self, depth: int) -> Node:
        return self.dice.choice([self.effect_u32] * 4 + [self.part, self.member, self.shift, self.comma, self.choose, self.logic])(depth)

    def argument(self, depth: int) -> Node:
        """Something that changes a state, or reads one."""
        if self.dice.random() < 0.3:
            return self.as_int(depth, U32)
        return self.effect_u32(depth)

    def state(self) -> tuple[Variable, str, str]:
        """A source: its variable, the text of it, and what stands in front of a method's name."""
        choices = [v for v in self.variables if v.type in ("source", "actor")]
        v = self.dice.choice(choices)
        if v.type == "actor":
            return v, "*s", "s->"
        return v, v.name, v.name + "."

    def chain(self, depth: int) -> Node:
        """A source& after some operations on it."""
        v, text, dot = self.state()
        is_actor = v.type == "actor"
        first = self.dice.randrange(4)
        own = {"reads": {v.name}, "writes": {v.name}, "uses": (v,)}
        if first == 0:
            made = self.node(dot + "add({0})", [self.argument(depth)], [ASSIGN], POSTFIX, "source&", place=True, order=True, **own)
        elif first == 1 and not is_actor:
            made = self.node(dot + "self()", [], [], POSTFIX, "source&", place=True, **own)
        elif first == 1:
            made = self.node("s->self()->add({0})", [self.argument(depth)], [ASSIGN], POSTFIX, "source&", place=True, order=True, **own)
        else:
            made = self.node(text, [], [], PREFIX if is_actor else POSTFIX, "source&", place=True, reads={v.name}, uses=(v,))
        for _ in range(self.dice.randrange(1, 3)):
            form = self.dice.randrange(7)
            a = self.argument(depth - 1)
            if form < 2:
                made = self.node("{0}.add({1})", [made, a], [POSTFIX, ASSIGN], POSTFIX, "source&", place=True, order=True, **own)
            elif form == 2:
                b = self.argument(depth - 1)
                apart(a, b)
                made = self.node("{0}.add2({1}, {2})", [made, a, b], [POSTFIX, ASSIGN, ASSIGN], POSTFIX, "source&", place=True, order=True, **own)
            elif form < 5:
                op = self.dice.choice(["<<", "<<", ">>"])
                made = self.node(f"{{0}} {op} {{1}}", [made, a], [SHIFT, SHIFT + 1], SHIFT, "source&", place=True, order=True, **own)
            elif form == 5:
                made = self.node("{0} += {1}", [made, a], [OR, ASSIGN], ASSIGN, "source&", place=True, order=True, **own)
            elif not is_actor:
                made = self.node("{0} = {1}", [made, a], [OR, ASSIGN], ASSIGN, "source&", place=True, order=True, **own)
        return made

    def effect_u32(self, depth: int) -> Node:
        if self.no_writes or depth < -1:
            return self.cast(self.leaf(), U32)
        form = self.dice.randrange(22)
        v, text, dot = self.state()
        own = {"reads": {v.name}, "writes": {v.name}, "uses": (v,)}
        if form < 4 or depth <= 0:
            dice = [d for d in self.variables if d.type == "random"]
            pick = self.dice.randrange(6)
            if dice and pick < 3:
                d = self.dice.choice(dice)
                own = {"reads": {d.name}, "writes": {d.name}, "uses": (d,)}
                if pick == 0:
                    return self.node(f"{d.name}.below(100U)", [], [], POSTFIX, U32, 0, 99, **own)
                return self.node(f"{d.name}.bits()", [], [], POSTFIX, U32, 0, U32.high, **own)
            if pick < 5:
                return self.node(dot + "next()", [], [], POSTFIX, U32, 0, U32.high, **own)
            return self.cast(self.step(0), U32)
        if form < 9:
            return self.node("{0}.value()", [self.chain(depth - 1)], [POSTFIX], POSTFIX, U32, 0, U32.high)
        if form == 9:
            base = self.chain(depth - 1)
            return self.node("{0}[{1}]", [base, self.argument(depth - 1)], [POSTFIX, COMMA], POSTFIX, U32, 0, U32.high, order=True, **own | {"uses": ()})
        if form == 10:
            base = self.chain(depth - 1)
            return self.node("{0}({1})", [base, self.argument(depth - 1)], [POSTFIX, ASSIGN], POSTFIX, U32, 0, U32.high, order=True, **own | {"uses": ()})
        if form == 11:
            return self.node("pt{{{0}, {1}}}.folded()", [self.of(U32, depth - 1), self.of(U32, depth - 1)], [ASSIGN] * 2, POSTFIX, U32, 0, U32.high, order=True)
        if form == 12:
            return self.node("made{{{0}, {1}}}.value", [self.of(U32, depth - 1), self.of(U32, depth - 1)],
                             [ASSIGN] * 2, POSTFIX, U32, 0, U32.high, order=True)
        if form == 13:
            return self.part_u32(depth - 1)
        if form == 14:
            text = self.dice.choice(["[&] {{ return pt{{{0}, {1}}}; }}().folded()", "[&]() -> pt {{ return {{{0}, {1}}}; }}().folded()",
                                     "fuzz::folded({{{0}, {1}}})", "std::pair{{{0}, {1}}}.second", "std::max({{{0}, {1}}})",
                                     "std::get<0>(std::tuple<u32, u32>{{{0}, {1}}})"])
            return self.node(text, [self.of(U32, depth - 1), self.of(U32, depth - 1)], [ASSIGN] * 2, POSTFIX, U32, 0, U32.high, order=True)
        if form == 15:
            array = self.place_u32(depth - 1)
            op = self.dice.choice(["=", "+=", "^=", "*="])
            names = array.reads
            value = self.argument(depth - 1) if op == "=" else self.of(U32, depth - 1)
            return self.node(f"{{0}} {op} {{1}}", [array, value], [OR, ASSIGN], ASSIGN, U32, 0, U32.high, order=True, place=True,
                             writes=names, places=(0,))
        if form == 16:
            p = self.name(self.variable("pt"))
            text, needs, binds = self.dice.choice([
                ("({0} = pt{{{1}, {2}}}).folded()", [OR, ASSIGN, ASSIGN], POSTFIX), ("({0} = {{{1}, {2}}}).folded()", [OR, ASSIGN, ASSIGN], POSTFIX),
                ("({0} += {1}, {0}.x += {2})", [OR, ASSIGN, ASSIGN], POSTFIX), ("{0}.moved({1}).moved({2}).x", [POSTFIX, ASSIGN, ASSIGN], POSTFIX)])
            return self.node(text, [p, self.of(U32, depth - 1), self.of(U32, depth - 1)], needs, binds, U32, 0, U32.high, order=True,
                             writes=p.reads, places=(0,))
        if form == 17:
            a, b = self.argument(depth - 1), self.argument(depth - 1)
            return self.node("({0}, {1})", [a, b], [COMMA, ASSIGN], POSTFIX, U32, 0, U32.high, order=True) if b.type == U32 else self.cast(b, U32)
        if form == 18:
            a, b = self.of(U32, depth - 1), self.of(U32, depth - 1)
            return self.node("{0} ? {1} : {2}", [self.number(depth - 1), a, b], [OR, COMMA, ASSIGN], CONDITION, U32, 0, U32.high, order=True)
        if form == 19 and v.type == "source":
            return self.node("({0}, pt{{{1}, {2}}})", [self.chain(depth - 1), self.of(U32, depth - 1), self.of(U32, depth - 1)], [ASSIGN] * 3,
                             POSTFIX, U32, 0, U32.high, order=True, **own | {"uses": ()})
        if form == 20:
            return self.node("{0} << {1}", [self.of(U32, depth - 1), self.node("{0} & 7U", [self.of(U32, depth - 1)], [BIT_AND], BIT_AND, U32, 0, 7)],
                             [SHIFT, SHIFT + 1], SHIFT, U32, 0, U32.high, order=True)
        return self.node("[&](u32 q) {{ return q * 3U + {1}; }}({0})", [self.argument(depth - 1), self.of(U32, depth - 1)], [ASSIGN, SUM + 1], POSTFIX, U32, 0,
                         U32.high, order=True) if not self.inner else self.cast(self.step(0), U32)

    def part_u32(self, depth: int) -> Node:
        made = self.part(depth)
        return made if made.type == U32 else self.cast(made, U32)

    def place_u32(self, depth: int) -> Node:
        """An lvalue whose own operands have effects."""
        if self.actor and self.dice.random() < 0.4:
            v = next(v for v in self.variables if v.type == "actor")
            if self.dice.random() < 0.5:
                return Node(self.dice.choice(["s->place.x", "s->place.y"]), [], [], POSTFIX, U32, 0, U32.high, 0, True, None, frozenset(["s.place"]), frozenset(), (v,))
            index = self.node("{0} & 3U", [self.of(U32, depth)], [BIT_AND], BIT_AND, U32, 0, 3)
            return self.node("s->seen[{0}]", [index], [COMMA], POSTFIX, U32, 0, U32.high, place=True, order=True, reads={"s.seen"}, uses=(v,))
        array = self.name(self.variable("array"))
        index = self.node("{0} & 3U", [self.of(U32, depth)], [BIT_AND], BIT_AND, U32, 0, 3)
        return self.node("{0}[{1}]", [array, index], [POSTFIX, COMMA], POSTFIX, U32, 0, U32.high, order=True, place=True, places=(0,))

    # the whole --------------------------------------------------------------------------------------

    def expression(self) -> Node:
        for _ in range(50):
            try:
                depth = self.dice.choice([2, 3, 3, 4])
                made = self.effect_u32(depth) if self.ordered else self.dice.choice(self.forms())(depth)
                if 3 <= made.size() <= 45:
                    return made
            except Undefined:
                pass
        return self.leaf()
