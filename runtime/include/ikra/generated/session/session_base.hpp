// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session: one run of one section. It picks the device, brings objects and arrays there, launches
// the section's body, and brings back what was written. Here is what does not depend on user types;
// session_values.hpp and session.hpp add the launches.
//
// An exception before finish() leaves all host objects as they were: bodies work on columns, never
// on objects.
#pragma once

#include <ikra/array.hpp>
#include <ikra/buffer.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/language/checked.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/objects/column_numbers.hpp>
#include <ikra/generated/objects/describe.hpp>
#include <ikra/generated/objects/nested_lists.hpp>
#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/generated/objects/root_ids.hpp>
#include <ikra/generated/objects/with_object_ids.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::rt {

/// Elements of an array in device memory.
class device_elements final : public ikra::detail::remote {
public:
  /// \param section that computed them, for messages.
  device_elements(device_memory memory, const section_info& section)
      : memory_(std::move(memory)), section_(&section) {}

  void fetch(void* destination, std::size_t bytes) override;
  /// For work that is queued next.
  const device_memory& memory() const;
  /// The memory, for one that alone has these elements and reads them no more.
  device_memory take() { return std::exchange(memory_, device_memory()); }
  /// The same where it may have to come back.
  device_memory& own_memory() { return memory_; }

private:
  device_memory memory_;
  const section_info* section_;
};

/// What frees elements in memory of the host's device, by which it is found.
struct host_elements_owner {
  device_memory memory;
  void operator()(const void*) const noexcept {} // the memory ends with this object
};

/// \returns the n elements that lie in memory of the host's device.
template <class T> ikra::detail::buffer<T> host_elements(std::size_t n, device_memory memory) {
  const auto* const elements = static_cast<const T*>(memory.data());
  return {n, std::shared_ptr<const T>(elements, host_elements_owner{std::move(memory)})};
}

/// A captured object, as session::root returns it.
struct root_handle {
  std::size_t index;
};

/// A captured value, and the objects that it holds pointers to, as session::held_roots returns it.
template <class Host> struct held_value {
  Host value;
  std::vector<root_handle> roots;
};

/// The objects of a captured container or of an input, as session::roots returns them.
struct root_list {
  std::size_t first, count;
};

/// A captured container of values that hold pointers, as session::held_lists returns it.
template <class Host> struct held_list {
  const Host* data;
  std::size_t count;
  std::vector<root_list> roots; ///< by the pointer's place in a value
};

class home;

/// Which of n elements, pointers, a kernel chose.
class chosen_pointers {
public:
  /// \param flags of the elements, on a device; there until they are copied
  chosen_pointers(const device_memory& flags, std::size_t n, const section_info& section);
  std::size_t count() const { return first_.back(); }
  /// Copies those of n pointers that were chosen, on all cores. \param to room for count() of them
  void copy(const void* from, void* to) const;

private:
  std::unique_ptr<bool[]> brought_; ///< from a GPU
  const bool* is_chosen_;
  std::size_t n_;
  std::vector<std::size_t> first_; ///< by chunk, and how many there are
};

class thread_scopes;

/// A section uses the objects of this thread's scopes: no other thread brings them back meanwhile.
class scopes_in_use {
public:
  scopes_in_use() = default;
  scopes_in_use(const scopes_in_use&) = delete;
  scopes_in_use& operator=(const scopes_in_use&) = delete;
  ~scopes_in_use();

  void begin();

private:
  thread_scopes* of_ = nullptr;
};

/// A columns view with what a variable of the program is on the device: a container's elements, an
/// object's ID.
template <class View, class Of, class T> View with(View view, T Of::* variable, const T& value) {
  view.*variable = value;
  return view;
}

/// What a session does apart from launching.
class session_base {
public:
  session_base(const session_base&) = delete;
  session_base& operator=(const session_base&) = delete;

  /// Says that the input's elements are pointers to objects: the base array.
  template <class References> void base() { set_base(References::ops); }
  /// The same of a further input: a sequence has several base arrays.
  template <class References> void base(std::size_t input) {
    other_bases_.push_back(input_pointers(References::ops, input));
  }

