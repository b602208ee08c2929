// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is valid but seldom meant is a warning.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

int main() {
  // CHECK: datalog-oddity.cpp:[[#@LINE+4]]:20: warning: Datalog: Variable x only occurs once [ikra-datalog-oddity]
  ikra::datalog::program ends{R"(
    .decl edge(x: number, y: number)
    .decl end(y: number)
    end(y) :- edge(x, y).
  )"};
}
