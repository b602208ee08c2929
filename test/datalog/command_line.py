# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the command line of ikra-datalog: what it accepts, its exit codes, and what it leaves behind.

usage: command_line.py PROGRAM [TEST...]
"""
import os
import pty
import resource
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
        for arguments in (["--engine=reference"], ["--engine=cpu"], ["-j", "1"], ["-j", "3"], ["-j0"], ["--form=runs"],
                          ["--form=runs", "--small=on"], ["--small=off"]):
            with self.subTest(arguments):
                run = self.run_it(*arguments, "-D", "-", "p.dl")
                self.assertEqual(run.stdout.splitlines()[3:-1], ["1\t2", "1\t3", "2\t3"])

    def test_options_of_souffle_without_use_are_ignored_and_said(self):
        run = self.run_it("-c", "-v", "-m", "*", "--wno", "all", "-z", "MagicSet", "-j", "auto", "-P", "x", "-D", "-", "p.dl")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.splitlines()[3:-1], ["1\t2", "1\t3", "2\t3"])
        self.assertIn("Warning: option -m,--magic-transform of Soufflé has no effect here\n", run.stderr)
        self.assertEqual(self.run_it("-w", "-c", "--legacy", "-D", "-", "p.dl").stderr, "")

    def test_options_of_souffle_that_ask_for_something_else_are_refused(self):
        for arguments, said in ((["-o", "exe"], "there is no program to write"), (["-t", "explain"], "there are no proofs"),
                                (["-r", "r.html"], "there is no report"), (["-g", "p.cpp"], "docs/datalog-cpp.md")):
            with self.subTest(arguments):
                run = self.run_it(*arguments, "p.dl")
                self.assertEqual(run.returncode, 2)
                self.assertIn(said, run.stderr)
                self.assertIn(arguments[0], run.stderr)
                self.assertFalse((self.folder / "p.csv").exists())

    def test_a_program_with_few_facts_is_for_the_cpu_and_the_plan_says_so(self):
        self.assertRegex(self.run_it("--show=plan", "p.dl").stdout, r"\Adevice: CPU, since \d+ facts are fewer than 131072\n")
        self.assertTrue(self.run_it("--engine=cpu", "--show=plan", "p.dl").stdout.startswith("stratum 0"))
        (self.folder / "many.facts").write_text("".join(f"{i}\n" for i in range(131072)))
        (self.folder / "many.dl").write_text(
            ".decl many(x: number)\n.input many\n.decl r(x: number)\nr(x) :- many(x), x < 2.\nr(x + 1) :- r(x), x < 5.\n"
            ".decl t(x: symbol) choice-domain x\nt(to_string(x)) :- r(x).\n.output t\n")
        run = subprocess.run([PROGRAM, "--show=plan", "many.dl"], cwd=self.folder, env={**os.environ, "IKRA_DEVICE": "cpu"},
                             capture_output=True, text=True, check=True)
        self.assertIn("device: CPU, since there is no GPU, or IKRA_DEVICE is cpu\n", run.stdout)
        self.assertTrue(run.stdout.endswith("by one thread of the host:\n  functions in t(to_string(x)) :- r(x).\n"
                                            "  the choice of tuples of t\n"), run.stdout)

    def test_idle_threads_sleep_unless_the_user_says_otherwise(self):
        for given, found in (({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")):
            environment = {**{k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}, **given, "OMP_DISPLAY_ENV": "true"}
            run = subprocess.run([PROGRAM, "-j", "2", "-w", "p.dl"], cwd=self.folder, env=environment, capture_output=True,
                                 text=True, check=True)
            self.assertIn(f"OMP_WAIT_POLICY = '{found}'", run.stderr)

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

    def test_a_profile_has_a_line_for_each_version_and_iteration(self):
        (self.folder / "e.facts").write_text("1\t2\n2\t3\n3\t4\n4\t5\n")
        self.assertEqual(self.run_it("--form=runs", "-p", "times.tsv", "p.dl").returncode, 0)
        lines = [line.split("\t") for line in (self.folder / "times.tsv").read_text().splitlines()]
        self.assertEqual([line[0] for line in lines[:5]],
                         ["seconds reading", "seconds writing", "seconds", "iterations", "peak bytes"])
        self.assertEqual(lines[5], ["stratum", "rule", "version", "iteration", "seconds", "joined", "text"])
        transitive = [line for line in lines[6:] if line[6] == "p(x, z) :- p(x, y), e(y, z)."]
        # Three iterations make paths longer, the fourth finds that there is nothing more.
        self.assertEqual([line[3] for line in transitive], ["1", "2", "3", "4"])
        self.assertEqual([line[5] for line in transitive], ["3", "2", "1", "0"])

    def test_resident_iterations_have_the_same_profile(self):
        (self.folder / "e.facts").write_text("".join(f"{i}\t{i + 1}\n" for i in range(40)))
        counts = {}
        for small in ("on", "off"):
            self.assertEqual(self.run_it("--form=runs", f"--small={small}", "-p", "times.tsv", "p.dl").returncode, 0)
            lines = [line.split("\t") for line in (self.folder / "times.tsv").read_text().splitlines()]
            counts[small] = [lines[3]] + [line[:4] + line[5:] for line in lines[6:]]
            shown = self.run_it("--form=runs", f"--small={small}", "--show=plan", "p.dl").stdout
            self.assertEqual("p (recursive, runs, device-resident iterations)" in shown, small == "on", shown)
        self.assertEqual(counts["on"], counts["off"])
        self.assertEqual(counts["on"][-1][3], "40")

    def test_long_fixpoints_have_a_line_on_a_terminal_which_is_erased(self):
        (self.folder / "count.dl").write_text(
            ".decl n(x: number)\nn(0).\nn(x + 1) :- n(x), x < 200000.\n.printsize n\n")
        try:
            ours, its = pty.openpty()
        except OSError as problem:  # a container without /dev/pts
            self.skipTest(str(problem))
        run = subprocess.Popen([PROGRAM, "--form=runs", "count.dl"], cwd=self.folder, stdout=subprocess.PIPE, stderr=its)
        os.close(its)
        shown = b""
        try:
            while part := os.read(ours, 1 << 16):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(run.communicate()[0], b"n\t200001\n")
        self.assertRegex(shown.decode(), r"\r[0-9.]+ s, stratum 0, iteration [0-9]+, n \+1 = [0-9]+\x1b\[K")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])

    def test_there_is_no_progress_line_elsewhere(self):
        (self.folder / "count.dl").write_text(
            ".decl n(x: number)\nn(0).\nn(x + 1) :- n(x), x < 200000.\n.printsize n\n")
        run = self.run_it("--form=runs", "count.dl")
        self.assertEqual((run.stdout, run.stderr), ("n\t200001\n", ""))

    def test_wrong_usage_is_exit_code_2(self):
        for arguments in ([], ["--no-such-option", "p.dl"], ["--bits=16", "p.dl"], ["--engine=abacus", "p.dl"], ["--small=some", "p.dl"],
                          ["p.dl", "q.dl"]):
            with self.subTest(arguments):
                run = self.run_it(*arguments)
                self.assertEqual(run.returncode, 2)
                self.assertTrue(run.stderr)

    def test_numbers_of_threads_have_a_range(self):
        for number in ("-1", "70000"):
            run = self.run_it("-j", number, "p.dl")
            self.assertEqual(run.returncode, 2)
            self.assertIn(f"--jobs: Value {number} not in range", run.stderr)

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
                         "Error: output directory missing does not exist\n")
        (self.folder / "r.dl").write_text('.decl a(x: number)\na(1).\n.output a(filename="sub/a.csv")\n')
        self.assertEqual(self.run_it("r.dl").stderr, "Error: output directory ./sub does not exist\n")
        (self.folder / "sub").write_text("")
        self.assertEqual(self.run_it("r.dl").stderr, "Error: output directory ./sub is not a directory\n")

    def test_a_failing_run_keeps_the_results_of_the_last_one(self):
        self.assertEqual(self.run_it("p.dl").returncode, 0)
        before = (self.folder / "p.csv").read_text()
        (self.folder / "e.facts").write_text("1\t2\nx\ty\n")
        self.assertEqual(self.run_it("p.dl").returncode, 1)
        self.assertEqual((self.folder / "p.csv").read_text(), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["e.facts", "p.csv", "p.dl"])

    def test_memory_exhausted_in_the_middle_of_a_fixpoint_is_exit_code_1(self):
        (self.folder / "q.dl").write_text(PATHS.replace("p(x, y), e(y, z)", "p(x, _), p(_, z)"))
        (self.folder / "e.facts").write_text("".join(f"{i}\t{i + 1}\n" for i in range(30000)))
        limit = 600 << 20

        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        for arguments in (["--form=runs", "q.dl"], ["--form=dense", "p.dl"], ["--form=runs", "-j2", "q.dl"]):
            with self.subTest(arguments):
                run = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                                     timeout=60, check=False, preexec_fn=limit_memory)
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, r"^Error: (Datalog: no [0-9]+ bytes for .*; raise .*|out of memory)\n"
                                 r"(    rule p\(.* in file [pq]\.dl at line [0-9]+\n)?    relation p: [0-9]+ tuples after [0-9]+ iterations\n$")
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["e.facts", "p.dl", "q.dl"])

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
