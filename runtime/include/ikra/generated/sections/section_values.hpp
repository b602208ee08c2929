// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that operations make of generated sections. Instead of a loop there is a call of the
// section's driver, or of that of a tree of uncomputed sections below it (fusion.hpp). A program
// has hundreds of sections, so nothing here is compiled for each: a command knows its section by a
// constant (section_type), its inputs by their base, and there is one class for each type of
// elements. What it does is in src/section_values.cpp.
#pragma once

#include <ikra/commands.hpp>
#include <ikra/commands_order.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/device/numbers.hpp>
#include <ikra/generated/sections/fusion.hpp>
#include <ikra/generated/sections/user_code.hpp>
#include <ikra/index.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ikra {
template <class T, int R> class array;
namespace rt {
class whole_arrays;
}
} // namespace ikra

namespace ikra::detail {

/// Where the keys of preduce_by_key's runs go.
class key_receiver {
public:
  virtual ~key_receiver() = default;
  /// Asks the call for them, if somebody waits for them.
  virtual void ask(map_call& call) = 0;
  /// Hands on what the call found.
  virtual void deliver() = 0;
};

template <class Key> class found_key_receiver final : public key_receiver {
public:
  explicit found_key_receiver(std::shared_ptr<found_keys<Key>> found) : found_(std::move(found)) {}

  void ask(map_call& call) override {
    are_wanted_ = found_.use_count() > 1; // by the command of the keys
    if (are_wanted_)
      call.set_keys(keys_);
  }
  void deliver() override {
    if (are_wanted_)
      found_->put(std::move(keys_));
  }

private:
  std::shared_ptr<found_keys<Key>> found_;
  buffer<Key> keys_;
  bool are_wanted_ = false;
};

/// Whether values of a type cannot lead to objects: numbers, containers and tuples of them, and
/// value classes, which kernels know and which hold none.
template <class T> inline constexpr bool holds_no_pointers = !std::is_pointer_v<T>;
template <class... T>
inline constexpr bool holds_no_pointers<std::tuple<T...>> = (holds_no_pointers<T> && ...);
template <class A, class B>
inline constexpr bool holds_no_pointers<std::pair<A, B>> =
    holds_no_pointers<A> && holds_no_pointers<B>;
template <class T, std::size_t N>
inline constexpr bool holds_no_pointers<std::array<T, N>> = holds_no_pointers<T>;

/// The same of what a section captures, where a class may be anything.
template <class T>
inline constexpr bool captures_no_pointers = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <int R> inline constexpr bool captures_no_pointers<ikra::index<R>> = true;
template <class T, int R>
inline constexpr bool captures_no_pointers<ikra::array<T, R>> = holds_no_pointers<T>;
template <class T>
inline constexpr bool captures_no_pointers<std::vector<T>> =
    copied_as_bytes<T> && holds_no_pointers<T>;
template <class T, std::size_t N>
inline constexpr bool captures_no_pointers<std::array<T, N>> =
    copied_as_bytes<T> && holds_no_pointers<T>;

/// What is to be copied of a part's result; nothing if it is done.
struct part_copy {
  std::shared_ptr<remote> from; ///< null: nothing
  void* to = nullptr;
  std::size_t bytes = 0;
  void* also = nullptr; ///< a second copy; null: none
};

/// Where elementwise results of parts come together.
struct place_of_parts {
  void* to = nullptr;     ///< host memory of others for all of them; null: none
  bool has_memory = true; ///< memory of their own
};

/// Copies bytes on all cores.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// The results of parts of an array, which become one.
class parted_results {
public:
  virtual ~parted_results() = default;
  /// Where the next part's result goes; what it starts with is what the one before has come to,
  /// if reductions start with a value.
  virtual rt::result_place place() = 0;
  /// The next part is computed. \returns what is to be copied before finish()
  /// \param elements that the part has
  virtual part_copy take(std::size_t elements) = 0;
  /// Makes them the result. \returns whether they still have to be combined: they are input() then
  virtual bool finish() = 0;
  virtual erased_input input() = 0;
  /// What the next part of reduce_by_index goes on with; nothing before the first, and for others.
  virtual std::optional<erased_input> before() = 0;
  /// Says, once it is finished, that so many bytes of results are on a device.
  virtual void also_at(std::shared_ptr<remote> elsewhere, std::size_t bytes) = 0;
};

template <class Out> class parted_results_of final : public parted_results {
public:
  /// \param elements of the whole array \param first what a reduction, or one by index, starts
  /// with; null for others
  parted_results_of(buffer<Out>& result, const operation& what, std::size_t elements,
                    const Out* first, const place_of_parts& where)
      : result_(result), what_(what.what), to_(static_cast<Out*>(where.to)),
        has_memory_(where.has_memory),
        all_(what.what == operation::elementwise && has_memory_ ? elements : 0), left_(elements) {
    if (first != nullptr)
      so_far_.emplace(*first);
  }

  rt::result_place place() override {
    part_ = buffer<Out>();
    return {&part_, &typeid(Out), so_far_ ? std::addressof(*so_far_) : nullptr};
  }
  part_copy take(std::size_t elements) override {
    const buffer<Out> part = std::exchange(part_, buffer<Out>());
    if (what_ == operation::reduce_by_index) {
      of_bins_ = part;
      return {};
    }
    if (so_far_) {
      const Out next = part.data()[0];
      so_far_.emplace(next);
      return {};
    }
    if (part.size() == 0)
      return {};
    void *to = nullptr, *also = nullptr;
    if (what_ == operation::elementwise) {
      to = static_cast<void*>((to_ == nullptr ? all_.data() : to_) + size_);
      if (to_ != nullptr && has_memory_)
        also = static_cast<void*>(all_.data() + size_);
    } else { // whose number is not known before
      if (parts_.empty() || parts_.back().capacity() - parts_.back().size() < part.size())
        parts_.emplace_back(likely_rest(part.size(), elements));
      to = static_cast<void*>(parts_.back().data() + parts_.back().size());
      parts_.back().add_filled(part.size());
    }
    size_ += part.size();
    left_ -= elements;
    const std::size_t bytes = part.size() * sizeof(Out);
    if (!part.on_host())
      return {part.remote(), to, bytes, also};
    copy_bytes(to, part.data(), bytes);
    if (also != nullptr)
      copy_bytes(also, part.data(), bytes);
    return {};
  }
  bool finish() override {
    if (!has_memory_)
      return false;
    if (of_bins_) {
      result_ = *of_bins_;
      return false;
    }
    if (what_ == operation::elementwise) {
      all_.set_filled();
      result_ = buffer<Out>(std::move(all_));
      return false;
    }
    if (what_ == operation::select && parts_.size() == 1 &&
        size_ >= parts_.front().capacity() / 4 * 3) { // it was the whole rest, and little is lost
      result_ = buffer<Out>(std::move(parts_.front()));
      return false;
    }
    room<Out> all(so_far_ ? 1 : size_);
    if (so_far_) {
      all.emplace_back(*so_far_);
    } else {
      std::size_t done = 0;
      for (; !parts_.empty(); parts_.pop_front()) { // each is given up as soon as it is copied
        copy_bytes(static_cast<void*>(all.data() + done), parts_.front().data(),
                   parts_.front().size() * sizeof(Out));
        done += parts_.front().size();
      }
      all.set_filled();
    }
    const bool is_open = what_ == operation::reduce && !so_far_;
    (is_open ? part_ : result_) = buffer<Out>(std::move(all));
    return is_open;
  }
  erased_input input() override { return erased_input(part_); }
  std::optional<erased_input> before() override {
    return of_bins_ ? std::optional(erased_input(*of_bins_)) : std::nullopt;
  }
  void also_at(std::shared_ptr<remote> elsewhere, std::size_t bytes) override {
    const std::size_t size = bytes / sizeof(Out);
    if constexpr (copied_as_bytes<Out>)
      if (!has_memory_ || size == result_.size())
        result_.set_remote(size, std::move(elsewhere));
  }

private:
  /// How many results this part and those after it have if all are as this one, and a few more.
  std::size_t likely_rest(std::size_t results, std::size_t elements) const {
    if (what_ != operation::select)
      return results;
    const double likely = static_cast<double>(results) / static_cast<double>(elements) *
                          static_cast<double>(left_) * 1.05;
    return std::clamp(static_cast<std::size_t>(likely), results, left_);
  }

  buffer<Out>& result_;
  operation::kind what_;
  Out* to_;          ///< see place_of_parts
  bool has_memory_;  ///< likewise
  room<Out> all_;    ///< where there is a result for each element
  std::size_t left_; ///< elements of parts that were not taken
  std::optional<Out> so_far_;
  std::optional<buffer<Out>> of_bins_; ///< results of reduce_by_index so far
  buffer<Out> part_;
  std::deque<room<Out>> parts_;
  std::size_t size_ = 0;
};

/// What a command of a generated section has whatever the type of its elements: a section's driver
/// computes the result, or that of a tree that ends with the section.
class driven_node : public rt::section_node {
public:
  section_key key() const final { return type_->key; }
  bool is_open() const final { return section_ != nullptr; }
  const section_base& captures() const final { return *section_; }
  std::size_t sources() const final { return inputs_.size(); }
  command_base* source(std::size_t k) const final { return inputs_[k].get(); }
  long owners_of_source(std::size_t k) const final { return inputs_[k].use_count(); }
  void set_alone() const final { is_alone_ = true; }
  bool was_passed() const final { return was_passed_; }
  void set_passed() const final { was_passed_ = true; }
  erased_input source_buffer(std::size_t k) const final { return inputs_.result(k); }
  std::span<const std::int64_t> extents() const final {
    return {operation_.shape.data(), operation_.rank};
  }
  rt::border_value at_border() const final;
  bool may_be_parted() const final { return operation_.in_parts && is_apart_; }
  bool captures_arrays() const final { return !captured_.is_empty(); }
  bool runs_in_place() const final;
  void collect_captures(std::vector<command_base*>& out) const final {
    captured_.collect_pending(out);
  }
  rt::result_place place() final { return result_place_; }
  void accompany(std::shared_ptr<rt::result_group> group) final { group_ = std::move(group); }
  /// The commands that it reads, each by itself.
  void collect_direct(std::vector<command_base*>& out);
  void dissolve_group();
  bool is_apart() const { return is_apart_; }
  bool is_harmless() const { return type_->is_speculatable; }
  /// Says that it reads, or gives, what may lead to objects.
  void set_not_apart() { is_apart_ = false; }

