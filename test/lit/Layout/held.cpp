// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that others hold by value have IDs, and their holders have references to them. A value class stays a value.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: FileCheck --check-prefix=EMITTED %s < %t.cu
#include <ikra/ikra.hpp>

#include <string>
#include <vector>

struct Point {
  float x = 0, y = 0;
};
struct Node;
struct Link {
  Node* to = nullptr;
  float weight = 0;
};
struct Maker {
  std::string name; // no section reads it
  int founded = 0;
};
struct Node {
  Point at;
  Link first;
  std::vector<Link> links;
  Maker maker;
  float sum = 0;
};

void sum(std::vector<Node>& nodes) {
  ikra::objects(nodes).peach([&](Node& node) {
    node.sum = node.at.x + node.first.to->at.y + float(node.maker.founded);
    for (const Link& link : node.links)
      node.sum += link.weight;
    node.sum += float(nodes.size());
  });
}

// CHECK: column {{[0-9]+}} Link_to: ID of Node for Link
// CHECK: column {{[0-9]+}} Link_weight: float for Link
// CHECK: column {{[0-9]+}} Maker_founded: int for Maker
// CHECK: column {{[0-9]+}} Node_at: ::Point for Node
// CHECK: column {{[0-9]+}} Node_first: ID of Link for Node
// CHECK: column {{[0-9]+}} Node_links: join table of IDs of Link for Node
// CHECK: column {{[0-9]+}} Node_maker: ID of Maker for Node
// CHECK-NOT: name

// EMITTED: {{^}}    ikra::rt::reference_column<&access_Node::first, ikra::rt::references<::Link, Link_class>, Node_class>("Node::first"),
// EMITTED: {{^}}  ikra::list<const ikra::object_id> nodes;
// EMITTED: {{^}}    node.sum = node.at.x + w.Node_at[w.Link_to[node.first]].y + static_cast<float>(w.Maker_founded[node.maker]);
// EMITTED: {{^}}    for (ikra::object_id link : w.Node_links[node.id]) {
// EMITTED: {{^}}      node.sum += w.Link_weight[link];
