// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory without an owner is not adopted, and members of structs have no numbers: the library says
// what to write.
//
// RUN: not %ikrac --print=model %s -- %ikra_flags -ferror-limit=0 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <span>
#include <vector>

struct point {
  int x, y;
};

int main() {
  std::vector<int> v(3);
  // CHECK-DAG: error: {{.*}}a container is moved in, by std::move
  const auto kept = ikra::adopt(v);
  // CHECK-DAG: error: {{.*}}say who keeps the memory: give an owner, or ikra::borrowed
  const auto elements = ikra::adopt(std::span(v));
  const auto row = ikra::adopt(v.data(), {3});
  // CHECK-DAG: error: {{.*}}others are column<&T::member>()
  const auto xs = ikra::array(std::vector<point>{{1, 2}}).column<0>();
}
