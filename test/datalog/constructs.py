# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that each example of docs/datalog-constructs.md gives what the page says, with the engine and with the reference.

usage: constructs.py PROGRAM [--libraries FOLDER] [--souffle SOUFFLE]

A row of a table of programs is `| construct | example | gives | Soufflé |`. The page's first block is the text before each example,
its second one the facts of `in`. A row of a table of options is `| option | here | Soufflé |`, with `taken` or `refused`.
With --souffle, the last columns are compared with what that program does.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "datalog-constructs.md"
CHOSEN = argparse.Namespace(program="", libraries="", souffle="")


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code_of(cell):
    return " ".join(re.findall(r"`([^`]+)`", cell))


def facts_of(gives):
    """The tuples that a cell lists, by relation: `r(1, 2), r()` is {"r": ["1\t2", ""]}."""
    facts = {}
    for name, values in re.findall(r"(\w+)\(((?:\"[^\"]*\"|\[[^\]]*\]|\$\w+\([^)]*\)|[^()])*)\)", gives):
        parts = re.findall(r"\"[^\"]*\"|\[[^\]]*\]|\$\w+\([^)]*\)|[^,\s][^,]*", values)
        facts.setdefault(name, []).append("\t".join(part.strip().strip('"') for part in parts) or "()")
    return facts


class Constructs(unittest.TestCase):
    def setUp(self):
        text = PAGE.read_text(encoding="utf-8")
        self.before, self.input = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)[:2]
        rows = [cells_of(line) for line in text.splitlines() if line.startswith("|") and not set(line) <= set("|- ")]
        self.programs = [row for row in rows if len(row) == 4 and row[1] != "example"]
        self.options = [row for row in rows if len(row) == 3 and row[1] in ("taken", "refused")]

    def run_program(self, command, example, relations, options=()):
        outputs = "".join(f"\n.output {name}" for name in relations)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "in.facts").write_text(self.input, encoding="utf-8")
            (Path(folder) / "more.dl").write_text("a(7).\n", encoding="utf-8")
            (Path(folder) / "program.dl").write_text(self.before + example + outputs + "\n", encoding="utf-8")
            if CHOSEN.libraries:
                options = [f"-L{CHOSEN.libraries}", *options]
            run = subprocess.run([*command, "-w", *options, "program.dl"], cwd=folder, capture_output=True, timeout=60, check=False)
            found = {}
            for name in relations:
                path = Path(folder) / f"{name}.csv"
                found[name] = sorted(path.read_text(encoding="utf-8").splitlines()) if path.exists() else None
            return run, found

    def check(self, command, row):
        construct, example, gives, _ = row
        if gives.startswith("refused"):
            run, _ = self.run_program(command, code_of(example), ["a"])
            self.assertEqual(run.returncode, 1, construct)
            self.assertIn(code_of(gives), run.stderr.decode(), construct)
            return
        facts = facts_of(code_of(gives))
        relations = facts or {"r": []}
        run, found = self.run_program(command, code_of(example), relations)
        self.assertEqual((run.returncode, run.stderr.decode()), (0, ""), construct)
        self.assertEqual(found, {name: sorted(rows) for name, rows in relations.items()}, construct)

    def test_examples(self):
        self.assertGreater(len(self.programs), 90)
        for row in self.programs:
            for engine in ("cpu", "reference"):
                with self.subTest(row[0], engine=engine):
                    self.check([CHOSEN.program, f"--engine={engine}"], row)

    def test_options(self):
        self.assertGreater(len(self.options), 10)
        for option, here, _ in self.options:
            with self.subTest(option):
                run, _ = self.run_program([CHOSEN.program], "", ["a"], code_of(option).split())
                self.assertEqual(run.returncode, 0 if here == "taken" else 2, run.stderr.decode())

    def test_souffle(self):
        if not CHOSEN.souffle:
            self.skipTest("no Soufflé")
        for row in self.programs:
            with self.subTest(row[0]):
                refused = row[2].startswith("refused")
                facts = facts_of(code_of(row[2])) or {"r": []}
                try:
                    run, found = self.run_program([CHOSEN.souffle], code_of(row[1]), ["a"] if refused else facts)
                except subprocess.TimeoutExpired:
                    self.assertEqual(row[3].split(":")[0], "other")
                    continue
                if run.returncode != 0:
                    said = "refused"
                elif refused:
                    said = "taken"
                else:
                    same = found == {name: sorted(rows) for name, rows in facts.items()}
                    said = "same" if same else f"other: {found}"
                self.assertEqual(said.split(":")[0], row[3].split(":")[0], (run.stderr.decode()[:300], said))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--souffle", default="")
    parser.parse_args(namespace=CHOSEN)
    CHOSEN.program = str(Path(CHOSEN.program).resolve())
    unittest.main(argv=sys.argv[:1])