  /// Runs the user's code on the objects as they are, on all cores, if that is cheaper than
  /// columns: no scope holds objects, there are few ticks and, where the device is a GPU, few
  /// operations. Unknown classes, and null elements that the section dereferences, are left to
  /// trace().
  /// \param operations at most so many for an element, in one tick
  /// \returns whether it did \{
  bool runs_in_place(const peach_call& call, unsigned operations = unbounded,
                     objects_used used = of_known_classes);
  bool runs_in_place(const map_call& call, unsigned operations = unbounded,
                     objects_used used = of_known_classes);
  /// \}
  /// The same on this thread alone: virtual functions of other files may run, which ikrac has not
  /// seen. So it has to be cheaper than columns with all cores, by what either took before. \{
  bool runs_alone(const peach_call& call, unsigned operations = unbounded);
  bool runs_alone(const map_call& call, unsigned operations = unbounded);
  /// \}

  /// Says that the k-th input's elements are pointers to objects, or with_object_ids<…>, in
  /// launches over values: bodies are given IDs in place of pointers.
  template <class Elements> void elements(std::size_t k = 0) {
    if constexpr (has_object_ids<Elements>)
      add_with_object_ids(Elements(), k);
    else
      add_elements(Elements::ops, k);
  }

  /// Adds a captured object. \param pointer may be null.
  template <class References> root_handle root(const typename References::static_type* pointer) {
    const auto kept = std::make_shared<const typename References::static_type*>(pointer);
    return {add_roots({{&References::ops, kept.get(), 1}, kept}).first};
  }
  /// Adds what a reduction starts with. \param pointer null is an error where null elements are.
  /// A captured value that holds pointers; after trace(), with_ids() gives it with IDs in their
  /// place.
  template <class Host, class... References>
  held_value<Host> held_roots(with_object_ids<Host, References...>, const Host& value) {
    held_value<Host> result{value, {}};
    detail::each_pointer(value, [&]<class Pointer>(const Pointer& pointer) {
      result.roots.push_back(root<detail::references_of<Pointer, References...>>(pointer));
    });
    return result;
  }
  template <class Host> auto with_ids(const held_value<Host>& of) const {
    auto next = of.roots.begin();
    return detail::rewritten<typename detail::with_ids<Host>::type>(
        of.value, [&]<class>(auto) { return id(*next++); });
  }
  /// The same of a captured container of such values, which stays as it is until finish().
  template <class Named, class... References, class Container>
  auto held_lists(with_object_ids<Named, References...>, const Container& values) {
    using value = std::remove_cvref_t<decltype(*std::data(values))>;
    held_list<value> result{std::data(values), std::size(values), {}};
    for (captured_root& root : held_pointers<value, References...>(result.data, result.count))
      result.roots.push_back(add_roots(std::move(root)));
    return result;
  }
  template <class Named, class... References, class T>
  auto held_lists(with_object_ids<Named, References...>, const ikra::array<T, 1>& values) {
    const std::shared_ptr<ikra::detail::command<T>> elements =
        ikra::detail::array_access::command_of(values);
    ikra::detail::evaluate(*elements);
    kept_.push_back(elements);
    held_list<T> result{elements->result().data(), elements->result().size(), {}};
    for (captured_root& root : held_pointers<T, References...>(result.data, result.count))
      result.roots.push_back(add_roots(std::move(root)));
    return result;
  }
  /// After trace(), with IDs in place of the pointers, on the device.
  template <class Host> auto list_with_ids(const held_list<Host>& of) {
    using element = typename detail::with_ids<Host>::type;
    return list<const element>(values_with_ids(of.data, of.count, of.roots), of.count);
  }
  template <class References> root_handle initial(const typename References::static_type* pointer) {
    const root_handle added = root<References>(pointer);
    initial_ = added;
    return added;
  }

  /// Adds the objects of a captured container of pointers, which is computed first.
  /// \param objects any of them may be null.
  template <class References, class T> root_list roots(const ikra::array<T*, 1>& objects) {
    const std::shared_ptr<ikra::detail::command<T*>> elements =
        ikra::detail::array_access::command_of(objects);
    ikra::detail::evaluate(*elements);
    return add_roots(
        {{&References::ops, elements->result().data(), elements->result().size()}, elements});
  }

  /// The same of one that stays as it is until finish().
  template <class References, class T, class Allocator>
  root_list roots(const std::vector<T, Allocator>& objects) {
    return add_roots({{&References::ops, objects.data(), objects.size()}, nullptr});
  }

