// Structs with pointers to objects are values, for which emitted code has structs of its own.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck --check-prefix=EMITTED %t/accepted.cpp < %t.cu
// RUN: %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <optional>
class Cell {
public:
  float pull(int start) const {
    struct Frame {
      const Cell* cell;
      int depth;
    };
    struct Count {
      int seen = 0;
    };
    Frame stack[8] = {{this, start}};
    Count count;
    int top = 1;
    float sum = 0;
    while (top > 0) {
      const Frame frame = stack[--top];
      sum += frame.cell->mass_;
      ++count.seen;
      if (frame.cell->next_ && frame.depth < 3)
        stack[top++] = Frame{frame.cell->next_, frame.depth + 1};
    }
    return sum + static_cast<float>(count.seen);
  }
  float mass() const { return mass_; }

private:
  float mass_ = 1;
  const Cell* next_ = nullptr;
  IKRA_OBJECT
};
class Walk {
public:
  explicit Walk(const Cell* at) : at_{at, nullptr} {}
  struct Best {
    const Cell* cell = nullptr;
    float square = -1.5f;
    bool operator==(const Best&) const = default;
  };
  const Cell* at(int k) const { return at_[k]; }

private:
  const Cell* at_[2];
};
std::optional<Walk::Best> best(const Cell* cell) {
  return cell->mass() > 1 ? std::optional(Walk::Best{cell, 2}) : std::nullopt;
}
float filled(const Cell* cell) {
  struct Entry {
    const Cell* cell;
    int count;
  };
  Entry room[4]; // has no values, on devices neither
  room[0] = {cell, 2};
  Walk::Best many[64] = {};
  many[1].cell = room[0].cell;
  return many[1].cell->mass() + many[2].square;
}
void sections(ikra::array<Cell*> cells) {
  cells.pmap([](const Cell* c) { return c->pull(0) + Walk(c).at(0)->mass() + filled(c); });
  cells.pmap([](const Cell* c) { return best(c) == best(c); });
}
// CHECK-DAG: value class {{.*}}Frame{{$}}
// CHECK-DAG: struct on devices: Frame_value
// CHECK-DAG: struct on devices: Count_value
// CHECK-DAG: struct on devices: Walk_value
// EMITTED: struct Frame_value {
// EMITTED-NEXT: ikra::object_id cell;
// EMITTED-NEXT: int depth;
// EMITTED-NEXT: };
// EMITTED: struct Count_value {
// EMITTED-NEXT: int seen = 0;
// EMITTED: struct Walk_value {
// EMITTED-NEXT: ikra::object_id at_[2];
// EMITTED: struct Best_value {
// EMITTED-NEXT: ikra::object_id cell = nullptr;
// EMITTED-NEXT: float square = -1.5f;
// EMITTED-NEXT: bool operator==(const Best_value&) const = default;
// EMITTED-DAG: ikra::unmade<Entry_value[4]> room_room;
// EMITTED-DAG: Entry_value (&room)[4] = room_room.value;
// EMITTED-DAG: Best_value many[64] = {};
// EMITTED-DAG: Frame_value stack[8] = {Frame_value{self, start}
// EMITTED-DAG: const Frame_value frame = stack[--top];

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Node {
  int value = 0;
};
// The runtime rewrites no arrays in structs.
struct Hit {
  const Node* node = nullptr;
  float at = 0;
  int marks[2] = {};
};
void sections(ikra::array<Node*> nodes, const ikra::array<Hit>& hits, Hit hit) {
  nodes.pmap([](const Node* n) { return Hit{n, 1}; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section returns 'Hit'{{.*}} [ikra-section-result]
  hits.pmap([](const Hit& h) { return h.at; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}} [ikra-section-element]
  hits.psort([](const Hit& a, const Hit& b) { return a.at < b.at; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}} [ikra-section-sequential]
  nodes.pmap([hit](const Node* n) { return static_cast<float>(n->value) + hit.at; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'hit' of type 'Hit' cannot be captured{{.*}}; capture a pointer to it: [p = &hit] [ikra-capture-type]
}
