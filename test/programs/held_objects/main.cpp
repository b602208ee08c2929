// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that others hold by value: in vectors, as members, in arrays, with strings and pointers
// in them. Device code knows them by IDs, like objects that pointers lead to. Sections take
// pointers to elements, or the elements themselves.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// The program of every text on N bodies.
struct Body {
  float x = 0, y = 0, vx = 0, vy = 0, mass = 1;

  void pull(const std::vector<Body>& bodies) {
    for (const Body& other : bodies) {
      const float dx = other.x - x, dy = other.y - y;
      const float scale = other.mass / (dx * dx + dy * dy + 0.25f) * 0.125f;
      vx += dx * scale;
      vy += dy * scale;
    }
  }
  void move() {
    x += vx;
    y += vy;
  }
};

float middle(std::span<const Body> bodies) {
  float sum = 0;
  for (const Body& body : bodies)
    sum += body.x;
  return sum / float(bodies.size());
}
float last(std::vector<Body>& bodies) { return bodies.back().x; }
float mean(std::span<const float> values) {
  float sum = 0;
  for (const float value : values)
    sum += value;
  return sum / float(values.size());
}

class Universe {
public:
  explicit Universe(int size) {
    for (int i = 0; i < size; ++i)
      bodies_.push_back({float(i), float(i * 7 % 13), 0, 0, 1.0f + float(i % 3)});
  }
  void step() {
    ikra::objects(bodies_).peach([this](Body* body) { body->pull(bodies_); });
    ikra::objects(bodies_).peach([](Body& body) { body.move(); });
  }
  void gather(const std::vector<float>& shifts) {
    const std::span<const Body> all = bodies_;
    ikra::objects(bodies_).peach([all, moved = std::span(shifts), this](Body* body) {
      body->vx = (middle(all) + last(bodies_)) * moved[1] + mean(moved);
      body->vy = middle(bodies_);
    });
  }
  void print() const {
    for (const Body& body : bodies_)
      std::printf("%a %a\n", double(body.x), double(body.y));
  }

private:
  std::vector<Body> bodies_;
  IKRA_OBJECT
};

void bodies() {
  std::vector<Body> all;
  for (int i = 0; i < 40; ++i)
    all.push_back({float(i), float(i * 5 % 11), 0, 0, 1.0f + float(i % 3)});
  for (int step = 0; step < 3; ++step) {
    ikra::objects(all).peach([&](Body* body) { body->pull(all); });
    ikra::objects(all).peach([](Body* body) { body->move(); });
  }
  {
    ikra::resident scope{all};
    for (int step = 0; step < 3; ++step) {
      ikra::objects(all).peach([&](Body& body) { body.pull(all); });
      ikra::objects(all).peach([](auto& body) { body.move(); });
    }
  }
  for (const Body& body : all)
    std::printf("%a %a\n", double(body.x), double(body.y));
  Universe universe(30);
  universe.step();
  universe.step();
  universe.gather({0.5f, 2, 8});
  universe.step();
  universe.print();
}

// Structs with pointers in them.
struct Node;
struct Link {
  Node* to = nullptr;
  float weight = 0;

  float flow() const;
};
struct Node {
  float value = 0, next = 0;
  Link first;
  std::array<Link, 2> two;
  Link three[3];
  std::vector<Link> links;
};
float Link::flow() const { return to == nullptr ? 0 : to->value * weight; }

void links() {
  std::vector<Node> nodes(50);
  for (int i = 0; i < 50; ++i) {
    Node& node = nodes[std::size_t(i)];
    const auto other = [&](int k) { return &nodes[std::size_t((i * 7 + k) % 50)]; };
    node.value = float(i);
    node.first = {other(1), 0.5f};
    node.two = {Link{other(3), 0.25f}, Link{nullptr, 1}};
    node.three[i % 3] = {other(5), 2};
    for (int k = 0; k < i % 4; ++k)
      node.links.push_back({other(k), float(k) * 0.5f});
  }
  const ikra::array all = ikra::objects(nodes);
  all.peach([](Node* node) {
    node->next = node->first.to->value * node->first.weight;
    for (const Link& link : node->links)
      node->next += link.to->value * link.weight;
    for (const Link& link : node->two)
      node->next += link.flow();
    for (int k = 0; k < 3; ++k)
      node->next += node->three[k].flow();
  });
  // Links themselves may change: what they weigh, and where they lead.
  all.peach([](Node* node) {
    node->first.weight *= 2;
    if (!node->links.empty())
      node->first.to = node->links.front().to;
    for (Link& link : node->links)
      link.weight += 1;
    Link* best = &node->first;
    for (Link& link : node->links)
      if (link.weight > best->weight)
        best = &link;
    best->weight = -best->weight;
  });
  const auto heavy = all.pselect([](const Node& node) { return node.next > 100; });
  std::printf("%d heavy\n", int(heavy.size()));
  for (const Node& node : nodes) {
    std::printf("%a %a %d\n", double(node.next), double(node.first.weight),
                int(node.first.to - nodes.data()));
    for (const Link& link : node.links)
      std::printf("  %a\n", double(link.weight));
  }
}

