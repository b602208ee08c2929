// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members and captures that are containers of containers: one join table, whose lists are given one by one. A third level,
// and iterators of the outer container, are refused.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags -DACCEPTED | FileCheck --check-prefix=LAYOUT %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags -DACCEPTED && %emitted %t.cu | FileCheck %s
// RUN: not %ikrac -o %t.refused.cu %s -- %ikra_flags 2>&1 | FileCheck --check-prefix=REFUSED %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Cell {
  float mass = 1;
};
struct Net {
  std::vector<std::vector<float>> weights;
  std::vector<std::unique_ptr<Cell>> cells[2];
  std::vector<std::vector<std::vector<int>>> deep;
  float sum = 0;
};

float total(const std::vector<std::vector<float>>& rows) {
  float sum = 0;
  for (const auto& row : rows)
    for (const float value : row)
      sum += value;
  return sum;
}

void sections(std::vector<Net>& nets) {
#ifdef ACCEPTED
  ikra::objects(nets).peach([](Net& net) {
    for (auto& row : net.weights)
      row[0] += 1;
    net.weights[0][1] = total(net.weights);
    for (const auto& list : net.cells)
      net.sum += list.front()->mass;
  });
}
float captured(std::vector<Net>& nets, const std::vector<std::vector<float>>& rows,
               const std::vector<std::vector<Cell*>>& leads, const std::vector<std::vector<Cell>>& holds) {
  ikra::objects(nets).peach([&](Net& net) {
    net.sum += total(rows);
    for (const auto& list : leads)
      for (const Cell* cell : list)
        net.sum += cell->mass;
    for (std::size_t i = 0; i < holds.size(); ++i)
      net.sum += holds[i][0].mass;
  });
  return ikra::objects(nets).pmap([rows](const Net* net) { return net->sum * rows.front()[1]; }).sum();
#else
  ikra::objects(nets).peach([](Net& net) { net.sum += net.deep[0][1][2]; });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error: member 'deep' of type 'std::vector<std::vector<std::vector<int>>>' cannot become a column
  ikra::objects(nets).peach([](Net& net) { net.sum += (*net.weights.begin())[1]; });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error:
  ikra::objects(nets).peach([](Net& net) { net.weights[0].push_back(1); });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'push_back'
  ikra::objects(nets).peach([](Net& net) { auto copy = net.weights[0]; net.sum += copy[0]; });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'value_type' cannot be used in a section
  const std::vector<std::vector<std::vector<float>>> rows;
  ikra::objects(nets).peach([&](Net& net) { net.sum += rows[0][1][2]; });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'rows' of type 'std::vector<std::vector<std::vector<float> > >' cannot be captured
  const std::vector<std::vector<Cell>> copies;
  ikra::objects(nets).peach([copies](Net& net) { net.sum += copies[0][1].mass + net.cells[0].front()->mass; });
  // REFUSED-DAG: nested-lists.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'copies' of type {{.*}} cannot be captured
#endif
}

// LAYOUT: Net_weights: join table of lists of float for Net
// LAYOUT: Net_cells: join table of lists of IDs of Cell for Net

// CHECK: {{^}}  ikra::nested_column<float> Net_weights;
// CHECK: {{^}}  ikra::nested_column<ikra::object_id> Net_cells;
// CHECK: nested_value_column<&access_Net::weights, Net_class>("Net::weights"),
// CHECK: nested_reference_column<&access_Net::cells, ikra::rt::references<::Cell, Cell_class>, Net_class>("Net::cells"),
// CHECK: float global_total(ikra::nested_list<const float> rows
// CHECK: for (ikra::list<const float> row : rows)
// CHECK: w.Net_weights[net.id][0][1] =
// CHECK: ikra::nested_list<const float> rows;
// CHECK-NEXT: ikra::nested_list<const ikra::object_id> leads;
// CHECK-NEXT: ikra::nested_list<const ikra::object_id> holds;
// CHECK: s.nested_roots<ikra::rt::references<::Cell, Cell_class>>(call.node(0).capture<::std::vector<{{.*}}>>(1));
// CHECK: s.nested_roots<ikra::rt::references<::Cell, Cell_class>>(*call.node(0).capture<const ::std::vector<{{.*}} *>(2));
// CHECK: s.nested_view(