  /// Adds an input; the operation's arguments are added in their order.
  template <class T> void add_input(std::shared_ptr<command<T>> input) {
    inputs_.add(std::move(input), &result_of<T>);
  }
  /// Where a recorder notes the arrays that the section holds, when it is made.
  std::vector<std::shared_ptr<command_base>>& captured() { return captured_.noted(); }
  /// Memory where the section is to be made.
  void* room_for_section(std::size_t size, std::size_t alignment);
  /// Takes the section that is there. \param drop destroys it
  void set_section(const section_base* made, void (*drop)(const section_base*)) {
    section_ = made;
    drop_section_ = drop;
  }
  /// Called when it is complete: has the chain of commands below it computed that nobody else holds
  /// and that is longer than a launch takes, or keeps more than a few arrays. A loop of the host
  /// may make any number of them.
  /// \param passing how many hold the first input besides, only while the operation is called
  void shorten_chain(long passing);
  /// Says how the plain library computes the result. \param neighbourhood of a stencil
  void set_user_code(user_code run, std::shared_ptr<const void> neighbourhood = nullptr) {
    user_code_ = run;
    neighbourhood_ = std::move(neighbourhood);
  }
  /// Says how the user's code runs on objects as they are, on all cores.
  void set_code_in_place(make_user_loop make) { code_in_place_ = make; }
  void set_keys(std::unique_ptr<key_receiver> keys) { keys_ = std::move(keys); }

