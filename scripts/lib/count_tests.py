# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the results of a test run and prints `N passed, N failed[, N skipped]`; fails if a test failed or none ran.

usage: count_tests.py [--ctest-status N] (CTEST_JUNIT_XML LIT_RESULTS_JSON) …

ctest runs the lit suite as one test called `lit`; that entry is replaced by lit's own results. Where lit left no
results, the entry counts as failed. A ctest that itself reported a failure which none of the results shows counts as one.
"""
import argparse
import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

LIT_OUTCOMES = {
    "PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed",
    "FAIL": "failed", "XPASS": "failed", "UNRESOLVED": "failed", "TIMEOUT": "failed",
    "UNSUPPORTED": "skipped", "SKIPPED": "skipped", "EXCLUDED": "skipped",
}


def ctest_outcomes(file: Path) -> dict[str, str]:
    outcomes = {}
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        if case.find("skipped") is not None or case.get("status") == "disabled":
            outcome = "skipped"
        elif case.find("failure") is None and case.get("status") == "run":
            outcome = "passed"
        else:
            outcome = "failed"
        outcomes[case.get("name", "")] = outcome
    return outcomes


def lit_outcomes(file: Path) -> list[str]:
    tests = json.loads(file.read_text(encoding="utf-8"))["tests"]
    return [LIT_OUTCOMES.get(test["code"], "failed") for test in tests]


def count(junit: Path, lit: Path) -> Counter:
    outcomes = ctest_outcomes(junit)
    lit_entry = outcomes.pop("lit", None)
    totals = Counter(outcomes.values())
    if lit_entry is not None:
        single = lit_outcomes(lit) if lit.exists() else []
        if single:
            totals.update(single)
            if lit_entry == "failed" and "failed" not in single:
                totals["failed"] += 1
        else:
            totals["failed"] += 1
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description="Adds up test results.")
    parser.add_argument("--ctest-status", type=int, default=0, help="how ctest ended")
    parser.add_argument("results", type=Path, nargs="+", help="of each run, ctest's file and lit's")
    arguments = parser.parse_args()
    if len(arguments.results) % 2 != 0:
        parser.error("each run has two files: ctest's and lit's")

    totals = Counter()
    for junit, lit in zip(arguments.results[::2], arguments.results[1::2]):
        totals += count(junit, lit) if junit.exists() else Counter(failed=1)
    if arguments.ctest_status != 0 and totals["failed"] == 0:
        totals["failed"] = 1
    line = f"{totals['passed']} passed, {totals['failed']} failed"
    if totals["skipped"]:
        line += f", {totals['skipped']} skipped"
    print(line)
    return int(totals["failed"] > 0 or totals["passed"] == 0)


if __name__ == "__main__":
    sys.exit(main())
