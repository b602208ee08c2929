// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that take objects by reference and are made elsewhere than at the call: emitted files call them with pointers.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=TEXT < %t.cu
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Rod {
  int l = 1;
};

int main() {
  std::vector<Rod> rods(5);
  const auto all = ikra::objects(rods);
  const auto adder = [](int n) { return [n](const Rod& r) { return r.l + n; }; };
  const auto plus4 = adder(4);
  // TEXT: .pmap(::ikra::make_section_of_with_code<{{.*}}>(plus4))
  // CHECK: 25
  std::printf("%d\n", all.pmap(plus4).sum());
  const auto generic = [](int n) { return [n](auto& r) { r.l += n; }; };
  const auto grow = generic(2);
  // TEXT: .peach(2, ::ikra::make_section_of_with_code<{{.*}}>(grow))
  all.peach(2, grow);
  const auto weighed = [](int n) { return [n](auto& r) { return r.l * n; }; };
  const auto by3 = weighed(3);
  // CHECK: 75
  std::printf("%d\n", all.pmap(by3).sum());
}
