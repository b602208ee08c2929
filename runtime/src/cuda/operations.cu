// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without a section on a GPU. Elements stay there: results are on the device until the
// host asks for them. A place outside is noted in device memory, and read back before the result
// counts.
#include "calls.hpp"
#include "devices/operations.hpp"
#include "devices/parts.hpp"
#include "permute.hpp"
#include "sort.hpp"
#include "support/errors.hpp"

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch_select.hpp>
#include <ikra/generated/session/session_base.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <span>

namespace ikra::rt {

namespace {

// kernels ---------------------------------------------------------------------------------------

/// The position of element i of a view in what it shows.
struct view_position {
  divider<std::uint64_t> inner[3]; ///< extents of the dimensions but the first
  std::int64_t strides[4];
  std::int64_t offset;
  int rank;

  explicit view_position(const strided& map) : offset(map.offset), rank(map.rank) {
    for (int d = 0; d < rank; ++d)
      strides[d] = map.strides[d];
    for (int d = 1; d < rank; ++d)
      inner[d - 1] = divider<std::uint64_t>(static_cast<std::uint64_t>(map.shape[d]));
  }
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    std::int64_t position = offset;
    for (int d = rank - 1; d > 0; --d) {
      const std::uint64_t rest = inner[d - 1].quotient(i);
      position += static_cast<std::int64_t>(i - rest * inner[d - 1].by()) * strides[d];
      i = rest;
    }
    return static_cast<std::uint64_t>(position + static_cast<std::int64_t>(i) * strides[0]);
  }
};

template <class Word> struct view_job {
  permute<Word> elements;
  view_position position;
  __device__ void operator()(std::uint64_t i) const { elements.move(i, position(i)); }
};

template <class Word> struct gather_job {
  permute<Word> elements;
  index_reader indices;
  unsigned* outside;
  __device__ void operator()(std::uint64_t i) const {
    const std::int64_t position = indices[i];
    if (position < 0)
      *outside = 1;
    else
      elements.move(i, static_cast<std::uint64_t>(position));
  }
};

/// Notes who comes last to each place: the element's number + 1.
template <class Number> struct last_job {
  Number* last;
  index_reader indices;
  unsigned* outside;
  __device__ void operator()(std::uint64_t i) const {
    const std::int64_t position = indices[i];
    if (position < 0)
      *outside = 1;
    else
      atomicMax(last + position, static_cast<Number>(i + 1));
  }
};

template <class Word, class Number> struct scatter_job {
  permute<Word> elements;
  const Number* last;
  const Word* init;
  __device__ void operator()(std::uint64_t p) const {
    const Number number = last[p];
    if (number != 0)
      elements.move(p, number - 1);
    else
      for (std::uint32_t w = 0; w < elements.words; ++w)
        elements.to[p * elements.words + w] = init[w];
  }
};

/// out[i] = key of in[i]. \tparam Key at least as wide as ordered(in[i])
template <class T, class Key> struct key_job {
  const T* in;
  Key* out;
  __device__ void operator()(std::uint64_t i) const { out[i] = ordered(in[i]); }
};

/// The number that has a key: the inverse of ordered() for integers.
template <class T, class Key> struct number_job {
  const Key* in;
  T* out;
  __device__ void operator()(std::uint64_t i) const {
    using bits_type = std::make_unsigned_t<T>;
    out[i] = static_cast<T>(static_cast<bits_type>(in[i]) ^ ordered(T(0)));
  }
};

/// Blocks count into bins of their own, in shared memory, if there is room for them.
inline constexpr std::uint64_t most_shared_bins = 48 * 1024 / sizeof(unsigned);

__global__ void __launch_bounds__(block_size)
    histogram_kernel(const __grid_constant__ index_reader bins, std::uint64_t n,
                     unsigned long long* out, unsigned* outside, bool shared) {
  extern __shared__ unsigned mine[];
  const auto count = static_cast<std::uint64_t>(bins.volume);
  if (shared) {
    for (std::uint64_t b = threadIdx.x; b < count; b += block_size)
      mine[b] = 0;
    __syncthreads();
  }
  const std::uint64_t step = std::uint64_t(gridDim.x) * block_size;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x; i < n; i += step) {
    const std::int64_t b = bins[i];
    if (b < 0)
      *outside = 1;
    else if (shared)
      atomicAdd(mine + b, 1u);
    else
      atomicAdd(out + b, 1ull);
  }
  if (!shared)
    return;
  __syncthreads();
  for (std::uint64_t b = threadIdx.x; b < count; b += block_size)
    if (mine[b] != 0)
      atomicAdd(out + b, static_cast<unsigned long long>(mine[b]));
}

