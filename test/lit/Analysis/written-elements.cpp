// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section writes to elements of a vector that it captures by reference decides that these
// are objects; of a vector that it only reads they stay values.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=CODE < %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

struct Branch {
  long fees = 0;
  int transfers = 0;
};
struct Bin {
  int hits = 0;
  void hit() { ikra::atomic_add(hits, 1); }
};
struct Last {
  int who = 0;
};
struct Rate {
  long factor = 2;
};
struct Level {
  int height = 3;
};
int sum(std::vector<Level>& levels) {
  int result = 0;
  for (auto& each : levels)
    result += each.height;
  return result;
}

struct Transfer {
  int from = 0;
  long amount = 0;
  void run(std::vector<Branch>& branches) const {
    ikra::atomic_add(branches[std::size_t(from)].fees, amount);
    ikra::atomic_add(branches[std::size_t(from)].transfers, 1);
  }
};

int main() {
  std::vector<Branch> branches(4);
  std::array<Bin, 5> bins;
  std::vector<Last> last(100);
  const std::vector<Rate> rates(3);
  std::vector<Level> levels(2); // by references that are not constant
  std::vector<Transfer> book(100);
  for (int i = 0; i < 100; ++i)
    book[std::size_t(i)] = {i % 4, i};
  // MODEL: section main_0 {{.*}}peach over object of Transfer
  // MODEL-NEXT: captures: branches (list of objects of Branch)
  // MODEL: atomic: Branch::fees, Branch::transfers
  // CODE: Branch_fees
  ikra::objects(book).peach([&branches](Transfer* t) { t->run(branches); });
  // MODEL: section main_1 {{.*}}peach over object of Transfer
  // MODEL-NEXT: captures: bins (list of objects of Bin), last (list of objects of Last), levels (list of objects of Level), rates (list of ::Rate)
  ikra::objects(book).peach([&](auto* t) {
    bins[std::size_t(t->amount % 5)].hit();
    auto& mine = last[std::size_t(t->amount)];
    mine.who = t->from;
    auto& level = levels[1];
    t->amount *= rates[1].factor * (sum(levels) - level.height);
  });
  // CHECK: 1200 25
  // CHECK-NEXT: 20 3 594
  std::printf("%ld %d\n", branches[0].fees, branches[1].transfers);
  std::printf("%d %d %ld\n", bins[4].hits, last[7].who, book[99].amount);
}
