// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of captured single objects that the host writes while a resident scope is open, and of
// which it says nothing: each section that captures the object sees them.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Atom {
  double x = 0;
  int hits = 0;
  Atom* other = nullptr;
};

/// Held by value; pointers lead to it, so that it is a class of objects.
struct Field {
  double strength = 1;
  int steps = 0;
};

struct Box {
  double left, right;
};

struct System {
  std::vector<std::unique_ptr<Atom>> atoms;
  double dt = 0.5;
  unsigned mode : 3 = 1;
  Box box{0, 100};
  std::array<int, 3> shift{1, 2, 3};
  int grid[2][2]{{1, 2}, {3, 4}};
  std::vector<double> table{1, 2, 3};
  std::vector<std::vector<int>> rows{{1}, {2, 3}};
  Field field;
  std::unique_ptr<Field> spare = std::make_unique<Field>();
  Atom* leader = nullptr;
  std::array<Atom*, 2> ends{};
  std::vector<Atom*> some;
  int total = 0;

  explicit System(int n) {
    for (int i = 0; i < n; ++i)
      atoms.push_back(std::make_unique<Atom>());
    for (int i = 0; i < n; ++i)
      atoms[static_cast<std::size_t>(i)]->x = i;
    leader = ends[0] = atoms.front().get();
    ends[1] = atoms.back().get();
    some = {leader};
  }

  void drift() {
    ikra::array{atoms}.peach([this](Atom* a) { a->x += dt; });
  }
  void values() {
    ikra::array{atoms}.peach([this](Atom* a) {
      a->x += box.left + shift[1] + grid[1][0] + (mode == 3 ? 0.25 : 0);
      if (a->x > box.right)
        a->x -= box.right;
    });
  }
  void lists() {
    ikra::array{atoms}.peach([this](Atom* a) {
      for (const double each : table)
        a->x += each;
      for (std::size_t i = 0; i < rows.size(); ++i)
        a->hits += rows[i].back();
    });
  }
  void held() {
    ikra::array{atoms}.peach([this](Atom* a) { a->x += field.strength * spare->steps; });
  }
  void references() {
    ikra::array{atoms}.peach([this](Atom* a) {
      a->other = leader;
      if (a == ends[0] || a == ends[1])
        a->hits += 10;
      for (const Atom* each : some)
        a->hits += each == a ? 1000 : 1;
    });
  }
  /// Two sections that share a launch, and a loop of them.
  void together(int turns) {
    for (int t = 0; t < turns; ++t) {
      ikra::array{atoms}.peach([this](Atom* a) { a->x += dt; });
      ikra::array{atoms}.peach([this](Atom* a) { a->hits += shift[0]; });
    }
  }
  void count() {
    ikra::array{atoms}.peach([this](Atom* a) {
      ikra::atomic_add(total, 1);
      if (a->x > 3)
        ikra::atomic_add(total, 1);
    });
  }
  double sum() const {
    const System* const self = this;
    return ikra::array{atoms}.pmap([self](const Atom* a) { return a->x * self->dt; }).sum();
  }

  void show(const char* title) const {
    std::printf("%s:", title);
    for (const auto& a : atoms)
      std::printf(" %g/%d%s", a->x, a->hits, a->other == nullptr ? "" : ">");
    std::printf(" total %d\n", total);
  }
};

void written() {
  System s(5);
  {
    ikra::resident scope{s.atoms};
    for (int round = 0; round < 3; ++round) {
      s.drift();
      s.values();
      s.lists();
      s.held();
      s.references();
      s.together(3);
      std::printf("%g\n", s.sum());
      s.dt *= 0.5;
      std::printf("%g\n", s.sum());
      s.mode = s.mode + 1;
      s.box.left += 10;
      s.shift[1] -= 5;
      s.shift[0] += 1;
      s.grid[1][0] *= 2;
      s.table[2] += 0.125;
      s.rows[1][1] += 7;
      s.field.strength += 3;
      s.spare->steps += 1;
      scope.changed(s.spare.get(), &Field::steps); // no member of s
      s.leader = s.atoms[2].get();
      s.ends[1] = s.atoms[1].get();
      s.some[0] = s.atoms[3].get();
    }
    // Containers of another size.
    s.table.push_back(1);
    s.rows.push_back({5});
    s.some.push_back(s.leader);
    s.lists();
    s.references();
  }
  s.show("written");
}

