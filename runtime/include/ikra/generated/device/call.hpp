// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver of a section is given when the section runs: the captures, the inputs, and for
// lazy operations the place of the output. Types are erased here, because the command is made in
// the user's text and the driver stands in the epilogue; the driver names them again, and a
// mismatch is an error, not undefined behaviour.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/error.hpp>
#include <ikra/generated/device/numbers.hpp>
#include <ikra/null_guard.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace ikra {

namespace rt {
class shared_fusions;
}

namespace detail {
/// What a section's key points to.
struct section_identity {
  /// Where the section is in several files, the last registered of what they know of it.
  std::atomic<rt::shared_fusions*> shared = nullptr;
};
template <class Tag> inline constinit section_identity identity_of{};
} // namespace detail

/// Identity of a section, the same in all translation units.
struct section_key {
  detail::section_identity* id = nullptr;
  friend constexpr bool operator==(section_key, section_key) = default;
};

/// Specialised by emitted code for sections in headers, whose tags differ from file to file.
template <class Tag> inline constexpr section_key key_of{&detail::identity_of<Tag>};

/// Stands for the tags of a section that several files have. \tparam Name of the section, as a hash
/// \tparam T arguments of the templates around it
template <std::uint64_t Name, class... T> struct section_of_files;

/// A section with its captures; see section.hpp for the class that holds them.
class section_base {
public:
  /// \returns address of the k-th value given to make_section.
  const void* capture(std::size_t k) const { return find_(*this, k); }
  section_key key() const { return key_; }

protected:
  // No virtual functions: a table and type information for each section would have to be compiled.
  using finder = const void* (*)(const section_base&, std::size_t);

  section_base(section_key key, finder find) : key_(key), find_(find) {}
  section_base(const section_base&) = default;
  section_base(section_base&&) = default;
  section_base& operator=(const section_base&) = default;
  section_base& operator=(section_base&&) = default;
  ~section_base() = default;

private:
  section_key key_;
  finder find_; ///< the k-th capture of a section of its class
};

/// The captures of one section of a fused tree.
class node_captures {
public:
  explicit node_captures(const section_base& section) : section_(&section) {}

  template <class T> const T& capture(std::size_t k) const {
    return *static_cast<const T*>(section_->capture(k));
  }
  section_key key() const { return section_->key(); }

private:
  const section_base* section_;
};

namespace detail {

/// \throws error of kind unsupported: emitted code names another type than the user's text has.
[[noreturn]] inline void types_differ(const char* what, const std::type_info& generated,
                                      const std::type_info& actual) {
  throw error(error_kind::unsupported, std::string("ikra: generated code ") + what + " of type " +
                                           generated.name() + ", and they are of type " +
                                           actual.name() + "; build all files with one ikrac");
}

struct input_part;

/// An input of a call, with its element type erased.
class erased_input {
public:
  /// None yet.
  erased_input() = default;
  template <class T> explicit erased_input(buffer<T>& input);

  std::size_t size() const { return size_; }
  /// The elements in host memory.
  const void* data() const { return ops_->data(buffer_); }
  std::size_t element_bytes() const { return bytes_; }
  /// Elements in host memory, which are brought there and not copied, as an input of their own.
  input_part part(std::size_t first, std::size_t count) const;
  /// Gives up copies elsewhere of what is in host memory.
  void forget_remote() const { ops_->forget(buffer_); }
  /// Whether they are in host memory alone.
  bool is_only_on_host() const { return ops_->is_only_on_host(buffer_); }
  /// Says where else they are.
  void also_at(std::shared_ptr<remote> elsewhere) const {
    ops_->also_at(buffer_, std::move(elsewhere));
  }
  /// buffer::notes().
  pointer_notes* notes() const { return ops_->notes(buffer_); }
  /// Class that elements are declared to point to, without const; null where elements are not
  /// pointers.
  const std::type_info* pointee() const { return pointee_; }

