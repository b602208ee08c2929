// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of turns (ikra/generated/turns/turns.hpp), whatever their types: counted buffers, handles
// to them, and what is kept of a loop when it has ended. A graph has its addresses in it, so it
// runs again only with the same ones.
#pragma once

#include <ikra/array.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/session/session_base.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace ikra::rt {

/// Memory that nobody else has: a device's, or a vector's. Neither: there is none.
struct sole_memory {
  device_memory* own = nullptr;
  std::shared_ptr<const void> of_vector;
};

/// Memory of one array in a turn.
struct turn_buffer {
  device_memory memory; ///< none: the elements are others', and never written
  const void* data = nullptr;
  std::size_t bytes = 0;
  unsigned users = 0;
  /// The array outside that has these elements.
  std::shared_ptr<ikra::detail::command_base> command = nullptr;
  /// Has the elements, where memory is a vector's.
  std::shared_ptr<const void> owner = nullptr;
  /// Finds the memory of the command's elements, which may become the buffer's; null: they stay.
  sole_memory (*memory_of)(ikra::detail::command_base& of, const device& where) = nullptr;
};

/// The memory of a command's elements, if this command alone has them.
template <class T> sole_memory sole_memory_of(ikra::detail::command_base& of, const device& where) {
  const ikra::detail::buffer<T>& from = static_cast<ikra::detail::command<T>&>(of).result();
  if (where.is_cuda()) {
    auto* const there = dynamic_cast<device_elements*>(from.sole_remote());
    return {there == nullptr ? nullptr : &there->own_memory(), nullptr};
  }
  const std::shared_ptr<const T>* const owner = from.sole_host_owner();
  if (owner == nullptr)
    return {};
  if (auto* const there = std::get_deleter<host_elements_owner>(*owner))
    return {&there->memory, nullptr};
  return {nullptr, std::get_deleter<ikra::detail::vector_owner<T>>(*owner) == nullptr
                       ? nullptr
                       : std::shared_ptr<const void>(*owner)};
}

/// What a loop's turns run with: memory, and on a GPU the graph. Kept after the loop, for when its
/// statement runs again over arrays that lie in the same places.
struct turn_frame {
  std::deque<turn_buffer> buffers; ///< their addresses stay
  std::vector<turn_buffer*> free;
  std::vector<turn_buffer*> foreign;
  device_memory state;             ///< the scalars
  std::deque<device_memory> parts; ///< one number each, of loops in loops
  /// Where the variables that the loop sets are at first; null: nowhere.
  std::vector<turn_buffer*> starts;
  /// Where they are in the end, by the part of the loop's body that ran last.
  std::vector<std::vector<turn_buffer*>> ends;
  std::unique_ptr<graph_recorder> recorder;
};

/// The array that a variable holds after a loop, but for its elements. Made before the first turn:
/// after it there may be no memory, and the loop cannot run as written any more.
template <class T> class turn_result {
public:
  turn_result(bool is_on_gpu, const section_info& section)
      : command_(ikra::detail::held(
            new ikra::detail::value_command<T>(ikra::detail::buffer<T>::unfilled()))) {
    if (is_on_gpu)
      there_ = std::make_shared<device_elements>(device_memory(), section);
    else
      here_ = std::shared_ptr<const T>(static_cast<const T*>(nullptr), host_elements_owner{});
  }
  /// \param elements of the buffer, whose memory becomes the array's
  std::shared_ptr<ikra::detail::command<T>> take(turn_buffer& of, std::size_t elements) noexcept {
    ikra::detail::buffer<T>& result = command_->result();
    const auto* const data = static_cast<const T*>(of.data);
    if (there_ != nullptr) {
      there_->own_memory() = std::move(of.memory);
      result.fill(elements, nullptr, std::move(there_));
    } else if (of.owner != nullptr) {
      result.fill(elements, std::shared_ptr<const T>(of.owner, data), nullptr);
    } else {
      std::get_deleter<host_elements_owner>(here_)->memory = std::move(of.memory);
      result.fill(elements, std::shared_ptr<const T>(std::move(here_), data), nullptr);
    }
    return std::move(command_);
  }

private:
  std::shared_ptr<ikra::detail::command<T>> command_;
  std::shared_ptr<device_elements> there_;
  std::shared_ptr<const T> here_; ///< has no elements yet
};

/// Whether a command, and all that it needs, may be computed though the program may never ask for
/// it.
bool is_speculatable(ikra::detail::command_base& root);

/// What all turns do, whatever their types.
class turn_base {
public:
  turn_base(const turn_base&) = delete;
  turn_base& operator=(const turn_base&) = delete;

  /// Variables and results hold so many buffers of so many bytes at most. Where that is said, the
  /// loop never runs as written after its first turn, unless memory does not suffice.
  void expect(std::size_t bytes, int buffers);
  /// \returns a buffer that nobody uses. \throws ikra::error of kind out_of_memory
  turn_buffer* take(std::size_t bytes);
  /// One user less: without any, the next take() may give it out.
  void release(turn_buffer* of) noexcept;
  /// One user more of a buffer that may have none.
  void hold(turn_buffer* of) noexcept;

protected:
  turn_base(const section_info& section, bool has_kernels);
  ~turn_base();

