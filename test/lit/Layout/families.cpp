// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families: classes that inheritance connects have one space of IDs, whether below one root or below several, and
// unrelated classes have families of their own. The columns of a base's member have room for all its concrete classes,
// those of a derived class's for its own. Columns stand in the order of classes in the source, whichever is used first.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

// A family of its own.
struct Alone {
  int value = 0;
};
// One root. No object is a Shape or a Round: only the other classes have IDs.
struct Shape {
  float size = 1;
  virtual ~Shape() = default;
  virtual float area() const = 0;
};
struct Round : Shape {
  float radius = 1;
};
struct Disc : Round {
  float hole = 0;
  float area() const override { return radius * size - hole; }
};
struct Ball : Round {
  float area() const override { return radius * radius * size; }
};
struct Square : Shape {
  float side = 2;
  float area() const override { return side * size; }
};
// Nobody makes one, so it has no IDs, and its member no column.
struct NeverMade : Shape {
  float nothing = 0;
  float area() const override { return nothing; }
};

// Two roots, which one class connects: no class spans this family.
struct Named {
  int name = 0;
};
struct Weighed {
  double weight = 1;
};
struct Label : Named {
  int ink = 0;
};
struct Parcel : Named, Weighed {
  int stamp = 0;
};
struct Stone : Weighed {};

// A base without virtual methods that two bases share: its member is one column.
struct Place {
  int address = 0;
};
struct Shop : virtual Place {
  int stock = 0;
};
struct Home : virtual Place {
  int rooms = 0;
};
struct House : Shop, Home {};
int address_of(const Place* place) { return place->address; }

void sections(std::vector<Label>& labels, std::vector<Parcel>& parcels, std::vector<Stone>& stones,
              std::vector<Alone>& alone, std::vector<House>& houses) {
  ikra::objects(stones).pmap([](const Stone* s) { return s->weight; });
  ikra::objects(parcels).pmap([](const Parcel* p) { return p->name + p->stamp + p->weight; });
  ikra::objects(labels).pmap([](const Label* l) { return l->name + l->ink; });
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Ball>());
  shapes.push_back(std::make_unique<Disc>());
  ikra::array{shapes}.pmap([](const Shape* s) { return s->area(); });
  ikra::objects(alone).pmap([](const Alone* a) { return a->value; });
  ikra::objects(houses).pmap([](const House* h) { return h->Shop::address + address_of(h) + h->rooms; });
}

// CHECK: family 0: Parcel, Stone, Label{{$}}
// CHECK-NEXT: family 1: Disc, Ball, Square{{$}}
// CHECK-NEXT: family 2: Alone{{$}}
// CHECK-NEXT: family 3: House{{$}}
// CHECK-NEXT: column 0 Alone_value: int for Alone{{$}}
// CHECK-NEXT: column 1 Shape_size: float for Disc, Ball, Square{{$}}
// CHECK-NEXT: column 2 Round_radius: float for Disc, Ball{{$}}
// CHECK-NEXT: column 3 Disc_hole: float for Disc{{$}}
// CHECK-NEXT: column 4 Square_side: float for Square{{$}}
// CHECK-NEXT: column 5 Named_name: int for Parcel, Label{{$}}
// CHECK-NEXT: column 6 Weighed_weight: double for Parcel, Stone{{$}}
// CHECK-NEXT: column 7 Label_ink: int for Label{{$}}
// CHECK-NEXT: column 8 Parcel_stamp: int for Parcel{{$}}
// CHECK-NEXT: column 9 Place_address: int for House{{$}}
// CHECK-NEXT: column 10 Home_rooms: int for House{{$}}
// CHECK-NEXT: section sections_0{{$}}
// CHECK-NEXT: reads Weighed_weight{{$}}
// CHECK-NEXT: section sections_1{{$}}
// CHECK-NEXT: reads Named_name{{$}}
// CHECK-NEXT: reads Weighed_weight{{$}}
// CHECK-NEXT: reads Parcel_stamp{{$}}
// CHECK-NEXT: section sections_2{{$}}
// CHECK-NEXT: reads Named_name{{$}}
// CHECK-NEXT: reads Label_ink{{$}}
// CHECK-NEXT: section sections_3{{$}}
// CHECK-NEXT: reads Shape_size{{$}}
// CHECK-NEXT: reads Round_radius{{$}}
// CHECK-NEXT: reads Disc_hole{{$}}
// CHECK-NEXT: reads Square_side{{$}}
// CHECK-NEXT: section sections_4{{$}}
// CHECK-NEXT: reads Alone_value{{$}}
// CHECK-NEXT: section sections_5{{$}}
// CHECK-NEXT: reads Place_address{{$}}
// CHECK-NEXT: reads Home_rooms{{$}}
// CHECK-NOT: {{.}}