  template <class T> buffer<T>& get() const {
    if (typeid(T) != *type_)
      types_differ("reads elements", typeid(T), *type_);
    return *static_cast<buffer<T>*>(buffer_);
  }

private:
  struct ops {
    const void* (*data)(const void*);
    input_part (*part)(const void*, std::size_t, std::size_t);
    void (*forget)(const void*);
    bool (*is_only_on_host)(const void*);
    void (*also_at)(void*, std::shared_ptr<remote>);
    pointer_notes* (*notes)(const void*);
  };
  template <class T> static const void* host_data(const void* b) {
    return static_cast<const buffer<T>*>(b)->data();
  }
  template <class T> static input_part part_of(const void* b, std::size_t first, std::size_t count);
  template <class T> static void forget(const void* b) {
    static_cast<const buffer<T>*>(b)->forget_remote();
  }
  template <class T> static bool is_on_host(const void* b) {
    return static_cast<const buffer<T>*>(b)->remote() == nullptr;
  }
  template <class T> static void set_remote(void* b, std::shared_ptr<remote> elsewhere) {
    if constexpr (copied_as_bytes<T>)
      static_cast<buffer<T>*>(b)->set_remote(static_cast<buffer<T>*>(b)->size(),
                                             std::move(elsewhere));
  }
  template <class T> static pointer_notes* notes_of(const void* b) {
    return static_cast<const buffer<T>*>(b)->notes();
  }
  template <class T>
  static constexpr ops ops_of{&host_data<T>,  &part_of<T>,    &forget<T>,
                              &is_on_host<T>, &set_remote<T>, &notes_of<T>};

  void* buffer_ = nullptr;
  const std::type_info* type_ = nullptr;
  const std::type_info* pointee_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  const ops* ops_ = nullptr;
};

/// A part of an input, with what keeps it.
struct input_part {
  std::shared_ptr<void> keep;
  erased_input input;
};

inline input_part erased_input::part(std::size_t first, std::size_t count) const {
  return ops_->part(buffer_, first, count);
}
template <class T>
input_part erased_input::part_of(const void* b, std::size_t first, std::size_t count) {
  auto* const made = new buffer<T>(static_cast<const buffer<T>*>(b)->part(first, count));
  return {std::shared_ptr<void>(made, [](void* p) { delete static_cast<buffer<T>*>(p); }),
          erased_input(*made)};
}
template <class T>
erased_input::erased_input(buffer<T>& input)
    : buffer_(&input), type_(&typeid(T)), size_(input.size()), bytes_(sizeof(T)), ops_(&ops_of<T>) {
  if constexpr (std::is_pointer_v<T>)
    pointee_ = &typeid(std::remove_pointer_t<T>);
}
// Most inputs are numbers: the runtime has their functions.
#define IKRA_ERASED_INPUT(T) extern template erased_input::erased_input(buffer<T>&);
IKRA_FOR_NUMBERS(IKRA_ERASED_INPUT)
#undef IKRA_ERASED_INPUT

} // namespace detail

namespace rt {

/// A value whose type is erased: what a stencil gives at the border.
struct border_value {
  const void* value = nullptr;
  const std::type_info* type = nullptr;
};

/// Tells whether the classes of objects are known.
class class_check {
public:
  virtual ~class_check() = default;
  /// Of element i of the k-th input.
  virtual bool knows(std::size_t k, std::int64_t i) const = 0;
};

/// Operations of code that loops or calls itself.
inline constexpr unsigned unbounded = ~0U;

/// What such code may do with objects.
enum objects_used : unsigned {
  of_known_classes = 0, ///< runs virtual methods of its elements
  of_any_class = 1,     ///< runs the same code for all classes that there can be
  elements_alone = 3,   ///< that, and it dereferences nothing but its elements
};

/// Thrown by a run of the user's code: at(), value() or get() failed at this element.
struct code_failed_at {
  std::int64_t element;
};

/// The least element at which one failed, on any thread.
class first_failure {
public:
  void note(std::int64_t element) {
    std::int64_t least = least_.load(std::memory_order_relaxed);
    while (element < least &&
           !least_.compare_exchange_weak(least, element, std::memory_order_relaxed))
      ;
  }
  bool is_there() const { return element() != none; }
  /// The greatest number there is where none failed.
  std::int64_t element() const { return least_.load(std::memory_order_relaxed); }

private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> least_{none};
};

/// The code of a section over objects as the user wrote it, on the objects as they are.
class user_loop {
public:
  virtual ~user_loop() = default;
  /// Whether a null pointer that the code dereferences is found.
  const bool finds_null = ikra::detail::finds_nulls;
  /// Whether it may dereference one. Said before all runs.
  bool may_meet_null = true;
  /// Noted by who calls run().
  mutable first_failure failure;
  /// Whether a reduction starts with null.
  virtual bool starts_with_null() const { return false; }
  /// Whether the result may depend on which elements run together.
  virtual bool depends_on_parts() const { return false; }
  /// Whether finish() runs the code, and run() looks at classes alone.
  virtual bool runs_at_finish() const { return false; }
  /// Called once, before all runs: what the code captured is computed.
  virtual void prepare() = 0;
  /// Runs the code for elements [begin, end); on several threads at a time. \param check null where
  /// classes are known \returns end, or the first element of an unknown class: it has not run
  /// \throws code_failed_at
  virtual std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t tick,
                           const class_check* check) const = 0;
  /// Called once, after all runs: gives the results. \throws code_failed_at
  virtual void finish() {}
};