  /// The same of a container of containers, of pointers or of objects.
  template <class References, class Lists> root_list nested_roots(const Lists& lists) {
    using type = typename References::static_type;
    std::size_t count = 0;
    for (const auto& list : lists)
      count += std::size(list);
    ikra::detail::room<const type*> flat(count);
    for (const auto& list : lists)
      for (const auto& each : list)
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(each)>>)
          flat.emplace_back(each);
        else
          flat.emplace_back(std::addressof(each));
    const std::shared_ptr<const type* const> pointers = flat.release();
    return add_roots({{&References::ops, pointers.get(), count}, pointers});
  }

  /// Traces the objects, gives IDs, and brings the section's columns to the device.
  /// \throws ikra::error of kind unknown_class, null_element, too_many_objects, out_of_memory;
  /// std::bad_alloc.
  void trace();
  /// The same for several sections that run one after the other. \returns false if they cannot: if
  /// objects could not be traced, or the array has nulls or repeats. Sections on their own can
  /// tell, or do without
  bool traces_sequence();

  rt::columns columns() const { return rt::columns(graph_.get(), place_); }
  object_id id(root_handle root) const { return *root_ids_.at(root.index); }
  /// The IDs of a captured container's objects, or of an input's, on the device; valid until
  /// finish().
  list<const object_id> ids(root_list objects) {
    const object_id* const first = root_ids_.at(objects.first);
    return {static_cast<const object_id*>(captured(first, objects.count * sizeof(object_id))),
            objects.count};
  }
  /// The same of a captured container of containers.
  template <class Lists>
  nested_list<const object_id> nested_ids(root_list objects, const Lists& lists) {
    ikra::detail::room<unsigned char> room = detail::nested_room<object_id>(lists);
    if (objects.count != 0)
      std::memcpy(room.data() + room.size() - objects.count * sizeof(object_id),
                  root_ids_.at(objects.first), objects.count * sizeof(object_id));
    return {static_cast<const object_id*>(captured_room(std::move(room))), std::size(lists)};
  }
  /// Where bodies with checked columns say that they dereferenced null; finish() reads it.
  null_report* nulls();
  /// The same for bodies with plain columns, or none, that call at(). \param stay for launches
  /// whose threads work together
  failure_report failures(bool stay = false) { return {nulls(), stay}; }
  /// The same for checked sections whose elements may write to others.
  failure_report watched_failures();

  /// A captured container, to be read by the body. \returns its elements on the device; valid until
  /// finish().
  template <class T> list<const T> view(const std::vector<T>& values) {
    static_assert(ikra::detail::copied_as_bytes<T>,
                  "captured containers hold trivially copyable values");
    if constexpr (std::is_same_v<T, bool>) {
      const auto bits = std::make_shared<bool[]>(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        bits[i] = values[i];
      kept_.push_back(bits);
      return {static_cast<const bool*>(captured(bits.get(), values.size())), values.size()};
    } else {
      return {static_cast<const T*>(captured_itself(values.data(), values.size() * sizeof(T))),
              values.size()};
    }
  }
  template <class T, std::size_t N> list<const T> view(const std::array<T, N>& values) {
    static_assert(ikra::detail::copied_as_bytes<T>,
                  "captured containers hold trivially copyable values");
    return {static_cast<const T*>(captured_itself(values.data(), N * sizeof(T))), N};
  }
  /// A captured container of containers of values.
  template <class Lists> auto nested_view(const Lists& lists) {
    using value =
        std::remove_cvref_t<decltype(*std::begin(*std::begin(std::declval<const Lists&>())))>;
    static_assert(ikra::detail::copied_as_bytes<value>,
                  "captured containers hold trivially copyable values");
    ikra::detail::room<unsigned char> room = detail::nested_room<value>(lists);
    std::size_t left = 0;
    for (const auto& list : lists)
      left += std::size(list) * sizeof(value);
    for (const auto& list : lists) {
      const std::size_t bytes = std::size(list) * sizeof(value);
      if (bytes != 0)
        std::memcpy(room.data() + room.size() - left, std::addressof(*std::begin(list)), bytes);
      left -= bytes;
    }
    return nested_list<const value>(static_cast<const value*>(captured_room(std::move(room))),
                                    std::size(lists));
  }
  /// A captured value that is too large for a kernel's parameters. \returns its place on the
  /// device; valid until finish().
  template <class T> const T* placed(const T& value) {
    static_assert(ikra::detail::copied_as_bytes<T>, "captured values are copied as bytes");
    return static_cast<const T*>(captured(std::addressof(value), sizeof(T)));
  }
  /// A captured ikra::array, which is computed first: a list of its elements in rank 1.
  template <class T, int R> auto view(const ikra::array<T, R>& values) {
    const std::shared_ptr<ikra::detail::command<T>> elements =
        ikra::detail::array_access::command_of(values);
    ikra::detail::evaluate(*elements);
    kept_.push_back(elements);
    const list<const T> all(device_input(elements->result()), elements->result().size());
    if constexpr (R == 1)
      return all;
    else
      return grid<T, R>(all, values.shape());
  }

  /// Brings written columns back to the objects, or leaves that to the resident scope. Ends the
  /// session.
  /// \throws ikra::error of kind device_error if the body failed on the device, null_element if it
  /// dereferenced null, failed_check if an index given to at() was outside; objects are then as
  /// before.
  void finish();

protected:
  session_base(const layout* plan, const section_info& section, const call_base& call,
               bool has_kernels);
  ~session_base();

  device& where() const { return *device_; }
  const section_info& section() const { return *section_; }

  /// So many that a launch on all cores takes it for few where it is done before others are awake.
  std::uint64_t worth_sharing(std::uint64_t elements) const {
    constexpr std::uint64_t least = std::uint64_t(1) << 19U; // operations: about 20 us
    return work_of_element_ != 0 && elements < least / work_of_element_ ? 0 : elements;
  }

  /// The launch table of a job that needs the place of elements, or puts something there.
  template <class... Classes> launch_table<sizeof...(Classes)> table_of_indices() {
    restore_order();
    auto result = table<Classes...>(true);
    result.positions = element_positions();
    return result;
  }
  /// Where objects stand in the array several times: launches that write them run so many rounds,
  /// one after the other. 0 otherwise.
  std::size_t rounds() const;
  /// What is in a round. \param all the launch table of all elements
  template <class... Classes>
  launch_table<sizeof...(Classes)> part_of(const launch_table<sizeof...(Classes)>& all,
                                           std::size_t round) {
    const unsigned classes[] = {Classes::index...};
    launch_table<sizeof...(Classes)> part = all;
    part.threads = fill_round(classes, round, part.first_thread, part.count);
    return part;
  }
  /// The launch table of a job that is the same for elements in any order. \param ticks that it
  /// runs
  template <class... Classes>
  launch_table<sizeof...(Classes)> table_in_any_order(std::int64_t ticks) {
    allow_any_order(ticks);
    return table<Classes...>(false);
  }

  /// The launch table of a sequence's array. \param array its number among the inputs
  template <class... Classes> launch_table<sizeof...(Classes)> table_of_array(std::size_t array) {
    restore_order();
    return table<Classes...>(false, array == 0 ? base_index_ : other_indices_[array - 1]);
  }

  /// The k-th input's elements with IDs in place of the pointers that they hold, on the device.
  template <class Host, class... References>
  const auto* input_with_ids(with_object_ids<Host, References...>, std::size_t k) {
    const ikra::detail::buffer<Host>& from = call_->input(k).template get<Host>();
    return values_with_ids(from.data(), from.size(), input_roots(k));
  }
  /// The IDs of the k-th input's elements, on the device.
  const object_id* input_ids(std::size_t k);

  /// The input's elements on the device.
  template <class T> const T* device_input(ikra::detail::buffer<T>& input) {
    if (!where().is_cuda() || input.size() == 0)
      return input.data();
    if (const auto* there = on_device(input.remote().get()))
      return static_cast<const T*>(there);
    device_memory memory(where(), bytes_of<T>(input.size()), "input array", section());
    where().upload(memory.data(), input.data(), memory.bytes(), section());
    const auto* result = static_cast<const T*>(memory.data());
    input.set_remote(input.size(), remote_elements(std::move(memory)));
    return result;
  }

  /// The memory of an input's elements that nobody else has, and nothing reads after this launch;
  /// empty if it is not the device's own, or of another size.
  template <class T> device_memory taken(const ikra::detail::buffer<T>& input, std::size_t bytes) {
    if (where().is_cuda()) {
      auto* const there = dynamic_cast<device_elements*>(input.sole_remote());
      return there != nullptr && is_overwritten(there->memory(), bytes) ? there->take()
                                                                        : device_memory();
    }
    const std::shared_ptr<const T>* const owner = input.sole_host_owner();
    auto* const there = owner == nullptr ? nullptr : std::get_deleter<host_elements_owner>(*owner);
    return there != nullptr && is_own(there->memory, bytes)
               ? std::exchange(there->memory, device_memory())
               : device_memory();
  }

  /// Memory for results of so many bytes together.
  device_memory result_memory(std::size_t bytes) const;
  /// Makes n results in result_memory() the output.
  template <class T>
  void give(ikra::detail::buffer<T>& output, std::size_t n, device_memory memory) {
    static_assert(ikra::detail::copied_as_bytes<T>, "results are trivially copyable");
    if (where().is_cuda())
      output.set_remote(n, remote_elements(std::move(memory)));
    else
      output = host_elements<T>(n, std::move(memory));
  }
  /// What lies in memory of the session's device.
  std::shared_ptr<ikra::detail::remote> remote_elements(device_memory memory) const;

  /// \throws ikra::error of kind null_element if the body noted that it dereferenced null, of kind
  /// failed_check if at() failed.
  void check_report();
  /// \throws ikra::error of kind device_error if a call of CUDA's libraries failed.
  /// \param status a cudaError_t
  void check_status(int status, const char* what) const;
  /// \throws ikra::error of kind unsupported if keys do not have numbers of 32 bits
  void check_bins(std::uint64_t bins) const;
  /// Calls run(), a launch on the host over values, and check_report() if a check in it fails.
  template <class Run> void run_on_host(const Run& run) {
    try {
      run();
    } catch (const failed_check& failed) {
      failed_on_host(failed);
    }
  }
  /// What it does then.
  void failed_on_host(const failed_check& failed);

  /// Memory for the IDs of n results.
  device_memory id_memory(std::size_t n) const;
  /// Makes pointers to the objects whose IDs are there the output.
  template <class Pointer, class References>
  void give_pointers(ikra::detail::buffer<Pointer>& output, std::size_t n,
                     const device_memory& memory) {
    const std::vector<object_id> ids = downloaded_ids(n, memory);
    const object_table none{};
    const detail::id_translator<References> objects(traced_objects(none));
    ikra::detail::room<Pointer> pointers(n);
    for (const object_id id : ids)
      pointers.emplace_back(objects.pointer(id));
    output = ikra::detail::buffer<Pointer>(std::move(pointers));
  }

  /// The same for elements that hold pointers: memory, and what becomes of it. \{
  template <class Host> device_memory holding_memory(std::size_t n) const {
    using element = typename detail::with_ids<Host>::type;
    static_assert(ikra::detail::copied_as_bytes<element>, "results are trivially copyable");
    return {where(), bytes_of<element>(n), "results with IDs", section()};
  }
  template <class Host, class... References>
  void give_with_object_ids(with_object_ids<Host, References...>,
                            ikra::detail::buffer<Host>& output, std::size_t n,
                            const device_memory& memory) {
    using element = typename detail::with_ids<Host>::type;
    check_report();
    ikra::detail::room<element> computed(n);
    if (n != 0)
      where().download(computed.data(), memory.data(), memory.bytes(), section());
    const object_table none{};
    const objects_view objects = traced_objects(none);
    const std::tuple translators{detail::id_translator<References>(objects)...};
    ikra::detail::room<Host> results(n);
    for (std::size_t i = 0; i < n; ++i)
      results.emplace_back(
          detail::rewritten<Host>(computed.data()[i], [&]<class Pointer>(object_id id) -> Pointer {
            using references = detail::references_of<Pointer, References...>;
            return std::get<detail::id_translator<references>>(translators).pointer(id);
          }));
    output = ikra::detail::buffer<Host>(std::move(results));
  }
  /// \}

  const call_base& call() const { return *call_; }

  /// The array's shape; in rank 0, where no index is asked for, any.
  template <int R> shape_of_rank<R> shape() const {
    shape_of_rank<R> result;
    for (int d = 0; d < R; ++d)
      result[d] = call().shape()[static_cast<std::size_t>(d)];
    return result;
  }

  /// The same, and where the launch's first element is in it.
  template <int R> placed_shape<R> places() const {
    shape_of_rank<R> whole;
    for (int d = 0; d < R; ++d)
      whole[d] = call().whole_shape()[static_cast<std::size_t>(d)];
    return {whole, R > 0 ? call().first() : 0};
  }
  /// Number of elements of what has no inputs.
  std::size_t size_of_shape() const {
    std::size_t volume = 1;
    for (const std::int64_t extent : call().shape())
      volume *= static_cast<std::size_t>(extent);
    return volume;
  }

private:
  bool is_own(const device_memory& memory, std::size_t bytes) const {
    return memory.owner() == device_ && memory.data() != nullptr && memory.bytes() == bytes &&
           !memory.is_of_others();
  }
  bool is_overwritten(const device_memory& memory, std::size_t bytes) const {
    return is_own(memory, bytes) && device_->may_overwrite(memory.data());
  }

  /// Elements of an input as roots.
  struct element_roots {
    std::size_t input;
    std::size_t root; ///< its place among the roots
    root_list ids;
  };

  template <class Host, class... References>
  void add_with_object_ids(with_object_ids<Host, References...>, std::size_t k) {
    const ikra::detail::buffer<Host>& from = call_->input(k).template get<Host>();
    for (captured_root& root : held_pointers<Host, References...>(from.data(), from.size()))
      add_held(k, std::move(root));
  }
  /// The pointers that n values hold, of one place after the other.
  template <class Host, class... References>
  static std::vector<captured_root> held_pointers(const Host* values, std::size_t n) {
    std::vector<std::pair<const reference_ops*, std::shared_ptr<std::vector<const void*>>>> slots;
    detail::each_place(static_cast<const Host*>(nullptr), 0,
                       [&]<class Pointer>(const Pointer&, std::size_t, bool) {
                         slots.emplace_back(&detail::references_of<Pointer, References...>::ops,
                                            std::make_shared<std::vector<const void*>>(n));
                       });
    for (std::size_t i = 0; i < n; ++i)
      detail::each_place(values + i, 0,
                         [&]<class Pointer>(const Pointer& pointer, std::size_t place, bool) {
                           std::memcpy(slots[place].second->data() + i, &pointer, sizeof pointer);
                         });
    std::vector<captured_root> roots;
    for (const auto& [ops, pointers] : slots)
      roots.push_back({{ops, pointers->data(), n}, pointers});
    return roots;
  }
  /// These values with IDs in place of their pointers, on the device. \param ids by place
  template <class Host>
  const auto* values_with_ids(const Host* from, std::size_t n, const std::vector<root_list>& ids) {
    using element = typename detail::with_ids<Host>::type;
    const auto elements = std::make_shared<std::vector<element>>();
    elements->reserve(n);
    std::vector<std::size_t> places(ids.size()); // of the pointers that are there
    for (std::size_t i = 0; i < n; ++i) {
      auto last = places.begin(), next = places.begin();
      detail::each_place(from + i, 0, [&](const void*, std::size_t place, bool is_there) {
        if (is_there)
          *last++ = place;
      });
      elements->push_back(detail::rewritten<element>(
          from[i], [&]<class>(auto) { return root_ids_.at(ids[*next++].first)[i]; }));
    }
    kept_.push_back(elements);
    return static_cast<const element*>(
        captured(elements->data(), elements->size() * sizeof(element)));
  }
  void add_held(std::size_t input, captured_root pointers);
  bool section_writes() const;
  void leave_other_threads(bool may_write) const;
  std::vector<object_id> downloaded_ids(std::size_t n, const device_memory& memory);
  std::vector<root_list> input_roots(std::size_t input) const;
  void set_base(const reference_ops& ops);
  void add_elements(const reference_ops& ops, std::size_t input);
  root_list add_roots(captured_root roots);
  pointer_source input_pointers(const reference_ops& ops, std::size_t input) const;
  const void* on_device(const ikra::detail::remote* place) const;
  /// The bytes on the device, until finish(). \param data stays as it is until then
  const void* captured(const void* data, std::size_t bytes);
  const void* captured_room(ikra::detail::room<unsigned char> room);
  /// The same of elements that the section holds, or refers to: not of what is made for the launch.
  const void* captured_itself(const void* data, std::size_t bytes);
  void restore_order();
  void allow_any_order(std::int64_t ticks);
  template <class... Classes> launch_table<sizeof...(Classes)> table(bool positions) {
    return table<Classes...>(positions, base_index_);
  }
  template <class... Classes>
  launch_table<sizeof...(Classes)> table(bool positions, std::size_t base) {
    static_assert(sizeof...(Classes) > 0);
    const unsigned classes[] = {Classes::index...};
    launch_table<sizeof...(Classes)> result{};
    result.threads =
        fill_table(classes, positions, base, result.first_thread, result.first_id, result.count);
    result.ids = element_ids(base);
    result.names_elements = names_elements(base);
    return result;
  }
  std::uint64_t fill_table(std::span<const unsigned> classes, bool positions, std::size_t of,
                           std::uint64_t* first_thread, std::uint32_t* first_id,
                           std::uint32_t* count);
  std::uint64_t fill_round(std::span<const unsigned> classes, std::size_t round,
                           std::uint64_t* first_thread, std::uint32_t* count) const;
  std::uint64_t fill_lists(std::span<const unsigned> classes, std::span<const class_list> lists,
                           std::uint64_t* first_thread, std::uint32_t* count) const;
  const object_id* element_ids(std::size_t base) const;
  bool names_elements(std::size_t base) const;
  const std::uint64_t* element_positions() const;
  class input_classes;
  const pointer_source* objects_of(std::size_t input) const;
  bool has_null_elements() const;
  bool may_run_in_place(user_loop& code, objects_used used, bool changes_nothing) const;
  [[noreturn]] void refuse_null_in_place() const;
  [[noreturn]] void refuse_outside(const std::string& where) const;
  [[noreturn]] void refuse_null(const std::string& what) const;
  template <class Run> void run_in_place(const Run& run, bool may_write) const;
  void note_work(unsigned operations, std::int64_t ticks, objects_used used);
  void run_all(const peach_call& call, const user_loop& code, unsigned operations,
               objects_used used);
  bool runs_alone(user_loop* code, std::size_t count, std::int64_t ticks, unsigned operations);
  void note_columns();
  void trace_own(std::span<const unsigned> used);
  void trace_guest();
  void trace_met();
  void trace_once();
  bool trace_several();
  void bring_columns(std::span<const unsigned> used);
  objects_view traced_objects(const object_table& none) const {
    return {graph_ ? graph_->table() : none, place_};
  }
  void refuse_nulls() const;
  std::string failed_element_text(null_report report) const;
  std::string failed_index_text(std::uint64_t number) const;
  std::string place_text(std::uint64_t place) const;
  [[noreturn]] void failed_use(const checked_use& use, const std::string& where) const;

  const layout* plan_;
  const section_info* section_;
  const call_base* call_;
  device* device_;
  std::optional<pointer_source> base_;
  std::vector<captured_root> roots_;
  std::size_t root_count_ = 0; ///< pointers of all roots
  std::vector<element_roots> elements_;
  std::optional<root_handle> initial_;
  scopes_in_use in_use_;
  std::shared_ptr<object_graph> graph_;
  std::shared_ptr<home> home_; ///< of a resident scope; null: the object graph is this session's
  bool traced_anew_ = false;   ///< in it, for this section
  const place_in_merged* place_ = nullptr; ///< of the file in the home, if others use it, too
  std::size_t base_index_ = 0;
  std::vector<pointer_source> other_bases_; ///< of a sequence
  std::vector<std::size_t> other_indices_;
  column_numbers written_; ///< found before the launch, after which nothing may fail
  rt::root_ids root_ids_;
  using clock = std::chrono::steady_clock;
  /// In columns, of a section that follows no references; 0: not known.
  std::uint64_t work_of_element_ = 0;
  /// Whose time in columns is taken.
  struct measured_elements {
    std::size_t count;
    std::int64_t ticks;
  };
  std::optional<measured_elements> measures_;
  clock::time_point start_, traced_, launched_;
  device_memory log_;             ///< of writes, in checked builds
  device_memory report_;          ///< a null_report, where the body may make one
  std::vector<class_list> named_; ///< the launch's classes, where such a report tells the element
  std::vector<device_memory> captured_;
  std::vector<std::shared_ptr<const void>> kept_;
};

} // namespace ikra::rt
