// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seam of operations that have no section: psort(), pgather, transpose, … need no emitted code,
// so a runtime can do them for all programs alike. It sets detail::operations; commands ask it
// before they run their own loops. Buffers come with their element types erased. Relies on
// buffer.hpp and strided.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/buffer.hpp>
#include <ikra/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace ikra::detail {

/// What a runtime may know of a type of elements, beside its size.
enum class element_kind {
  bytes,    ///< copied, and nothing else
  natural,  ///< an unsigned number of 1, 2, 4 or 8 bytes, or an enumeration that is compared as one
  integer,  ///< the same with a sign
  floating, ///< float or double
  index,    ///< index<R>: R numbers of 8 bytes
};

/// Enumerations are compared as numbers unless the user says otherwise.
template <class T>
concept compared_by_user = requires(const T& a, const T& b) { operator<(a, b); } ||
                           requires(const T& a, const T& b) { operator==(a, b); };

template <class T> inline constexpr bool is_index = false;
template <int R> inline constexpr bool is_index<index<R>> = true;

template <class T> constexpr element_kind kind_of() {
  if constexpr (is_index<T>)
    return element_kind::index;
  else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8)
    return element_kind::floating;
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return std::is_signed_v<T> ? element_kind::integer : element_kind::natural;
  else if constexpr (std::is_enum_v<T>)
    return compared_by_user<T> ? element_kind::bytes : kind_of<std::underlying_type_t<T>>();
  else
    return element_kind::bytes;
}

/// A buffer of elements that are copied as bytes, with their type erased.
class any_buffer {
public:
  any_buffer(const any_buffer&) = delete;
  any_buffer& operator=(const any_buffer&) = delete;

  virtual std::size_t size() const = 0;
  virtual std::size_t element_bytes() const = 0;
  virtual const std::type_info& element_type() const = 0;
  virtual element_kind kind() const = 0;
  /// As buffer::data: fetches elements that are elsewhere. \throws error if that fails
  virtual const void* data() const = 0;
  /// As buffer::on_host.
  virtual bool on_host() const = 0;
  /// As buffer::remote.
  virtual std::shared_ptr<remote> elsewhere() const = 0;
  /// Says of an input that its elements are elsewhere too.
  virtual void also_at(std::shared_ptr<remote> place) const = 0;
  /// As buffer::set_remote: the elements of a result are elsewhere.
  virtual void set_remote(std::size_t size, std::shared_ptr<remote> place) = 0;
  /// Host memory for the elements of a result; all are written before the operation returns.
  /// \throws error of kind out_of_memory
  virtual void* allocate(std::size_t size) = 0;

protected:
  any_buffer() = default;
  ~any_buffer() = default;
};

template <class T>
  requires copied_as_bytes<T>
class erased final : public any_buffer {
public:
  explicit erased(buffer<T>& b) : buffer_(b) {}
  std::size_t size() const override { return buffer_.size(); }
  std::size_t element_bytes() const override { return sizeof(T); }
  const std::type_info& element_type() const override { return typeid(T); }
  element_kind kind() const override { return kind_of<T>(); }
  const void* data() const override { return buffer_.data(); }
  bool on_host() const override { return buffer_.on_host(); }
  std::shared_ptr<remote> elsewhere() const override { return buffer_.remote(); }
  void also_at(std::shared_ptr<remote> place) const override {
    buffer_.set_remote(buffer_.size(), std::move(place));
  }
  void set_remote(std::size_t size, std::shared_ptr<remote> place) override {
    buffer_.set_remote(size, std::move(place));
  }
  void* allocate(std::size_t size) override {
    room<T> elements(size);
    elements.set_filled();
    T* memory = elements.data();
    buffer_ = buffer<T>(std::move(elements));
    return memory;
  }

private:
  buffer<T>& buffer_;
};

/// Memory of a GPU, as exchange formats name it (dlpack.hpp, arrow.hpp).
struct gpu_memory {
  const void* data = nullptr; ///< null: there is no such memory
  std::size_t bytes = 0;
  std::int64_t gpu = 0; ///< its number
};

/// What a runtime can do in place of this library's loops. Each operation fills `out` and returns
/// true, or returns false and leaves all to the loop: for types it does not know, or inputs for
/// which it is not worth while. Inputs are computed; sizes that have to agree were checked to.
/// Results have to be those of the loops. Where there is an error, a place outside for example, the
/// operation returns false too, and the loop finds it.
class device_operations {
public:
  virtual ~device_operations() = default;