/// Whether a run begins at an element.
template <class T> struct run_begins {
  const T* keys;
  __device__ bool operator()(T key, std::int64_t i) const {
    return i == 0 || !(key == keys[i - 1]);
  }
};

// launches --------------------------------------------------------------------------------------

/// One operation on the GPU.
class work {
public:
  explicit work(const char* operation)
      : info_(*new_info(operation)), device_(current_device()),
        stream_(static_cast<cudaStream_t>(device_.stream())) {
    device_.make_current(info_);
  }

  const section_info& info() const { return info_; }
  device& where() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  device_memory memory(std::size_t bytes, const char* what) const {
    return {device_, bytes, what, info_};
  }
  template <class T> T* zeros(const device_memory& memory) const {
    return zeros<T>(memory.data(), memory.bytes());
  }
  template <class T> T* zeros(void* memory, std::size_t bytes) const {
    check(cuda_call(cudaMemsetAsync, memory, 0, bytes, stream_));
    return static_cast<T*>(memory);
  }

  /// The elements on the GPU, which are brought there if they are not.
  const void* input(const any_buffer& in) const {
    const auto place = in.elsewhere();
    if (const auto* there = dynamic_cast<const device_elements*>(place.get());
        there != nullptr && there->memory().owner() == &device_)
      return there->memory().data();
    if (in.size() == 0)
      return nullptr;
    device_memory copy = memory(in.size() * in.element_bytes(), "input array");
    device_.upload(copy.data(), in.data(), copy.bytes(), info_);
    const void* const result = copy.data();
    in.also_at(std::make_shared<device_elements>(std::move(copy), info_));
    return result;
  }
  /// The same; null if they are on the host, and there is no room for them.
  const void* input_if_room(const any_buffer& in) const {
    try {
      return input(in);
    } catch (const error& failed) {
      if (failed.kind() != error_kind::out_of_memory || parting() == parting_when::never)
        throw;
      return nullptr;
    }
  }
  /// Whether elements are on the host, and are to come in parts.
  bool exceeds_memory(const any_buffer& in) const {
    const std::size_t bytes = in.size() * in.element_bytes();
    if (in.elsewhere() != nullptr || parting() == parting_when::never)
      return false;
    return parting() == parting_when::always ? in.size() > part_of_tests
                                             : bytes >= much && bytes > device_.available();
  }
  void give(any_buffer& out, std::size_t n, device_memory elements) const {
    out.set_remote(n, std::make_shared<device_elements>(std::move(elements), info_));
  }

  template <class F> void for_all(const F& f, std::uint64_t n) const {
    rt::for_all(f, n, device_, info_);
  }
  void check(cudaError_t status) const {
    check_cuda(status, info_.name, info_, "run with IKRA_DEVICE=cpu");
  }

private:
  /// Results keep a reference to it.
  static const section_info* new_info(const char* operation);

  const section_info& info_;
  device& device_;
  cudaStream_t stream_;
};

