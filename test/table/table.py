# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation with every element type, in every rank, alone and fused.

A combination is one line of what a program prints: its name, the shape of its result, a hash of all elements. `ABSENT`
has those that cannot exist, `ON_ONE_CORE` those that are not compiled, with the reason. The generated programs use test/fuzz/fuzz.hpp for data and arithmetic.
"""
from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fuzz"))
from programs import TYPES as NUMBERS  # noqa: E402

# Element types of docs/language.md. Objects stand for pointers to objects of two classes.
VALUES = {
    "tuple": "std::tuple<int, float>",
    "pair": "std::pair<std::int16_t, double>",
    "array": "std::array<std::int16_t, 3>",
    "struct": "table::point",
    "optional": "std::optional<int>",
    "variant": "std::variant<int, float>",
}
OBJECT = "object"
TYPES = {name.removeprefix("std::").removeprefix("fuzz::"): name for name in NUMBERS} | VALUES | {OBJECT: "table::thing*"}

# Types for which sections are compiled alike.
KINDS = [list(TYPES)[:8], ["float", "double"], ["bool", "colour"], list(VALUES), [OBJECT]]

SHAPES = {1: (1003,), 2: (17, 59), 3: (5, 13, 11), 4: (3, 4, 7, 5)}
RANKS = tuple(SHAPES)
MODES = ("alone", "fused")


@dataclass(frozen=True)
class Operation:
    """`text` is an expression of the array `a`, and of `b` of the same type and shape. In it, T is the element type, I
    the type of an index, AT a number made of the index i, SHAPE the extents, FROM a place inside, FLAT other extents; NEAR
    a stencil's neighbourhood, FIRST and LAST two of its offsets. An operation that is no array gives a number."""
    name: str
    text: str
    is_array: bool = True
    small: bool = False  # its elements have to be small numbers


COMBINE = "[](T x, T y) -> T { return table::combined(x, y); }"
KEY = "[](T x) { return table::key(x); }"
BIN = "[](T x) { return table::key(x) % 11; }"
TEST = "[](T x) { return table::key(x) % 3 != 0; }"
NEIGHBOURS = "[](const auto& v) -> T { return table::combined(T(vFIRST), T(vLAST)); }"


def peach(call: str) -> str:
    return f"[&] {{ table::tally t; table::tally* total = &t; a{call}; return t.sum; }}()"


