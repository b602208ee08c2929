// A class that only its surrounding class may name.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

class Outer {
  struct Inner {
  // CHECK-DAG: private-type.cpp:[[@LINE-1]]:{{[0-9]+}}: error: class 'Outer::Inner' is not public in 'Outer', and objects of it are used in a section: declare it in the public part [ikra-private-class]
    int value = 0;
  };

public:
  int outer = 0;
  static void run(std::vector<Outer>& store) {
    ikra::objects(store).peach([](Outer* o) { o->outer = 1; });
    std::vector<Inner> inner(2);
    ikra::objects(inner).peach([](Inner* i) { i->value = 4; });
  }
};
// CHECK: 1 error generated.
