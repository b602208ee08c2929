// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-fields of objects are columns of ikra::bit_field, which cuts what is written. Their values are
// promoted as those of bit-fields: an unsigned one of 4 bits to int, one of 32 bits not. In value
// classes they are what they are.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s --check-prefix=LAYOUT
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags && %emitted %t.ikra.cu | FileCheck %s
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

class Cell {
public:
  explicit Cell(unsigned start) : age_(start) {}
  void grow() { age_ += 5; }
  int left() const { return age_ - 7; }
  unsigned full : 32 = 3;
  const bool fixed : 1 = true;

private:
  unsigned age_ : 4;
  IKRA_OBJECT
};

struct Colour {
  explicit Colour(int r) : red(r), blue(r * 2) {}
  unsigned red : 3;
  unsigned : 2;
  int blue : 3;
};

int main() {
  std::vector<Cell> store{Cell(1), Cell(9), Cell(14)};
  const auto cells = ikra::objects(store);
  // MODEL: member age_: unsigned int, 4 bits
  // LAYOUT: Cell_full: unsigned int in 32 bits for Cell
  // LAYOUT: Cell_age_: unsigned int in 4 bits for Cell
  // CHECK: object_access<{{.*}}, ::Cell> {
  // CHECK: struct fixed {
  // CHECK-NEXT: static auto get(const ::Cell& o) { return o.fixed; }
  // CHECK-NEXT: };
  // CHECK: struct age_ {
  // CHECK-NEXT: static auto get(const ::Cell& o) { return o.age_; }
  // CHECK-NEXT: static void set(::Cell& o, decltype(::Cell::age_) value) { o.age_ = value; }
  // CHECK: ikra::bit_field<unsigned int, 4>* Cell_age_;
  // CHECK: bit_field_column<access_Cell::age_, 4, Cell_class>("Cell::age_"),
  // CHECK: ::Colour& self = made.value;
  // CHECK: self.red = static_cast<unsigned int>(r);
  // CHECK: self.blue = r * 2;
  // CHECK: ikra::bit_field<unsigned int, 4> age_;
  // CHECK: Cell_grow(const columns_view& w, Self& self) { self.age_ += 5; }
  cells.peach(2, [](Cell* c) { c->grow(); });
  // CHECK: return static_cast<int>(w.Cell_age_[self.id].get()) - 7;
  // OUT: 4 -4 1
  for (int left : cells.pmap([](const Cell* c) { return c->left(); }))
    std::printf("%d ", left);
  // CHECK: return w.Cell_full[c.id].get() - 7 + static_cast<unsigned int>(w.Cell_fixed[c.id].get());
  // OUT: 4294967293
  std::printf("\n%u\n", cells.pmap([](const Cell* c) { return c->full - 7 + c->fixed; })[0]);
  // OUT: -4 17
  const auto colours = ikra::pnew(8, [](std::int64_t i) { return Colour(static_cast<int>(i)); });
  std::printf("%d %d\n", colours[6].blue, colours.pmap([](Colour c) { return c.red * 3 + c.blue; })[5]);
}
