// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::atomic members and std::atomic_ref, in all their operations. What several elements write
// ends alike in every order.
#include <ikra/ikra.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <vector>

enum class State : std::uint8_t { idle, busy, done };

struct Place {
  virtual ~Place() = default;
  virtual void see(unsigned k) { seen |= 1U << (k % 32); }
  std::atomic<unsigned> seen{0};
};

struct Hub : Place {
  void see(unsigned k) override {
    Place::see(k);
    ++hits;
    hits--;
    hits.fetch_add(2, std::memory_order_relaxed);
    total += k;
    weight += 0.5F; // halves: sums are exact
    any = true;
    small.fetch_xor(static_cast<std::uint8_t>(k));
    order -= 1;
    state.store(State::done, std::memory_order_release);
    int now = least.load();
    while (static_cast<int>(k) < now && !least.compare_exchange_weak(now, static_cast<int>(k))) {
    }
  }
  std::atomic<int> hits{0}, least{1000};
  std::atomic<std::int64_t> total{0};
  std::atomic<float> weight{0};
  std::atomic<bool> any{false};
  std::atomic<State> state{State::idle};
  std::atomic<std::uint8_t> small{0};
  std::atomic<short> order{0};
};

struct User {
  void go() {
    hub->see(k);
    std::atomic_ref<int> mine(counts[k % 4]);
    mine += 3;
    mine.fetch_sub(1);
    const auto same = std::atomic_ref(mark);
    same.store(7);
    mark = same.exchange(9) + mine++;
    if (hub->any)
      mark += std::atomic_ref<int>{mark}.load(std::memory_order_relaxed);
    auto& hits = hub->hits;
    hits &= 0xffff;
    mark += hits.load() >= 0 ? 1 : 0;
  }
  Hub* hub = nullptr;
  unsigned k = 0;
  int mark = 0;
  std::vector<int> counts = std::vector<int>(4);
};

// The second of two children to come goes on with what both have found: the first one's is there.
struct Node {
  void climb() {
    Node* at = this;
    at->sum = at->leaf;
    while (at->parent != nullptr && at->parent->arrived.fetch_add(1) == 1) {
      at = at->parent;
      at->sum = at->left->sum + at->right->sum;
    }
  }
  Node *parent = nullptr, *left = nullptr, *right = nullptr;
  std::int64_t leaf = 0, sum = 0;
  std::atomic<int> arrived{0};
};

void users() {
  std::vector<Hub> hubs(10);
  std::vector<User> all(5000);
  for (unsigned i = 0; i < all.size(); ++i) {
    all[i].hub = &hubs[i % 10];
    all[i].k = i;
  }
  ikra::objects(all).peach(3, [](User* u) { u->go(); });
  for (const Hub& h : hubs)
    std::printf("%d %d %lld %.1f %d %d %d %d %u\n", h.hits.load(), h.least.load(),
                static_cast<long long>(h.total), static_cast<double>(h.weight.load()),
                static_cast<int>(h.any), static_cast<int>(h.state.load()),
                static_cast<int>(h.small), static_cast<int>(h.order), h.seen.load());
  {
    ikra::resident scope{all};
    for (int turn = 0; turn < 3; ++turn)
      ikra::objects(all).peach(&User::go);
    hubs[3].hits = 5;
    scope.changed(&hubs[3], &Hub::hits);
    ikra::objects(all).peach(&User::go);
  }
  long sum = 0;
  for (const User& u : all)
    sum += u.mark * 3L + u.counts[u.k % 4];
  auto seen = ikra::objects(hubs).pmap([](const Hub& h) { return h.hits + h.total.load(); });
  std::printf("%ld %d %lld\n", sum, hubs[3].hits.load(), static_cast<long long>(seen.sum()));
}

void tree() {
  constexpr std::size_t leaves = 4096;
  std::vector<Node> nodes(2 * leaves - 1);
  for (std::size_t i = 0; i < leaves - 1; ++i) {
    nodes[i].left = &nodes[2 * i + 1];
    nodes[i].right = &nodes[2 * i + 2];
    nodes[i].left->parent = nodes[i].right->parent = &nodes[i];
  }
  std::vector<Node*> bottom;
  for (std::size_t i = leaves - 1; i < nodes.size(); ++i) {
    nodes[i].leaf = static_cast<std::int64_t>(i * i % 1000);
    bottom.push_back(&nodes[i]);
  }
  ikra::array{bottom}.peach([](Node* n) { n->climb(); });
  std::printf("%lld %lld\n", static_cast<long long>(nodes[0].sum),
              static_cast<long long>(nodes[5].sum));
}

int main() {
  users();
  tree();
}
