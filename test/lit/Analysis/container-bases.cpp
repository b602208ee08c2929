// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard containers as bases of objects' classes: columns are those of members. A value is copied with its bases.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %t/accepted.cpp

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <map>
#include <vector>
struct Path : std::vector<int> {
  int last() const { return back(); }
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::vector that a class derives from; hold it as a member, and name that) [ikra-unsupported-expression]
};
struct Index : std::map<int, int> {};
struct Three : std::array<float, 3> {
  float last() const { return back(); }
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::array that a class derives from; hold it as a member, and name that) [ikra-unsupported-expression]
};
struct Route {
  Path path;
  Index index;
  Three three{};
  int sum = 0;
};
int first(const std::vector<int>& path) { return path[0]; }
void routes(std::vector<Route>& all, const Path& one) {
  ikra::objects(all).peach([](Route* r) {
    for (const int place : r->path)
      // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::vector that a class derives from; hold it as a member, and name that) [ikra-unsupported-expression]
      r->sum += place;
    r->path[0] = 1;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::vector that a class derives from; hold it as a member, and name that) [ikra-unsupported-expression]
    r->sum += r->path.last();
    r->sum += first(r->path);
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::vector that a class derives from; hold it as a member, and name that) [ikra-unsupported-expression]
    r->sum += r->index.at(1);
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::map that a class derives from; hold a std::vector as a member, and name that) [ikra-unsupported-expression]
    r->sum += int(r->three.last());
  });
  ikra::objects(all).peach([one](Route* r) { r->sum += one[0]; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'one' of type 'Path' cannot be captured: {{.*}}; capture its base: [one = std::vector<int>(one)] [ikra-capture-type]
}
// CHECK: 7 errors generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <cstdio>
#include <vector>
struct Path : std::vector<int> {
  int extra = 3;
};
struct Three : std::array<float, 3> {
  float sum() const {
    float all = (*this)[1];
    for (const float each : *this)
      all += each;
    return all;
  }
};
struct Route {
  Path path; // its own members are used
  Three three{};
  float sum = 0;
};
int main() {
  std::vector<Route> all(2);
  all[1].three[1] = 4;
  Path one;
  one.push_back(5);
  ikra::objects(all).peach([one = std::vector<int>(one)](Route* r) {
    r->three[2] += 1;
    r->sum += r->three.sum() + float(r->path.extra + one[0]);
    for (const float each : r->three)
      r->sum += each;
  });
  // CHECK: 10 22
  std::printf("%g %g\n", double(all[0].sum), double(all[1].sum));
}
