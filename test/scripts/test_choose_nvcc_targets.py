#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/lib/choose_nvcc_targets.py: what it takes for different, and that its choice has all of that."""
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from choose_nvcc_targets import KEPT, choose, features, read_list  # noqa: E402

EMITTED = """#include <ikra/generated.hpp>
#include <ikra/generated/sections/sequence.hpp>
int main() { while (std::sort) ::ikra::make_section<x>(); }
#line 3 "/build/main.ikra.cu"
// for
struct body { IKRA_DEVICE int operator()(int x) const { return std::abs(x) / 2; } };
void run(map_call& call) { s.map_values<body, unsigned, double>(call, "switch"); }
"""


class Features(unittest.TestCase):
    def test_names_calls_and_kinds_of_elements_are_features(self):
        found = features(EMITTED)
        for feature in ("std::abs", ".map_values", ".map_values<integer>", ".map_values<floating>", "return", "/",
                        "#include ikra/generated/sections/sequence.hpp", "ikra::make_section"):
            self.assertIn(feature, found)

    def test_comments_text_and_host_code_are_none(self):
        found = features(EMITTED)
        for word in ("for", "switch", "while", "std::sort"):
            self.assertNotIn(word, found)


class Choice(unittest.TestCase):
    def test_the_choice_has_every_feature(self):
        found = {"a": {"1", "2"}, "b": {"2", "3"}, "c": {"1", "2", "3"}, "d": {"4"}, "e": {"2"}}
        chosen = choose(found, {"a": 1, "b": 1, "c": 9, "d": 1, "e": 1}, {"e"})
        self.assertEqual(set(chosen), {"a", "b", "d", "e"})

    def test_the_list_has_what_nvcc_alone_refused(self):
        chosen = read_list()
        self.assertLessEqual({f"program_{name}_cuda" for name in KEPT}, set(chosen))
        self.assertIn(True, chosen.values())


if __name__ == "__main__":
    unittest.main()
