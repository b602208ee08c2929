// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/horizontal.hpp>

#include <ikra/error.hpp>
#include <ikra/generated/sections/shared_section.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace ikra::rt {

using ikra::detail::command_base;

result_group::handles result_group::lock() const {
  handles members;
  for (const std::weak_ptr<command_base>& member : members_) {
    members.push_back(member.lock());
    if (!members.back() || members.back()->computed())
      return {};
  }
  return members;
}

fused_tree result_group::find(const handles& members, std::vector<section_node*>& nodes) const {
  for (const std::shared_ptr<command_base>& member : members) {
    nodes.push_back(member->as_section());
    if (nodes.back() == nullptr || !nodes.back()->is_open())
      return {};
  }
  if (nodes.empty())
    return {};
  return fused_tree::find(table_, nodes);
}

bool result_group::collect_pending(std::vector<command_base*>& out) {
  const handles members = lock();
  std::vector<section_node*> nodes;
  const fused_tree tree = find(members, nodes);
  if (!tree)
    return false;
  const std::size_t before = out.size();
  tree.collect_pending(out);
  // What was pending has been computed before this is asked again, unless it waits for a member.
  if (std::exchange(has_collected_, true) && out.size() != before) {
    out.resize(before);
    table_ = {};
    return false;
  }
  return true;
}

bool compute_results(const fused_tree& tree, const section_node& asked) {
  if (!tree.is_ready())
    return false;
  const std::vector<ikra::detail::erased_input> inputs = tree.inputs();
  std::vector<std::int64_t> shape(tree.extents().begin(), tree.extents().end());
  if (shape.empty())
    shape.push_back(0);
  if (shape.size() == 1 && !inputs.empty()) // not known before, after pselect
    shape[0] = static_cast<std::int64_t>(inputs[0].size());
  // Computed by itself, each says what it makes of no elements.
  if (std::ranges::find(shape, 0) != shape.end() || (!inputs.empty() && inputs[0].size() == 0))
    return false;
  std::vector<result_place> results;
  for (section_node* node : tree.results())
    results.push_back(node->place());
  horizontal_call call(tree.sections(), inputs, shape, results);
  tree.horizontal_code()(call);
  tree.note_passed();
  // Each gives up its inputs, of which nobody else may hold one: those are told first.
  const std::vector<section_node*> nodes(tree.results().begin(), tree.results().end());
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (nodes[k] != &asked)
      nodes[k]->set_computed_beside();
  return true;
}

bool result_group::compute(section_node& asked) {
  const handles members = lock();
  std::vector<section_node*> nodes;
  const fused_tree tree = find(members, nodes);
  if (!tree)
    return false;
  try {
    return compute_results(tree, asked);
  } catch (const unknown_class&) {
    // The driver of a single result may be another file's.
    table_ = {};
    return false;
  } catch (const error& failed) {
    // There may be room for one result.
    if (failed.kind() != error_kind::out_of_memory)
      throw;
    table_ = {};
    return false;
  }
}

void make_result_group(std::span<const horizontal_fusion> table,
                       std::span<const std::shared_ptr<command_base>> members) noexcept {
  try {
    std::vector<section_node*> nodes;
    for (const std::shared_ptr<command_base>& member : members) {
      section_node* const node = member->as_section();
      if (node == nullptr || member->computed() || member->work() != 0)
        return;
      nodes.push_back(node);
    }
    const auto group = std::make_shared<result_group>(
        table, std::vector<std::weak_ptr<command_base>>(members.begin(), members.end()));
    for (section_node* node : nodes)
      node->accompany(group);
  } catch (const std::bad_alloc&) {
    // No memory to note it: they are computed one by one.
  }
}

} // namespace ikra::rt
