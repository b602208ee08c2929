// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/fusion.hpp>

#include <ikra/error.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/launch/host_stencil_tiles.hpp>
#include <ikra/index.hpp>

#include "support/environment.hpp"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <utility>

namespace ikra::rt {

using ikra::detail::command_base;
using ikra::detail::unknown_extent;

namespace {

/// IKRA_FUSION, read once: `off` has each section run in its own kernel, to tell what fusion gains,
/// or whether it is to blame.
bool is_enabled() {
  static const bool enabled = is_switched_on("IKRA_FUSION");
  return enabled;
}

/// A place at the border of two stencils takes four times as long as another one.
constexpr double smallest_inner_share = 31.0 / 32;
/// So many places take less time than a kernel of their own.
constexpr double few_places = 1024;

/// Files register when they are loaded, and leave when they are unloaded.
std::mutex& registering() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

tiles_when tiles() {
  static const auto when = wished<tiles_when>(
      "IKRA_TILES",
      {{"auto", tiles_when::faster}, {"off", tiles_when::never}, {"always", tiles_when::always}});
  return when;
}

std::int64_t shared_cache_bytes() {
  static const std::int64_t bytes = [] {
    // Not sysconf(): in a virtual machine that has the caches of all the host's cores.
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    std::int64_t kibibytes = 0;
    char unit = 0;
    return file >> kibibytes >> unit && unit == 'K' && kibibytes > 0 ? kibibytes << 10
                                                                     : std::int64_t(32) << 20;
  }();
  return bytes;
}

shared_fusions::shared_fusions(section_key section, std::span<const fusion> table,
                               const loop* sequences)
    : section_(section), table_(table), sequences_(sequences) {
  const std::lock_guard lock(registering());
  next_ = section_.id->shared.load();
  section_.id->shared = this;
}

shared_fusions::~shared_fusions() {
  const std::lock_guard lock(registering());
  std::atomic<shared_fusions*>* at = &section_.id->shared;
  while (*at != this)
    at = &at->load()->next_;
  *at = next_.load();
}

fused_tree fused_tree::find(std::span<const fusion> table, const loop* sequences,
                            section_node& last) {
  if (!is_enabled() || !last.is_open())
    return {};
  fused_tree best = find_in(table, sequences, last);
  const shared_fusions* more = last.key().id->shared.load(std::memory_order_acquire);
  for (; more != nullptr; more = more->next()) {
    if (more->table().data() == table.data() && more->sequences() == sequences)
      continue;
    fused_tree other = find_in(more->table(), more->sequences(), last);
    if (other && (!best || other.nodes_.size() > best.nodes_.size()))
      best = std::move(other);
  }
  return best;
}

static bool runs_here(const fusion& row) {
  return row.only == row_device::any || (row.only == row_device::gpu) == current_device().is_cuda();
}

fused_tree fused_tree::find_in(std::span<const fusion> table, const loop* sequences,
                               section_node& last) {
  fused_tree tree;
  section_node* const results[] = {&last};
  for (const fusion& row : table) {
    if (!runs_here(row) || !tree.fits(row, results) || !tree.has_small_border(row) ||
        (row.unless_held && (tiles() == tiles_when::never || tree.is_held_between(row))))
      continue;
    if (!tree.needs_stored(row, 1)) {
      tree.run_ = row.run;
      break;
    }
    if (row.storing != nullptr && tree.stores(row, last))
      break;
  }
  if (sequences != nullptr) {
    fused_tree sequence;
    if (sequence.follows(*sequences, last) &&
        (!tree || sequence.nodes_.size() > tree.nodes_.size()))
      return sequence;
  }
  return tree;
}

fused_tree fused_tree::find(std::span<const horizontal_fusion> table,
                            std::span<section_node* const> results) {
  fused_tree tree;
  if (!is_enabled())
    return tree;
  for (const horizontal_fusion& row : table)
    if (tree.fits(row, results) && !tree.needs_stored(row, row.results)) {
      tree.run_group_ = row.run;
      tree.results_ = row.results;
      break;
    }
  return tree;
}

/// Whether a section works on arrays of the shape that the others have. After reshape, a command's
/// consumer may see it in another one, and give its section another index.
bool fused_tree::has_same_shape(const section_node& node) {
  const std::span<const std::int64_t> shape = node.extents();
  if (shape.empty())
    return true;
  if (extents_.empty() || extents_[0] == unknown_extent)
    extents_ = shape;
  return shape[0] == unknown_extent || std::ranges::equal(shape, extents_);
}

/// Whether a command is what the plan has for a node.
bool fused_tree::bind(std::size_t node, command_base* command, section_key key) {
  if (command == nullptr || command->computed())
    return false;
  if (nodes_[node] != nullptr)
    return commands_[node] == command;
  section_node* const found = command->as_section();
  if (found == nullptr || !found->is_open() || !(found->key() == key) || !has_same_shape(*found))
    return false;
  nodes_[node] = found;
  commands_[node] = command;
  sections_[node] = &found->captures();
  return true;
}

template <class Row> bool fused_tree::fits(const Row& row, std::span<section_node* const> results) {
  nodes_.assign(row.nodes.size(), nullptr);
  commands_.assign(row.nodes.size(), nullptr);
  sections_.assign(row.nodes.size(), nullptr);
  leaves_.assign(row.leaves, {});
  extents_ = {};
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (!(results[n]->key() == row.nodes[n].key) || !has_same_shape(*results[n]))
      return false;
    nodes_[n] = results[n];
    commands_[n] = &results[n]->as_command(); // others' inputs, maybe
    sections_[n] = &results[n]->captures();
  }
  std::size_t next = 0;
  for (std::size_t n = 0; n < row.nodes.size(); ++n)
    for (std::size_t k = 0; k < row.nodes[n].inputs; ++k) {
      command_base* const source = nodes_[n]->source(k);
      const int from = row.inputs[next++];
      if (from >= 0) {
        const auto node = static_cast<std::size_t>(from);
        if (!bind(node, source, row.nodes[node].key))
          return false;
        continue;
      }
      leaf& of = leaves_[static_cast<std::size_t>(-1 - from)];
      if (source == nullptr || (of.reader != nullptr && of.reader->source(of.input) != source))
        return false;
      of = {nodes_[n], k};
    }
  // On all cores reading an object costs more than storing a result and reading it again.
  if (std::ranges::any_of(nodes_, &section_node::runs_in_place))
    return false;
  // Leaves are computed before; the tree would be none any more.
  return std::ranges::none_of(leaves_, [&](const leaf& l) {
    return std::ranges::find(commands_, l.reader->source(l.input)) != commands_.end();
  });
}

/// Whether few places have neighbours outside, where that matters.
bool fused_tree::has_small_border(const fusion& row) const {
  if (row.footprint.empty() || current_device().is_cuda())
    return true;
  double inner = 1, places = 1;
  for (std::size_t d = 0; d < row.footprint.size() && d < extents_.size(); ++d) {
    places *= static_cast<double>(extents_[d]);
    inner *= 1 - static_cast<double>(row.footprint[d]) /
                     static_cast<double>(std::max(row.footprint[d], extents_[d]));
  }
  return inner >= smallest_inner_share || places <= few_places;
}

/// Whether somebody else holds a result that only the tree's own sections need.
bool fused_tree::is_held_between(const fusion& row) const {
  std::size_t next = 0;
  for (std::size_t n = 0; n < row.nodes.size(); ++n)
    for (std::size_t k = 0; k < row.nodes[n].inputs; ++k)
      if (row.inputs[next++] >= 0 && nodes_[n]->owners_of_source(k) > 1)
        return true;
  return false;
}

static bool is_later(when_held held) {
  return held == when_held::stored_later || held == when_held::stored_later_on_cores;
}

/// Whether others hold a node's result, and it is dear to compute anew for each of them.
template <class Row> bool fused_tree::is_stored(const Row& row, std::size_t node) const {
  const when_held held = row.nodes[node].held;
  const bool on_cores =
      held == when_held::stored_on_cores || held == when_held::stored_later_on_cores;
  if (held == when_held::anew || (on_cores && current_device().is_cuda()) ||
      (is_later(held) && !nodes_[node]->was_passed()))
    return false;
  long owners = 0, here = 0;
  std::size_t next = 0;
  for (std::size_t n = 0; n < row.nodes.size(); ++n)
    for (std::size_t k = 0; k < row.nodes[n].inputs; ++k)
      if (row.inputs[next++] == static_cast<int>(node)) {
        owners = nodes_[n]->owners_of_source(k);
        ++here;
      }
  return owners > here;
}

/// Whether there is such a node. \param results of its first nodes are stored anyway
template <class Row> bool fused_tree::needs_stored(const Row& row, std::size_t results) const {
  for (std::size_t node = results; node < row.nodes.size(); ++node)
    if (is_stored(row, node))
      return true;
  return false;
}

/// Becomes the tree that stores such nodes in passing. \returns false where it does not store all:
/// they are computed before
bool fused_tree::stores(const fusion& row, section_node& last) {
  std::vector<section_node*> results;
  for (std::size_t node = 1; node < row.nodes.size(); ++node) {
    const when_held held = row.nodes[node].held;
    if (held == when_held::anew)
      continue;
    if (!is_later(held))
      results.push_back(nodes_[node]);
    else if (is_stored(row, node))
      return false;
  }
  results.push_back(&last);
  fused_tree tree;
  if (!tree.fits(*row.storing, results))
    return false;
  tree.run_group_ = row.storing->run;
  tree.results_ = results.size();
  *this = std::move(tree);
  return true;
}

/// Takes the uncomputed commands below \p last for as long as they are the loop's, and nobody else
/// holds them: what others hold is computed once, for all.
bool fused_tree::follows(const loop& sequences, section_node& last) {
  nodes_.assign(1, &last);
  sections_.assign(1, &last.captures());
  extents_ = last.extents();
  run_ = sequences.run;
  is_sequence_ = true;
  for (const section_node* at = &last;;) {
    command_base* const below = at->source(0);
    section_node* const node = below == nullptr || below->computed() || at->owners_of_source(0) > 1
                                   ? nullptr
                                   : below->as_section();
    const auto is_one_of = [node](std::span<const section_key> keys) {
      return std::ranges::find(keys, node->key()) != keys.end();
    };
    if (node == nullptr || !node->is_open() || node->runs_in_place() ||
        !(is_one_of(sequences.sections) || is_one_of(sequences.starts)) || !has_same_shape(*node)) {
      leaves_.assign(1, {at, 0});
      return nodes_.size() > 1;
    }
    nodes_.push_back(node);
    sections_.push_back(&node->captures());
    if (is_one_of(sequences.starts))
      return true;
    at = node;
  }
}

void fused_tree::note_passed() const {
  for (std::size_t n = results_; n < nodes_.size(); ++n)
    nodes_[n]->set_passed();
}

void fused_tree::collect_pending(std::vector<command_base*>& out) const {
  for (const leaf& l : leaves_)
    if (command_base* const source = l.reader->source(l.input); !source->computed())
      out.push_back(source);
  for (const section_node* node : nodes_)
    node->collect_captures(out);
}

bool fused_tree::is_of_one_turn() const {
  return std::ranges::all_of(nodes_, [this](const section_node* node) {
    return node->as_command().made_in() == nodes_.front()->as_command().made_in();
  });
}

void fused_tree::set_alone() const {
  for (const section_node* node : nodes_)
    node->set_alone();
}

bool fused_tree::is_still_open() const {
  return std::ranges::all_of(nodes_, [](const section_node* node) {
    return node->is_open() && !node->as_command().computed();
  });
}

bool fused_tree::is_ready() const {
  std::int64_t size = unknown_extent;
  if (!extents_.empty() && extents_[0] != unknown_extent) {
    size = 1;
    for (const std::int64_t extent : extents_)
      size *= extent;
  }
  for (const leaf& l : leaves_) {
    if (!l.reader->source(l.input)->computed())
      return false;
    const auto elements = static_cast<std::int64_t>(l.reader->source_buffer(l.input).size());
    if (size != unknown_extent && elements != size)
      return false;
    size = elements;
  }
  return true;
}

/// Which nodes nobody can ask for once the tree is computed: the last, which is computed then, and
/// those that such nodes alone hold. Each stands after all that read it.
std::vector<bool> fused_tree::dying() const {
  std::vector<bool> result(nodes_.size(), true);
  for (std::size_t n = results_; n < nodes_.size(); ++n) {
    const command_base* const self = &nodes_[n]->as_command();
    long owners = 0, here = 0;
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t k = 0; k < nodes_[m]->sources(); ++k)
        if (result[m] && nodes_[m]->source(k) == self) {
          owners = nodes_[m]->owners_of_source(k);
          ++here;
        }
    result[n] = here != 0 && owners == here; // what survives may ask for what it reads
  }
  return result;
}

