# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The image program as its users meet it: every build writes the same bytes, and errors help.

    check.py IMAGES-PLAIN [IMAGES]

The first program is the reference, the second is the one made by ikrac, which runs on all cores here.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = []


def run(program, *arguments, **settings):
    environment = dict(os.environ, IKRA_DEVICE="cpu", **settings)
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, check=False)


def files(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in pathlib.Path(folder).iterdir()}


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def succeed(self, program, *arguments):
        done = run(program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def make(self, name, program):
        """Draws the inputs, of different sizes, and composes them."""
        folder = self.folder / name
        for part, extents in (("a", (150, 203)), ("b", (64, 64))):
            (folder / part).mkdir(parents=True)
            self.succeed(program, "--draw", folder / part, *extents)
        (folder / "out").mkdir()
        for part, other in ("ab", "ba", "aa"):
            self.succeed(program, folder / part / "tower.png", folder / other / "sunset.png",
                         folder / other / "forest.png", folder / "out" / f"{part}{other}.png")
        return {part: files(folder / part) for part in ("a", "b", "out")}

    def test_builds_write_the_same_bytes(self):
        reference = self.make("plain", PROGRAMS[0])
        self.assertEqual(sorted(reference["a"]), ["forest.png", "sunset.png", "tower.png"])
        distinct = {digest for part in reference.values() for digest in part.values()}
        self.assertEqual(len(distinct), 9)
        if len(PROGRAMS) < 2:
            self.skipTest("there is no build by ikrac")
        self.assertEqual(self.make("ikra", PROGRAMS[1]), reference)

    def test_composes_in_few_kernels(self):
        """Two blurs, in tiles on a GPU, and all the rest: also where pictures have one size and none is resized."""
        if len(PROGRAMS) < 2:
            self.skipTest("there is no build by ikrac")
        self.make("ikra", PROGRAMS[1])
        for other in "ab":
            done = run(PROGRAMS[1], *(self.folder / "ikra" / part / name for part, name in (
                ("a", "tower.png"), (other, "sunset.png"), (other, "forest.png"), ("out", "again.png"))),
                IKRA_TRACE="kernels")
            self.assertEqual(done.returncode, 0, done.stderr)
            kernels = 2 if os.environ.get("IKRA_DEVICE", "").startswith("cuda") else 3
            self.assertEqual(done.stderr.count("ikra: kernel "), kernels, done.stderr)

    def test_bad_input(self):
        (self.folder / "text.png").write_text("no picture")
        for program in PROGRAMS:
            for arguments, status, message in (
                    ((), 2, "usage"),
                    (("--draw",), 2, "usage"),
                    (("--draw", self.folder, "100", "wide"), 1, "'wide'"),
                    (("--draw", self.folder, "8", "100"), 1, "16 to 16384"),
                    (("--draw", self.folder / "missing"), 1, "missing"),
                    (("a.png", "b.png", "c.png", "d.png"), 1, "a.png"),
                    ((self.folder / "text.png",) * 4, 1, "text.png")):
                with self.subTest(program=program, arguments=arguments):
                    done = run(program, *arguments)
                    self.assertEqual(done.returncode, status)
                    self.assertIn(message, done.stderr)


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
