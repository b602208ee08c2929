// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers: what each section, and each kernel of several sections, uploads ("reads") and brings back, too ("reads and
// writes").
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Street {
  float length = 1;
  int visits = 0;
  std::vector<float> prices;
};
struct Car {
  float speed = 1;
  float progress = 0;
  int ticks = 0;
  Street* street = nullptr;
  void advance() { progress += speed; }
};

// Of virtual methods, all that an object may have.
struct Animal {
  int legs = 4;
  virtual ~Animal() = default;
  virtual void age() = 0;
};
struct Cat : Animal {
  int lives = 9;
  void age() override { lives -= 1; }
};
struct Dog : Animal {
  int tricks = 0;
  void age() override { tricks += legs; }
};

void single(std::vector<Car>& cars, Street* main_street) {
  const auto all = ikra::objects(cars);
  // What is written is uploaded, too, though the section does not read it: some elements may keep theirs.
  all.peach([](Car* c) { c->ticks = 3; });
  // A column that is read and written is one use; what a called method does counts.
  all.peach([](Car* c) { c->advance(); });
  // Through references, and in lists.
  all.peach([](Car* c) { c->street->visits = static_cast<int>(c->street->prices[0]); });
  // Of captured objects.
  all.pmap([main_street](const Car* c) { return c->speed * main_street->length; });
  // What reads no member uses no column.
  all.pmap([](const Car* c) { return c != nullptr; });
}

void dispatched() {
  std::vector<std::unique_ptr<Animal>> animals;
  animals.push_back(std::make_unique<Cat>());
  animals.push_back(std::make_unique<Dog>());
  ikra::array{animals}.peach([](Animal* a) { a->age(); });
}

// A fused kernel reads what its sections read.
int fused(std::vector<Car>& cars, Street* main_street) {
  return ikra::objects(cars)
      .pmap([](const Car* c) { return c->progress; })
      .pmap([main_street](float f) { return f * main_street->length; })
      .pmap([](float f) { return static_cast<int>(f); })
      .preduce([](int a, int b) { return a + b; })
      .value();
}

// A fused kernel that uses no columns has no line.
int numbers(const ikra::array<int>& a) {
  return a.pmap([](int x) { return x + 1; }).pmap([](int x) { return x * 2; })[0];
}

// CHECK: family 0: Car{{$}}
// CHECK-NEXT: family 1: Street{{$}}
// CHECK-NEXT: family 2: Cat, Dog{{$}}
// CHECK-NEXT: column 0 Street_length: float for Street{{$}}
// CHECK-NEXT: column 1 Street_visits: int for Street{{$}}
// CHECK-NEXT: column 2 Street_prices: join table of float for Street{{$}}
// CHECK-NEXT: column 3 Car_speed: float for Car{{$}}
// CHECK-NEXT: column 4 Car_progress: float for Car{{$}}
// CHECK-NEXT: column 5 Car_ticks: int for Car{{$}}
// CHECK-NEXT: column 6 Car_street: ID of Street for Car{{$}}
// CHECK-NEXT: column 7 Animal_legs: int for Cat, Dog{{$}}
// CHECK-NEXT: column 8 Cat_lives: int for Cat{{$}}
// CHECK-NEXT: column 9 Dog_tricks: int for Dog{{$}}
// CHECK-NEXT: section single_0{{$}}
// CHECK-NEXT: reads and writes Car_ticks{{$}}
// CHECK-NEXT: section single_1{{$}}
// CHECK-NEXT: reads Car_speed{{$}}
// CHECK-NEXT: reads and writes Car_progress{{$}}
// CHECK-NEXT: section single_2{{$}}
// CHECK-NEXT: reads and writes Street_visits{{$}}
// CHECK-NEXT: reads Street_prices{{$}}
// CHECK-NEXT: reads Car_street{{$}}
// CHECK-NEXT: section single_3{{$}}
// CHECK-NEXT: reads Street_length{{$}}
// CHECK-NEXT: reads Car_speed{{$}}
// CHECK-NEXT: section single_4{{$}}
// CHECK-NEXT: section dispatched_5{{$}}
// CHECK-NEXT: reads Animal_legs{{$}}
// CHECK-NEXT: reads and writes Cat_lives{{$}}
// CHECK-NEXT: reads and writes Dog_tricks{{$}}
// CHECK-NEXT: section fused_6{{$}}
// CHECK-NEXT: reads Car_progress{{$}}
// CHECK-NEXT: section fused_7{{$}}
// CHECK-NEXT: reads Street_length{{$}}
// CHECK-NEXT: section fused_8{{$}}
// CHECK-NEXT: section fused_9{{$}}
// CHECK-NEXT: section numbers_10{{$}}
// CHECK-NEXT: section numbers_11{{$}}
// CHECK-NEXT: kernel fused_into_fused_8{{$}}
// CHECK-NEXT: reads Street_length{{$}}
// CHECK-NEXT: reads Car_progress{{$}}
// CHECK-NOT: {{.}}
