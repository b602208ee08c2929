# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that aggregates over disjunctions and inlined relations give what they give over a relation written out.

usage: equivalent.py PROGRAM [FIRST END]

Random programs, by seed. Each is written in five ways, which have to give the same rows with the engine and with the reference.
"""
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SEEDS = range(60)


class Draw:
    """One program: relations a and b with facts, and an aggregate for each z of b over what the alternatives give."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        below = self.random.randrange
        self.facts = "".join(f"a({below(5)}, {below(5)}). " for _ in range(8)) + "".join(f"b({below(6)}). " for _ in range(4))
        self.alternatives = [self.alternative(f"own{i}") for i in range(2 + below(2))]
        function = self.random.choice(["count", "sum", "min", "max", "mean"])
        target = "" if function == "count" else self.random.choice([" x", " x * 2"])
        self.start, self.end = f"{function}{target} : {{ ", " }"
        if function == "mean":
            self.start, self.end = f"ftoi({self.start}", f"{self.end})"

    def alternative(self, own):
        pick, below = self.random.choice, self.random.randrange
        made = pick(["a(x, _)", "b(x)", "a(_, x)", f"a(x, {own}), {own} > {below(4)}", f"a({own}, x), b({own})"])
        for _ in range(below(3)):
            v, w = pick("xxz"), pick("xz")
            made += ", " + pick([f"{v} < {below(5)}", f"{v} != {w}", f"!b({v})", f"b({v})", f"a({v}, _)"])
        return made

    def program(self, rules, body):
        return ("\n".join([".decl a(x: number, y: number)", ".decl b(x: number)", self.facts, ".decl r(z: number, m: number)",
                           ".output r", *rules, f"r(z, m) :- b(z), m = {self.start}{body}{self.end}."]) + "\n")

    def ways(self):
        closed = [f"d(x, z) :- b(z), {alternative}." for alternative in self.alternatives]
        opened = [f"d(x, z) :- {alternative}." for alternative in self.alternatives]
        either = " ; ".join(self.alternatives)
        declared = ".decl d(x: number, z: number)"
        return {"relation": self.program([declared, *closed], "d(x, z)"),
                "disjunction": self.program([], either),
                "brackets": self.program([], f"b(z), ({either})"),
                "inlined": self.program([f"{declared} inline", *closed], "d(x, z)"),
                "inlined, z open": self.program([f"{declared} inline", *opened], "d(x, z)")}


class Equivalent(unittest.TestCase):
    def rows(self, text, engine):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.dl").write_text(text, encoding="utf-8")
            run = subprocess.run([PROGRAM, f"--engine={engine}", "-w", "p.dl"], cwd=folder, capture_output=True, text=True,
                                 timeout=60, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""), text)
            return (Path(folder) / "r.csv").read_text(encoding="utf-8")

    def test_ways_to_write_an_aggregate(self):
        for seed in SEEDS:
            ways = Draw(seed).ways()
            expected = self.rows(ways["relation"], "reference")
            for name, text in ways.items():
                for engine in ("cpu", "reference"):
                    with self.subTest(name, seed=seed, engine=engine):
                        self.assertEqual(self.rows(text, engine), expected, text)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    if len(sys.argv) > 3:
        SEEDS = range(int(sys.argv[2]), int(sys.argv[3]))
    unittest.main(argv=sys.argv[:1])