/// What both kinds of calls have.
class call_base {
public:
  /// All that is given is kept as a reference for as long as the call lasts.
  /// \param sections sections of a fused tree in the order of its nodes; one section where nothing
  /// is fused.
  /// \param inputs arrays, in the order of the operation's arguments; none for pnew.
  /// \param shape  extents of the array, outermost first.
  call_base(std::span<const section_base* const> sections,
            std::span<const ikra::detail::erased_input> inputs, std::span<const std::int64_t> shape)
      : sections_(sections), inputs_(inputs), shape_(shape), whole_shape_(shape) {}

  /// \returns the k-th value given to make_section (of the last section of a fused tree).
  template <class T> const T& capture(std::size_t k) const { return node(0).capture<T>(k); }
  /// \returns the captures of a node of a fused tree: 0 is the last section.
  node_captures node(std::size_t k) const { return node_captures(*sections_[k]); }

  std::size_t nodes() const { return sections_.size(); }

  /// Number of arrays that are read; none for pnew.
  std::size_t inputs() const { return inputs_.size(); }
  /// The k-th array that the operation has; 0 is the one that it is called on.
  const ikra::detail::erased_input& input(std::size_t k = 0) const { return inputs_[k]; }
  std::span<const std::int64_t> shape() const { return shape_; }
  /// The place of the inputs' first element in an array of which they are a part, and its shape. \{
  std::uint64_t first() const { return first_; }
  std::span<const std::int64_t> whole_shape() const { return whole_shape_; }
  void set_part(std::uint64_t first, std::span<const std::int64_t> whole_shape) {
    first_ = first;
    whole_shape_ = whole_shape;
  }
  /// \}

  /// The user's code, where the section has it; else null.
  user_loop* in_place() const { return in_place_; }
  void set_in_place(user_loop& code) { in_place_ = &code; }

private:
  std::span<const section_base* const> sections_;
  std::span<const ikra::detail::erased_input> inputs_;
  std::span<const std::int64_t> shape_, whole_shape_;
  std::uint64_t first_ = 0;
  user_loop* in_place_ = nullptr;
};

} // namespace rt

namespace rt {

/// Where the result of one command goes, with types erased.
struct result_place {
  void* buffer = nullptr; ///< an ikra::detail::buffer of elements of the type
  const std::type_info* type = nullptr;
  const void* initial = nullptr; ///< of that type: what preduce(init, f) starts with; else null
};

} // namespace rt

/// A call of a lazy operation: pmap, pcombine, pnew, pstencil, preduce, pselect, pscan, …
class map_call : public rt::call_base {
public:
  map_call(std::span<const section_base* const> sections,
           std::span<const detail::erased_input> inputs, std::span<const std::int64_t> shape,
           const rt::result_place& result)
      : call_base(sections, inputs, shape), output_(result.buffer), type_(result.type),
        initial_(result.initial) {}

  /// Where the result goes.
  template <class Out> detail::buffer<Out>& output() const {
    if (typeid(Out) != *type_)
      detail::types_differ("writes elements", typeid(Out), *type_);
    return *static_cast<detail::buffer<Out>*>(output_);
  }

  /// Whether the reduction starts with something.
  bool has_initial() const { return initial_ != nullptr; }
  /// What it starts with; only where preduce was given something.
  template <class Out> const Out& initial() const {
    if (typeid(Out) != *type_)
      detail::types_differ("starts with values", typeid(Out), *type_);
    return *static_cast<const Out*>(initial_);
  }

  /// Whether a scan leaves each element out of its result; only where there is a first value.
  bool exclusive() const { return exclusive_; }
  void set_exclusive(bool exclusive) { exclusive_ = exclusive; }

  /// Where the keys of preduce_by_key's runs go; null where nobody asks for them.
  template <class Key> detail::buffer<Key>* keys() const {
    if (keys_ != nullptr && typeid(Key) != *keys_type_)
      detail::types_differ("writes keys", typeid(Key), *keys_type_);
    return static_cast<detail::buffer<Key>*>(keys_);
  }
  template <class Key> void set_keys(detail::buffer<Key>& keys) {
    keys_ = &keys;
    keys_type_ = &typeid(Key);
  }