  device& where() const { return *device_; }
  const section_info& section() const { return *section_; }
  /// Where launches go.
  void* stream() const { return frame_->recorder ? frame_->recorder->stream() : device_->stream(); }
  bool records() const { return device_->is_cuda(); }
  graph_recorder& recorder() { return *frame_->recorder; }
  turn_frame& frame() { return *frame_; }

  /// One more number that the graph depends on: a place, a size.
  void depends_on(std::uint64_t number) { key_.push_back(number); }
  /// Takes the frame of an earlier run, if one is kept that depends on the same; else begins to
  /// record. \returns whether it took one
  bool take_kept();
  /// Whether the frame is small enough to be kept. It is from here on.
  bool keep();
  bool keeps() const { return keeps_; }

  /// Elements that stay as they are, as long as the loop may run as written.
  turn_buffer* foreign(const void* data, std::size_t bytes,
                       std::shared_ptr<ikra::detail::command_base> command);
  /// Makes the memory of a variable's elements the buffer's own, before a graph is recorded that
  /// writes to it. \returns false where somebody else may read them, or the graph may be kept
  bool take_over(turn_buffer& of);
  template <class T> const void* elements_of(ikra::detail::buffer<T>& from) {
    if (!where().is_cuda() || from.size() == 0)
      return from.data();
    if (const void* there = on_device(from.remote().get()))
      return there;
    device_memory memory(where(), from.size() * sizeof(T), "input array", section());
    where().upload(memory.data(), from.data(), memory.bytes(), section());
    const void* result = memory.data();
    from.set_remote(from.size(), std::make_shared<device_elements>(std::move(memory), section()));
    return result;
  }
  /// Where steps run: in the graph, where it is recorded.
  void copy(turn_buffer& to, const turn_buffer& from);
  /// Here and now.
  void copy_at_once(void* to, const turn_buffer& from);
  /// Ends recording: runs the graph and waits.
  void run_graph();

private:
  /// What expect() says of buffers of one size.
  struct expected {
    std::size_t bytes;
    int buffers;
  };
  /// Memory that is the graph's until it has run, or has failed to.
  struct lent {
    turn_buffer* to;
    std::shared_ptr<ikra::detail::command_base> command;
    device_memory* from;
  };
  sole_memory found_memory(const turn_buffer& of) const;
  turn_buffer* given_up(std::size_t bytes);
  const void* on_device(const ikra::detail::remote* place) const;

  const section_info* section_;
  device* device_;
  std::vector<std::uint64_t> key_;
  std::unique_ptr<turn_frame> frame_;
  std::unique_ptr<turn_frame>
      unused_; ///< what arrays were added to before an earlier one was taken
  std::vector<expected> expected_;
  std::vector<lent> lent_;
  bool keeps_ = false;
};

/// Arrays of one shape, whatever that is: what reads several at one place has them in one space.
/// \tparam R its rank
template <int R> struct turn_space {
  index<R> shape{};
  std::uint64_t n = 0; ///< elements
  bool is_known = false;
};

/// A variable that holds an array, or a command's result.
// Assignment takes its right side by value, so it moves, too.
template <class T> class turn_array { // NOLINT(cppcoreguidelines-special-member-functions)
public:
  turn_array() = default;
  turn_array(turn_base& owner, turn_buffer* held) : owner_(&owner), held_(held) {
    owner_->hold(held_);
  }
  /// Holds nothing yet. \param elements of what it will hold
  explicit turn_array(std::uint64_t elements) : elements_(elements) {}
  turn_array(const turn_array& other)
      : owner_(other.owner_), held_(other.held_), elements_(other.elements_) {
    if (held_ != nullptr)
      ++held_->users;
  }
  turn_array(turn_array&& other) noexcept
      : owner_(other.owner_), held_(std::exchange(other.held_, nullptr)),
        elements_(other.elements_) {}
  turn_array& operator=(turn_array other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(held_, other.held_);
    elements_ = elements();
    return *this;
  }
  ~turn_array() {
    if (held_ != nullptr)
      owner_->release(held_);
  }

  turn_buffer* held() const { return held_; }
  const T* data() const { return static_cast<const T*>(held_->data); }
  std::uint64_t elements() const { return held_ == nullptr ? elements_ : held_->bytes / sizeof(T); }

private:
  turn_base* owner_ = nullptr;
  turn_buffer* held_ = nullptr;
  std::uint64_t elements_ = 0;
};

/// A captured array as bodies have it. \{
template <class T> list<const T> view_of(const turn_array<T>& of) {
  return {of.data(), of.elements()};
}
template <class T, int R> grid<T, R> view_of(const turn_array<T>& of, const index<R>& shape) {
  return {view_of(of), shape};
}
/// \}

} // namespace ikra::rt