// The same in pairs.
struct Place {
  float value = 0, next = 0;
  std::vector<std::pair<Place*, float>> links;
  std::pair<const Place*, int> best;
  std::array<std::tuple<Place*, Place*>, 2> two;
};

void pairs() {
  std::vector<Place> places(30);
  for (std::size_t i = 0; i < 30; ++i) {
    places[i].value = float(i);
    places[i].best = {i % 7 == 0 ? nullptr : &places[i * 3 % 30], int(i)};
    places[i].two[0] = {&places[(i + 1) % 30], nullptr};
    for (std::size_t k = 0; k < i % 4; ++k)
      places[i].links.push_back({&places[(i * 7 + k) % 30], float(k) * 0.5f});
  }
  const ikra::array all = ikra::objects(places);
  const auto run = [&] {
    all.peach([](Place& place) {
      if (place.best.first != nullptr)
        place.next += place.best.first->value * float(place.best.second);
      for (const auto& [to, weight] : place.links)
        place.next += to->value * weight;
      place.next += std::get<0>(place.two[0])->value;
    });
    all.peach([](Place* place) {
      for (auto& link : place->links) {
        link.second += 1;
        link.first = std::get<0>(place->two[0]);
      }
      place->best.second *= 2;
      if (place->links.size() > 2)
        place->best = {place->links[1].first, 3};
    });
  };
  run();
  {
    const ikra::resident scope{all};
    run();
  }
  for (const Place& place : places) {
    std::printf("%a %d %d\n", double(place.next), place.best.second,
                place.best.first == nullptr ? -1 : int(place.best.first - places.data()));
    for (const auto& [to, weight] : place.links)
      std::printf("  %d %a\n", int(to - places.data()), double(weight));
  }
}

// Structs with pointers, their arrays and whole objects, taken apart by reference: the names are
// members of the objects.
struct Joint;
struct Rod {
  Joint* to;
  float length;
};
struct Joint {
  float x = 0, force = 0;
  std::array<Joint*, 2> sides{};
  float place[3] = {1, 2, 3};
  std::vector<Rod> rods;
  Rod main{};

  void gather() {
    force = 0;
    for (const auto& [to, length] : rods)
      force += length * to->x;
    const auto& [other, part] = main;
    if (other)
      force += part * other->x;
    for (const auto& [to, length] : rods)
      for (auto& [to, inner] : to->rods) // the same names, for others
        if (to != this)
          force += length * inner;
  }
  void relax() {
    auto& [left, right] = sides;
    auto& [px, py, pz] = place;
    px += 1, py *= 2, pz = px++ + py;
    if (left)
      force += left->x - (right == nullptr ? 1.0f : 0.0f);
    for (auto& [to, length] : rods) {
      length *= 0.5f;
      const auto more = [&](float by) { return length * by; };
      force += more(2);
      to = to->rods.empty() ? to : this;
    }
  }
};