const section_info* work::new_info(const char* operation) {
  static constexpr section_info all[] = {operation_info("slice or transpose"),
                                         operation_info("concatenate"),
                                         operation_info("pgather"),
                                         operation_info("pscatter"),
                                         operation_info("psort"),
                                         operation_info("psort_by"),
                                         operation_info("phistogram"),
                                         operation_info("preduce_by_key"),
                                         operation_info("exchange of arrays")};
  return std::ranges::find_if(
      all, [&](const section_info& info) { return std::string_view(info.name) == operation; });
}

/// Adds the numbers of elements in bins to counts.
struct counter {
  const work& here;
  const any_buffer& in;
  std::size_t bins;
  unsigned long long* counts;
  unsigned* outside; ///< set where an element is in none

  /// \param elements on the GPU
  void count(const void* elements, std::size_t n) const {
    if (n == 0)
      return;
    const index_reader bin(in, elements, ikra::detail::whole(ikra::index<1>(bins)));
    const bool shared = bins <= most_shared_bins;
    // Enough threads for any GPU, and many elements for each, whose bins are added up once.
    constexpr unsigned most_blocks = 2048, elements_a_thread = 16;
    const unsigned blocks =
        std::min(blocks_for((n + elements_a_thread - 1) / elements_a_thread), most_blocks);
    histogram_kernel<<<blocks, block_size, shared ? bins * sizeof(unsigned) : 0, here.stream()>>>(
        bin, n, counts, outside, shared);
    here.where().check_launch(here.info());
  }

  /// One part of the elements comes while the one before is counted.
  /// \throws error of kind out_of_memory if there is no room for short parts either
  void count_in_parts() const {
    const std::size_t bytes = in.element_bytes();
    if (parting() == parting_when::always)
      return count_in_parts_of(part_of_tests);
    for (std::size_t elements =
             std::min({in.size(), here.where().available() / (2 * bytes), bytes_of_part / bytes});
         ; elements /= 2)
      try {
        return count_in_parts_of(std::max(elements, least_part));
      } catch (const error& failed) {
        if (failed.kind() != error_kind::out_of_memory || elements <= least_part)
          throw;
        here.zeros<unsigned long long>(counts, bins * sizeof *counts);
      }
  }

private:
  void count_in_parts_of(std::size_t elements) const {
    const std::size_t bytes = in.element_bytes(), n = in.size();
    const auto* const from = static_cast<const unsigned char*>(in.data());
    const device_memory rooms[] = {here.memory(elements * bytes, "part of an input array"),
                                   here.memory(elements * bytes, "part of an input array")};
    std::deque<exchange> coming;
    std::size_t next = 0; // of the elements to come
    const auto begin_part = [&] {
      const transfer copy[] = {{rooms[next / elements % 2].data(), from + next * bytes,
                                std::min(elements, n - next) * bytes}};
      next += elements;
      coming.emplace_back(here.where(), copy, std::span<const transfer>(), here.info());
    };
    begin_part();
    if (next < n)
      begin_part();
    for (std::size_t first = 0; first < n; first += elements) {
      coming.front().end();
      coming.pop_front();
      count(rooms[first / elements % 2].data(), std::min(elements, n - first));
      if (next < n)
        begin_part(); // which waits for the kernel that reads its room
    }
  }
};

/// A mark that kernels leave where a place is outside.
class outside_mark {
public:
  explicit outside_mark(const work& here)
      : here_(here), memory_(here.memory(sizeof(unsigned), "mark")),
        mark_(here.zeros<unsigned>(memory_)) {}
  unsigned* on_device() const { return mark_; }
  /// Waits for the kernels.
  bool is_set() const {
    unsigned mark = 0;
    here_.where().download(&mark, mark_, sizeof mark, here_.info());
    return mark != 0;
  }

private:
  const work& here_;
  device_memory memory_;
  unsigned* mark_;
};

class operations_on_gpu final : public ikra::detail::device_operations {
public:
  bool view(const any_buffer& in, const strided& map, any_buffer& out) override {
    const auto n = static_cast<std::size_t>(map.volume());
    if (n == 0)
      return false;
    const work here("slice or transpose");
    const void* const from = here.input(in);
    device_memory result = here.memory(n * in.element_bytes(), "result array");
    with_permute(in.element_bytes(), result.data(), from, [&](const auto& elements) {
      here.for_all(view_job{elements, view_position(map)}, n);
    });
    here.give(out, n, std::move(result));
    return true;
  }