  /// slice, transpose: out has in's elements at the positions of `map`, in its row-major order.
  virtual bool view(const any_buffer& in, const strided& map, any_buffer& out);
  /// concatenate: out has the elements of the `count` inputs, one input after the other.
  virtual bool concatenate(const any_buffer* const* in, std::size_t count, any_buffer& out);
  /// pgather: out[i] = in[places[i]]. \param places integers, or index<R> within `space`
  /// \param space the whole of the array that is read
  virtual bool gather(const any_buffer& in, const strided& space, const any_buffer& places,
                      any_buffer& out);
  /// pscatter: out[places[i]] = in[i], the last i winning, in a result of `space`.
  /// \param init one element: what the other places have
  virtual bool scatter(const any_buffer& in, const strided& space, const any_buffer& places,
                       const void* init, any_buffer& out);
  /// psort(): stable, by <, not-a-numbers last.
  virtual bool sort(const any_buffer& in, any_buffer& out);
  /// psort_by: the elements of `in`, stably sorted by their keys as psort() would sort these.
  virtual bool sort_by(const any_buffer& keys, const any_buffer& in, any_buffer& out);
  /// phistogram: out[b], of type std::int64_t, is how many elements of `in` (integers) are b.
  virtual bool histogram(const any_buffer& in, std::int64_t bins, any_buffer& out);
  /// preduce_by_key's keys: the first of each run of equal neighbours.
  virtual bool first_of_runs(const any_buffer& in, any_buffer& out);

  /// Elements that others made on a GPU. \param keep owns the memory; given up when no queued work
  /// reads it any more \param event a CUDA event that work waits for before it reads; may be null
  /// \returns null where programs do not run on that GPU
  virtual std::shared_ptr<remote> adopt(const gpu_memory& memory, std::shared_ptr<const void> keep,
                                        void* event);
  /// Where elements are on the program's GPU, brought there if they are not. All work that computes
  /// them is done. Has no data where the program runs on all cores
  virtual gpu_memory on_gpu(const any_buffer& elements);
  /// Called when elements that were given out on the GPU are given back: their memory is used again
  /// after what CUDA's legacy default stream was given so far.
  virtual void given_back() noexcept;
  /// Whether all work is done that was queued on the program's GPU.
  virtual bool is_idle();
  /// Waits until it is. \throws error of kind device_error if some of it failed
  virtual void finish();
};

inline bool device_operations::view(const any_buffer&, const strided&, any_buffer&) {
  return false;
}
inline bool device_operations::concatenate(const any_buffer* const*, std::size_t, any_buffer&) {
  return false;
}
inline bool device_operations::gather(const any_buffer&, const strided&, const any_buffer&,
                                      any_buffer&) {
  return false;
}
inline bool device_operations::scatter(const any_buffer&, const strided&, const any_buffer&,
                                       const void*, any_buffer&) {
  return false;
}
inline bool device_operations::sort(const any_buffer&, any_buffer&) { return false; }
inline bool device_operations::sort_by(const any_buffer&, const any_buffer&, any_buffer&) {
  return false;
}
inline bool device_operations::histogram(const any_buffer&, std::int64_t, any_buffer&) {
  return false;
}
inline bool device_operations::first_of_runs(const any_buffer&, any_buffer&) { return false; }
// The device that has a GPU keeps the owner. NOLINTBEGIN(performance-unnecessary-value-param)
inline std::shared_ptr<remote> device_operations::adopt(const gpu_memory&,
                                                        std::shared_ptr<const void>, void*) {
  return nullptr;
}
// NOLINTEND(performance-unnecessary-value-param)
inline gpu_memory device_operations::on_gpu(const any_buffer&) { return {}; }
inline void device_operations::given_back() noexcept {}

inline bool device_operations::is_idle() { return true; }
inline void device_operations::finish() {}

/// The runtime's operations. Null in plain builds; set before main() where a runtime is linked.
inline device_operations* operations = nullptr;

/// Asks the runtime, if there is one and all elements are copied as bytes.
/// \param ask called as ask(operations, erased<T>&…) with the buffers
/// \return whether the operation is done
template <class Ask, class... T> bool done_elsewhere(const Ask& ask, buffer<T>&... buffers) {
  if constexpr ((copied_as_bytes<T> && ...)) {
    if (operations != nullptr) {
      return [&](auto&&... any) { return ask(*operations, any...); }(erased<T>(buffers)...);
    }
  }
  return false;
}

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