  driven_node(const driven_node&) = delete;
  driven_node& operator=(const driven_node&) = delete;

protected:
  driven_node(const section_type& type, const operation& what) : type_(&type), operation_(what) {}
  ~driven_node();

  void collect_all_pending(std::vector<command_base*>& out);
  void compute_result();
  void release_all(std::vector<std::shared_ptr<command_base>>& out);
  void drop_all();

  /// \param where results of an elementwise operation come together; the default for others
  virtual std::unique_ptr<parted_results> parts(const operation& what, std::size_t elements,
                                                const place_of_parts& where) = 0;
  /// Bytes of an element of the result.
  virtual std::size_t result_bytes() const = 0;

  /// Where the result goes, and the value that the operation was given.
  rt::result_place result_place_;

private:
  /// What a driver is to be called with, but for the output.
  struct driver_call;

  template <class T> static erased_input result_of(command_base& input) {
    return erased_input(static_cast<command<T>&>(input).result());
  }

  bool has_others_computed() const;
  void drop_section();
  const rt::fused_tree& fusion();
  bool compute_fused();
  bool compute_tree(const rt::fused_tree& tree);
  bool compute_storing(const rt::fused_tree& tree);
  void compute_alone();
  void compute_alone(std::span<erased_input> inputs);
  void call_driver(driver_call& call);
  void drive(const driver_call& given);
  void drive(const driver_call& given, const rt::result_place& to);
  bool exceeds_memory(const driver_call& call) const;
  bool is_worth_parts(const driver_call& call) const;
  std::size_t bytes_of_element(const driver_call& call) const;
  std::size_t bytes_of_bins() const;
  bool may_go_straight(const driver_call& call) const;
  void drive_in_parts(const driver_call& call, std::size_t elements);
  void drive_in_parts(const driver_call& call, std::size_t elements, rt::whole_arrays* whole,
                      const place_of_parts& place);
  bool drive_in_parts(const driver_call& call);
  bool drive_beside_copies(const driver_call& call, std::size_t elements);
  void check(const driver_call& call) const;

