// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that meet those of emitted code: variables, parameters, captures, members and classes
// called as the emitter calls its own.

#include <ikra/ikra.hpp>

#include <iostream>
#include <vector>

int square(int x) { return x * x; }
int w(int x) { return x + 1; }

namespace outer::global {
int square(int x) { return -x; }
} // namespace outer::global

struct columns_view {
  int id = 1;
  int self = 2;
  int tick = 3;
  int ticks = 4;
  int element = 5;
  int w = 6;
  int code = 7;
  int body = 8;
  int layout = 9;
  int x = 10;
  columns_view* before_id = nullptr;

  int sum() const { return id + self + tick + ticks + element + w + code + body + layout + x; }
  void touch(int columns_view, int layout) {
    int w = columns_view, self = layout;
    id += w;
    this->self += self;
    this->w = square(w) + ::w(self);
  }
};

// Values, in the unnamed namespace: emitted code writes their names beside its own.
namespace {
struct body {
  int x, y;
};
struct call {
  body s;
};
enum class s { none, some };
} // namespace

struct unit {
  int classes = 1;
  int b_c = 2;
  virtual ~unit() = default;
  virtual int classes_of() const { return classes; }
};
struct unit_b : unit {
  int c = 3;
  int classes_of() const override { return classes + c; }
};
struct unit_b_c : unit_b {
  int c = 30; // hides the base's
  void both() {
    c += 2;
    unit_b::c += 5;
    b_c += 1;
  }
  int classes_of() const override { return c * unit_b::c; }
};

struct Street {
  float length_ = 3;
  float length() const { return length_; }
};
struct Car {
  Street* street = nullptr;
  float Street_length = 0;
  void drive(float Self) {
    float Street_length = street->length() + Self;
    float Street_length_2 = Street_length * 2;
    this->Street_length = Street_length_2;
  }
};

template <class T> void show(const char* name, const ikra::array<T>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

int main() {
  std::vector<columns_view> worlds(3);
  std::vector<columns_view*> pointers;
  for (columns_view& w : worlds) {
    w.x = static_cast<int>(&w - worlds.data());
    w.before_id = &worlds[0];
    pointers.push_back(&w);
  }
  const ikra::array all{pointers};
  {
    const int w = 1, self = 2, id = 3, element = 4, tick = 5, ticks = 6, code = 7, body = 8,
              world_ = 9, layout = 10, node_0 = 11, call = 12, s = 13, Self = 14, place = 15;
    all.peach(2, [=](columns_view* w_) {
      w_->id += w + self + id + element + tick + ticks + code + body + world_ + layout + node_0 +
                call + s + Self + place;
      w_->tick *= 2;
      w_->ticks -= w_->before_id->x;
    });
    const int columns_view = 16;
    all.with_index().peach(
        2, [w, self, columns_view](::columns_view* self_, std::int64_t id, std::int64_t tick) {
          self_->touch(w + static_cast<int>(id), static_cast<int>(tick));
          self_->element += self + columns_view;
        });
    show("unused capture",
         all.pmap([w, x = 3](const ::columns_view* self) { return self->sum() + x; }));
    show("numbers", ikra::array{std::vector<int>{1, 2, 3}}
                        .pmap([w, self](int id) { return w * self * id; })
                        .pmap([node_0, x = 2](int c) { return node_0 + c * x; })
                        .with_index()
                        .pmap([place](int x, std::int64_t place_) { return x * place_ + place; }));
  }
  show("sums", all.pmap([](const columns_view* self) { return self->sum(); }));
  show("a parameter called as everything",
       all.pmap([](const columns_view* code) { return code->x; }).pmap([](int body) {
         return body + 1;
       }));
  show("functions", ikra::array{std::vector<int>{1, 2, 3}}.pmap([](int global_square) {
    return square(global_square) + outer::global::square(7);
  }));

  const ikra::array<body> bodies{std::vector<body>{{1, 2}, {3, 4}}};
  const auto calls =
      bodies.pmap([bodies](const body& b) { return call{{b.x + bodies[0].y, b.y}}; });
  show("classes called as everything", calls.pmap([bodies](const call& c) {
    int sum = 0;
    for (const body& body : bodies)
      sum += body.x * c.s.x;
    return sum;
  }));
  show("enumerations too",
       calls.pmap([](call c) { return c.s.x > 4 ? s::some : s::none; }).pmap([](s x) {
         return x == s::some ? 1 : 0;
       }));

  unit a;
  unit_b b;
  unit_b_c c;
  const ikra::array<unit*> units{std::vector<unit*>{&a, &b, &c, &b}};
  ikra::array{std::vector<unit_b_c*>{&c}}.peach(3, [](unit_b_c* u) { u->both(); });
  show("classes", units.pmap([](const unit* u) { return u->classes_of() + u->b_c; }));

  // What bodies say of themselves has such names.
  const ikra::array few{std::vector<int>{1, 2, 3}};
  const int n = few[2];
  const int diverges = n, repeats = n + 1, is_blocked = n + 2, side_by_side = n + 3,
            is_in_tiles = n + 4, reads_members_once = n + 5, ignores_index = n + 6,
            has_plain_border = n + 7;
  show("said of bodies",
       few.pmap([diverges](int x) { return x + diverges; }).pmap([repeats](int x) {
         return x * repeats;
       }));
  show("blocked", few.pmap([is_blocked](int x) { return x - is_blocked; }));
  show("lanes", few.pmap([side_by_side](int x) { return x + side_by_side; }));
  show("tiles", few.pmap([is_in_tiles](int x) { return x * is_in_tiles; }));
  show("members", few.pstencil({-1, 0, 1}, 0, [reads_members_once, ignores_index](auto v) {
    return v[-1] * ignores_index + v[1] + reads_members_once;
  }));
  show("borders", few.pstencil({-1, 0, 1}, ikra::keep, [has_plain_border](auto v) {
    return v[-1] - v[1] * has_plain_border;
  }));

  Street street;
  std::vector<Car> cars(2);
  std::vector<Car*> driving{&cars[0], &cars[1]};
  for (Car& car : cars)
    car.street = &street;
  ikra::array{driving}.peach([](Car* car) { car->drive(1.5f); });
  std::cout << cars[0].Street_length << ' ' << cars[1].Street_length << '\n';
}
