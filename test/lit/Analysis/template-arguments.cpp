// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes named by templates, variables and values among a pack of arguments: mixins.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=TEXT < %t.cu
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

namespace mix {
template <class D> struct Counted {
  int calls = 1;
};
struct Outer {
  template <class D> struct Inner {
    int inner = 3;
  };
};
template <class T> struct OuterOf {
  template <class D> struct Inner {
    T of = 4;
  };
};
struct Point {
  int x;
};
int one = 1;
} // namespace mix
namespace {
template <class D> struct Unnamed {
  int unnamed = 9;
};
} // namespace
namespace shop {
template <template <class> class... Ms> struct Widget : Ms<Widget<Ms...>>... {};
template <auto... Vs> struct Values {
  int v = 0;
};
} // namespace shop

int main() {
  std::vector<shop::Widget<mix::Counted, mix::Outer::Inner, mix::OuterOf<int>::Inner, Unnamed>>
      widgets(5);
  // TEXT: int(::shop::Widget<::mix::Counted, ::mix::Outer::Inner, ::mix::OuterOf<int>::Inner, ::Unnamed>*)
  const auto all = ikra::objects(widgets).pmap(
      [](const auto* w) { return w->calls + 10 * w->inner + 100 * w->of + 1000 * w->unnamed; });
  // CHECK: 47155
  std::printf("%d\n", all.sum());
  std::vector<shop::Values<&mix::one, nullptr, 3, 'c', mix::Point{3}>> values(5);
  ikra::objects(values).peach([](auto* w) { w->v += 2; });
  // TEXT: ::shop::Values<&::mix::one, nullptr, static_cast<int>(3), static_cast<char>(99)
  // CHECK: 10
  std::printf("%d\n", ikra::objects(values).pmap([](const auto* w) { return w->v; }).sum());
}
