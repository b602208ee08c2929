# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last line of scripts/test tells the truth: scripts/lib/count_tests.py on results as ctest and lit write them."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "lib" / "count_tests.py"
PASSED = '<testcase name="{}" status="run"/>'
FAILED = '<testcase name="{}" status="fail"><failure message="no"/></testcase>'
SKIPPED = '<testcase name="{}" status="notrun"><skipped message="no"/></testcase>'
NOT_RUN = '<testcase name="{}" status="notrun"/>'


class Count(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def count(self, cases: list[str], lit_codes: list[str] | None = None, ctest_status: int = 0) -> tuple[str, int]:
        junit = Path(self.folder.name) / "ctest.xml"
        lit = Path(self.folder.name) / "results.json"
        entries = "".join(case.format(f"case{number}") for number, case in enumerate(cases))
        junit.write_text(f"<testsuite>{entries}</testsuite>", encoding="utf-8")
        if lit_codes is not None:
            lit.write_text(json.dumps({"tests": [{"name": "t", "code": code} for code in lit_codes]}), encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, "--ctest-status", str(ctest_status), junit, lit],
                              capture_output=True, text=True, check=False)
        return done.stdout.splitlines()[-1], done.returncode

    def test_adds_ctest_and_lit(self):
        lit_entry = '<testcase name="lit" status="run"/>'
        self.assertEqual(self.count([PASSED, PASSED, lit_entry], ["PASS", "PASS", "XFAIL"]), ("5 passed, 0 failed", 0))

    def test_counts_each_failure_once(self):
        lit_entry = '<testcase name="lit" status="fail"><failure message=""/></testcase>'
        self.assertEqual(self.count([PASSED, FAILED, lit_entry], ["PASS", "FAIL", "UNRESOLVED"], 8),
                         ("2 passed, 3 failed", 1))

    def test_names_skipped_tests(self):
        self.assertEqual(self.count([PASSED, SKIPPED]), ("1 passed, 0 failed, 1 skipped", 0))

    def test_a_program_that_could_not_start_failed(self):
        self.assertEqual(self.count([PASSED, NOT_RUN], None, 8), ("1 passed, 1 failed", 1))

    def test_lit_without_results_failed(self):
        self.assertEqual(self.count([PASSED, '<testcase name="lit" status="run"/>']), ("1 passed, 1 failed", 1))

    def test_a_lit_that_crashed_after_passing_tests_failed(self):
        lit_entry = '<testcase name="lit" status="fail"><failure message=""/></testcase>'
        self.assertEqual(self.count([lit_entry], ["PASS"], 8), ("1 passed, 1 failed", 1))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.count([]), ("0 passed, 0 failed", 1))

    def test_adds_several_runs_and_misses_none(self):
        first = Path(self.folder.name) / "first.xml"
        self.count([PASSED, SKIPPED])
        (Path(self.folder.name) / "ctest.xml").rename(first)
        self.count([PASSED, PASSED])
        second, absent = Path(self.folder.name) / "ctest.xml", Path(self.folder.name) / "absent"
        runs = [first, absent, second, absent]
        done = subprocess.run([sys.executable, SCRIPT, *runs], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout.splitlines()[-1], done.returncode), ("3 passed, 0 failed, 1 skipped", 0))
        done = subprocess.run([sys.executable, SCRIPT, *runs, absent, absent], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout.splitlines()[-1], done.returncode), ("3 passed, 1 failed, 1 skipped", 1))

    def test_a_failure_that_no_result_shows_counts(self):
        self.assertEqual(self.count([PASSED], None, 1), ("1 passed, 1 failed", 1))


if __name__ == "__main__":
    unittest.main()
