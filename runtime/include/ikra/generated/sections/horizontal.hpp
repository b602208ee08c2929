// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Horizontal fusion at run time: arrays over one input of which ikrac has seen that the program
// asks for all or, if something throws, for none. Emitted code says so after the declaration of
// the last; when one of them is to be computed, one kernel computes all.
#pragma once

#include <ikra/array.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/sections/fusion.hpp>

#include <memory>
#include <span>
#include <vector>

namespace ikra::rt {

/// Commands that may be computed together. They know it, and it does not keep them: what nobody
/// holds any more is not computed.
class result_group {
public:
  /// \param table rows for all members, whose nodes begin with theirs in this order
  result_group(std::span<const horizontal_fusion> table,
               std::vector<std::weak_ptr<ikra::detail::command_base>> members)
      : table_(table), members_(std::move(members)) {}

  /// Adds what has to be computed before all members. \returns whether they may be computed
  /// together
  bool collect_pending(std::vector<ikra::detail::command_base*>& out);
  /// Computes the results of all members. \param asked the one whose result was asked for, which
  /// the caller says to be computed \returns false if they have to be computed one by one
  bool compute(section_node& asked);

  /// The members are computed one by one from now on.
  void dissolve() {
    members_.clear();
    table_ = {};
  }

private:
  using handles = std::vector<std::shared_ptr<ikra::detail::command_base>>;

  /// The members, if all are still there.
  handles lock() const;
  /// The row that fits them.
  fused_tree find(const handles& members, std::vector<section_node*>& nodes) const;

  std::span<const horizontal_fusion> table_;
  std::vector<std::weak_ptr<ikra::detail::command_base>> members_;
  bool has_collected_ = false;
};

/// Computes the results of a tree in one kernel. \param asked the one whose result was asked for,
/// which the caller says to be computed \returns false if they have to be computed one by one, with
/// nothing done \throws unknown_class, or an error of kind out_of_memory: so they do then
bool compute_results(const fused_tree& tree, const section_node& asked);

/// Makes commands result_group, unless some are computed already.
void make_result_group(
    std::span<const horizontal_fusion> table,
    std::span<const std::shared_ptr<ikra::detail::command_base>> members) noexcept;

} // namespace ikra::rt

namespace ikra {

/// Emitted where arrays have been made that are all asked for later, whichever way the program
/// takes. \tparam Tag has their rows \param arrays in the order of the rows' results
template <class Tag, class... T, int... R> void compute_group(const array<T, R>&... arrays) {
  const std::shared_ptr<detail::command_base> members[] = {
      detail::array_access::command_of(arrays)...};
  rt::make_result_group(horizontal_code<Tag>::fusions(), members);
}

} // namespace ikra