OPERATIONS = [
    Operation("pmap", "a.pmap([](T x) -> T { return table::changed(x); })"),
    Operation("pmap to int", f"a.pmap({KEY})"),
    Operation("pmap with index", "a.with_index().pmap([](T x, I i) -> T { return table::moved(x, AT); })"),
    Operation("pcombine", f"a.pcombine(b, {COMBINE})"),
    Operation("pcombine of three",
              "a.pcombine(b, a, [](T x, T y, T z) -> T { return table::combined(table::combined(x, y), z); })"),
    Operation("pcombine with index", "a.with_index().pcombine(b, [](T x, T y, I i) -> T "
              "{ return table::moved(table::combined(x, y), AT); })"),
    Operation("pzip", "a.pzip(b)"),
    Operation("pnew", "ikra::pnew(SHAPE, [](I i) -> T { return table::value<T>(7, static_cast<std::uint64_t>(AT)); })"),
    Operation("pstencil, value", f"a.pstencil(NEAR, table::some<T>(), {NEIGHBOURS})"),
    Operation("pstencil, keep", f"a.pstencil(NEAR, ikra::keep, {NEIGHBOURS})"),
    Operation("pstencil, clamp", f"a.pstencil(NEAR, ikra::clamp, {NEIGHBOURS})"),
    Operation("pstencil, wrap", f"a.pstencil(NEAR, ikra::wrap, {NEIGHBOURS})"),
    Operation("pstencil with index", "a.with_index().pstencil(NEAR, ikra::keep, [](const auto& v, I i) -> T "
              "{ return table::moved(T(vLAST), AT); })"),
    Operation("preduce", f"a.preduce({COMBINE})"),
    Operation("preduce from", f"a.preduce(table::some<T>(), {COMBINE})"),
    Operation("pselect", f"a.pselect({TEST})"),
    Operation("pselect with index", "a.with_index().pselect([](T x, I i) { return (table::key(x) + AT) % 3 != 0; })"),
    Operation("pscan", f"a.pscan({COMBINE})"),
    Operation("pscan from", f"a.pscan(table::some<T>(), {COMBINE})"),
    Operation("pscan_exclusive", f"a.pscan_exclusive(table::some<T>(), {COMBINE})"),
    Operation("psort", "a.psort()"),
    Operation("psort, before", "a.psort([](T x, T y) { return table::key(y) < table::key(x); })"),
    Operation("psort_by", f"a.psort_by({KEY})"),
    Operation("preduce_by_key", f"a.preduce_by_key(b.pmap({BIN}), {COMBINE}).second"),
    Operation("reduce_by_index", f"a.reduce_by_index(11, b.pmap({BIN}), table::some<T>(), {COMBINE})"),
    Operation("reduce_by_index of keys", f"a.reduce_by_index(11, {BIN}, table::some<T>(), {COMBINE})"),
    Operation("preduce_axis", f"a.preduce_axis(1, {COMBINE})"),
    Operation("preduce_axis from", f"a.preduce_axis(0, table::some<T>(), {COMBINE})"),
    Operation("phistogram", f"a.pmap({BIN}).phistogram(11)"),
    Operation("phistogram of keys", f"a.phistogram(11, {BIN})"),
    Operation("pgather", "a.pgather(table::places(SHAPE))"),
    Operation("pscatter", "a.pscatter(table::places(SHAPE), SHAPE, table::some<T>())"),
    Operation("slice", "a.slice(FROM, SHAPE)"),
    Operation("transpose", "a.transpose()"),
    Operation("reshape", "a.reshape(FLAT)"),
    Operation("concatenate", "a.concatenate(b)"),
    Operation("sum", "a.sum()", is_array=False, small=True),
    Operation("count", f"a.count({TEST})", is_array=False),
    Operation("any", f"a.any({TEST})", is_array=False),
    Operation("all", f"a.all({TEST})", is_array=False),
    Operation("operator +", "(a + b)", small=True),
    Operation("operator *, value", "(a * T(3))", small=True),
    Operation("operator <", "(a < b)", small=True),
    Operation("operator -, unary", "(-a)", small=True),
    Operation("peach", peach(".peach([total](T x) { ikra::atomic_add(total->sum, table::key(x)); })"), is_array=False),
    Operation("peach with index", peach(".with_index().peach([total](T x, I i) "
                                        "{ ikra::atomic_add(total->sum, table::key(x) * (AT)); })"), is_array=False),
    Operation("peach, ticks", peach(".peach(3, [total](T x, std::int64_t tick) "
                                    "{ ikra::atomic_add(total->sum, table::key(x) * (tick + 1)); })"), is_array=False),
]

COMPOSITE = tuple(VALUES)
NOT_NUMBERS = (*COMPOSITE, OBJECT)
# Operations, types, ranks (none: all), and why there is no such combination.
ABSENT = [
    (("preduce_axis", "preduce_axis from"), (), (1,), "the result has a dimension less"),
    (("operator +", "operator *, value", "operator -, unary", "sum"), (*NOT_NUMBERS, "colour"), (),
     "C++ has no such operator for the type"),
    (("operator *, value", "operator -, unary"), ("bool",), (), "a warning of compilers: bool in arithmetic"),
    (("operator <",), ("struct", OBJECT), (), "C++ has no order of structs, and that of addresses differs from run to run"),
    (("psort",), ("struct", OBJECT), (), "as for operator <"),
    (("pnew",), (OBJECT,), (), "a section makes no objects"),
    (("pstencil, value", "pstencil, keep", "pstencil, clamp", "pstencil, wrap", "pstencil with index"), (OBJECT,), (),
     "windows show values"),
]

# What ikrac leaves to one core, with the warning `section_sequential`; any other such warning is a failure, and so is its absence.
ON_ONE_CORE = [
    (("preduce_by_key", "reduce_by_index", "reduce_by_index of keys", "preduce_axis", "preduce_axis from"), (OBJECT,),
     "no kernels over objects yet, as docs/language.md says"),
]


