# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pointer analysis as its users meet it: both builds print the same, known results come out, and errors help.

    check.py POINTS-TO-PLAIN [POINTS-TO]

The first program is the reference, the second is the one made by ikrac, which runs on all cores here.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = []


def run(program, *arguments):
    environment = dict(os.environ, IKRA_DEVICE="cpu")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, check=False)


class PointsTo(unittest.TestCase):
    def outputs(self, *arguments):
        done = [run(program, *arguments) for program in PROGRAMS]
        for one in done:
            self.assertEqual(one.returncode, 0, one.stderr)
        return [one.stdout for one in done]

    def folder(self, assign, dereference):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "assign.facts").write_text(assign, encoding="utf-8")
        (path / "dereference.facts").write_text(dereference, encoding="utf-8")
        return path

    def test_builds_agree(self):
        for arguments in ([], ["--functions", 12, "--seed", 5, "--sets", 20], ["--functions", 0]):
            outputs = self.outputs(*arguments)
            self.assertEqual(len(set(outputs)), 1, outputs)

    def test_other_seeds_are_other_programs(self):
        self.assertNotEqual(self.outputs("--seed", 1)[0], self.outputs("--seed", 2)[0])

    def test_small_program(self):
        # q = p; r = *p; *q = s: what r holds may be s.
        p, q, r, s, p_content, q_content = range(1, 7)
        folder = self.folder(f"{q}\t{p}\n{r}\t{p_content}\n{q_content}\t{s}\n",
                             f"{p}\t{p_content}\n{q}\t{q_content}\n")
        for output in self.outputs(folder):
            lines = output.splitlines()
            self.assertEqual(lines[0].split(), ["assign", "3"])
            self.assertEqual(lines[1].split(), ["dereference", "2"])
            # r, s, *p and *q may have one value, p and q another.
            self.assertIn("       4 expressions, the set of 4: 3 4 5 6", lines)
            self.assertIn("       2 expressions, the set of 2: 1 2", lines)

    def test_errors(self):
        for program in PROGRAMS:
            missing = run(program, "/no/such/folder")
            self.assertEqual(missing.returncode, 1)
            self.assertIn("/no/such/folder/assign.facts", missing.stderr)
            bad = run(program, self.folder("1\t2\n1\tx\n", ""))
            self.assertEqual(bad.returncode, 1)
            self.assertIn("assign.facts:2", bad.stderr)
            wrong = run(program, "--functions", "many")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("usage:", wrong.stderr)


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
