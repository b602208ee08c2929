// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs with pointers as people write them for the walk over a tree: stacks of frames, the best
// hit so far, and what functions give and take of these; structs that are local to functions.
#include <ikra/ikra.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace {

struct Vec {
  float x = 0, y = 0;
};

/// A node of a quadtree, by its centre.
class Cell {
public:
  Cell(Vec centre, float width) : centre_(centre), width_(width) {}

  void insert(Vec at, float mass, int depth) {
    mass_ += mass;
    ++count_;
    if (depth == 0)
      return;
    const int which = (at.x > centre_.x ? 1 : 0) + (at.y > centre_.y ? 2 : 0);
    auto& child = children_[static_cast<std::size_t>(which)];
    if (!child)
      child = std::make_unique<Cell>(Vec{centre_.x + (which & 1 ? 0.25f : -0.25f) * width_,
                                         centre_.y + (which & 2 ? 0.25f : -0.25f) * width_},
                                     width_ / 2);
    child->insert(at, mass, depth - 1);
  }

  /// By an explicit stack of frames, each of which says how deep it is.
  float pull(Vec at) const {
    struct Frame {
      const Cell* cell;
      int depth;
    };
    Frame stack[64];
    int top = 0;
    stack[top++] = {this, 0};
    float sum = 0;
    while (top > 0) {
      const Frame frame = stack[--top];
      const float dx = frame.cell->centre_.x - at.x, dy = frame.cell->centre_.y - at.y;
      const float square = dx * dx + dy * dy + 0.01f;
      if (frame.depth == 4 || frame.cell->width_ * frame.cell->width_ < 0.25f * square) {
        sum += frame.cell->mass_ / square;
        continue;
      }
      for (int k = 0; k < 4; ++k)
        if (const Cell* child = frame.cell->child(k))
          stack[top++] = Frame{child, frame.depth + 1};
    }
    return sum;
  }

  const Cell* child(int k) const { return children_[static_cast<std::size_t>(k)].get(); }
  Vec centre() const { return centre_; }
  int count() const { return count_; }
  float width() const { return width_; }

private:
  Vec centre_;
  float width_, mass_ = 0;
  int count_ = 0;
  std::array<std::unique_ptr<Cell>, 4> children_;
  IKRA_OBJECT
};