  bool concatenate(const any_buffer* const* in, std::size_t count, any_buffer& out) override {
    const work here("concatenate");
    std::size_t n = 0;
    for (std::size_t k = 0; k < count; ++k)
      n += in[k]->size();
    if (n == 0)
      return false;
    device_memory result = here.memory(n * out.element_bytes(), "result array");
    auto* to = static_cast<unsigned char*>(result.data());
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t bytes = in[k]->size() * out.element_bytes();
      if (bytes != 0)
        here.check(cuda_call(cudaMemcpyAsync, to, here.input(*in[k]), bytes,
                             cudaMemcpyDeviceToDevice, here.stream()));
      to += bytes;
    }
    here.give(out, n, std::move(result));
    return true;
  }

  bool gather(const any_buffer& in, const strided& space, const any_buffer& indices,
              any_buffer& out) override {
    if (!are_indices(indices) || indices.size() == 0)
      return false;
    const work here("pgather");
    const std::size_t n = indices.size();
    const void* const from = here.input(in);
    const index_reader place(indices, here.input(indices), space);
    device_memory result = here.memory(n * in.element_bytes(), "result array");
    const outside_mark outside(here);
    with_permute(in.element_bytes(), result.data(), from, [&](const auto& elements) {
      here.for_all(gather_job{elements, place, outside.on_device()}, n);
    });
    if (outside.is_set())
      return false;
    here.give(out, n, std::move(result));
    return true;
  }

  bool scatter(const any_buffer& in, const strided& space, const any_buffer& indices,
               const void* init, any_buffer& out) override {
    if (!are_indices(indices) || space.volume() == 0)
      return false;
    const work here("pscatter");
    return in.size() < std::numeric_limits<unsigned>::max()
               ? scatter_numbered<unsigned>(here, in, space, indices, init, out)
               : scatter_numbered<unsigned long long>(here, in, space, indices, init, out);
  }

  bool sort(const any_buffer& in, any_buffer& out) override {
    if (!is_number(in) || in.size() < 2)
      return false;
    const work here("psort");
    const std::size_t n = in.size();
    const void* const from = here.input(in);
    device_memory result = here.memory(n * in.element_bytes(), "result array");
    with_number(in.kind(), in.element_bytes(), [&](auto number) {
      using T = decltype(number);
      auto* const to = static_cast<T*>(result.data());
      if constexpr (std::is_floating_point_v<T>)
        sort_floats(here, static_cast<const T*>(from), to, n);
      else if constexpr (sizeof(T) >= 4)
        cuda_sort_keys(static_cast<const T*>(from), to, n, 8 * sizeof(T), here.where(),
                       here.info());
      else
        sort_narrow(here, static_cast<const T*>(from), to, n);
    });
    here.give(out, n, std::move(result));
    return true;
  }

  bool sort_by(const any_buffer& keys, const any_buffer& in, any_buffer& out) override {
    if (!is_number(keys) || keys.size() < 2)
      return false;
    const work here("psort_by");
    const std::size_t n = in.size();
    const void* const key = here.input(keys);
    const void* const from = here.input(in);
    device_memory result = here.memory(n * in.element_bytes(), "result array");
    with_number(keys.kind(), keys.element_bytes(), [&](auto number) {
      using T = decltype(number);
      using key_type = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      const device_memory memory = here.memory(n * sizeof(key_type), "keys that are sorted");
      auto* const ordered_keys = static_cast<key_type*>(memory.data());
      here.for_all(key_job<T, key_type>{static_cast<const T*>(key), ordered_keys}, n);
      sort_elements(here, ordered_keys, 8 * sizeof(T), from, result.data(), in.element_bytes(), n);
    });
    here.give(out, n, std::move(result));
    return true;
  }

  bool histogram(const any_buffer& in, std::int64_t bins, any_buffer& out) override {
    if (!are_indices(in) || bins == 0)
      return false;
    const work here("phistogram");
    const auto count = static_cast<std::size_t>(bins);
    device_memory result = here.memory(bytes_of<std::int64_t>(count), "result array");
    const outside_mark outside(here);
    const counter counting{here, in, count, here.zeros<unsigned long long>(result),
                           outside.on_device()};
    const void* const all = here.exceeds_memory(in) ? nullptr : here.input_if_room(in);
    if (all != nullptr || in.size() == 0)
      counting.count(all, in.size());
    else
      counting.count_in_parts();
    if (outside.is_set())
      return false;
    here.give(out, count, std::move(result));
    return true;
  }

  std::shared_ptr<ikra::detail::remote>
  adopt(const gpu_memory& memory, std::shared_ptr<const void> keep, void* event) override {
    device& here = current_device();
    if (!here.is_cuda() || here.number() != memory.gpu)
      return nullptr;
    const work work_here("exchange of arrays");
    here.wait_for(event, work_here.info());
    device_memory adopted(here, memory.data, memory.bytes, std::move(keep));
    // Kernels load 16 bytes at a time.
    if (reinterpret_cast<std::uintptr_t>(memory.data) % 16 != 0) {
      device_memory aligned = work_here.memory(memory.bytes, "adopted array");
      here.copy(aligned.data(), adopted.data(), memory.bytes, work_here.info());
      adopted = std::move(aligned);
    }
    return std::make_shared<device_elements>(std::move(adopted), work_here.info());
  }

  gpu_memory on_gpu(const any_buffer& elements) override {
    device& here = current_device();
    if (!here.is_cuda())
      return {};
    const work work_here("exchange of arrays");
    const void* const data = work_here.input(elements);
    here.synchronize(work_here.info());
    return {data, elements.size() * elements.element_bytes(), here.number()};
  }

  bool first_of_runs(const any_buffer& in, any_buffer& out) override {
    if (!is_number(in) || in.size() == 0)
      return false;
    const work here("preduce_by_key");
    const std::size_t n = in.size();
    const void* const from = here.input(in);
    with_number(in.kind(), in.element_bytes(), [&](auto number) {
      using T = decltype(number);
      const auto* const keys = static_cast<const T*>(from);
      device_memory all = here.memory(n * sizeof(T), "keys of runs");
      std::uint64_t count = 0;
      {
        const device_memory workspace = here.memory(
            select_workspace<const T*>(n) * sizeof(std::uint64_t), "state of the selection");
        cuda_select<1>(run_begins<T>{keys}, ikra::index<1>(static_cast<std::int64_t>(n)), keys, n,
                       static_cast<std::uint64_t*>(workspace.data()), static_cast<T*>(all.data()),
                       here.where().stream());
        here.where().check_launch(here.info());
        here.where().download(&count, workspace.data(), sizeof count, here.info());
      }
      device_memory result = here.memory(count * sizeof(T), "keys of runs");
      cuda_copy(static_cast<T*>(result.data()), static_cast<const T*>(all.data()), count,
                here.where().stream());
      here.give(out, count, std::move(result));
    });
    return true;
  }