void bindings() {
  std::vector<Joint> joints(9);
  for (std::size_t i = 0; i < 8; ++i) {
    Joint& joint = joints[i];
    joint.x = float(i * 5 % 7);
    joint.sides[0] = &joints[i + 1];
    joint.rods = {{&joints[i + 1], 2}, {&joints[0], 3}};
    joint.main = {&joints[(i + 3) % 9], 0.5f};
  }
  ikra::objects(joints).peach([](Joint& joint) { joint.gather(); });
  ikra::objects(joints).peach([](Joint* joint) { joint->relax(); });
  const auto sums = ikra::objects(joints).pmap([](const Joint& joint) {
    const auto& [px, py, pz] = joint.place;
    const auto& [to, length] = joint.main;
    return px + py * pz + (to ? length * to->x : 0);
  });
  for (std::size_t i = 0; i < joints.size(); ++i) {
    std::printf("%g %g", double(joints[i].force), double(sums[std::int64_t(i)]));
    for (const auto& [to, length] : joints[i].rods)
      std::printf(" %d %g", int(to - joints.data()), double(length));
    std::printf("\n");
  }
}

// Members with what no section reads, and members of members.
struct Maker {
  std::string name;
  int founded = 0;
};
struct Engine {
  Maker maker;
  float power = 1;

  void tune(float by) { power *= by; }
  int age(int year) const { return year - maker.founded; }
};
struct Car {
  std::string plate;
  Engine engine;
  std::vector<Engine> spare;
  float speed = 0;
  const Engine* best = nullptr;

private:
  struct {
    Car* car = nullptr;
    int tickets = 0;
  } follows_;
  struct Trailer {
    std::string cargo;
    float load = 0;
  };
  Trailer trailer_;

public:
  void follow(Car* other) { follows_.car = other; }
  void load(float mass) { trailer_ = {"sand", mass}; }
  void go() {
    engine.tune(1.5f);
    for (Engine& each : spare)
      each.tune(0.5f);
    speed += trailer_.load;
    trailer_.load *= 0.5f;
  }
  IKRA_OBJECT
};

void cars() {
  std::vector<Car> cars(9);
  for (int i = 0; i < 9; ++i) {
    Car& car = cars[std::size_t(i)];
    car.engine.maker = {"maker " + std::to_string(i), 1900 + i};
    car.spare.resize(std::size_t(i % 3));
    car.best = car.spare.empty() ? &car.engine : &car.spare.back();
    car.load(float(i));
  }
  ikra::objects(cars).peach([](Car* car) { car->go(); });
  ikra::objects(cars).peach(3, [](Car& car) { car.go(); });
  ikra::objects(cars).peach([](Car* car) { car->speed += car->best->power; });
  const auto ages = ikra::objects(cars).pmap([](const Car& car) { return car.engine.age(2000); });
  for (std::size_t i = 0; i < cars.size(); ++i)
    std::printf("%a %a %d\n", double(cars[i].speed), double(cars[i].engine.power),
                ages[std::int64_t(i)]);
}

// The containers of ikra::objects.
void containers() {
  std::array<Body, 5> array{};
  std::deque<Body> deque(6);
  Body built_in[3];
  std::vector<Body> vector(7);
  ikra::objects(array).peach([](Body* body) { body->x += 1; });
  ikra::objects(deque).with_index().peach(
      [](Body& body, std::int64_t index) { body.x += float(index); });
  ikra::objects(built_in).peach(3, [](Body& body, int tick) { body.x += float(tick); });
  ikra::objects(std::span<Body>(vector).subspan(2, 3)).peach([](Body* body) { body->x += 4; });
  // An array beside the elements is captured too.
  ikra::objects(vector).with_index().peach([&](Body* body, std::int64_t index) {
    body->y = array[std::size_t(index) % 5].x + built_in[index % 3].x;
  });
  const auto print = [](const auto& bodies) {
    for (const Body& body : bodies)
      std::printf("%g %g\n", double(body.x), double(body.y));
  };
  print(array), print(deque), print(built_in), print(vector);
}