  const section_type* type_;
  mutable bool was_passed_ = false, is_alone_ = false;
  std::uint32_t chain_ = 0; ///< uncomputed commands that may run early: it, its first input, …
  std::uint32_t kept_ = 0;  ///< those of them that keep other arrays, too
  operation operation_;
  driven_inputs inputs_;
  command_list captured_;                 ///< arrays that the section holds
  const section_base* section_ = nullptr; ///< null: it cannot be computed any more
  void (*drop_section_)(const section_base*) = nullptr;
  alignas(std::max_align_t) std::byte small_section_[48]; ///< where it is, if it fits
  std::unique_ptr<std::byte[]> large_section_;            ///< else
  user_code user_code_ = nullptr;                         ///< null: the section has none
  make_user_loop code_in_place_ = nullptr;                ///< null: likewise
  std::shared_ptr<const void> neighbourhood_;             ///< for the user's code
  std::unique_ptr<key_receiver> keys_;
  bool is_apart_ = true;                    ///< another thread may compute it
  std::shared_ptr<rt::result_group> group_; ///< null: it is computed by itself
  std::unique_ptr<rt::fused_tree> fusion_;  ///< what ends with it, once that was looked for
};

/// A command of a generated section.
template <class Out> class driven_command final : public command<Out>, public driven_node {
public:
  /// \param value what a reduction or a scan starts with, or what a stencil gives where a neighbour
  /// lies outside
  driven_command(const section_type& type, const operation& what, std::optional<Out> value)
      : driven_node(type, what), value_(std::move(value)) {
    this->result_place_ = {&this->result_, &typeid(Out),
                           value_ ? std::addressof(*value_) : nullptr};
  }

  void collect_pending(std::vector<command_base*>& out) override { collect_all_pending(out); }
  void collect_inputs(std::vector<command_base*>& out) override { collect_direct(out); }
  bool may_run_apart() const override { return this->is_apart(); }
  bool is_speculatable() const override { return this->is_harmless(); }
  void leave_group() override { this->dissolve_group(); }
  void compute() override { compute_result(); }
  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    release_all(out);
  }
  rt::section_node* as_section() override { return this; }
  const command_base& as_command() const override { return *this; }
  void set_computed_beside() override {
    this->set_computed();
    drop_all();
  }

private:
  std::unique_ptr<parted_results> parts(const operation& what, std::size_t elements,
                                        const place_of_parts& where) override {
    const bool starts = what.what == operation::reduce || what.what == operation::reduce_by_index;
    const Out* const first = starts && value_ ? &*value_ : nullptr;
    return std::make_unique<parted_results_of<Out>>(this->result_, what, elements, first, where);
  }
  std::size_t result_bytes() const override { return sizeof(Out); }

  std::optional<Out> value_;
};

/// A new command without its section and inputs.
template <class Out>
std::shared_ptr<driven_command<Out>> new_driven(const section_type& type, const operation& what,
                                                std::optional<Out> value) {
  return std::make_shared<driven_command<Out>>(type, what, std::move(value));
}
// Most commands are of numbers: the runtime has theirs, which took a tenth of the time that a
// program's file takes to compile.
#define IKRA_NEW_DRIVEN(T)                                                                         \
  extern template std::shared_ptr<driven_command<T>> new_driven(                                   \
      const section_type&, const operation&, std::optional<T>);
IKRA_FOR_NUMBERS(IKRA_NEW_DRIVEN)
#undef IKRA_NEW_DRIVEN

/// A new command without its section.
template <class Out, class... In>
std::shared_ptr<driven_command<Out>> make_driven(const section_type& type, const operation& what,
                                                 std::optional<Out> value = std::nullopt,
                                                 std::shared_ptr<command<In>>... inputs) {
  std::shared_ptr<driven_command<Out>> node = new_driven<Out>(type, what, std::move(value));
  if constexpr (!(holds_no_pointers<Out> && ... && holds_no_pointers<In>))
    node->set_not_apart();
  (node->add_input(std::move(inputs)), ...);
  return node;
}

} // namespace ikra::detail
