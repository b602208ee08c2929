// address_of_global: a section has the value of a variable of the program, at no place of its own.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
struct Node {
  int value = 0;
};
struct Setting {
  int scale = 1;
};
int limits[3] = {1, 2, 3};
int limit = 4;
Setting setting;
void sections(ikra::array<Node*> nodes) {
  nodes.peach([](Node* n) { int* p = &limits[1]; n->value = *p; });
  // CHECK: refused.cpp:[[@LINE-1]]:39: error: the address of 'limits', or of a part of it, cannot be taken in a section, which has its value alone; read it where it is used, or take the address of a copy [ikra-address-of-global]
  nodes.peach([](Node* n) { const int* p = &limit; n->value = *p; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the address of 'limit', {{.*}} [ikra-address-of-global]
  nodes.peach([](Node* n) { int* p = &setting.scale; n->value = *p; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the address of 'setting', {{.*}} [ikra-address-of-global]
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
struct Node {
  int value = 0;
};
int limits[3] = {1, 2, 3};
constexpr int steps[3] = {1, 2, 3};
void sections(ikra::array<Node*> nodes) {
  nodes.peach([](Node* n) {
    int copy = limits[1];
    int* p = &copy;
    const int* q = &steps[2];
    n->value = *p + *q + limits[2];
  });
}