// Containers of containers, of values, of pointers and of objects.
struct Neuron {
  float value = 0;
  std::string name;
};
struct Spot {
  double x = 0, y = 0, z = 0;
};
class Net {
public:
  Net(int outputs, int seed, std::vector<Neuron>& all) {
    for (int o = 0; o < outputs; ++o) {
      weights_.emplace_back();
      for (int i = 0; i < 4 + o % 2; ++i)
        weights_.back().push_back(float((o * 31 + i * 17 + seed) % 13 - 6) * 0.125f);
    }
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < (seed + k) % 4; ++i)
        kinds_[k].push_back(static_cast<short>(i + k));
    for (int k = 0; k < seed % 3; ++k)
      bytes_.emplace_back(std::size_t(k) * 3, static_cast<signed char>(seed));
    for (std::size_t k = 0; k < 2; ++k)
      spots_[k].resize(std::size_t(seed % 4) + k, Spot{1, double(k), 2});
    held_.resize(2);
    for (auto& list : held_)
      list.resize(std::size_t(seed % 3), Neuron{float(seed), "held"});
    for (int k = 0; k < seed % 5; ++k) {
      owned_.emplace_back();
      for (int i = 0; i < k; ++i)
        owned_.back().push_back(std::make_unique<Neuron>(Neuron{float(i + k), "owned"}));
    }
    for (int k = 0; k <= seed % 3; ++k) {
      others_.emplace_back();
      for (int j = 0; j <= k; ++j)
        others_.back().push_back(&all[std::size_t(seed + j) % all.size()]);
    }
  }
  static float total(const std::vector<std::vector<float>>& rows) {
    float sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      sum += rows[i].empty() ? 0 : rows[i].back() * float(rows[i].size());
    return sum;
  }
  static float dot(const std::vector<float>& row) {
    float sum = 0;
    for (const float x : row)
      sum += x * x;
    return sum;
  }
  void train() {
    for (auto& row : weights_)
      for (float& x : row)
        x *= 1.5f;
    weights_[0][1] += 2;
    weights_.back().front() = 7;
    auto& first = weights_.front();
    first[2] -= 1;
    for (auto& list : bytes_)
      for (signed char& c : list)
        c = static_cast<signed char>(c + 1);
    for (auto& list : spots_)
      for (Spot& spot : list)
        spot.y += 1;
    for (auto& list : others_)
      for (auto& other : list)
        if (other->value > 3)
          other = others_[0][0];
    for (auto& list : held_)
      for (Neuron& neuron : list)
        neuron.value += 1;
    out = total(weights_) + weights_.at(1).at(0);
    for (const auto& row : weights_)
      out += dot(row);
    for (const auto& list : kinds_)
      for (const short kind : list)
        out += kind;
    for (const auto& list : owned_)
      for (const auto& neuron : list)
        out += neuron->value;
    for (const auto& list : others_) {
      out += float(list.size());
      for (const Neuron* other : list)
        out += other->value;
    }
  }
  float sum() const { return total(weights_); }
  void change(int seed) {
    weights_[0][0] = 99;
    if (seed % 4 == 1)
      weights_[1].push_back(5);
    if (seed % 4 == 2)
      weights_.pop_back();
  }
  void print() const {
    std::printf("%a:", double(out));
    for (const auto& row : weights_)
      for (const float x : row)
        std::printf(" %a", double(x));
    for (const auto& list : bytes_)
      for (const signed char c : list)
        std::printf(" %d", c);
    for (const auto& list : spots_)
      for (const Spot& spot : list)
        std::printf(" %a", spot.y);
    for (const auto& list : others_)
      for (const Neuron* other : list)
        std::printf(" %a", double(other->value));
    for (const auto& list : held_)
      for (const Neuron& neuron : list)
        std::printf(" %a", double(neuron.value));
    std::printf("\n");
  }
  float out = 0;

private:
  std::vector<std::vector<float>> weights_;
  std::vector<short> kinds_[3];
  std::vector<std::vector<signed char>> bytes_;
  std::array<std::vector<Spot>, 2> spots_;
  std::vector<std::vector<Neuron>> held_;
  std::vector<std::vector<std::unique_ptr<Neuron>>> owned_;
  std::vector<std::vector<Neuron*>> others_;
  IKRA_OBJECT
};

void nets() {
  std::vector<Neuron> neurons(7);
  for (int i = 0; i < 7; ++i)
    neurons[std::size_t(i)].value = float(i);
  std::vector<std::unique_ptr<Net>> nets;
  for (int i = 0; i < 40; ++i)
    nets.push_back(std::make_unique<Net>(3 + i % 4, i, neurons));
  const auto all = ikra::objects(nets);
  all.peach([](Net* net) { net->train(); });
  {
    ikra::resident scope{all};
    all.peach([](Net* net) { net->train(); });
    scope.sync();
    for (int i = 0; i < 40; ++i)
      nets[std::size_t(i)]->change(i);
    scope.changed();
    all.peach([](Net* net) { net->train(); });
  }
  const auto sums = all.pmap([](const Net* net) { return net->sum(); });
  for (const auto& net : nets)
    net->print();
  for (const float sum : sums)
    std::printf("%a\n", double(sum));
}

} // namespace

