// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes with virtual bases that have no virtual methods: as elements, members, variables, in
// resident scopes, and reached through the base's part. Casts to references of derived classes.
#include "variants.hpp"

#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace {

struct Place {
  int n = 1;
  int level : 5 = 3;
  int get() const { return n; } // as a smart pointer has
  void put(int to) { n = to; }
};
struct Shop : virtual Place {
  int stock = 2;
  std::vector<int> shelves{1, 2};
};
struct House;
struct Home : virtual Place {
  int rooms = 3;
  const House* next = nullptr;
};
struct House : Shop, Home {
  int number = 4;
  float floor[2][2] = {{1, 2}, {3, 4}};
  int sum() const { return n + stock + rooms + number + shelves[1]; }
};

struct Root {
  int depth = 9;
};
struct Plant : virtual Root {
  virtual ~Plant() = default;
  virtual int reach() const { return depth; }
  int leaves = 1;
};
struct Tree : Plant {
  int rings = 7;
  int reach() const override { return depth + leaves + rings; }
};

struct Yard : virtual Root {
  int width = 3;
};
struct Street {
  House inner;
  std::unique_ptr<Plant> plant;
  std::optional<Yard> yard;
  Yard yards[2];
  int x = 0;
};

int get_of(const Place* place) { return place->get(); }
int depth_of(const Root& root) { return root.depth; }

House corner;

void diamonds() {
  std::vector<House> houses(100);
  std::vector<Street> streets(10);
  for (std::size_t i = 0; i < 100; ++i) {
    houses[i].n = int(i);
    houses[i].next = &houses[(i + 1) % 100];
  }
  for (std::size_t i = 0; i < 10; ++i) {
    streets[i].inner.n = int(i);
    streets[i].plant = i % 2 ? std::make_unique<Tree>() : std::make_unique<Plant>();
    streets[i].plant->depth = 100 + int(i);
    if (i % 3 == 0)
      streets[i].yard.emplace().depth = int(i);
  }
  ikra::objects(houses).peach([](House* h) {
    h->n += h->sum();
    h->Shop::n += h->Home::n;
    h->level += 2;
    h->shelves[0] += 1;
    h->rooms += get_of(h);
    Place* place = h;
    place->put(place->n + 1);
    h->floor[1][0] += 2;
  });
  ikra::objects(houses).peach(3, [](House* h) {
    Shop* shop = h;
    const Home& home = *h;
    const Place* place = shop;
    shop->stock += home.rooms + place->n;
  });
  const House* first = &houses[7];
  ikra::objects(streets).peach([first](Street& s) {
    s.inner.n += 3;
    s.x = s.inner.sum() + s.plant->reach() + depth_of(*s.plant) + first->n + corner.n;
    s.plant->depth += 5;
    if (s.yard)
      s.x += s.yard->depth++;
    for (Yard& yard : s.yards)
      yard.depth += yard.width;
  });
  {
    ikra::resident scope{houses};
    for (int k = 0; k < 3; ++k)
      ikra::objects(houses).peach([](House* h) { h->n += h->stock; });
    scope.sync();
    houses[3].n = 17;
    scope.changed(&houses[3], &Place::n);
    ikra::objects(houses).peach([](House* h) { h->number ^= h->n + h->next->rooms; });
    std::printf("%d\n", scope.read(&House::n).sum());
  }
  for (const House& h : houses)
    std::printf("%d %d %d %d %d %g\n", h.n, h.stock, h.rooms, h.number, int(h.level),
                double(h.floor[1][0]));
  for (const Street& s : streets)
    std::printf("%d %d %d %d %d\n", s.x, s.inner.n, s.plant->reach(), s.yards[1].depth,
                s.yard ? s.yard->depth : -1);
}

// The base's part lies elsewhere in objects of the class itself than in those of a derived one.
struct Tool : virtual Place {
  int uses = 2;
};
struct Drill : Tool {
  int bits = 5;
};

