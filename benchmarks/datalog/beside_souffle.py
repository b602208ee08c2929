# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures ikra-datalog beside compiled Soufflé in one run: processor time with two threads, and peak memory.

usage: beside_souffle.py IKRA_DATALOG SOUFFLE [--runs N] [--scratch FOLDER] [PROGRAM...]

Prints a line a program: sizes of results, which have to be equal, then for each engine the best processor time in seconds
and the largest peak in MB, and the ratio of the times. Facts are generated, the same ones each time.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

THREADS = 2


def independent():
    """Atoms that only have to exist."""
    return {"b": ((i,) for i in range(100_000)), "c": ((i,) for i in range(1000))}, """
.decl b(x: number) .input b
.decl c(x: number) .input c
.decl a(x: number)
a(x) :- b(x), c(_), c(y), y > 5.
.printsize a
"""


def points_to():
    """A points-to analysis over strings, whose rules have atoms that only have to exist."""
    draw = random.Random(1)
    methods, variables, heaps, fields = 2000, 20000, 5000, 300
    v = lambda: f"<Class{draw.randrange(methods) % 300}: method>/v{draw.randrange(variables)}"
    names = [v() for _ in range(variables)]
    one = lambda: draw.choice(names)
    heap = lambda: f"new Class{draw.randrange(heaps)}"
    field = lambda: f"field{draw.randrange(fields)}"
    return {
        "alloc": [(one(), heap(), f"m{draw.randrange(methods)}") for _ in range(9000)],
        "move": [(one(), one()) for _ in range(17_000)],
        "load": [(one(), one(), field()) for _ in range(9000)],
        "store": [(one(), field(), one()) for _ in range(9000)],
        "call": [(f"m{draw.randrange(methods)}", f"m{draw.randrange(methods)}") for _ in range(5000)],
        "entry": [("m0",), ("m1",)],
        "in": [(name, f"m{draw.randrange(methods)}") for name in names],
    }, """
.decl alloc(v: symbol, h: symbol, m: symbol) .input alloc
.decl move(to: symbol, from: symbol) .input move
.decl load(to: symbol, base: symbol, f: symbol) .input load
.decl store(base: symbol, f: symbol, from: symbol) .input store
.decl call(m: symbol, n: symbol) .input call
.decl entry(m: symbol) .input entry
.decl in(v: symbol, m: symbol) .input in
.decl reachable(m: symbol)
.decl points(v: symbol, h: symbol)
.decl heap(h: symbol, f: symbol, g: symbol)
.decl alias(a: symbol, b: symbol)
.decl used(h: symbol)
.decl escaping(v: symbol)
reachable(m) :- entry(m).
reachable(n) :- reachable(m), call(m, n).
points(v, h) :- alloc(v, h, m), reachable(m).
points(v, h) :- move(v, w), points(w, h), in(v, m), reachable(m).
heap(h, f, g) :- store(b, f, w), points(b, h), points(w, g).
points(v, g) :- load(v, b, f), points(b, h), heap(h, f, g), in(v, m), reachable(m), in(b, n), reachable(n).
alias(a, b) :- move(a, b), points(a, h), points(b, h), load(_, a, _), store(b, _, _).
used(h) :- points(b, h), load(_, b, f), store(c, f, _), points(c, h).
escaping(v) :- points(v, h), heap(_, _, h), in(v, m), call(m, n), reachable(n).
.printsize points, heap, alias, used, escaping
"""


def cspa():
    """Context-sensitive pointer analysis, of middle size."""
    draw = random.Random(2)
    nodes = 14_000
    def edges(count):  # within files of 140 nodes
        for _ in range(count):
            x = draw.randrange(nodes)
            yield x, x // 140 * 140 + draw.randrange(140)

    return {
        "assign": list(edges(8_000)),
        "dereference": list(edges(12_000)),
    }, """
.decl assign(x: number, y: number) .input assign
.decl dereference(x: number, y: number) .input dereference
.decl flow(x: number, y: number)
.decl memory(x: number, y: number)
.decl value(x: number, y: number)
flow(y, x) :- assign(y, x).
flow(x, y) :- assign(x, z), memory(z, y).
flow(x, y) :- flow(x, z), flow(z, y).
memory(x, w) :- dereference(y, x), value(y, z), dereference(z, w).
value(x, y) :- flow(z, x), flow(z, y).
value(x, y) :- flow(z, x), memory(z, w), flow(w, y).
flow(x, x) :- assign(x, _).
flow(x, x) :- assign(_, x).
memory(x, x) :- assign(_, x).
memory(x, x) :- assign(x, _).
.printsize flow, memory, value
"""


