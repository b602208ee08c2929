// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/section.hpp>

namespace ikra::rt {

fused_chain find_fusion(std::span<const fusion> table, const map_node& last) {
  for (const fusion& entry : table) {
    fused_chain chain{&entry, &last, {&last.captures()}};
    bool fits = true;
    for (const section_key key : entry.below) {
      ikra::detail::command_base* const below = chain.first->source();
      const auto* const node = below->computed() ? nullptr : dynamic_cast<const map_node*>(below);
      // A command whose computation failed has no input any more; asking it throws what it threw.
      if (node == nullptr || node->source() == nullptr || !(node->key() == key)) {
        fits = false;
        break;
      }
      chain.first = node;
      chain.stages.push_back(&node->captures());
    }
    if (fits)
      return chain;
  }
  return {};
}

} // namespace ikra::rt
