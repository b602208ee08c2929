# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/gpu-pack's maker and runner, on programs that need no GPU."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "lib"


def entry(kind: str, name: str, file: str, args: list[str], **more: object) -> dict:
    return {"kind": kind, "name": name, "target": name, "type": "program", "file": file, "expected_from": None,
            "environment": [], "args": args, **more}


class GpuPack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.pack = self.folder / "a pack"
        (self.folder / "data").mkdir()
        (self.folder / "data" / "edges").write_text("1 2\n", encoding="utf-8")

    def make(self, entries: list[dict], *options: object) -> subprocess.CompletedProcess:
        file = self.folder / "entries.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in entries), encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPTS / "make_gpu_pack.py", "--root", self.folder, "--entries", file,
                               "--runner", SCRIPTS / "gpu_pack_run.sh", *options, self.pack],
                              capture_output=True, text=True, check=False)

    def run_pack(self, *words: str) -> tuple[int, str, dict]:
        environment = dict(os.environ, OUT=str(self.folder / "out"))
        done = subprocess.run([self.pack / "run", *words], capture_output=True, text=True, check=False, env=environment)
        results = json.loads((self.folder / "out" / f"{words[0]}.json").read_text(encoding="utf-8"))
        return done.returncode, done.stdout, results

    def test_counts_passes_and_failures(self):
        made = self.make([entry("test", "good", "/bin/true", []), entry("test", "bad", "/bin/false", []),
                          entry("benchmark", "other", "/bin/false", [])])
        self.assertEqual(made.returncode, 0, made.stderr)
        status, output, results = self.run_pack("tests")
        self.assertEqual(output.splitlines()[-1], "1 passed, 1 failed")
        self.assertEqual(status, 1)
        self.assertEqual([result["name"] for result in results["results"]], ["good", "bad"])
        status, output, _ = self.run_pack("tests", "goo")
        self.assertEqual((status, output.splitlines()[-1]), (0, "1 passed, 0 failed"))

    def test_a_filter_that_matches_nothing_is_a_failure(self):
        self.make([entry("test", "good", "/bin/true", [])])
        status, output, _ = self.run_pack("tests", "nowhere")
        self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 0 failed"))

    def test_arguments_and_environment_arrive_as_they_are(self):
        word = 'it\'s a "$HOME"'
        words = ["-c", 'printf "%s|" "$NAME" "$@"; cat "$2"', "sh", word, "{data}/edges"]
        made = self.make([entry("test", "words", "/bin/bash", words, environment=["NAME=two words"])],
                         "--data", self.folder / "data")
        self.assertEqual(made.returncode, 0, made.stderr)
        _, _, results = self.run_pack("tests")
        self.assertEqual(results["results"][0]["output"], f"two words|{word}|{self.pack}/data/edges|1 2")

    def test_without_data_its_entries_are_left_out(self):
        made = self.make([entry("test", "good", "/bin/true", []), entry("test", "edges", "/bin/cat", ["{data}/edges"])])
        self.assertIn("left out: edges", made.stdout)
        _, output, _ = self.run_pack("tests")
        self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed")

    def test_programs_must_print_the_same(self):
        self.make([entry("test", "same", "/bin/echo", ["x"], expected_from="/bin/echo"),
                   entry("test", "other", "/bin/echo", ["x"], expected_from="/bin/pwd"),
                   entry("test", "silent", "/bin/true", [], expected_from="/bin/true")])
        _, output, results = self.run_pack("tests")
        self.assertEqual([(one["name"], one["passed"]) for one in results["results"]],
                         [("same", 1), ("other", 0), ("silent", 0)])
        self.assertEqual(output.splitlines()[-1], "1 passed, 2 failed")

    def test_a_benchmark_hands_over_its_figures(self):
        self.make([entry("benchmark", "bench", "/bin/bash", ["-c", "echo '{\"ratio\": 1.5}' > \"$0\"", "{out}"])])
        status, _, results = self.run_pack("bench")
        self.assertEqual((status, results["results"][0]["results"]), (0, {"ratio": 1.5}))

    def test_catch2_reports_count_case_by_case(self):
        report = ('<OverallResults successes="9" failures="1"/>'
                  '<OverallResultsCases successes="3" failures="1" expectedFailures="0"/>')
        script = f"for a; do last=$a; done; echo '{report}' > \"$last\"; exit 1"
        self.make([entry("test", "cases", "/bin/bash", ["-c", script], type="catch2"),
                   entry("test", "crashed", "/bin/false", [], type="catch2")])
        _, output, _ = self.run_pack("tests")
        self.assertEqual(output.splitlines()[-1], "3 passed, 2 failed")

    def test_an_empty_list_is_refused(self):
        self.assertIn("nothing to pack", self.make([]).stderr)


if __name__ == "__main__":
    unittest.main()
