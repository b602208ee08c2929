# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes of random expressions: their text, with as few parentheses as operators need, their types and ranges.

A node knows its type, the numbers that it may be, and what it reads and writes. So arithmetic that could overflow is
not made, and operands whose order C++ leaves open do not touch what another one writes.
"""
from __future__ import annotations

from dataclasses import dataclass

# Binding of operators: what stands in an operand binds at least as strongly as it says there.
COMMA, ASSIGN, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, ORDER, SHIFT, SUM, PRODUCT, PREFIX, POSTFIX = range(1, 15)
CONDITION = ASSIGN


@dataclass(frozen=True)
class Number:
    name: str
    bits: int
    signed: bool
    floating: bool = False

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - (1 if self.signed else 0)) - 1

    @property
    def exact(self) -> int:  # the bits of a floating number that arithmetic keeps
        return self.bits


B = Number("bool", 1, False)
C = Number("char", 8, True)
I8, U8, I16, U16 = (Number(n, b, s) for n, b, s in (("i8", 8, True), ("u8", 8, False), ("i16", 16, True), ("u16", 16, False)))
I32, U32, I64, U64 = (Number(n, b, s) for n, b, s in (("int", 32, True), ("u32", 32, False), ("i64", 64, True), ("u64", 64, False)))
F, D = Number("float", 23, True, True), Number("double", 50, True, True)
INTEGERS = [B, C, I8, U8, I16, U16, I32, U32, I64, U64]
NUMBERS = [*INTEGERS, F, D]
SPELLINGS = {"u32": ["u32", "unsigned", "std::uint32_t"], "u64": ["u64", "std::uint64_t", "std::size_t", "unsigned long"],
             "i64": ["i64", "std::int64_t", "long"], "i8": ["i8", "signed char"], "u8": ["u8", "unsigned char"],
             "i16": ["i16", "short"], "u16": ["u16", "unsigned short"]}
ENUMERATORS = {"colour": ["red", "green", "blue"], "level": ["low", "middle", "high"], "count": ["none", "few", "many"]}
ENUM_RANGE = {"level": (-3, 40), "count": (0, 200)}
CLASSES = ["pt", "half", "wide", "tiny"]


@dataclass(frozen=True)
class Variable:
    name: str
    type: object  # Number, or the name of a class or an enumeration
    low: int = 0
    high: int = 0
    scale: int = 0
    start: str = ""  # its declaration, or nothing if it is a parameter
    known: str = ""  # how its last value enters the digest


@dataclass
class Node:
    """`text` has {0}, {1}, … for the operands, which bind at least as `needs` says."""
    text: str
    kids: list[Node]
    needs: list[int]
    binds: int
    type: object
    low: int = 0
    high: int = 0
    scale: int = 0  # floating numbers are multiples of 2^-scale
    place: bool = False  # an lvalue that is no bit-field
    promoted: Number | None = None  # what a bit-field is promoted to
    reads: frozenset = frozenset()
    writes: frozenset = frozenset()
    uses: tuple = ()  # variables named in `text`
    places: tuple = ()  # operands that have to stay lvalues
    extra: bool = False  # parentheses that are not needed

    def render(self) -> str:
        parts = []
        for kid, need in zip(self.kids, self.needs):
            text = kid.render()
            if text[:1] in "[(" and "[" in text[:3] and f"[{{{len(parts)}}}" in self.text:
                text = f"+({text})"  # two brackets in a row begin an attribute, and nvcc drops parentheses between them
            parts.append(f"({text})" if kid.binds < need or kid.extra else text)
        text = self.text
        if text[:1] in "+-&" and text[1:] == "{0}" and parts[0][:1] == text[0]:
            text = text[0] + " {0}"  # - -x, not --x
        return text.format(*parts) if parts else text.replace("{{", "{").replace("}}", "}")

    def variables(self) -> set:
        found = set(self.uses)
        for kid in self.kids:
            found |= kid.variables()
        return found

    def size(self) -> int:
        return 1 + sum(kid.size() for kid in self.kids)


class Undefined(Exception):
    """This expression cannot be made of these operands."""


def promote(t: Number) -> Number:
    return I32 if not t.floating and t.bits < 32 else t


def arithmetic_type(node: Node) -> Number:
    if isinstance(node.type, Number):
        return promote(node.promoted or node.type)
    if node.type in ENUM_RANGE:
        return I32
    if node.type in ("half", "tiny"):
        return I32
    if node.type == "wide":
        return D
    raise Undefined


def common(a: Number, b: Number) -> Number:
    if a.floating or b.floating:
        return D if D in (a, b) else F
    if a.signed == b.signed:
        return a if a.bits >= b.bits else b
    unsigned, signed = (b, a) if a.signed else (a, b)
    return signed if signed.bits > unsigned.bits else unsigned


def fit(t: Number, low: int, high: int, wraps: bool) -> tuple[int, int]:
    """The range of a result, for what is computed in t."""
    if t.low <= low and high <= t.high:
        return low, high
    if wraps or not t.signed:
        return t.low, t.high
    raise Undefined


def check_exact(t: Number, low: int, high: int, scale: int) -> None:
    if max(abs(low), abs(high)) << max(scale, 0) > 1 << t.bits or scale > 10:
        raise Undefined


def converted(node: Node, t: Number) -> tuple[int, int, int]:
    """Range and scale of the value as a t."""
    if not isinstance(node.type, Number) and node.type not in ENUM_RANGE and node.type not in CLASSES:
        raise Undefined
    low, high, scale = node.low, node.high, node.scale
    if t == B:
        return 0, 1, 0
    if t.floating:
        check_exact(t, low, high, scale)
        return low, high, scale
    if scale or (isinstance(node.type, Number) and node.type.floating) or node.type == "wide":
        if low < t.low or high > t.high:
            raise Undefined
        return low, high, 0
    return *fit(t, low, high, True), 0


def mask(high: int) -> int:
    return (1 << high.bit_length()) - 1


def computed(op: str, t: Number, a: tuple, b: tuple) -> tuple[int, int, int]:
    """Range and scale of `a op b`, both in t."""
    (al, ah, asc), (bl, bh, bsc) = a, b
    if t.floating:
        if op in "+-":
            low, high = (al + bl, ah + bh) if op == "+" else (al - bh, ah - bl)
            scale = max(asc, bsc)
        elif op == "*":
            ends = [x * y for x in (al, ah) for y in (bl, bh)]
            low, high, scale = min(ends), max(ends), asc + bsc
        else:
            raise Undefined
        check_exact(t, low, high, scale)
        return low, high, scale
    if op == "+":
        return *fit(t, al + bl, ah + bh, False), 0
    if op == "-":
        return *fit(t, al - bh, ah - bl, False), 0
    if op == "*":
        ends = [x * y for x in (al, ah) for y in (bl, bh)]
        return *fit(t, min(ends), max(ends), False), 0
    if op in "/%":
        if bl <= 0 <= bh or (t.signed and bl <= -1 <= bh and al == t.low):
            raise Undefined
        most = max(abs(al), abs(ah))
        if op == "/":
            return (-most if t.signed else 0), most, 0
        limit = min(max(abs(bl), abs(bh)) - 1, most)
        return (-limit if al < 0 else 0), limit, 0
    if op == "&":
        if al >= 0 or bl >= 0:
            return 0, min(x for low, x in ((al, ah), (bl, bh)) if low >= 0), 0
        return t.low, t.high, 0
    if op in "|^":
        if al >= 0 and bl >= 0:
            return 0, mask(max(ah, bh)), 0
        return t.low, t.high, 0
    raise Undefined


BINARY = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "&": BIT_AND, "|": BIT_OR, "^": BIT_XOR}
COMPARE = {"<": ORDER, ">": ORDER, "<=": ORDER, ">=": ORDER, "==": EQUAL, "!=": EQUAL}


def apart(*kids: Node) -> None:
    """Operands in no order: none writes what another one reads."""
    for position, kid in enumerate(kids):
        for other in kids[position + 1:]:
            if kid.writes & (other.reads | other.writes) or other.writes & kid.reads:
                raise Undefined