@dataclass(frozen=True)
class Combination:
    operation: Operation
    type: str
    rank: int
    mode: str

    @property
    def name(self) -> str:
        return f"{self.operation.name}/{self.type}/{self.rank}/{self.mode}"

    def reason_absent(self) -> str | None:
        for operations, types, ranks, reason in ABSENT:
            if (self.operation.name in operations and (not types or self.type in types)
                    and (not ranks or self.rank in ranks)):
                return reason
        return None

    def is_on_one_core(self) -> bool:
        return any(self.operation.name in operations and self.type in types for operations, types, _ in ON_ONE_CORE)

    def text(self, number: int) -> str:
        """The function of this combination."""
        shape, rank = SHAPES[self.rank], self.rank
        places = " + ".join(f"i[{d}] * {2 * d + 1}" for d in range(rank)) if rank > 1 else "i"
        first = ", ".join(["-1"] + ["0"] * (rank - 1))
        last = ", ".join(["0"] * (rank - 1) + ["2" if rank == 1 else "1"])
        offsets = [first, ", ".join(["0"] * rank), last]
        words = {
            "AT": places, "I": "std::int64_t" if rank == 1 else f"ikra::index<{rank}>", "T": TYPES[self.type],
            "SHAPE": f"ikra::index<{rank}>({', '.join(map(str, shape))})",
            "FROM": f"ikra::index<{rank}>({', '.join(['1'] * rank)})",
            "FLAT": "{17, 59}" if rank == 1 else "{" + str(math.prod(shape)) + "}",
            "NEAR": "{" + (", ".join(offsets) if rank == 1 else ", ".join("{" + o + "}" for o in offsets)) + "}",
            "vFIRST": f"v[{first}]" if rank == 1 else f"v({first})", "vLAST": f"v[{last}]" if rank == 1 else f"v({last})",
        }

        def filled(text: str) -> str:
            return re.sub(r"\b(" + "|".join(words) + r")\b", lambda found: words[found[0]], text)

        small = self.operation.small and self.type not in NOT_NUMBERS
        data = "table::small_data" if small else "table::data"
        change = f"[](T x) -> T {{ return table::{'small' if small else 'changed'}(x); }}"
        front = filled(f".pmap({change})") if self.mode == "fused" else ""
        after = ".pmap([](auto x) { return table::key(x); })" if self.mode == "fused" and self.operation.is_array else ""
        lines = [f"void combination_{number}() {{", f'  const fuzz::report report("{self.name} |");',
                 '  report.attempt("whole", [&] {']
        lines += [filled(f"    const auto {name} = {data}<T>({seed}, SHAPE){front};") for name, seed in (("a", 1), ("b", 2))]
        lines += [f"    table::say(report, {filled(self.operation.text)}{after});", "    (void)b;", "  });", "}", ""]
        return "\n".join(lines)


def all_combinations() -> list[Combination]:
    return [Combination(operation, type_, rank, mode) for operation in OPERATIONS for type_ in TYPES for rank in RANKS
            for mode in MODES]


def covering() -> list[Combination]:
    """The share that is run each time: each operation with a type of each kind. Types of one kind, ranks and modes take
    turns from operation to operation."""
    chosen = []
    for row, operation in enumerate(OPERATIONS):
        types = [kind[row % len(kind)] for kind in KINDS]
        present = {(type_, rank, mode): combination for type_ in types for rank in RANKS for mode in MODES
                   if not (combination := Combination(operation, type_, rank, mode)).reason_absent()}
        met = []
        for column, type_ in enumerate(dict.fromkeys(type_ for type_, _, _ in present)):
            places = [place for place in present if place[0] == type_]
            new = [place for place in places if place[1:] not in met] or places
            met.append(new[(row + column) % len(new)][1:])
            chosen.append(present[type_, *met[-1]])
    return sorted(chosen, key=lambda combination: list(TYPES).index(combination.type))


def file_text(combinations: list[Combination]) -> str:
    parts = ["// Written by test/table/table.py.", '#include "table.hpp"', ""]
    parts += [combination.text(number) for number, combination in enumerate(combinations)]
    calls = [f"  combination_{number}();" for number in range(len(combinations))]
    return "\n".join([*parts, "int main() {", *calls, "  return 0;", "}", ""])
