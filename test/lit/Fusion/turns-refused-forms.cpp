// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs, tuples and variables that are set at once, and throw: what keeps a loop from running as turns, and that the forms which
// the messages name do run so.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <cstdio>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

using numbers = ikra::array<int>;

int pair_at_once(numbers a) {
  std::pair<int, int> best{0, 0};
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 3 % 101; });
      best = {k, a.sum()};
    }
  });
  return best.first + best.second;
}
// LEFT: turns-refused-forms.cpp:[[@LINE-5]]:{{.*}} since it sets both members of a std::pair at once (set them one by one, as in `best.first = k; best.second = m;`, or use a struct of your own)

int pair_by_members(numbers a) {
  std::pair<int, int> best{0, 0};
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 3 % 101; });
      best.first = k;
      best.second = a.sum();
    }
  });
  return best.first + best.second;
}
// CHECK: turn turn_of_pair_by_members at line {{[0-9]+}}: for
// CODE: struct turn_of_pair_by_members_scalars {

int tuple_at_once(numbers a) {
  std::tuple<int, int> best{0, 0};
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 5 % 101; });
      best = std::make_tuple(k, a.sum());
    }
  });
  return std::get<0>(best) + std::get<1>(best);
}
// LEFT: turns-refused-forms.cpp:[[@LINE-5]]:{{.*}} since it sets a std::tuple (use a struct of your own, or a variable for each element)

struct found {
  int turn = 0, sum = 0;
};
int a_struct(numbers a) {
  found best;
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 5 % 101; });
      best = {k, a.sum()};
    }
  });
  return best.turn + best.sum;
}
// CHECK: turn turn_of_a_struct at line {{[0-9]+}}: for

int tied(numbers a) {
  int turn = 0, sum = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 7 % 101; });
      std::tie(turn, sum) = std::pair(k, a.sum());
    }
  });
  return turn + sum;
}
// LEFT: turns-refused-forms.cpp:[[@LINE-5]]:{{.*}} since it sets several variables at once (set each by a statement of its own)

int one_by_one(numbers a) {
  int turn = 0, sum = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      a = a.pmap([](int x) { return x * 7 % 101; });
      turn = k;
      sum = a.sum();
    }
  });
  return turn + sum;
}
// CHECK: turn turn_of_one_by_one at line {{[0-9]+}}: for

int throws(numbers a) {
  int sum = 0;
  try {
    ikra::host_section([&] {
      for (int k = 0; k < 50; ++k) {
        a = a.pmap([](int x) { return x + 7; });
        sum = a.sum();
        if (sum > 200)
          throw std::runtime_error("too much");
      }
    });
  } catch (const std::runtime_error&) {
    sum = -sum;
  }
  return sum;
}
// LEFT: turns-refused-forms.cpp:[[@LINE-8]]:{{.*}} since it throws, which the host alone does (leave the loop by break, and throw after it)

int throws_after(numbers a) {
  int sum = 0;
  try {
    ikra::host_section([&] {
      for (int k = 0; k < 50; ++k) {
        a = a.pmap([](int x) { return x + 7; });
        sum = a.sum();
        if (sum > 200)
          break;
      }
      if (sum > 200)
        throw std::runtime_error("too much");
    });
  } catch (const std::runtime_error&) {
    sum = -sum;
  }
  return sum;
}
// CHECK: turn turn_of_throws_after at line {{[0-9]+}}: for
// CHECK: no turn at line {{[0-9]+}}: for, since it sets both members of a std::pair at once
// CHECK: no turn at line {{[0-9]+}}: for, since it sets a std::tuple
// CHECK: no turn at line {{[0-9]+}}: for, since it sets several variables at once
// CHECK: no turn at line {{[0-9]+}}: for, since it throws
// LEFT: 4 warnings generated

int main() {
  const numbers a{std::vector{1, 2, 3, 4, 5}};
  std::printf("%d %d\n", pair_at_once(a), pair_by_members(a));
  std::printf("%d %d\n", tuple_at_once(a), a_struct(a));
  std::printf("%d %d\n", tied(a), one_by_one(a));
  std::printf("%d %d\n", throws(a), throws_after(a));
  return 0;
}