  /// Memory of the host for elementwise results of so many bytes together, whose place it is to
  /// become; null: it is to be taken from the device.
  void* room(std::size_t bytes) const { return bytes == room_bytes_ ? room_ : nullptr; }
  void set_room(void* memory, std::size_t bytes) {
    room_ = memory;
    room_bytes_ = bytes;
  }

  /// The dimension along which preduce_axis combines.
  int axis() const { return axis_; }
  void set_axis(int axis) { axis_ = axis; }

  /// The number of keys of reduce_by_index.
  std::int64_t bins() const { return bins_; }
  void set_bins(std::int64_t bins) { bins_ = bins; }
  /// What a stencil, the k-th node, gives where a neighbour lies outside; only where pstencil was
  /// given a value.
  template <class Out> const Out& outside(std::size_t k = 0) const {
    if (typeid(Out) != *borders_[k].type)
      detail::types_differ("has values at the border", typeid(Out), *borders_[k].type);
    return *static_cast<const Out*>(borders_[k].value);
  }
  /// Says what they give. \param borders one for each node, null for those that are no stencils or
  /// have no value there; kept as a reference
  void set_borders(std::span<const rt::border_value> borders) { borders_ = borders; }

  /// Whether nothing reads the k-th input's elements after this call: an elementwise result may
  /// take their memory.
  bool is_last_use(std::size_t k) const { return k < 64 && ((last_uses_ >> k) & 1) != 0; }
  /// \param inputs a bit for each
  void set_last_uses(std::uint64_t inputs) { last_uses_ = inputs; }

private:
  void* output_;
  const std::type_info* type_;
  const void* initial_ = nullptr;
  std::uint64_t last_uses_ = 0;
  std::span<const rt::border_value> borders_;
  void* keys_ = nullptr;
  const std::type_info* keys_type_ = nullptr;
  bool exclusive_ = false;
  int axis_ = 0;
  std::int64_t bins_ = 0;
  void* room_ = nullptr;
  std::size_t room_bytes_ = 0;
};

/// A call of peach.
class peach_call : public rt::call_base {
public:
  peach_call(std::span<const section_base* const> sections,
             std::span<const detail::erased_input> inputs, std::span<const std::int64_t> shape,
             std::int64_t ticks)
      : call_base(sections, inputs, shape), ticks_(ticks) {}

  /// Number of times that the section runs for each element; 1 where the user gave none.
  std::int64_t ticks() const { return ticks_; }

private:
  std::int64_t ticks_;
};

/// A call that computes the results of several commands.
class horizontal_call : public rt::call_base {
public:
  horizontal_call(std::span<const section_base* const> sections,
                  std::span<const detail::erased_input> inputs, std::span<const std::int64_t> shape,
                  std::span<const rt::result_place> results)
      : call_base(sections, inputs, shape), results_(results) {}

  /// Where the k-th result goes.
  template <class Out> detail::buffer<Out>& output(std::size_t k) const {
    if (typeid(Out) != *results_[k].type)
      detail::types_differ("writes elements", typeid(Out), *results_[k].type);
    return *static_cast<detail::buffer<Out>*>(results_[k].buffer);
  }
  /// What the k-th result, a reduction's, starts with; only where preduce was given something.
  template <class Out> const Out& initial(std::size_t k) const {
    if (typeid(Out) != *results_[k].type)
      detail::types_differ("starts with values", typeid(Out), *results_[k].type);
    return *static_cast<const Out*>(results_[k].initial);
  }

private:
  std::span<const rt::result_place> results_;
};

/// What becomes of a section's result that others hold, too: a fused kernel computes it, and they
/// compute it anew, or it is computed once, before, and stored; later: if a fused kernel has
/// computed it before.
enum class when_held : unsigned char {
  anew,
  stored,
  stored_on_cores,
  stored_later,
  stored_later_on_cores
};

/// A section of a fused tree.
struct fusion_node {
  section_key key;
  std::size_t inputs; ///< how many it has
  when_held held = when_held::anew;
};

struct horizontal_fusion;

/// Where a row is taken.
enum class row_device : unsigned char { any, gpu, cores };

