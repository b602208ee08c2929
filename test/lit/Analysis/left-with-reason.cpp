// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation that is left to one core has a message with the reason and the remedy.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <tuple>
#include <vector>

struct Node {
  int value = 0;
};
struct Link {
  Node* to = nullptr;
  int weight = 0;
};
struct Key {
  int a;
  int same() const { return a; }
  auto operator<=>(const Key&) const = default;
};

template <class T> auto sorted(const ikra::array<T>& a) {
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'psort' without an order, in a template, of elements that are no numbers; write psort(std::less<>{}))
  return a.psort();
}
template <class T> auto sorted_by_less(const ikra::array<T>& a) { return a.psort(std::less<>{}); }
template <class T> auto both(const ikra::array<T>& a, const ikra::array<T>& b) {
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'operator&&' of arrays in a template; write pcombine with std::logical_and<>{})
  return a && b;
}
template <class T> auto both_combined(const ikra::array<T>& a, const ikra::array<T>& b) {
  return a.pcombine(b, std::logical_and<>{});
}

int twice(int x) { return 2 * x; }

int main() {
  std::vector<Node> nodes(8);
  std::vector<Link> all_links;
  for (int i = 0; i < 8; ++i) {
    nodes[std::size_t(i)].value = i;
    all_links.push_back({&nodes[std::size_t(i)], i % 3});
  }
  const ikra::array<Link> links{all_links};
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'pselect' over elements of type 'Link', which hold pointers to objects; let these be objects, too: ikra::objects)
  auto heavy = links.pselect([](Link l) { return l.weight > 0; });
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'pscan' over elements of type 'Link', which hold pointers to objects; let these be objects, too: ikra::objects)
  auto most = links.pscan([](Link a, Link b) { return b.weight > a.weight ? b : a; });
  auto objects = ikra::array{ikra::objects(all_links)};
  auto heavy_objects = objects.pselect([](const Link* l) { return l->weight > 0; });
  std::printf("%zu %d %zu\n", heavy.size(), most[7].weight, heavy_objects.size());
  // OUT: 5 2 5

  const ikra::array<Key> keys{std::vector<Key>{{3}, {1}, {1}}};
  const auto numbers = ikra::pnew(3, [](std::int64_t i) { return int(i); });
  std::printf("%d %d\n", sorted(keys)[2].a, sorted_by_less(keys)[0].a);
  // OUT-NEXT: 3 1
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}keys of type 'Key', which have a comparison of their own; let a pmap make numbers of them)
  auto sums = numbers.preduce_by_key(keys, std::plus<>{}).second;
  std::printf("%d %d\n", sums[0], sums[1]);
  // OUT-NEXT: 0 3
  const auto odd = numbers.pmap([](int i) { return i % 2 == 1; });
  std::printf("%d %d\n", int(both(odd, odd)[1]), int(both_combined(odd, odd)[1]));
  // OUT-NEXT: 1 1

  const auto nodes_array = ikra::array{ikra::objects(nodes)};
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'preduce_by_key' over objects; let a pmap make values of what they hold)
  auto firsts = nodes_array.preduce_by_key(nodes_array.pmap([](const Node* n) { return n->value / 4; }), [](Node* a, Node*) { return a; }).second;
  auto pairs = nodes_array.pmap([](Node* n) { return std::tuple{n, n->value}; });
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'pselect' over elements of type 'std::tuple<Node *, int>', which hold pointers to objects; let it be over the pointers, and capture the other array: a.with_index() {{.*}})
  auto some = pairs.pselect([](std::tuple<Node*, int> t) { return std::get<1>(t) > 2; });
  std::printf("%d %zu\n", firsts[1]->value, some.size());
  // OUT-NEXT: 4 5

  int (*function)(int) = twice;
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}the capture 'function', a pointer to a function; write a lambda that names the function, and hand that on)
  auto doubled = numbers.pmap([function](int x) { return function(x); });
  int (Key::*member)() const = &Key::same;
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}the capture 'member', a pointer to a member; write a lambda that names the member, and hand that on)
  auto read = keys.pmap([member](Key k) { return (k.*member)(); });
  const auto by_name = [](int x) { return twice(x); };
  auto named = numbers.pmap([by_name](int x) { return by_name(x); });
  std::printf("%d %d %d\n", doubled[2], read[0], named[2]);
  // OUT-NEXT: 4 3 4
}