std::uint64_t fused_tree::last_uses() const {
  if (is_sequence_)
    return !leaves_.empty() && leaves_[0].reader->owners_of_source(0) == 1 ? 1 : 0;
  const std::vector<bool> dies = dying();
  std::uint64_t result = 0;
  for (std::size_t l = 0; l < leaves_.size() && l < 64; ++l) {
    const command_base* const self = leaves_[l].reader->source(leaves_[l].input);
    long here = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (std::size_t k = 0; k < nodes_[n]->sources(); ++k)
        here += dies[n] && nodes_[n]->source(k) == self ? 1 : 0;
    if (leaves_[l].reader->owners_of_source(leaves_[l].input) == here)
      result |= std::uint64_t(1) << l;
  }
  return result;
}

std::vector<border_value> fused_tree::at_border() const {
  std::vector<border_value> result;
  for (const section_node* node : nodes_)
    result.push_back(node->at_border());
  return result;
}

std::vector<ikra::detail::erased_input> fused_tree::inputs() const {
  std::vector<ikra::detail::erased_input> result;
  for (const leaf& l : leaves_)
    result.push_back(l.reader->source_buffer(l.input));
  return result;
}

bool fused_tree::may_be_parted() const {
  return std::ranges::all_of(nodes_,
                             [](const section_node* node) { return node->may_be_parted(); });
}

bool fused_tree::captures_arrays() const {
  return std::ranges::any_of(nodes_,
                             [](const section_node* node) { return node->captures_arrays(); });
}

} // namespace ikra::rt