private:
  template <class Number>
  static bool scatter_numbered(const work& here, const any_buffer& in, const strided& space,
                               const any_buffer& indices, const void* init, any_buffer& out) {
    const index_reader place(indices, here.input(indices), space);
    const void* const from = here.input(in);
    const auto size = static_cast<std::size_t>(place.volume);
    const device_memory memory = here.memory(size * sizeof(Number), "elements that go to places");
    auto* const last = here.zeros<Number>(memory);
    const outside_mark outside(here);
    here.for_all(last_job<Number>{last, place, outside.on_device()}, in.size());
    const device_memory other = here.memory(in.element_bytes(), "element of other places");
    here.where().upload(other.data(), init, in.element_bytes(), here.info());
    device_memory result = here.memory(size * in.element_bytes(), "result array");
    with_permute(in.element_bytes(), result.data(), from,
                 [&]<class Word>(const permute<Word>& elements) {
                   here.for_all(scatter_job<Word, Number>{elements, last,
                                                          static_cast<const Word*>(other.data())},
                                size);
                 });
    if (outside.is_set())
      return false;
    here.give(out, size, std::move(result));
    return true;
  }

  /// Zeros of both signs, and not-a-numbers, are equal: their bits are values that follow the keys.
  template <class T> static void sort_floats(const work& here, const T* in, T* out, std::size_t n) {
    using bits_type = decltype(ordered(T()));
    const device_memory memory = here.memory(n * sizeof(T), "keys that are sorted");
    auto* const keys = static_cast<bits_type*>(memory.data());
    here.for_all(key_job<T, bits_type>{in, keys}, n);
    cuda_sort_pairs(keys, reinterpret_cast<const bits_type*>(in), reinterpret_cast<bits_type*>(out),
                    n, 8 * sizeof(T), here.where(), here.info());
  }

  /// Numbers of one or two bytes are sorted as the lower part of four.
  template <class T> static void sort_narrow(const work& here, const T* in, T* out, std::size_t n) {
    const device_memory unsorted = here.memory(n * sizeof(std::uint32_t), "keys that are sorted");
    const device_memory sorted = here.memory(n * sizeof(std::uint32_t), "keys that are sorted");
    auto* const keys = static_cast<std::uint32_t*>(unsorted.data());
    auto* const result = static_cast<std::uint32_t*>(sorted.data());
    here.for_all(key_job<T, std::uint32_t>{in, keys}, n);
    cuda_sort_keys(static_cast<const std::uint32_t*>(keys), result, n, 8 * sizeof(T), here.where(),
                   here.info());
    here.for_all(number_job<T, std::uint32_t>{result, out}, n);
  }

  /// Elements of 4 and 8 bytes follow their keys; others are fetched when their order is known.
  template <class Key>
  static void sort_elements(const work& here, const Key* keys, int bits, const void* in, void* out,
                            std::size_t bytes, std::size_t n) {
    if (bytes == 4)
      cuda_sort_pairs(keys, static_cast<const std::uint32_t*>(in), static_cast<std::uint32_t*>(out),
                      n, bits, here.where(), here.info());
    else if (bytes == 8)
      cuda_sort_pairs(keys, static_cast<const std::uint64_t*>(in), static_cast<std::uint64_t*>(out),
                      n, bits, here.where(), here.info());
    else if (n <= std::numeric_limits<std::uint32_t>::max())
      sort_numbered<std::uint32_t>(here, keys, bits, in, out, bytes, n);
    else
      sort_numbered<std::uint64_t>(here, keys, bits, in, out, bytes, n);
  }
  template <class Number, class Key>
  static void sort_numbered(const work& here, const Key* keys, int bits, const void* in, void* out,
                            std::size_t bytes, std::size_t n) {
    const device_memory unsorted = here.memory(n * sizeof(Number), "numbers of elements");
    const device_memory sorted = here.memory(n * sizeof(Number), "numbers of elements");
    auto* const numbers = static_cast<Number*>(unsorted.data());
    auto* const order = static_cast<Number*>(sorted.data());
    here.for_all(count_job<Number>{numbers}, n);
    cuda_sort_pairs(keys, static_cast<const Number*>(numbers), order, n, bits, here.where(),
                    here.info());
    with_permute(bytes, out, in, [&]<class Word>(const permute<Word>& elements) {
      here.for_all(ordered_job<Word, Number>{elements, order}, n);
    });
  }
};

} // namespace

ikra::detail::device_operations* cuda_operations() {
  static operations_on_gpu operations;
  return &operations;
}

} // namespace ikra::rt