def list_crdt():
    """A text that is edited by insertions after other characters and removals: its order, without what was removed."""
    draw = random.Random(3)
    inserted, here = [(1, 1, 0, 0)], 1  # (counter, node, parent's counter, parent's node)
    for counter in range(2, 181_000):
        if draw.random() < 0.04:
            here = draw.randrange(len(inserted)) + 1
        inserted.append((counter, 1 + counter % 2, *inserted[here - 1][:2]))
        here = len(inserted)
    removed = [(200_000 + i, 1, *inserted[k][:2]) for i, k in enumerate(draw.sample(range(len(inserted)), 80_000))]
    return {"insert": inserted, "remove": removed}, """
.decl insert(c: number, n: number, pc: number, pn: number) .input insert
.decl remove(c: number, n: number, xc: number, xn: number) .input remove
.decl later_child(pc: number, pn: number, c: number, n: number)
.decl first_child(pc: number, pn: number, c: number, n: number)
.decl has_child(pc: number, pn: number)
.decl later_sibling(c: number, n: number, c2: number, n2: number)
.decl later_sibling_2(c: number, n: number, c2: number, n2: number)
.decl next_sibling(c: number, n: number, c2: number, n2: number)
.decl has_next_sibling(c: number, n: number)
.decl sibling_anc(c: number, n: number, c2: number, n2: number)
.decl next(c: number, n: number, c2: number, n2: number)
.decl has_value(c: number, n: number)
.decl skip(c: number, n: number, c2: number, n2: number)
.decl next_visible(c: number, n: number, c2: number, n2: number)
has_child(pc, pn) :- insert(_, _, pc, pn).
later_child(pc, pn, c2, n2) :- insert(c1, n1, pc, pn), insert(c2, n2, pc, pn), (c1 > c2 ; c1 = c2, n1 > n2).
first_child(pc, pn, c, n) :- insert(c, n, pc, pn), !later_child(pc, pn, c, n).
later_sibling(c1, n1, c2, n2) :- insert(c1, n1, pc, pn), insert(c2, n2, pc, pn), (c1 > c2 ; c1 = c2, n1 > n2).
later_sibling_2(c1, n1, c3, n3) :- later_sibling(c1, n1, c2, n2), later_sibling(c2, n2, c3, n3).
next_sibling(c1, n1, c2, n2) :- later_sibling(c1, n1, c2, n2), !later_sibling_2(c1, n1, c2, n2).
has_next_sibling(c, n) :- later_sibling(c, n, _, _).
sibling_anc(c, n, c2, n2) :- next_sibling(c, n, c2, n2).
sibling_anc(c, n, c2, n2) :- insert(c, n, pc, pn), !has_next_sibling(c, n), sibling_anc(pc, pn, c2, n2).
next(c, n, c2, n2) :- first_child(c, n, c2, n2).
next(c, n, c2, n2) :- insert(c, n, _, _), !has_child(c, n), sibling_anc(c, n, c2, n2).
has_value(c, n) :- insert(c, n, _, _), !remove(_, _, c, n).
skip(c, n, c2, n2) :- next(c, n, c2, n2).
skip(c, n, c3, n3) :- skip(c, n, c2, n2), !has_value(c2, n2), next(c2, n2, c3, n3), has_value(c, n).
next_visible(c, n, c2, n2) :- has_value(c, n), skip(c, n, c2, n2), has_value(c2, n2).
.printsize next, skip, next_visible
"""


PROGRAMS = {made.__name__: made for made in (independent, points_to, cspa, list_crdt)}


def measured(command, folder):
    """Processor seconds, peak in MB, and what was printed, in sorted order."""
    with tempfile.TemporaryFile() as printed:
        child = subprocess.Popen(command, cwd=folder, stdout=printed)
        _, status, used = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"{' '.join(map(str, command))} failed")
        printed.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, sorted(printed.read().decode().split("\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ikra_datalog", type=Path)
    parser.add_argument("souffle", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scratch", type=Path, help="keeps programs and facts there")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}; all if none is given")
    asked = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = asked.scratch or Path(temporary)
        print("program\tsizes\tikra s\tsouffle s\tratio\tikra MB\tsouffle MB")
        for name in asked.programs or PROGRAMS:
            facts, text = PROGRAMS[name]()
            folder = scratch / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "p.dl").write_text(text)
            for relation, rows in facts.items():
                (folder / f"{relation}.facts").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
            compiled = folder / "compiled"
            if not compiled.exists():
                subprocess.run([asked.souffle.resolve(), "-w", f"-j{THREADS}", "-o", "compiled", "p.dl"], cwd=folder, check=True)
            ours = [asked.ikra_datalog.resolve(), "-w", f"-j{THREADS}", "-F", ".", "-D", ".", "p.dl"]
            its = [compiled.resolve(), f"-j{THREADS}", "-F", ".", "-D", "."]
            runs = [(measured(ours, folder), measured(its, folder)) for _ in range(asked.runs)]
            if any(a[2] != b[2] for a, b in runs):
                sys.exit(f"{name}: results differ: {runs[0][0][2]} and {runs[0][1][2]}")
            sizes = ", ".join(line.replace("\t", " ") for line in runs[0][0][2] if line)
            a, b = (min(run[i][0] for run in runs) for i in (0, 1))
            peaks = (max(run[i][1] for run in runs) for i in (0, 1))
            print(f"{name}\t{sizes}\t{a:.2f}\t{b:.2f}\t{a / b:.2f}\t" + "\t".join(f"{peak:.0f}" for peak in peaks), flush=True)


if __name__ == "__main__":
    main()
