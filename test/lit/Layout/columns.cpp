// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns: one of a base spans the objects of its derived classes, vectors are join tables; and what each section
// uploads and brings back.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

struct Street {
  float length = 1;
  std::vector<Street*> neighbours;
  std::array<int, 3> lanes{};
  std::uint8_t kind = 0;
};
struct Actor {
  float progress = 0;
  Street* street = nullptr;
  double unused = 0;
  virtual ~Actor() = default;
  virtual void move() = 0;
};
struct Car : Actor {
  float speed = 1;
  std::vector<int> trips;
  void move() override {
    progress += speed;
    street = street->neighbours[static_cast<std::size_t>(trips[0])];
  }
};
struct Walker : Actor {
  void move() override { progress += 1; }
};

void sections(std::vector<Street>& streets) {
  std::vector<std::unique_ptr<Actor>> actors;
  actors.push_back(std::make_unique<Car>());
  actors.push_back(std::make_unique<Walker>());
  ikra::array all{actors};
  all.peach([](Actor* a) { a->move(); });
  all.pmap([](const Actor* a) { return a->street->length; });
  ikra::objects(streets).pmap([](const Street* s) { return s->lanes[2] + s->kind; });
}

// CHECK: family 0: Car, Walker{{$}}
// CHECK-NEXT: family 1: Street{{$}}
// CHECK-NEXT: column 0 Street_length: float for Street{{$}}
// CHECK-NEXT: column 1 Street_neighbours: join table of IDs of Street for Street{{$}}
// CHECK-NEXT: column 2 Street_lanes: ::std::array<int, 3> for Street{{$}}
// CHECK-NEXT: column 3 Street_kind: unsigned char for Street{{$}}
// CHECK-NEXT: column 4 Actor_progress: float for Car, Walker{{$}}
// CHECK-NEXT: column 5 Actor_street: ID of Street for Car, Walker{{$}}
// CHECK-NEXT: column 6 Car_speed: float for Car{{$}}
// CHECK-NEXT: column 7 Car_trips: join table of int for Car{{$}}
// CHECK-NEXT: section sections_0{{$}}
// CHECK-NEXT: reads Street_neighbours
// CHECK-NEXT: reads and writes Actor_progress
// CHECK-NEXT: reads and writes Actor_street
// CHECK-NEXT: reads Car_speed
// CHECK-NEXT: reads Car_trips
// CHECK-NEXT: section sections_1{{$}}
// CHECK-NEXT: reads Street_length
// CHECK-NEXT: reads Actor_street
// CHECK-NEXT: section sections_2{{$}}
// CHECK-NEXT: reads Street_lanes
// CHECK-NEXT: reads Street_kind
// CHECK-NOT: {{.}}
