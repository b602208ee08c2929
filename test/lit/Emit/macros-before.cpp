// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that a program defines in front of the headers, here, in the command or in a file that it includes: all letters, and words
// that many programs define. The headers are read without them, and the program has them afterwards.
//
// RUN: echo '#define O 7' > %t.hpp
// RUN: %own_build_plain -DL=1000 -include %t.hpp %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %plain_ikrac -o %t.cu %s -- %ikra_flags -DL=1000 -include %t.hpp 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=CODE --input-file=%t.cu
// RUN: %own_build_cpu -DL=1000 -include %t.hpp %t.cu -o %t.cpu && %t.cpu | FileCheck %s
// CHECK: 1000 7 12 5 512
// CODE: #pragma push_macro("L")
// CODE-NEXT: #undef L
// CODE-NEXT: #pragma push_macro("O")
// CODE-NEXT: #undef O
// CODE-NOT: push_macro
// CODE: #include <ikra/generated.hpp>
#include <algorithm>

// clang-format off
#define A is a macro
#define B is a macro
#define C is a macro
#define D is a macro
#define E is a macro
#define F is a macro
#define G is a macro
#define H is a macro
#define I is a macro
#define J is a macro
#define K is a macro
#define M is a macro
#define N 8
#define P is a macro
#define Q is a macro
#define R is a macro
#define S is a macro
#define T is a macro
#define U is a macro
#define V is a macro
#define W is a macro
#define X(a) ((a) + 1)
#define Y is a macro
#define Z is a macro
#define a is a macro
#define b is a macro
#define c is a macro
#define d is a macro
#define e is a macro
#define f first
#define g is a macro
#define h is a macro
#define i is a macro
#define j is a macro
#define k is a macro
#define l is a macro
#define m is a macro
#define n is a macro
#define o is a macro
#define p is a macro
#define q is a macro
#define r is a macro
#define s second
#define t is a macro
#define u is a macro
#define v is a macro
#define w is a macro
#define x is a macro
#define y is a macro
#define z is a macro
#define PI 3.14159
#define DIM 2
#define MAX 100
#define MIN 0
#define SIZE 64
#define TYPE float
#define BLOCK_SIZE 16
#define max(left, right) ((left) > (right) ? (left) : (right))
#define min(left, right) ((left) < (right) ? (left) : (right))
#define all(list) (list).begin(), (list).end()
#define any is a macro
#define sum(list) is a macro
#define swap(left, right) is a macro
// clang-format on

#include <ikra/ikra.hpp>

#include <ikra/arrow.hpp>
#include <ikra/dlpack.hpp>

#include <cstdio>
#include <vector>

struct Cell {
  int value = 1;
  void grow(int most) { value = min(X(value), most); }
};

template <class Number> Number largest(const ikra::array<Number>& numbers) {
  return numbers.pmap([](Number one) { return max(one, Number(2)); }).preduce(ikra::max)[0];
}

int main() {
  std::vector<Cell> cells(4);
  ikra::objects(cells).peach(N, [](Cell* cell) { cell->grow(3); });
  const auto values = ikra::objects(cells).pmap([](const Cell* cell) { return cell->value; }).preduce([](int left, int right) { return left + right; });
  const auto cubes = ikra::pnew({N}, [](ikra::index<1> at) { return int(at[0] * at[0] * at[0]) % N + SIZE * N; });
  std::vector<std::pair<int, int>> pairs{{5, 3}, {2, 1}};
  std::sort(all(pairs), [](const auto& left, const auto& right) { return left.s > right.s; });
  std::printf("%d %d %d %d %d\n", L, O, values[0], largest(ikra::array{std::vector<int>{pairs[0].f, 4}}), cubes[0]);
}
