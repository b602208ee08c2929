# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The traffic example as its users meet it: results that agree between builds, and errors that help.

    check.py TRAFFIC-PLAIN [TRAFFIC]

The first program is the reference, the second is the one made by ikrac, which runs on all cores here.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
PROGRAMS = []


def run(program, *arguments, device=None):
    environment = dict(os.environ)
    if device:
        environment["IKRA_DEVICE"] = device
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, check=False)


def checksum(program, *arguments):
    done = run(program, "--checksum", *arguments, device="cpu")
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()


class Results(unittest.TestCase):
    TOWN = ("--edges", HERE / "town.edges", "--actors", 3000, "--ticks", 300)
    GENERATED = ("--streets", 120, "--actors", 2000, "--ticks", 250)

    def test_runs_are_what_they_were(self):
        # Chances, rules and weather are fixed by the seed, whatever the compiler.
        self.assertEqual(checksum(PROGRAMS[0], *self.GENERATED, "--seed", 1), "fbc4ac0bad02c3a7")
        self.assertEqual(checksum(PROGRAMS[0], *self.TOWN, "--seed", 1), "028b8442e7587413")

    def test_builds_agree(self):
        if len(PROGRAMS) < 2:
            self.skipTest("there is no build by ikrac")
        for what in (self.TOWN, self.GENERATED):
            for seed in (1, 2, 3):
                expected = checksum(PROGRAMS[0], *what, "--seed", seed)
                for program in PROGRAMS[1:]:
                    with self.subTest(what=what, seed=seed):
                        self.assertEqual(checksum(program, *what, "--seed", seed), expected)

    def test_seeds_and_ticks_matter(self):
        sums = {checksum(PROGRAMS[0], "--streets", 50, "--actors", 100, "--ticks", ticks, "--seed", seed)
                for ticks in (0, 1, 121) for seed in (1, 2)}
        self.assertEqual(len(sums), 6)

    def test_line_ends_blanks_and_comments_do_not_matter(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "town.edges")
            other.write_text("17\t42\n42 99\n99 17\n99 5")
            arguments = ("--actors", 500, "--ticks", 130)
            self.assertEqual(checksum(PROGRAMS[0], "--edges", other, *arguments),
                             checksum(PROGRAMS[0], "--edges", HERE / "town.edges", *arguments))

    def test_the_smallest_runs(self):
        for program in PROGRAMS:
            for arguments in (("--actors", 0), ("--ticks", 0), ("--streets", 2, "--actors", 1)):
                with self.subTest(program=program, arguments=arguments):
                    self.assertEqual(run(program, "--quiet", *arguments, device="cpu").returncode, 0)

    def test_json_and_picture(self):
        for program in PROGRAMS:
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                result, picture = pathlib.Path(folder, "r.json"), pathlib.Path(folder, "p.png")
                done = run(program, *self.TOWN, "--quiet", "--json", result, "--picture", picture, device="cpu")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                read = json.loads(result.read_text())
                self.assertEqual((read["streets"], read["actors"], read["ticks"]), (8, 3000, 300))
                self.assertEqual(read["checksum"], checksum(program, *self.TOWN))
                self.assertGreater(read["mean_speed_kmh"], 0)
                self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))
                self.assertEqual(sorted(os.listdir(folder)), ["p.png", "r.json"])

    def test_compare(self):
        if len(PROGRAMS) < 2:
            self.skipTest("there is no build by ikrac")
        done = run(PROGRAMS[1], "--compare", *self.GENERATED)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
        expected = checksum(PROGRAMS[0], *self.GENERATED)
        self.assertIn(expected, lines["plain"])
        self.assertIn(expected, lines["cpu"])
        self.assertIn("cuda", lines)
        self.assertIn("All agree.", done.stdout)


class BadInput(unittest.TestCase):
    def expect_error(self, arguments, *parts):
        with tempfile.TemporaryDirectory() as folder:
            for program in PROGRAMS:
                with self.subTest(program=program, arguments=arguments):
                    done = run(program, *arguments, "--json", pathlib.Path(folder, "result.json"))
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(done.stdout, "")
                    for part in parts:
                        self.assertIn(part, done.stderr)
                    self.assertEqual(os.listdir(folder), [])

    def expect_bad_edges(self, name, *parts):
        self.expect_error(("--edges", HERE / name), *parts)

    def test_word(self):
        self.expect_bad_edges("word.edges", "word.edges:2: found 'three', expected two crossing numbers")

    def test_arity(self):
        self.expect_bad_edges("arity.edges", "arity.edges:2: found 3 words in '3 4 5', expected two")

    def test_overflow(self):
        self.expect_bad_edges("overflow.edges", "overflow.edges:2: '18446744073709551616' is too large")

    def test_negative(self):
        self.expect_bad_edges("negative.edges", "negative.edges:2: found '-3', expected")

    def test_binary(self):
        self.expect_bad_edges("binary.edges", "binary.edges:2: found 1 word in '\\x01\\xffbinary'")

    def test_empty(self):
        self.expect_bad_edges("empty.edges", "empty.edges: no roads in the file")

    def test_missing(self):
        self.expect_bad_edges("missing.edges", "missing.edges: cannot be opened: No such file")

    def test_folder(self):
        self.expect_bad_edges(".", "reading failed")

    def test_options(self):
        self.expect_error(("--actors", "-1"), "--actors", "-1")
        self.expect_error(("--actors", "12x"), "--actors", "12x")
        self.expect_error(("--ticks", "99999999999999999999"), "--ticks")
        self.expect_error(("--streets", "1"), "--streets")
        self.expect_error(("--seed",), "--seed")
        self.expect_error(("--frobnicate",), "--frobnicate")
        self.expect_error(("--edges", HERE / "town.edges", "--streets", "10"), "--streets")

    def test_a_file_that_cannot_be_written(self):
        for program in PROGRAMS:
            for option in ("--json", "--picture"):
                with self.subTest(program=program, option=option):
                    done = run(program, "--quiet", "--ticks", 1, option, HERE / "missing" / "file", device="cpu")
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAMS = [os.path.abspath(program) for program in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1], verbosity=2)
