# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests ikra-datalog where files are no plain files, two outputs meet, writing ends half-way, and inputs are without
measure: outputs are whole or as they were before, nothing is left behind, and a message says which file it was.

usage: hostile.py PROGRAM [TEST...]
"""
import contextlib
import gzip
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = ""
TWO = ".decl a(x: number)\na(1).\n.decl b(x: number)\nb(2).\n"
MANY = ".decl a(x: number)\na(1).\n.decl b(x: number)\nb(y) :- y = range(0, 100000).\n"


class Hostile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_it(self, program, *arguments, **how):
        (self.folder / "p.dl").write_text(program)
        return subprocess.run([PROGRAM, *arguments, "p.dl"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              check=False, **how)

    def fails(self, program, message, *arguments, **how):
        """Whether it ends with exit code 1, this message, and the files that there were."""
        before = self.names() | {"p.dl"}
        run = self.run_it(program, *arguments, **how)
        self.assertEqual((run.returncode, run.stderr), (1, message + "\n"))
        self.assertEqual(self.names(), before)

    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def read(self, name):
        return (self.folder / name).read_text()

    # Files that are no plain files.

    def device(self, name, major, minor):
        try:
            os.mknod(self.folder / name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
            (self.folder / name).write_text("x") if minor == 3 else None
        except OSError as problem:
            self.skipTest(f"no devices can be made here: {problem}")

    def test_a_device_is_written_to_and_stays(self):
        self.device("null", 1, 3)
        for how in ("", ', IO="jsonfile"', ', compress="true"'):
            with self.subTest(how):
                run = self.run_it(TWO + f'.output a(filename="null"{how})\n.output b(filename="null")\n')
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertTrue(stat.S_ISCHR((self.folder / "null").stat().st_mode))
        self.assertEqual(self.names(), {"null", "p.dl"})
        self.fails(TWO + '.output a(filename="null", IO="sqlite")\n',
                   "Error writing a data: ./null: a database cannot be a device or a pipe")

    def test_a_full_device_is_an_error_that_names_it(self):
        self.device("full", 1, 7)
        for how in ("", ', IO="jsonfile"', ', compress="true"'):
            with self.subTest(how):
                self.fails(MANY + f'.output a\n.output b(filename="full"{how})\n',
                           "Error writing b data: ./full: No space left on device")

    def test_a_pipe_is_written_to_and_stays(self):
        os.mkfifo(self.folder / "pipe")
        got = []
        reader = threading.Thread(target=lambda: got.append(self.read("pipe")), daemon=True)
        reader.start()
        run = self.run_it(TWO + '.output a(filename="pipe")\n.output b\n')
        reader.join(10)
        self.assertEqual((run.returncode, got, self.read("b.csv")), (0, ["1\n"], "2\n"))
        self.assertTrue(stat.S_ISFIFO((self.folder / "pipe").stat().st_mode))

    def test_a_pipe_that_nobody_reads_any_more_is_an_error_that_names_it(self):
        os.mkfifo(self.folder / "pipe")

        def read_a_little():
            with (self.folder / "pipe").open("rb") as pipe:
                pipe.read(1)

        threading.Thread(target=read_a_little, daemon=True).start()
        self.fails(MANY + '.output a\n.output b(filename="pipe")\n', "Error writing b data: ./pipe: Broken pipe")

    def test_the_standard_output_has_a_name(self):
        (self.folder / "out").symlink_to("/proc/self/fd/1")
        program = TWO + '.printsize a\n.output a(filename="out")\n.output b(filename="out")\n.printsize b\n'
        self.assertEqual(self.run_it(program).stdout, "a\t1\n1\n2\nb\t1\n")
        with (self.folder / "kept").open("w") as kept:
            subprocess.run([PROGRAM, "p.dl"], cwd=self.folder, stdout=kept, timeout=60, check=True)
        self.assertEqual(self.read("kept"), "a\t1\n1\n2\nb\t1\n")
        self.assertTrue((self.folder / "out").is_symlink())

    def test_symbolic_links_are_followed(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "there.csv").write_text("before\n")
        (self.folder / "sub" / "there.csv").chmod(0o640)
        (self.folder / "a.csv").symlink_to("second")
        (self.folder / "second").symlink_to("sub/there.csv")
        (self.folder / "b.csv").symlink_to("new.csv")
        self.assertEqual(self.run_it(TWO + ".output a\n.output b\n").stderr, "")
        self.assertEqual((self.read("sub/there.csv"), self.read("new.csv")), ("1\n", "2\n"))
        self.assertEqual((self.folder / "sub" / "there.csv").stat().st_mode & 0o777, 0o640)
        self.assertTrue(all((self.folder / name).is_symlink() for name in ("a.csv", "second", "b.csv")))
        self.assertEqual(self.names(), {"sub", "a.csv", "second", "b.csv", "new.csv", "p.dl"})
        self.assertEqual([path.name for path in (self.folder / "sub").iterdir()], ["there.csv"])

    def test_links_in_a_circle_and_folders_are_errors_before_anything_runs(self):
        (self.folder / "a.csv").symlink_to("b.csv")
        (self.folder / "b.csv").symlink_to("a.csv")
        self.fails(TWO + ".output a\n", "Error: cannot write ./a.csv: too many symbolic links")
        (self.folder / "c").mkdir()
        self.fails(TWO + '.output b(filename="c")\n', "Error: cannot write ./c: it is a folder")

    # Two outputs of one name.

    def test_two_relations_of_one_file_are_an_error_before_anything_runs(self):
        (self.folder / "sub").mkdir()
        (self.folder / "link").symlink_to("x")
        (self.folder / "folder").symlink_to("sub")
        os.mkfifo(self.folder / "pipe")
        for one, other in (("x", "x"), ("x", "./x"), ("x", "sub/../x"), ("x", "link"), ("sub/y", "folder/y"),
                           ("x", str(self.folder / "x")), ("pipe", "pipe")):
            with self.subTest(f"{one} and {other}"):
                shown = other if other.startswith("/") else "./" + other
                if other == "./x":
                    shown = "././x"
                # The division by zero would be another error.
                self.fails(TWO + f'b(1 / (x - 1)) :- a(x).\n.output a(filename="{one}")\n.output b(filename="{other}")\n',
                           f"Error: relations a and b would be written to one file: {shown}")
        self.fails(TWO + '.output a(filename="b.csv")\n.output b\n',
                   "Error: relations a and b would be written to one file: ./b.csv")
        self.fails(TWO + '.output a(filename="x")\n.output b(filename="x", IO="jsonfile")\n',
                   "Error: relations a and b would be written to one file: ./x")
        self.fails(TWO + '.output a(filename="x")\n.output a(filename="x", delimiter=",")\n',
                   "Error: relation a would be written to one file in two ways: ./x")
        self.fails(TWO + ".output a\n", "Error: the profile and a relation would be written to one file: ./a.csv",
                   "-p", "sub/../a.csv")
        self.assertEqual(self.run_it(TWO + ".output a\n.output a\n").returncode, 0)

    def test_tables_of_one_database_differ_in_more_than_case(self):
        program = '.decl t(x: number)\nt(1).\n.decl T(x: number)\nT(2).\n.output t(IO=sqlite, dbname="d")\n'
        self.fails(program + '.output T(IO=sqlite, dbname="d")\n',
                   "Error: relations t and T would be one table of a database, which tells no case: ./d")

    def test_other_tables_of_a_database_stay(self):
        path = self.folder / "d.sqlite"

        def rows(table):
            with contextlib.closing(sqlite3.connect(path)) as opened:
                return opened.execute(f"SELECT * FROM {table}").fetchall()

        with contextlib.closing(sqlite3.connect(path)) as opened:
            opened.executescript("CREATE TABLE e(x, y); INSERT INTO e VALUES (1, 2); CREATE TABLE p(z); INSERT INTO p VALUES (3);")
        program = '.decl e(x: number, y: number)\n.input e(IO=sqlite, dbname="d.sqlite")\n.decl p(x: number)\np(y) :- e(_, y).\n'
        run = self.run_it(program + '.output p(IO=sqlite, dbname="d.sqlite")\n')
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual((rows("e"), rows("p")), ([(1, 2)], [(2,)]))
        self.assertEqual(self.names(), {"d.sqlite", "p.dl"})
        (self.folder / "a.sqlite").write_text("this is no database, though it is long enough to be one" * 40)
        self.fails(TWO + ".output a(IO=sqlite)\n", "Error writing a data: ./a.sqlite: file is not a database")

    def test_an_input_may_be_an_output(self):
        (self.folder / "e").write_text("1\n2\n")
        run = self.run_it('.decl e(x: number)\n.input e(filename="e")\n.decl f(x: number)\nf(x + 1) :- e(x).\n'
                          '.output f(filename="e")\n')
        self.assertEqual((run.returncode, self.read("e")), (0, "2\n3\n"))

    # Writing that ends half-way.

    def test_a_signal_leaves_what_was_there(self):
        (self.folder / "a.csv").write_text("before\n")
        os.mkfifo(self.folder / "pipe")  # which nobody reads: a.csv is written, and waits for its name
        (self.folder / "p.dl").write_text(TWO + '.output a\n.output b(filename="pipe")\n')
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                run = subprocess.Popen([PROGRAM, "p.dl"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                waits_until = time.monotonic() + 30
                while not any(name.endswith(".partial") for name in self.names()) and time.monotonic() < waits_until:
                    time.sleep(0.01)
                run.send_signal(number)
                run.communicate(timeout=30)
                self.assertEqual(run.returncode, -number)
                self.assertEqual((self.names(), self.read("a.csv")), ({"a.csv", "pipe", "p.dl"}, "before\n"))

    def test_a_signal_that_is_ignored_stays_so(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "p.dl").write_text(TWO + '.output a\n.output b(filename="pipe")\n')
        run = subprocess.Popen([PROGRAM, "p.dl"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        waits_until = time.monotonic() + 30
        while not any(name.endswith(".partial") for name in self.names()) and time.monotonic() < waits_until:
            time.sleep(0.01)
        run.send_signal(signal.SIGHUP)
        self.assertEqual(self.read("pipe"), "2\n")
        self.assertEqual((run.wait(30), run.communicate()), (0, (b"", b"")))
        self.assertEqual(self.read("a.csv"), "1\n")

    def test_the_largest_size_of_a_file_is_an_error_that_names_it(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        (self.folder / "b.csv").write_text("before\n")
        for how, name in (("", "b.csv"), ("(IO=jsonfile)", "b.json"), ('(compress="true")', "b.csv.gz"),
                          ("(IO=sqlite)", "b.sqlite")):
            with self.subTest(how):
                said = "disk I/O error" if name == "b.sqlite" else "File too large"
                self.fails(MANY + f".output a\n.output b{how}\n", f"Error writing b data: ./{name}: {said}",
                           preexec_fn=limit_files)
        self.assertEqual(self.read("b.csv"), "before\n")
        # The tables of a database that is there are copied first.
        with contextlib.closing(sqlite3.connect(self.folder / "c.sqlite")) as opened:
            opened.execute("CREATE TABLE other (x)")
            opened.executemany("INSERT INTO other VALUES (?)", [(i,) for i in range(5000)])
            opened.commit()
        before = (self.folder / "c.sqlite").read_bytes()
        self.fails(MANY + ".output a\n.output b(IO=sqlite, dbname=\"c.sqlite\")\n",
                   "Error writing b data: ./c.sqlite: disk I/O error", preexec_fn=limit_files)
        self.assertEqual((self.folder / "c.sqlite").read_bytes(), before)

    def test_a_terminal_that_is_gone_is_an_error(self):
        for arguments in (["-D", "-"], ["--show=plan"]):
            with self.subTest(arguments):
                (self.folder / "p.dl").write_text(MANY + ".output a\n.output b\n")
                ours, its = os.pipe()
                os.close(ours)
                run = subprocess.run([PROGRAM, *arguments, "p.dl"], cwd=self.folder, stdout=its, stderr=subprocess.PIPE,
                                     timeout=60, check=False)
                os.close(its)
                self.assertEqual((run.returncode, run.stderr), (1, b"Error: cannot write to the standard output\n"))

    def test_a_profile_that_cannot_be_written_leaves_no_outputs(self):
        self.fails(TWO + ".output a\n", "Error: output directory none does not exist", "-p", "none/times.tsv")
        (self.folder / "times.tsv").mkdir()
        self.fails(TWO + ".output a\n", "Error: cannot write times.tsv: it is a folder", "-p", "times.tsv")

    # Inputs without measure.

    def test_patterns_match_long_texts(self):
        (self.folder / "s.facts").write_text("a" * 3_000_000 + "b\n" + "a" * 30_000 + "\n")
        program = ".decl s(x: symbol)\n.input s\n.decl m(n: number)\nm(strlen(x)) :- s(x), match({}, x).\n.output m\n"
        for pattern in ('".*b"', '"(a|b)*b"', '"(a*)*b"', '"(a|aa)*b"', '"[ab]+?b$"'):
            for engine in ("reference", "cpu"):
                with self.subTest(pattern=pattern, engine=engine):
                    run = self.run_it(program.format(pattern), f"--engine={engine}")
                    self.assertEqual((run.returncode, run.stderr, self.read("m.csv")), (0, "", "3000001\n"))

    def test_large_patterns_match_or_are_refused(self):
        program = ".decl s(x: symbol)\ns(cat({})).\n.decl m(x: symbol)\nm(x) :- s(x), match({}, x).\n.output m\n"
        for pattern in ("a" * 3000, "(" * 101 + "a" + ")" * 101 + "{3000}", "(" * 101 + "a" + ")" * 101 + "*"):
            with self.subTest(pattern[:120]):
                run = self.run_it(program.format('"' + "a" * 3000 + '", ""', f'"{pattern}"'))
                self.assertEqual(run.returncode, 0)
                self.assertEqual(run.stderr.startswith("warning: wrong pattern provided for match("), "{" in pattern)
                self.assertEqual(self.read("m.csv"), "" if "{" in pattern else "a" * 3000 + "\n")
        run = self.run_it(program.format('"a", ""', '"(' + "a" * 6000 + '){1000}"'))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr.splitlines()[0], r'^Error: Pattern "a?.*"\.\.\. of match is refused: it has too many states; '
                                                     r"write fewer repeats in file p\.dl at line 4$")

    def test_patterns_take_no_exponential_time(self):
        program = ".decl s(x: symbol)\n.input s\n.decl m(n: number)\nm(strlen(x)) :- s(x), match({}, x).\n.output m\n"
        (self.folder / "s.facts").write_text("a" * 200_000 + "\n")
        for pattern in ("(a|aa)+$b", "(a*)*c", "((a+)+)+d", "(?=a).*", "(a*)\\\\1"):
            with self.subTest(pattern):
                self.assertEqual(self.run_it(program.format(f'"{pattern}"')).returncode, 0)
                self.assertEqual(self.read("m.csv"), "")

    def test_values_may_be_nested_deeply_up_to_a_limit(self):
        program = ".type L = [h: number, t: L]\n.decl l(x: {})\n.input l(IO={}, filename=\"l\")\n.decl n(x: number)\nn(1) :- l(_).\n.output n\n"

        def nested(depth):
            return "[1, " * depth + "{}" + "]" * depth

        for column, format, text, problem in (
                ("L", "jsonfile", "[[" + nested(1000).format("null") + "]]", None),
                ("L", "jsonfile", "[[" + nested(100_000).format("null") + "]]",
                 "element 0: x: value is nested more than 1000 deep"),
                ("number", "jsonfile", "[" * 100_000 + "]" * 100_000, "element 0: x: expected another type of value, found an array"),
                ("number", "jsonfile", "[[" + '{"a":' * 100_000 + "1" + "}" * 100_000 + "]]",
                 "element 0: x: expected another type of value, found an object"),
                ("number", "jsonfile", "[" * 1_000_000, "the file is no JSON: line 1, column 1000001: "),
                ("L", "file", nested(9999).format("nil") + "\n", None),
                ("L", "file", nested(100_000).format("nil") + "\n", "column 1: value is nested more than 10000 deep"),
                ("L", "file", "[" * 1_000_000 + "\n", "column 1: cannot convert")):
            with self.subTest(column=column, format=format, length=len(text)):
                (self.folder / "l").write_text(text)
                run = self.run_it(program.format(column, format))
                self.assertEqual(run.returncode, 0 if problem is None else 1, run.stderr[-300:])
                self.assertTrue(run.stderr == "" if problem is None else problem in run.stderr, run.stderr[:300])

    def test_a_binary_file_is_no_program(self):
        (self.folder / "p.dl").write_bytes(b"#\x00" + bytes(range(1, 256)) * 100)
        run = subprocess.run([PROGRAM, "p.dl"], cwd=self.folder, capture_output=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertLess(len(run.stderr.splitlines()), 100)
        self.assertNotIn(b"preprocessor", run.stderr)

    def test_deep_values_come_back(self):
        program = (".type L = [h: number, t: L]\n.decl l(x: L, n: number)\nl(nil, 0).\nl([n, x], n + 1) :- l(x, n), n < 3000.\n"
                   ".decl last(x: L)\nlast(x) :- l(x, 3000).\n.output last(IO=jsonfile)\n.output last\n")
        self.assertEqual(self.run_it(program).stderr, "")
        again = ".type L = [h: number, t: L]\n.decl last(x: L)\n.input last(IO=jsonfile)\n.output last(filename=\"again\")\n"
        self.assertEqual(self.run_it(again).stderr, "")
        self.assertEqual(self.read("again"), self.read("last.csv"))

    def test_compressed_outputs_are_whole(self):
        self.assertEqual(self.run_it(MANY + '.output b(compress="true")\n').stderr, "")
        self.assertEqual(len(gzip.decompress((self.folder / "b.csv.gz").read_bytes()).splitlines()), 100_000)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
