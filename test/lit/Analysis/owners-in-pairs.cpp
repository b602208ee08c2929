// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs, tuples and optionals hold raw pointers; what holds an owner is refused at the member, with what helps.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>
struct Leaf {
  int n = 2;
};
struct Node {
  int value = 1;
  std::pair<std::unique_ptr<Leaf>, int> kids;
  std::tuple<std::unique_ptr<Leaf>, int> more;
  std::optional<std::shared_ptr<Leaf>> may;
  std::vector<std::pair<std::unique_ptr<Leaf>, int>> many;
  int sum() const {
    int all = kids.first->n;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'kids' of type '{{.*}}' cannot become a column
    // CHECK-DAG: refused.cpp:{{[0-9]+}}:{{[0-9]+}}: note: in place of 'std::pair<std::unique_ptr<Leaf>, int>' sections use a struct of your own with these members
    all += std::get<0>(more)->n;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'std::tuple<std::unique_ptr<Leaf>, int>' cannot be used in a section
    // CHECK-DAG: refused.cpp:{{[0-9]+}}:{{[0-9]+}}: note: in place of 'std::tuple<std::unique_ptr<Leaf>, int>' sections use a struct of your own with these members
    all += may ? (*may)->n : 0;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'std::optional<std::shared_ptr<Leaf>>' cannot be used in a section
    // CHECK-DAG: refused.cpp:{{[0-9]+}}:{{[0-9]+}}: note: in place of 'std::optional<std::shared_ptr<Leaf>>' sections use the smart pointer alone, which may be null
    for (const auto& [leaf, k] : many)
      all += leaf->n * k;
    // CHECK-DAG: refused.cpp:{{[0-9]+}}:{{[0-9]+}}: note: in place of 'std::vector<std::pair<std::unique_ptr<Leaf>, int>>' sections use as elements a struct of your own with these members
    return all;
  }
};
void sections(std::vector<Node>& nodes) {
  ikra::objects(nodes).peach([](Node& n) { n.value = n.sum(); });
}
struct Town {
  int n = 3;
};
void captures(std::vector<Node>& nodes, const std::vector<std::pair<std::shared_ptr<Town>, int>>& route, std::weak_ptr<Town> lost) {
  ikra::objects(nodes).peach([&route](Node& n) { n.value = route[0].second; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'route' {{.*}}; make its elements structs of your own with these members, and capture it by reference in peach [ikra-capture-type]
  ikra::objects(nodes).peach([lost](Node& n) { n.value = lost.lock()->n; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'lost' {{.*}}; capture what it leads to: [p = lost.lock().get()] [ikra-capture-type]
  std::vector<std::vector<std::pair<Town*, int>>> routes(1);
  ikra::objects(nodes).peach([&routes](Node& n) { n.value = routes[0][0].second; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'routes' {{.*}}; make its elements structs of your own with these members, and capture it by reference in peach [ikra-capture-type]
  std::vector<std::weak_ptr<Town>> several{lost};
  std::vector<std::vector<std::weak_ptr<Town>>> nested{several};
  ikra::objects(nodes).peach([&several](Node& n) { n.value = several[0].lock()->n; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'several' {{.*}}; capture a std::vector of pointers to the objects, which may be null [ikra-capture-type]
  ikra::objects(nodes).peach([&nested](Node& n) { n.value = nested[0][0].lock()->n; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'nested' {{.*}} [ikra-capture-type]
}
std::vector<std::weak_ptr<Town>> known;
void globals(std::vector<Node>& nodes) {
  ikra::objects(nodes).peach([](Node& n) { n.value = known[0].lock()->n; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'known' {{.*}}; capture a std::vector of pointers to the objects, which may be null [ikra-global-variable]
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
struct Leaf {
  int n = 2;
};
struct Kids {
  std::unique_ptr<Leaf> first;
  int second = 3;
};
struct Town {
  int n = 3;
};
struct Stop {
  Town* to = nullptr;
  int k = 1;
};
struct Node {
  int value = 1;
  Kids kids;
  std::shared_ptr<Leaf> may;
  std::vector<Kids> many;
  int sum() const {
    int all = kids.first->n + (may ? may->n : 0);
    for (const auto& [leaf, k] : many)
      all += leaf->n * k;
    return all;
  }
};
void sections(std::vector<Node>& nodes, const std::vector<Stop>& route, std::weak_ptr<Town> lost) {
  ikra::objects(nodes).peach([](Node& n) { n.value = n.sum(); });
  ikra::objects(nodes).peach([&route, p = lost.lock().get()](Node& n) {
    for (const auto& [to, k] : route)
      n.value += to->n * k + p->n;
  });
}