/// A row of a fusion table: a tree of sections that has a kernel of its own. Its first node is the
/// section that has the table; all others are uncomputed and stand after what they are inputs of.
/// A section whose result is several inputs is one node.
struct fusion {
  std::span<const fusion_node> nodes;
  /// The inputs of all nodes in turn: k >= 0 is the k-th node, -1 - k the k-th leaf, an array that
  /// is read from memory.
  std::span<const int> inputs;
  std::size_t leaves;
  void (*run)(map_call&);
  /// Only where nobody else holds the results between: what others hold is computed once, for all.
  bool unless_held = false;
  /// The same kernel as it stores what others hold: those nodes that are stored, in their order,
  /// are its first results, and the row's own is the last. Null where they have to be stored
  /// before.
  const horizontal_fusion* storing = nullptr;
  row_device only = row_device::any;
  /// How far several stencils reach in each dimension: all cores compute the border of two together
  /// place by place, which pays where it is small. Empty for other rows.
  std::span<const std::int64_t> footprint = {};
};

/// A row of several results, which are computed in one kernel: they are the first nodes, arrays
/// before reductions. Else like fusion. An array may be an input of the others.
struct horizontal_fusion {
  std::span<const fusion_node> nodes;
  std::span<const int> inputs;
  std::size_t leaves;
  std::size_t results;
  void (*run)(horizontal_call&);
};

/// Specialised by emitted code for each group of arrays that are asked for together:
///   static std::span<const horizontal_fusion> fusions();   // largest first
template <class Tag> struct horizontal_code;

/// Sections that a kernel runs in any sequence: each is the only input of the one after it, and
/// all work on one shape. The call's nodes are the sequence, the last step first.
struct loop {
  std::span<const section_key> sections;
  std::span<const section_key> starts; ///< sections without inputs with which it may begin
  void (*run)(map_call&);
};

/// Specialised by emitted code for each section tag:
///   static void run(map_call&) or run(peach_call&);
///   static std::span<const fusion> fusions();   // only where there are any; largest tree first
///   static const loop* sequences();             // only where the section may be in a loop
///   static constexpr unsigned in_place = 12;    // operations of an element of its own code, or
///                    // rt::unbounded; only where the driver asks the session to run that in place
///   static constexpr bool in_place_alone;       // only where it asks for that on one thread
template <class Tag> struct section_code;

/// What commands of a section have to know of it: one constant for each tag, so that the commands
/// need no code of their own.
struct section_type {
  section_key key;
  void (*run)(map_call&);                 ///< the section's own driver
  std::atomic<void (*)(map_call&)>* last; ///< the driver that ran before (shared_section.hpp)
  std::span<const fusion> (*fusions)() = nullptr; ///< null where there are none
  const loop* (*sequences)() = nullptr;           ///< null where it is in no loop
  /// Whether it may stand in an endless chain, and run though nobody may ever ask for its result.
  bool may_run_early = false;
  bool is_speculatable = false; ///< nobody can tell whether it ran (command_base)
  /// What its driver tells the session, if that may run the user's code on the objects as they are.
  std::optional<unsigned> in_place = {};
  bool in_place_alone = false; ///< on one thread, which a GPU's programs never do
};

namespace detail {

template <class Tag> inline std::atomic<void (*)(map_call&)> last_driver{&section_code<Tag>::run};

template <class Tag> constexpr section_type type_of_section() {
  section_type type{key_of<Tag>, &section_code<Tag>::run, &last_driver<Tag>};
  if constexpr (requires { section_code<Tag>::fusions(); })
    type.fusions = &section_code<Tag>::fusions;
  if constexpr (requires { section_code<Tag>::sequences(); })
    type.sequences = &section_code<Tag>::sequences;
  if constexpr (requires { section_code<Tag>::may_run_early; })
    type.may_run_early = section_code<Tag>::may_run_early;
  if constexpr (requires { section_code<Tag>::is_speculatable; })
    type.is_speculatable = section_code<Tag>::is_speculatable;
  if constexpr (requires { section_code<Tag>::in_place; })
    type.in_place = section_code<Tag>::in_place;
  if constexpr (requires { section_code<Tag>::in_place_alone; })
    type.in_place_alone = section_code<Tag>::in_place_alone;
  return type;
}

} // namespace detail

template <class Tag> inline constexpr section_type type_of = detail::type_of_section<Tag>();

namespace rt {
/// Says that a section in a template was reached by an instantiation that ikrac has not seen.
/// \param tag of the instantiation \param file, line where the section stands
/// \throws ikra::error of kind unsupported
[[noreturn]] void no_instantiation(const std::type_info& tag, const char* file, unsigned line);
} // namespace rt

} // namespace ikra
