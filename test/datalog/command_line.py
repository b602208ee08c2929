# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the command line of ikra-datalog: what it accepts, its exit codes, and what it leaves behind.

usage: command_line.py PROGRAM [TEST...]
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
PATHS = """.decl e(x: number, y: number)
.input e
.decl p(x: number, y: number)
.output p
p(x, y) :- e(x, y).
p(x, z) :- p(x, y), e(y, z).
"""


class CommandLine(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "p.dl").write_text(PATHS)
        (self.folder / "e.facts").write_text("1\t2\n2\t3\n")

    def run_it(self, *arguments, given=""):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, input=given, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_defaults_are_the_current_folder(self):
        self.assertEqual(self.run_it("p.dl").returncode, 0)
        self.assertEqual((self.folder / "p.csv").read_text(), "1\t2\n1\t3\n2\t3\n")

    def test_every_engine_and_number_of_threads_gives_the_same(self):
        for arguments in (["--engine=oracle"], ["--engine=cpu"], ["-j", "1"], ["-j", "3"], ["-j0"], ["--form=runs"]):
            with self.subTest(arguments):
                run = self.run_it(*arguments, "-D", "-", "p.dl")
                self.assertEqual(run.stdout.splitlines()[3:-1], ["1\t2", "1\t3", "2\t3"])

    def test_a_program_can_come_from_the_standard_input(self):
        run = self.run_it("-D", "-", "-", given=".decl a(x: number)\na(4).\n.output a\n")
        self.assertIn("\n4\n", run.stdout)

    def test_the_plan_is_shown_and_nothing_is_written(self):
        run = self.run_it("--show=plan", "p.dl")
        self.assertEqual(run.returncode, 0)
        self.assertIn("p(x, z) :- p(x, y), e(y, z).", run.stdout)
        self.assertFalse((self.folder / "p.csv").exists())

    def test_a_profile_names_the_rules(self):
        self.assertEqual(self.run_it("-p", "times.tsv", "p.dl").returncode, 0)
        self.assertIn("p(x, y) :- e(x, y).", (self.folder / "times.tsv").read_text())

    def test_wrong_usage_is_exit_code_2(self):
        for arguments in ([], ["--no-such-option", "p.dl"], ["--bits=16", "p.dl"], ["--engine=abacus", "p.dl"],
                          ["-j", "-1", "p.dl"], ["p.dl", "q.dl"]):
            with self.subTest(arguments):
                run = self.run_it(*arguments)
                self.assertEqual(run.returncode, 2)
                self.assertTrue(run.stderr)

    def test_help_and_version_are_no_failures(self):
        self.assertIn("--fact-dir", self.run_it("--help").stdout)
        self.assertIn("ikra-datalog", self.run_it("--version").stdout)

    def test_a_program_that_is_not_there_is_exit_code_1(self):
        for name in ("missing.dl", "."):
            with self.subTest(name):
                run = self.run_it(name)
                self.assertEqual(run.returncode, 1)
                self.assertIn("Error: cannot", run.stderr)

    def test_an_output_folder_that_is_not_there_is_exit_code_1(self):
        run = self.run_it("-D", "missing", "p.dl")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr,
                         "Error writing p data: missing/p.csv.partial: No such file or directory\n")

    def test_a_failing_run_keeps_the_results_of_the_last_one(self):
        self.assertEqual(self.run_it("p.dl").returncode, 0)
        before = (self.folder / "p.csv").read_text()
        (self.folder / "e.facts").write_text("1\t2\nx\ty\n")
        self.assertEqual(self.run_it("p.dl").returncode, 1)
        self.assertEqual((self.folder / "p.csv").read_text(), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["e.facts", "p.csv", "p.dl"])

    def test_a_preprocessor_that_fails_is_exit_code_1(self):
        run = self.run_it("--preprocessor=false", "p.dl")
        self.assertEqual(run.returncode, 1)
        self.assertIn("the preprocessor failed on p.dl", run.stderr)

    def test_names_of_files_are_no_commands(self):
        name = "it's $(touch gone).dl"
        (self.folder / name).write_text("#define X 5\n.decl a(x: number)\na(X).\n.output a\n")
        self.assertIn("\n5\n", self.run_it("-D", "-", name).stdout)
        self.assertFalse((self.folder / "gone").exists())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
