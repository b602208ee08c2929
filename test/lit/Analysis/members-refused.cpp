// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that cannot become columns, each refused where it is used. classes-accepted.cpp is the counterpart.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <map>
#include <string>
#include <variant>
#include <vector>

union Word {
  int number;
  float real;
};

extern "C" {
class Hidden {
  int secret = 0;

public:
  int told() const { return secret; }
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'secret' is not public: write IKRA_OBJECT into the body of class 'Hidden', so that ikrac's code may read it [ikra-private-member]
};
}

struct Cell {
  std::map<int, int> table;
  std::string name;
  long double wide = 0;
  std::vector<bool> bits;
  std::vector<std::vector<std::vector<int>>> rows;
  int* raw = nullptr;
  int& shared;
  Word word{};
  union {
    int whole;
    float part;
  };
};

struct Point {
  float x = 0;
};
struct Owner {
  Point place;
  Point* watched = nullptr;
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:10: note: 'Point' is a class of objects, since 'Owner::watched' leads to one; a class whose values are copied is reached through no pointer{{$}}
};

// A variant of two classes, which would be values but for a pointer.
struct Limit {
  int price = 1;
};
struct Market {
  float slip = 0;
};
struct Order {
  std::variant<Limit, Market> kind;
  Limit* like = nullptr;
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:10: note: 'Limit' is a class of objects, since 'Order::like' leads to one; a class whose values are copied is reached through no pointer{{$}}
};
void orders(std::vector<Order>& all) {
  ikra::objects(all).pmap([](const Order* o) {
    const Limit* limit = std::get_if<Limit>(&o->kind);
    // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'std::get_if' cannot be called here in a section: {{.*}} [ikra-no-device-version]
    return limit ? limit->price : o->like->price;
  });
}

void sections(ikra::array<Cell*> cells, ikra::array<Hidden*> hidden, ikra::array<Owner*> owners) {
  owners.pmap([](Owner* o) {
    Point copy = o->place;
    Point* at = &copy;
    // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Point' is copied in a section, whose address is taken; use a reference to it, or copy its members [ikra-object-by-value]
    return at->x + o->watched->x;
  });
  cells.pmap([](Cell* c) { return c->table.empty(); });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: note: in place of 'std::map<int, int>' sections use a sorted std::vector, in which std::lower_bound finds keys{{$}}
  // CHECK-DAG: members-refused.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: 'std::map<int, int>::empty' cannot be called in a section: it has no version for devices; write a function of your own, or call it outside [ikra-system-function]
  cells.pmap([](Cell* c) { return c->name.size(); });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: strings cannot be used in a section; use numbers, enumerations, or constant arrays such as 'constexpr char letters[] = ...' [ikra-string-type]
  cells.pmap([](Cell* c) { return static_cast<int>(c->wide); });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: type 'long double' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
  cells.pmap([](Cell* c) { return c->bits.size(); });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'bits' of type 'std::vector<bool>' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->rows.size(); });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'rows' of type 'std::vector<std::vector<std::vector<int>>>' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->bits[0] ? 1 : 2; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'bits' of type 'std::vector<bool>' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->rows[0][1][2]; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'rows' of type 'std::vector<std::vector<std::vector<int>>>' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->whole; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Cell::(anonymous)' is a union: its members cannot become columns; use a class, or separate members [ikra-union-class]
  cells.pmap([](Cell* c) { return c->raw == nullptr; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'raw' of type 'int *' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->shared; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'shared' of type 'int &' cannot become a column: columns hold numbers, enumerations, value classes, pointers to objects, and vectors and arrays of these [ikra-member-type]
  cells.pmap([](Cell* c) { return c->word.number; });
  // CHECK-DAG: members-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Word' is a union: its members cannot become columns; use a class, or separate members [ikra-union-class]
  hidden.pmap([](Hidden* h) { return h->told(); });
}
// CHECK: 4 warnings and 10 errors generated.