void parts() {
  std::vector<Tool> tools(20);
  std::vector<Drill> drills(20);
  std::vector<Tool*> all;
  for (std::size_t i = 0; i < 20; ++i) {
    tools[i].n = int(i);
    drills[i].n = -int(i);
    all.push_back(&tools[i]);
    all.push_back(&drills[i]);
  }
  ikra::resident scope{all};
  ikra::array{all}.peach(4, [](Tool* tool) { tool->n += tool->uses; });
  scope.sync();
  all[5]->uses = 100;
  scope.changed(all[5]);
  ikra::array{all}.peach([](Tool* tool) { tool->uses += tool->n; });
  scope.sync();
  for (const Tool* tool : all)
    std::printf("%d %d\n", tool->n, tool->uses);
}

// dynamic_cast to references: the object is of that class, or the section fails as at() does.
struct Shape {
  virtual ~Shape() = default;
  int id = 0;
  Shape* other = nullptr;
};
struct Disc : Shape {
  int radius = 2;
  void grow(int by) { radius += by; }
};
struct Ring : Disc {
  int hole = 1;
};
struct Painted {
  virtual ~Painted() = default;
  int colour = 7;
};
struct Sign : Shape, Painted {};
struct Alone {
  virtual ~Alone() = default;
  int id = 1;
};
const Disc& disc_of(const Shape& shape) { return dynamic_cast<const Disc&>(shape); }

template <class Section> void attempt(const Section& section) {
  try {
    section();
    std::printf("done\n");
  } catch (const std::exception&) { // a std::bad_cast, or an ikra::error
    std::printf("failed\n");
  }
}

void casts() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 60; ++i) {
    if (i % 5 == 4)
      shapes.push_back(std::make_unique<Sign>());
    else if (i % 3 == 0)
      shapes.push_back(std::make_unique<Ring>());
    else
      shapes.push_back(std::make_unique<Disc>());
    shapes.back()->id = i;
  }
  for (std::size_t i = 0; i < 60; ++i)
    shapes[i]->other = shapes[i / 5 * 5 + i % 3].get(); // a disc
  const ikra::array all{shapes};
  all.peach([](Shape* s) {
    if (dynamic_cast<Disc*>(s) == nullptr)
      return;
    Disc& disc = dynamic_cast<Disc&>(*s);
    disc.radius += s->id;
    disc.grow(3);
    s->id += disc_of(*s).radius;
  });
  all.peach(2, [](Shape& s) {
    if (dynamic_cast<Sign*>(&s) != nullptr)
      s.id += dynamic_cast<Painted&>(s).colour++;
    const Disc* disc = &dynamic_cast<Disc&>(*s.other);
    s.id += disc->radius + disc_of(*s.other).radius;
  });
  std::printf("%d %d\n", all.pmap([](const Shape& s) { return disc_of(*s.other).radius; }).sum(),
              all.preduce([](Shape* a, Shape* b) {
                   return disc_of(*a->other).radius < disc_of(*b->other).radius ? b : a;
                 })[0]
                  ->id);
  attempt([&] { all.peach([](Shape& s) { static_cast<void>(dynamic_cast<Disc&>(s)); }); });
  attempt([&] { all.peach([](Shape& s) { dynamic_cast<Ring&>(s).hole += 0; }); });
  attempt([&] { all.pmap([](const Shape& s) { return disc_of(s).radius; }).sum(); });
  attempt([&] {
    all.preduce([](Shape* a, Shape* b) { return disc_of(*a).radius < disc_of(*b).radius ? b : a; })
        .value();
  });
  attempt([&] { all.count([](const Shape& s) { return dynamic_cast<const Alone&>(s).id == 1; }); });
  attempt([&] { all.pselect([](const Shape& s) { return disc_of(s).radius > 3; }).size(); });
  attempt([&] { all.pselect([](const Shape& s) { return disc_of(*s.other).radius > 3; }).size(); });
  {
    ikra::resident scope{shapes};
    all.peach([](Shape& s) { s.id += disc_of(*s.other).radius; });
    scope.sync();
    attempt([&] { all.peach([](Shape& s) { s.id += 0 * disc_of(s).radius; }); });
  }
  for (const auto& s : shapes)
    std::printf("%d ", s->id);
  std::printf("\n");
}

} // namespace

void bases() {
  diamonds();
  parts();
  casts();
}
