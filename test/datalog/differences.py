# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that each row of docs/datalog-souffle.md names tests, and that each refused construct has a row.

usage: differences.py PROGRAM
"""
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "datalog-souffle.md"


class Differences(unittest.TestCase):
    def setUp(self):
        cells = [re.split(r"(?<!\\\\)\|", line)[1:-1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        self.rows = [(row[0].strip(), re.findall(r"`([a-z]+/[a-z0-9-]+)`", row[-1])) for row in cells
                     if row[-1].strip() != "test" and not set(row[0]) <= set("-")]

    def test_each_row_has_tests_that_run(self):
        self.assertGreater(len(self.rows), 15)
        for subject, tests in self.rows:
            with self.subTest(subject):
                self.assertTrue(tests)
                for test in tests:
                    self.assertTrue((HERE / test / "program.dl").exists(), test)

    def test_each_refused_construct_has_a_row(self):
        named = {test for _, tests in self.rows for test in tests}
        for test in sorted((HERE / "unsupported").iterdir()):
            with self.subTest(test.name):
                self.assertTrue(test.name.endswith("-use") or f"unsupported/{test.name}" in named)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
