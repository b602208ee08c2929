// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion at run time: a command of a generated section compares the uncomputed commands below it
// with the rows of its section's fusion table, and has the kernel of the row that fits run
// (ARRAY'17, section 4: what was planned at compile time is looked up at run time). Commands are
// matched by their sections and by identity: what is one node in the plan is one command.
#pragma once

#include <ikra/command.hpp>
#include <ikra/generated/device/call.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <typeinfo>
#include <vector>

namespace ikra::rt {

class result_group;

/// A command of a generated section as fusion tables see it.
class section_node {
public:
  virtual section_key key() const = 0;
  virtual const ikra::detail::command_base& as_command() const = 0;
  /// Whether it can still be computed: false once it is, or has failed.
  virtual bool is_open() const = 0;
  /// Of an open command.
  virtual const section_base& captures() const = 0;
  virtual std::size_t sources() const = 0;
  /// The k-th input's command; null unless open.
  virtual ikra::detail::command_base* source(std::size_t k) const = 0;
  /// How many hold the k-th input's command: arrays, and commands that read it.
  virtual long owners_of_source(std::size_t k) const = 0;
  /// Has it computed by itself, in no fused kernel.
  virtual void set_alone() const = 0;
  /// Whether a fused kernel has computed its result and not stored it.
  virtual bool was_passed() const = 0;
  virtual void set_passed() const = 0;
  virtual ikra::detail::erased_input source_buffer(std::size_t k) const = 0;
  /// Shape of the arrays that it works on; an extent is unknown_extent where the input's size is
  /// known only when computed. Empty for reductions, which take any shape.
  virtual std::span<const std::int64_t> extents() const = 0;
  /// What a stencil gives at the border; null where it is no value, and for other commands.
  virtual border_value at_border() const { return {}; }
  /// Adds the arrays that its section captured and that are to be computed.
  virtual void collect_captures(std::vector<ikra::detail::command_base*>& out) const = 0;
  /// Whether it may be computed for parts of the array, one after the other.
  virtual bool may_be_parted() const = 0;
  /// Whether its section captured arrays, which are read whole.
  virtual bool captures_arrays() const = 0;
  /// Whether it runs the user's code on objects as they are, and so in no fused kernel.
  virtual bool runs_in_place() const = 0;
  /// Where its result goes.
  virtual result_place place() = 0;
  /// Its result was computed in the kernel of another command: it gives up its inputs.
  virtual void set_computed_beside() = 0;
  /// Says with which other commands it may be computed. May be called again; the last counts.
  virtual void accompany(std::shared_ptr<result_group> group) = 0;

protected:
  ~section_node() = default;
};

/// Registers what a file knows of a section that other files have too, as long as it lives. A
/// function in a header is the linker's choice of one file's, and so is the table that its section
/// finds by itself: kernels that another file planned are found by the key.
class shared_fusions {
public:
  /// \param table, sequences as section_code has them
  shared_fusions(section_key section, std::span<const fusion> table, const loop* sequences);
  shared_fusions(const shared_fusions&) = delete;
  shared_fusions& operator=(const shared_fusions&) = delete;
  ~shared_fusions();

  std::span<const fusion> table() const { return table_; }
  const loop* sequences() const { return sequences_; }
  const shared_fusions* next() const { return next_.load(std::memory_order_acquire); }

private:
  section_key section_;
  std::span<const fusion> table_;
  const loop* sequences_;
  std::atomic<shared_fusions*> next_ = nullptr; ///< registered before; null at the end
};

/// A tree of commands that a row of a fusion table covers, or a sequence of those of a loop.
class fused_tree {
public:
  /// The first row of \p table that fits the uncomputed commands below \p last, or the sequence of
  /// them that \p sequences covers, if that is longer; or what other files have registered for the
  /// section, if it covers more than that.
  /// \param sequences null where the section is in no loop
  static fused_tree find(std::span<const fusion> table, const loop* sequences, section_node& last);

  /// The first row of \p table that fits these commands.
  static fused_tree find(std::span<const horizontal_fusion> table,
                         std::span<section_node* const> results);

  /// The commands whose results the driver stores. Each stands in front of those that it reads.
  std::span<section_node* const> results() const { return std::span(nodes_).first(results_); }
  /// Says so of the others.
  void note_passed() const;

  explicit operator bool() const { return run_ != nullptr || run_group_ != nullptr; }

  /// Whether the program made all commands in one turn of a loop, or in none.
  bool is_of_one_turn() const;
  /// Has each command computed by itself.
  void set_alone() const;

  /// Whether none of its commands has been computed since it was found.
  bool is_still_open() const;

  /// Adds what has to be computed before.
  void collect_pending(std::vector<ikra::detail::command_base*>& out) const;
  /// Whether all that has to be is computed, and leaves have as many elements as each other and as
  /// the sections' shape says. Where they do not, computing step by step finds the error.
  bool is_ready() const;

  /// The driver: of one result, or of several.
  auto code() const { return run_; }
  auto horizontal_code() const { return run_group_; }
  std::span<const section_base* const> sections() const { return sections_; }
  std::vector<ikra::detail::erased_input> inputs() const;
  /// Which of them nothing reads once the tree is computed, a bit for each.
  std::uint64_t last_uses() const;
  /// What each node gives at the border.
  std::vector<border_value> at_border() const;
  /// The shape of the sections that work place by place.
  std::span<const std::int64_t> extents() const { return extents_; }
  /// Whether all of its commands may be computed for parts of the arrays.
  bool may_be_parted() const;
  /// Whether one of them captured arrays.
  bool captures_arrays() const;

private:
  static fused_tree find_in(std::span<const fusion> table, const loop* sequences,
                            section_node& last);

  struct leaf {
    const section_node* reader = nullptr;
    std::size_t input = 0;
  };

  template <class Row> bool fits(const Row& row, std::span<section_node* const> results);
  bool is_held_between(const fusion& row) const;
  bool has_small_border(const fusion& row) const;
  template <class Row> bool is_stored(const Row& row, std::size_t node) const;
  template <class Row> bool needs_stored(const Row& row, std::size_t results) const;
  bool stores(const fusion& row, section_node& last);
  bool follows(const loop& sequences, section_node& last);
  std::vector<bool> dying() const;
  bool bind(std::size_t node, ikra::detail::command_base* command, section_key key);
  bool has_same_shape(const section_node& node);

  void (*run_)(map_call&) = nullptr;
  void (*run_group_)(horizontal_call&) = nullptr;
  std::size_t results_ = 1;
  bool is_sequence_ = false; ///< of a loop: each holds the next, and nobody else does
  std::vector<section_node*> nodes_;
  std::vector<const ikra::detail::command_base*> commands_; ///< of the nodes
  std::vector<const section_base*> sections_;
  std::vector<leaf> leaves_;
  std::span<const std::int64_t> extents_;
};

} // namespace ikra::rt