/// Objects that the scope does not know yet.
void led_elsewhere() {
  System s(4);
  Atom extra, more;
  extra.hits = 7;
  {
    ikra::resident scope{s.atoms};
    s.references();
    s.drift();
    s.leader = &extra;
    s.references();
    // NOLINTNEXTLINE(ikra-unshared-read): the others are no elements
    ikra::array{s.atoms}.peach([](Atom* a) { a->hits += a->other->hits; });
    s.some = {&more, &extra};
    s.references();
    s.leader = nullptr;
    s.references();
  }
  s.show("led elsewhere");
}

/// Sections write to the object, too.
void added_up() {
  System s(6);
  {
    ikra::resident scope{s.atoms};
    for (int round = 0; round < 3; ++round) {
      s.count();
      scope.sync();
      std::printf("total %d\n", s.total);
      s.total = round == 1 ? 0 : s.total;
      s.drift();
    }
    s.count();
    s.total = 1000; // sections' writes since are lost, as in a plain build
    s.drift();
    s.count();
    scope.sync(&System::total);
    std::printf("total %d\n", s.total);
    s.count();
    s.total = -5;
    s.dt = 8;
  }
  s.show("added up");
  std::printf("dt %g\n", s.dt);
}

/// Other ways to capture an object; and one that a scope holds itself.
void captured(System& s, const Field& field, Field* other) {
  const auto all = ikra::array{s.atoms};
  all.peach([&s, &field, other](Atom* a) { a->x += s.dt + field.strength + other->steps; });
}

void ways() {
  System s(3);
  std::vector<Field> fields(2);
  Atom* const first = s.atoms[0].get();
  {
    ikra::resident scope{s.atoms, fields};
    ikra::objects(fields).peach([](Field* f) { f->steps += 1; });
    for (int round = 0; round < 3; ++round) {
      captured(s, fields[0], &fields[1]);
      s.dt += 1;
      fields[0].strength *= 2;
      fields[1].steps = 50 + round;
      ikra::array{s.atoms}.peach([first](Atom* a) {
        if (a != first) // it is read by the others
          a->hits += first->hits + 1;
      });
      first->hits = 100 * round + 50;
    }
    // An object of the same place, each time another one.
    for (int i = 0; i < 3; ++i) {
      Field mine;
      mine.strength = i;
      captured(s, mine, &mine);
    }
  }
  s.show("ways");
  std::printf("%d %d\n", fields[0].steps, fields[1].steps);
}

/// A section over other objects, which may have been moved in their columns.
struct Street {
  int id = 0;
  int cars = 0;
};
struct Car {
  Street* street = nullptr;
  int speed = 0; // of which the streets' section alone knows
  int way = 0;
};

void moved() {
  std::vector<Street> streets(7);
  std::vector<Car> cars(50);
  for (std::size_t i = 0; i < cars.size(); ++i)
    cars[i].street = &streets[i * 5 % streets.size()], cars[i].speed = static_cast<int>(i);
  for (std::size_t i = 0; i < streets.size(); ++i)
    streets[i].id = static_cast<int>(i);
  Car* const third = &cars[3];
  {
    ikra::resident scope{streets, cars};
    for (int t = 0; t < 3; ++t) {
      ikra::objects(cars).peach([](Car* c) { c->way += c->street->id; });
      ikra::objects(streets).peach([third](Street* s) { s->cars += third->speed + third->way; });
      third->speed = 1000 * t;
    }
  }
  for (const Street& each : streets)
    std::printf(" %d", each.cars);
  std::printf(" %d\n", third->way);
}

/// Long containers, of which one element changes.
struct Grid {
  std::vector<float> values = std::vector<float>(100000, 1.0F);
};

void longer() {
  Grid grid;
  std::vector<Atom> atoms(100);
  {
    ikra::resident scope{atoms};
    for (std::size_t t = 0; t < 3; ++t) {
      ikra::objects(atoms).peach([&grid](Atom* a) {
        for (std::size_t i = 0; i < grid.values.size(); i += 999)
          a->x += grid.values[i];
      });
      grid.values[999 * (t + 40)] += 1;
    }
  }
  std::printf("%g\n", atoms[7].x);
}

} // namespace

int main() {
  written();
  led_elsewhere();
  added_up();
  ways();
  moved();
  longer();
  return 0;
}
