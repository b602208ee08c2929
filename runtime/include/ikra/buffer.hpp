// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// detail::buffer<T>: the elements of a computed array. They lie in host memory, or somewhere else
// (on a device) behind the interface `remote`, from where they are fetched once when the host asks;
// or in both places. The plain library never has a remote; the runtime of generated code does.
// Copying a buffer shares its elements. detail::room<T> is where elements are put while an array is
// being computed.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// Where else the elements of a buffer live.
struct remote {
  remote() = default;
  remote(const remote&) = delete;
  remote& operator=(const remote&) = delete;
  virtual ~remote() = default;

  /// Copies all elements to host memory.
  /// \param destination host memory of \p bytes bytes
  /// \param bytes       size of all elements together
  /// \throws error if the copy fails
  virtual void fetch(void* destination, std::size_t bytes) = 0;
};

/// Types whose values are their bytes. Weaker than std::is_trivially_copyable, which std::tuple is
/// not.
template <class T>
concept copied_as_bytes =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;

/// Where host memory of large results comes from, if not from the system. A runtime keeps what was
/// given back: the system hands memory out page by page, which takes longer than to write it.
struct room_source {
  static constexpr std::size_t smallest = std::size_t(64) << 10; ///< bytes that it is asked for
  static constexpr std::size_t alignment = 256;

  void* (*allocate)(std::size_t bytes) noexcept; ///< \returns null where there is no memory
  void (*deallocate)(void* memory) noexcept;
  void (*copy)(void* to, const void* from, std::size_t bytes) noexcept; ///< on all cores
};
/// Null: there is none. Set before main().
inline constinit const room_source* large_rooms = nullptr;

