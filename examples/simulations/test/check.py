# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulations as their users meet them: builds print the same, their own checks hold, and errors help.

    check.py PROGRAM...

Each program's plain build (NAME-plain), and its build by ikrac (NAME) where there is one; that runs on all cores here.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS: dict[str, str] = {}
ARGUMENTS = {
    "heat": "--size 64 --cube 16 --steps 100",
    "jacobi": "--size 32",
    "conjugate_gradient": "--vertices 2000",
    "pagerank": "--vertices 2000",
    "life": "--size 64 --turns 100",
    "mandelbrot": "--size 256 --turns 256",
    "lattice_boltzmann": "--size 40 --steps 200",
    "barnes_hut": "--stars 1500 --steps 10",
}
WITHOUT_PICTURE = {"conjugate_gradient", "pagerank"}


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, IKRA_DEVICE="cpu")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)


class Simulations(unittest.TestCase):
    def test_builds_print_the_same(self) -> None:
        for name, arguments in ARGUMENTS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                outputs, pictures = [], []
                for program in (f"{name}-plain", name):
                    if program not in PROGRAMS:
                        continue
                    picture = pathlib.Path(folder) / f"{program}.png"
                    done = run(PROGRAMS[program], *arguments.split(), "--picture", picture)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    outputs.append(done.stdout)
                    if name not in WITHOUT_PICTURE:
                        pictures.append(picture.read_bytes())
                        self.assertTrue(pictures[-1].startswith(b"\x89PNG"))
                self.assertEqual(len(set(outputs)), 1, outputs)
                self.assertLessEqual(len(set(pictures)), 1)

    def test_graphs_are_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "edges.txt"
            file.write_text("# a path of 50 vertices, numbered from 1000\n" +
                            "".join(f"{1000 + v}\t{1001 + v}\n" for v in range(49)))
            for name, line in (("conjugate_gradient", "sum: 40.000000"), ("pagerank", "highest: 0.")):
                outputs = {run(PROGRAMS[program], "--edges", file).stdout for program in (f"{name}-plain", name)
                           if program in PROGRAMS}
                self.assertEqual(len(outputs), 1, outputs)
                self.assertIn(line, outputs.pop())

    def test_errors_help(self) -> None:
        program = PROGRAMS["heat-plain"]
        for arguments, text in ((["--size", "two"], "--size is a number from 3 to 32768, not 'two'"),
                                (["--steps", "-1"], "--steps is a number from 0"),
                                (["--speed", "3"], "usage: "), (["--size"], "usage: ")):
            done = run(program, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "edges.txt"
            for text, message in (("1 2\n3 x\n", f"{file}:2: two whole numbers"), ("1 2\n\n3\n", f"{file}:3: two whole"),
                                  ("1 2 3\n", f"{file}:1: two whole"), ("# none\n", "no edges in")):
                file.write_text(text)
                done = run(PROGRAMS["pagerank-plain"], "--edges", file)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
        done = run(PROGRAMS["life-plain"], "--size", 8, "--turns", 4, "--picture", "/no/such/folder/a.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write /no/such/folder/a.png", done.stderr)


if __name__ == "__main__":
    PROGRAMS = {pathlib.Path(path).name: path for path in sys.argv[1:]}
    unittest.main(argv=sys.argv[:1])
