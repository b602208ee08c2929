# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that the programs of benchmarks/datalog/programs give the same results with the engine and with the reference.

usage: benchmark_programs.py PROGRAM

Facts are generated, few enough for the reference.
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "datalog"
sys.path.insert(0, str(BENCHMARKS))
from generated_facts import FACTS  # noqa: E402

PROGRAM = ""
SCALE = 0.002


class BenchmarkPrograms(unittest.TestCase):
    def results(self, name, folder, engine):
        out = folder / engine
        out.mkdir()
        run = subprocess.run([PROGRAM, f"--engine={engine}", "-w", "-F", folder, "-D", out, BENCHMARKS / "programs" / f"{name}.dl"],
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return sorted(run.stdout.split("\n")), {path.name: path.read_text() for path in out.iterdir()}

    def test_engine_and_reference(self):
        for name, facts in FACTS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                for relation, rows in facts(SCALE).items():
                    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
                    (folder / f"{relation}.facts").write_text(text)
                self.assertEqual(self.results(name, folder, "cpu"), self.results(name, folder, "reference"))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
