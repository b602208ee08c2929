// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers to which pointers and owners lead are not followed, and what the message says instead is taken.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags -DREPAIRED 2>&1 | count 0
// RUN: %build_cpu -DREPAIRED %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=RUNS
#include <ikra/ikra.hpp>

#include <cstdio>
#include <memory>
#include <vector>

struct Prey {
  int weight = 3;
};

#ifdef REPAIRED
struct Fox {
  std::vector<Prey> den{2};
  int sum = 0;
  void count(const std::vector<Prey>& prey) { sum += static_cast<int>(prey.size()) + den[1].weight; }
};
#else
struct Fox {
  const std::vector<Prey>* prey = nullptr;
  std::shared_ptr<std::vector<int>> owned;
  int sum = 0;
  void count() {
    sum += static_cast<int>(prey->size());
    // CHECK-DAG: pointers-to-containers.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::vector that a pointer leads to, which is not followed; hold it as a member, or capture it by reference in a peach, [&all = *pointer], and hand it on) [ikra-unsupported-expression]
    sum += static_cast<int>(owned->size());
    // CHECK-DAG: pointers-to-containers.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression {{.*}} (a std::vector that a pointer leads to, which is not followed;
    sum += (*prey)[1].weight;
    // CHECK-DAG: pointers-to-containers.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression {{.*}} (a std::vector that a pointer leads to, which is not followed;
    const auto* all = prey;
    // CHECK-DAG: pointers-to-containers.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression {{.*}} (a std::vector that a pointer leads to, which is not followed;
  }
};
#endif

int main() {
  std::vector<Prey> herd(2);
  std::vector<Fox> foxes(4);
#ifdef REPAIRED
  const std::vector<Prey>* pointer = &herd;
  ikra::objects(foxes).peach([&all = *pointer](Fox* f) { f->count(all); });
#else
  ikra::objects(foxes).peach([](Fox* f) { f->count(); });
  const std::vector<Prey>* pointer = &herd;
  ikra::objects(foxes).peach([pointer](Fox* f) { f->sum += static_cast<int>(pointer->size()); });
  // CHECK-DAG: pointers-to-containers.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'pointer' of type 'const std::vector<Prey> *' cannot be captured: {{.*}}; capture what it points to, [&all = *pointer] in a peach, else a copy, [all = *pointer]
#endif
  // RUNS: 5
  std::printf("%d\n", foxes[2].sum);
}