float distance(Vec a, Vec b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

/// What a search has found so far.
struct Best {
  const Cell* cell = nullptr;
  float square = 1e9f;

  bool is_better(float other) const { return other < square; }
  void take(const Cell* found, float at) {
    cell = found;
    square = at;
  }
  bool operator==(const Best&) const = default;
};

Best better(Best a, const Best& b) { return b.square < a.square ? b : a; }

/// A stack as a class, with pointers to its frames.
class Walk {
public:
  struct Step {
    const Cell* cell;
    float bound;
    const Cell* came_from[2];
  };

  explicit Walk(const Cell* root) : top_(0) { push(root, 0, nullptr); }
  bool more() const { return top_ > 0; }
  void push(const Cell* cell, float bound, const Cell* from) {
    Step& step = steps_[top_++];
    step.cell = cell;
    step.bound = bound;
    step.came_from[0] = from;
    step.came_from[1] = cell;
  }
  Step pop() { return steps_[--top_]; }

private:
  int top_;
  Step steps_[40];
};

Best nearest(const Cell* root, Vec to, int level) {
  Best best;
  Walk walk(root);
  while (walk.more()) {
    const Walk::Step step = walk.pop();
    if (step.cell->count() <= level || step.came_from[1]->width() < 0.1f) {
      const float at = distance(step.cell->centre(), to);
      if (best.is_better(at))
        best.take(step.cell, at);
      else if (step.came_from[0] && step.came_from[0]->count() > 1000)
        best.square -= 0.0001f;
      continue;
    }
    for (int k = 3; k >= 0; --k)
      if (const Cell* child = step.cell->child(k))
        walk.push(child, step.bound + 1, step.cell);
  }
  return best;
}

/// The best of the four children, where there is one.
std::optional<Best> of_children(const Cell* cell, Vec to) {
  std::optional<Best> found;
  for (int k = 0; k < 4; ++k) {
    const Cell* child = cell->child(k);
    if (!child)
      continue;
    const Best here{child, distance(child->centre(), to)};
    if (!found || here.square < found->square)
      found = here;
  }
  return found;
}

/// Down to a leaf, with frames in pairs, tuples, arrays of arrays and through pointers.
int descend(const Cell* root, Vec to) {
  struct Level {
    const Cell* at;
    std::pair<const Cell*, int> before;
  };
  struct Counts { // of numbers, and local
    int seen = 0, left = 0;
  };
  Level levels[2][8] = {};
  Counts counts;
  Level* level = &levels[0][0];
  level->at = root;
  for (int depth = 1; depth < 8; ++depth) {
    const std::optional<Best> next = of_children(level->at, to);
    if (!next) {
      ++counts.left;
      break;
    }
    Level* deeper = &levels[depth % 2][depth];
    *deeper = {next->cell, {level->at, depth}};
    std::swap(levels[1][0], levels[0][7]);
    level = deeper;
    counts.seen += deeper->before.first->count() > 3 ? deeper->before.second : 1;
  }
  const Level unset = levels[(level->before.second + 1) % 2][7];
  return counts.seen * 100 + level->at->count() + counts.left + (unset.at == nullptr ? 0 : 7);
}

struct Star {
  Vec place;
  float felt = 0, near = 0;
  int depth = 0;
  const Cell* home = nullptr;

  void look(const Cell* root) {
    felt = root->pull(place);
    const Best a = nearest(root, place, 2), b = nearest(root, {place.y, place.x}, 5);
    const Best c = better(a, b);
    near = c.square + (c == a ? 0.5f : 0.25f) + (a != b ? 2.0f : 0.0f);
    home = c.cell;
    depth = descend(root, place);
  }
};

/// Frames in lambdas, in structured bindings and in a loop over a stack.
float around(const Cell* root, Vec at) {
  struct Item {
    const Cell* cell = nullptr;
    float weight = 1;
  };
  Item items[6];
  int count = 0;
  const auto add = [&](Item item) { items[count++] = item; };
  add({root});
  for (int k = 0; k < 4; ++k)
    if (const Cell* child = root->child(k))
      add({child, 0.5f});
  float sum = 0;
  for (const Item& item : items)
    if (item.cell)
      sum += item.weight * distance(item.cell->centre(), at);
  const auto [last, weight] = items[count - 1];
  const auto heavier = [](const Item& a, const Item& b) {
    return a.weight * static_cast<float>(a.cell->count()) <
           b.weight * static_cast<float>(b.cell->count());
  };
  Item* most = &items[0];
  for (Item* item = items; item != items + count; ++item)
    if (heavier(*most, *item))
      most = item;
  return sum + weight * last->width() + static_cast<float>(most - items);
}

unsigned mixed(unsigned hash, float value) {
  return (hash ^ std::bit_cast<unsigned>(value)) * 16777619u;
}

unsigned hash(const ikra::array<float, 1>& values) {
  unsigned result = 2166136261u;
  for (const float value : values)
    result = mixed(result, value);
  return result;
}

} // namespace

int main() {
  for (const int n : {1, 50, 3000}) {
    Cell root({0.5f, 0.5f}, 1);
    std::vector<Star> stars(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      Star& star = stars[static_cast<std::size_t>(i)];
      star.place = {static_cast<float>(i * 7919 % 1009) / 1009.0f,
                    static_cast<float>(i * 104729 % 997) / 997.0f};
      root.insert(star.place, 1.0f + static_cast<float>(i % 3), 5);
    }
    const auto all = ikra::objects(stars);
    for (int step = 0; step < 2; ++step)
      all.peach([root = &root](Star* s) { s->look(root); });
    unsigned felt = 0, near = 0;
    long depth = 0, counts = 0;
    for (const Star& s : stars) {
      felt = mixed(felt, s.felt);
      near = mixed(near, s.near);
      depth += s.depth;
      counts += s.home ? s.home->count() : 0;
    }
    std::printf("%d stars: felt %u near %u depth %ld counts %ld\n", n, felt, near, depth, counts);
    std::printf("around %u\n",
                hash(all.pmap([root = &root](const Star& s) { return around(root, s.place); })));
    // In a scope, where objects stay on the device.
    ikra::resident scope{all};
    all.peach(3, [root = &root](Star* s) {
      struct Mark {
        const Star* star;
        int times;
      };
      Mark marks[2] = {{s, 1}, {nullptr, 0}};
      marks[1] = marks[0];
      s->felt += root->pull({marks[1].star->place.y, 0.5f}) * static_cast<float>(marks[1].times);
    });
    std::printf("felt %u\n", hash(all.pmap([](const Star* s) { return s->felt; })));
  }
}