/// Captured containers of containers: of values in lazy sections too.
struct Cell {
  int mass = 1;
  Cell* next = nullptr;
};
struct Reader {
  int number = 0, sum = 0;
};

int sum_of(const std::vector<std::vector<int>>& rows) {
  int sum = 0;
  for (const auto& row : rows)
    for (const int value : row)
      sum = sum * 3 % 1009 + value;
  return sum;
}

void captured_containers() {
  for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(40)}) {
    std::vector<std::vector<int>> rows(n);
    std::vector<std::vector<Cell>> cells(n);
    std::vector<std::vector<const Cell*>> leads(n + 1);
    std::array<std::vector<signed char>, 2> bytes{std::vector<signed char>(n, 3), {}};
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].assign(i % 4, int(i));
      cells[i].resize(i * 5 % 3);
      for (Cell& cell : cells[i]) {
        cell.mass = int(i) + 2;
        leads[i * 7 % n].push_back(&cell);
      }
    }
    std::vector<Reader> readers(50);
    for (int i = 0; i < 50; ++i)
      readers[std::size_t(i)].number = i;
    ikra::objects(readers).peach([&](Reader* r) {
      r->sum += sum_of(rows) + int(bytes[0].size()) - int(bytes[1].size());
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (!cells[i].empty())
          r->sum += cells[i].back().mass * (r->number % 5);
      for (const auto& list : leads)
        for (const Cell* cell : list)
          r->sum ^= cell->mass;
    });
    int sum = 0;
    for (const Reader& r : readers)
      sum = sum * 7 % 10007 + r.sum;
    const auto lazy =
        ikra::pnew({100}, [](ikra::index<1> i) { return int(i[0]); }).pmap([rows](int i) {
          return rows.empty() ? i : int(rows[std::size_t(i) % rows.size()].size()) + sum_of(rows);
        });
    std::printf("captured %d %d\n", sum, lazy.sum());
  }
}

namespace {

// Objects of one family within each other, closer than its smallest class is large; and so many
// classes that their objects are told by a table.
struct Part {
  virtual ~Part() = default;
  virtual int weight() const = 0;
  virtual void grow(int by) = 0;
};
struct Screw : Part {
  int own = 0;
  int weight() const override { return own; }
  void grow(int by) override { own += by; }
};
struct Case : Part {
  Screw inner;
  int own = 100;
  int weight() const override { return own; }
  void grow(int by) override { own += 2 * by; }
};
template <int Kind> struct Other : Part {
  int own = Kind;
  int weight() const override { return Kind * own; }
  void grow(int by) override { own += by % Kind; }
};
struct Gauge {
  const Part* part = nullptr;
  int sum = 0;
};
template <int... Kind> void add(std::vector<std::unique_ptr<Part>>& to) {
  (to.push_back(std::make_unique<Other<Kind>>()), ...);
}
void parts() {
  std::vector<std::unique_ptr<Part>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(std::make_unique<Screw>());
    auto made = std::make_unique<Case>();
    made->own += i;
    made->inner.own = 1000 + i;
    all.push_back(std::move(made));
    add<1, 2, 3, 4, 5, 6, 7, 8, 9>(all);
  }
  std::vector<Gauge> gauges(2 * all.size());
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const Part* const part = all[i * 7 % all.size()].get();
    const auto* const around = dynamic_cast<const Case*>(part);
    gauges[i].part = around != nullptr && i % 3 != 0 ? &around->inner : part;
  }
  for (int step = 0; step < 3; ++step) {
    ikra::array{all}.peach(18, [](Part* p) { p->grow(p->weight() % 5 + 1); });
    ikra::objects(gauges).peach(20, [](Gauge* g) { g->sum += g->part->weight(); });
  }
  int sum = 0;
  for (const Gauge& g : gauges)
    sum = (sum * 31 + g.sum) % 1000003;
  std::printf("parts %d\n", sum);
}

} // namespace

int main() {
  captured_containers();
  bodies();
  links();
  pairs();
  bindings();
  cars();
  containers();
  nets();
  parts();
}