/// Host memory for a known number of elements, filled from the front. Not std::vector, because bool
/// is stored as bool and elements need no default constructor.
template <class T> class room {
public:
  /// \param capacity number of elements there will be
  /// \throws error of kind out_of_memory
  explicit room(std::size_t capacity)
      : from_(source_for(capacity)), elements_(allocate(from_, capacity)), capacity_(capacity) {}
  room(const room&) = delete;
  room& operator=(const room&) = delete;
  room(room&& other) noexcept
      : from_(other.from_), elements_(std::exchange(other.elements_, nullptr)),
        size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, 0)) {}
  room& operator=(room&&) = delete;
  ~room() {
    if (elements_ != nullptr)
      destroy(from_, elements_, size_, capacity_);
  }

  template <class... Args> void emplace_back(Args&&... args) {
    ::new (static_cast<void*>(elements_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
  }

  /// Memory of all elements, for those who write them in another order; then set_filled().
  T* data() { return elements_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  /// Says that all elements were written through data().
  void set_filled()
    requires copied_as_bytes<T>
  {
    size_ = capacity_;
  }
  /// The same of the next \p count elements.
  void add_filled(std::size_t count)
    requires copied_as_bytes<T>
  {
    size_ += count;
  }

  /// Hands the elements on; the room is empty then.
  std::shared_ptr<const T> release() {
    T* elements = std::exchange(elements_, nullptr);
    return std::shared_ptr<const T>(elements,
                                    [from = from_, size = size_, capacity = capacity_](const T* p) {
                                      destroy(from, const_cast<T*>(p), size, capacity);
                                    });
  }

private:
  static const room_source* source_for(std::size_t capacity) {
    const bool is_large = capacity >= room_source::smallest / sizeof(T) &&
                          capacity <= static_cast<std::size_t>(-1) / sizeof(T);
    return is_large && alignof(T) <= room_source::alignment ? large_rooms : nullptr;
  }
  static T* allocate(const room_source* from, std::size_t capacity) {
    try {
      if (from != nullptr) {
        if (void* const memory = from->allocate(capacity * sizeof(T)))
          return static_cast<T*>(memory);
        throw std::bad_alloc();
      }
      return std::allocator<T>().allocate(capacity);
    } catch (const std::bad_alloc&) {
      throw error(error_kind::out_of_memory, text("ikra: no host memory for an array of ", capacity,
                                                  " elements of ", sizeof(T), " bytes"));
    }
  }
  static void destroy(const room_source* from, T* elements, std::size_t size,
                      std::size_t capacity) {
    std::destroy_n(elements, size);
    if (from != nullptr)
      from->deallocate(elements);
    else
      std::allocator<T>().deallocate(elements, capacity);
  }

  const room_source* from_; ///< null: the system
  T* elements_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

/// What was found out about all elements of an array of pointers that nobody changes.
struct pointer_notes {
  std::atomic<bool> no_nulls{false};
  std::atomic<bool> no_repeats{false}, has_repeats{false}; ///< at most one of them
};

/// What frees elements that a vector has, by which it is found.
template <class T> struct vector_owner {
  std::vector<T> values;
  void operator()(const T*) const noexcept {} // they end with this object
};

template <class T> class buffer {
public:
  /// No elements.
  buffer() = default;

  /// Takes the vector's elements over; they are copied only if T is bool.
  explicit buffer(std::vector<T>&& values) {
    const std::size_t size = values.size();
    if constexpr (std::is_same_v<T, bool>) {
      room<bool> out(size);
      for (const bool value : values)
        out.emplace_back(value);
      state_ = std::make_shared<state>(size, out.release(), nullptr);
    } else {
      const T* const elements = values.data();
      state_ = std::make_shared<state>(
          size, std::shared_ptr<const T>(elements, vector_owner<T>{std::move(values)}), nullptr);
    }
    state_->is_own = true;
  }

  /// Takes the elements that were put into a room.
  explicit buffer(room<T>&& values) {
    const std::size_t size = values.size();
    state_ = std::make_shared<state>(size, values.release(), nullptr);
    state_->is_own = true;
  }

  /// Shares \p count elements in host memory that someone else made.
  buffer(std::size_t count, std::shared_ptr<const T> elements)
      : state_(std::make_shared<state>(count, std::move(elements), nullptr)) {}

  /// One that fill() gives its elements, without memory.
  static buffer unfilled() {
    buffer result;
    result.state_ = std::make_shared<state>(0, nullptr, nullptr);
    return result;
  }
  /// Gives a buffer from unfilled(), which nobody shares yet, elements that someone else made, in
  /// host memory or elsewhere.
  void fill(std::size_t count, std::shared_ptr<const T> elements,
            std::shared_ptr<detail::remote> elsewhere) noexcept {
    state_->size = count;
    state_->owner = std::move(elements);
    state_->elements.store(state_->owner.get(), std::memory_order_release);
    state_->elsewhere = std::move(elsewhere);
  }

  /// The \p count elements from position \p first on, in host memory, shared with this buffer and
  /// not copied. \throws as data()
  buffer part(std::size_t first, std::size_t count) const {
    buffer result;
    if (count != 0) {
      const T* elements = data() + first;
      result.state_ = std::make_shared<state>(
          count, std::shared_ptr<const T>(state_->owner, elements), nullptr);
    }
    return result;
  }

  /// Number of elements.
  std::size_t size() const { return state_ ? state_->size : 0; }

  /// The elements in host memory, fetched from the remote by the first call if they are not there
  /// yet. Safe to call from several threads. May be null when there are no elements.
  /// \throws error if fetching fails; the next call tries again
  const T* data() const { return state_ ? state_->data() : nullptr; }

  /// Copies the elements to \p destination, from elsewhere if they are not in host memory; they do
  /// not come to stay there. Nothing is done if they lie there. \throws as data()
  void copy_to(T* destination) const {
    if constexpr (copied_as_bytes<T>) {
      const std::size_t bytes = size() * sizeof(T);
      if (const auto place = remote(); place != nullptr && !on_host())
        return place->fetch(static_cast<void*>(destination), bytes);
      if (large_rooms != nullptr && bytes >= room_source::smallest && !overlaps(destination, bytes))
        return large_rooms->copy(static_cast<void*>(destination), data(), bytes);
    }
    if (data() != destination)
      std::copy_n(data(), size(), destination);
  }

  /// What is known of elements that are pointers; null where there is no place for it, since others
  /// may change them.
  pointer_notes* notes() const {
    if constexpr (std::is_pointer_v<T>)
      return state_ && state_->is_own ? &state_->notes : nullptr;
    else
      return nullptr;
  }

  /// Whether data() returns without fetching.
  bool on_host() const {
    return size() == 0 || state_->elements.load(std::memory_order_acquire) != nullptr;
  }

  /// Where else the elements live; null where there is no such place.
  std::shared_ptr<detail::remote> remote() const {
    if (!state_)
      return nullptr;
    const std::lock_guard lock(state_->mutex);
    return state_->elsewhere;
  }

  /// Gives up what lies elsewhere, if host memory has it too: all buffers that share it do.
  void forget_remote() const {
    if (state_ == nullptr || !on_host())
      return;
    std::shared_ptr<detail::remote> dropped; // outside of the lock
    const std::lock_guard lock(state_->mutex);
    dropped = std::move(state_->elsewhere);
  }

  /// What keeps the elements in host memory, or elsewhere, if this buffer alone has them; else
  /// null. Who takes them away there has to see to it that nobody asks this buffer any more. \{
  const std::shared_ptr<const T>* sole_host_owner() const {
    const bool is_sole = state_ && state_.use_count() == 1 && state_->owner.use_count() == 1;
    return is_sole ? &state_->owner : nullptr;
  }
  detail::remote* sole_remote() const {
    const bool is_sole = state_ && state_.use_count() == 1 && state_->elsewhere.use_count() == 1;
    return is_sole ? state_->elsewhere.get() : nullptr;
  }
  /// \}

  /// Says that \p size elements live in \p elsewhere. Elements in host memory stay if there are as
  /// many of them (then both places hold the same), and all buffers that share them learn of it.
  void set_remote(std::size_t size, std::shared_ptr<detail::remote> elsewhere)
    requires copied_as_bytes<T>
  {
    if (!state_ || state_->size != size) {
      state_ = std::make_shared<state>(size, nullptr, std::move(elsewhere));
      return;
    }
    const std::lock_guard lock(state_->mutex);
    state_->elsewhere = std::move(elsewhere);
  }

private:
  /// Whether some of the elements, in host memory, lie in these bytes.
  bool overlaps(const void* memory, std::size_t bytes) const {
    const auto other = reinterpret_cast<std::uintptr_t>(memory);
    const auto own = reinterpret_cast<std::uintptr_t>(data());
    return own < other + bytes && other < own + size() * sizeof(T);
  }

  struct state {
    state(std::size_t n, std::shared_ptr<const T> host, std::shared_ptr<detail::remote> other)
        : size(n), owner(std::move(host)), elements(owner.get()), elsewhere(std::move(other)) {}

    const T* data() {
      if (const T* present = elements.load(std::memory_order_acquire);
          present != nullptr || size == 0)
        return present;
      const std::lock_guard lock(mutex);
      if (elements.load(std::memory_order_relaxed) == nullptr)
        fetch();
      return elements.load(std::memory_order_relaxed);
    }

    // Only types that are copied as bytes ever get a remote.
    void fetch() {
      if constexpr (copied_as_bytes<T>) {
        room<T> here(size);
        elsewhere->fetch(static_cast<void*>(here.data()), size * sizeof(T));
        here.set_filled();
        owner = here.release();
        elements.store(owner.get(), std::memory_order_release);
      }
    }

    std::size_t size;
    std::shared_ptr<const T> owner;
    std::atomic<const T*> elements; ///< owner.get(), readable without the mutex
    std::shared_ptr<detail::remote> elsewhere;
    std::mutex mutex;    ///< for fetching and for elsewhere
    bool is_own = false; ///< elements were put into a room or a vector that nobody else has
    struct no_notes {};
    [[no_unique_address]] std::conditional_t<std::is_pointer_v<T>, pointer_notes, no_notes> notes;
  };

  std::shared_ptr<state> state_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
