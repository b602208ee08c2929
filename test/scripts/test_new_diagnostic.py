# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/new-diagnostic puts a message's three parts where they belong, and what it leaves to be written is found."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "new-diagnostic"
CHECK = ROOT / "scripts" / "lib" / "check_diagnostics_documented.py"
PARTS = ("lib/Analysis/Diagnostics.def", "docs/diagnostics.md")


class NewDiagnostic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        (self.tree / "test/lit/Analysis").mkdir(parents=True)
        for part in PARTS:
            (self.tree / part).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / part).write_text((ROOT / part).read_text(encoding="utf-8"), encoding="utf-8")

    def run_script(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, SCRIPT, "--root", self.tree, *arguments], capture_output=True, text=True,
                              check=False)

    def check(self) -> tuple[int, str]:
        done = subprocess.run([sys.executable, CHECK, self.tree], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def read(self, part: str) -> str:
        return (self.tree / part).read_text(encoding="utf-8")

    def test_adds_row_explanation_and_test(self):
        done = self.run_script("--group", "classes", "--warning", "odd_class", 'a "class"; use \\0')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.read(PARTS[0]).splitlines()
        self.assertEqual(rows[rows.index("// Datalog") - 2], 'DIAG(odd_class, Warning, "a \\"class\\"; use \\\\0")')
        page = self.read(PARTS[1]).splitlines()
        self.assertEqual(page[page.index("## Datalog") - 2], "### odd_class")
        test = self.read("test/lit/Analysis/odd-class.cpp")
        self.assertIn("warning: {{.*}} [ikra-odd-class]", test)
        self.assertIn("RUN: %ikrac", test)

    def test_errors_fail_the_compilation(self):
        self.assertEqual(self.run_script("odd_code", "text").returncode, 0)
        self.assertIn("RUN: not %ikrac", self.read("test/lit/Analysis/odd-code.cpp"))

    def test_changes_nothing_else(self):
        before = [self.read(part).splitlines() for part in PARTS]
        self.assertEqual(self.run_script("odd_code", "text").returncode, 0)
        for part, old in zip(PARTS, before):
            new = self.read(part).splitlines()
            self.assertEqual([line for line in new if "odd_code" not in line and line],
                             [line for line in old if line])

    def test_is_not_complete_until_written(self):
        self.assertEqual(self.check()[0], 0)
        self.assertEqual(self.run_script("odd_code").returncode, 0)
        self.assertEqual(self.check(), (1, "odd_code has no text\nodd_code has no example\n"))

    def test_the_table_stays_readable(self):
        self.assertEqual(self.run_script("odd_code", "text").returncode, 0)
        page = self.tree / PARTS[1]
        page.write_text(self.read(PARTS[1]).replace("### odd_code\n", "### odd_code\n```cpp\nf();\n```\n"), encoding="utf-8")
        self.assertEqual(self.check()[0], 0)

    def test_refuses_what_is_there(self):
        for identifier in ("recursion", "Recursion", "new-thing", ""):
            before = [self.read(part) for part in PARTS]
            done = self.run_script(identifier, "text")
            self.assertEqual(done.returncode, 1, identifier)
            self.assertIn("error: ", done.stderr)
            self.assertEqual([self.read(part) for part in PARTS], before)

    def test_says_how_it_is_used(self):
        done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: scripts/new-diagnostic", done.stdout)


if __name__ == "__main__":
    unittest.main()
