// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.hpp"

#include "support/device_memory.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cuda_runtime.h>
#include <vector>

namespace reorder {
namespace {

using benchmark::check;
template <class T> using memory = benchmark::device_memory<T>;

constexpr unsigned width = 256;

__host__ __device__ std::uint64_t mixed(std::uint64_t k) {
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9U;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebU;
  return k ^ (k >> 31);
}
__host__ __device__ std::uint32_t class_of(base how, std::uint32_t id, std::uint32_t classes) {
  const std::uint64_t chance = mixed(id + 1);
  if (how == base::repeats && chance % 2 == 0)
    return classes / 3;
  return static_cast<std::uint32_t>((chance >> 8) % classes);
}
/// The object of element i.
__host__ __device__ std::uint32_t id_of(base how, std::uint32_t i, std::uint32_t n) {
  const std::uint64_t chance = mixed(i + (std::uint64_t(7) << 40));
  return how == base::subset ? 2 * i + static_cast<std::uint32_t>(chance % 2)
                             : static_cast<std::uint32_t>(chance % n);
}

__global__ void fill(base how, std::uint32_t n, std::uint32_t classes, std::uint32_t* ids,
                     std::uint32_t* keys) {
  const std::uint32_t i = blockIdx.x * width + threadIdx.x;
  if (i >= n)
    return;
  ids[i] = id_of(how, i, n);
  keys[i] = class_of(how, ids[i], classes);
}

class device_elements final : public elements {
public:
  device_elements(base how, std::uint32_t n, std::uint32_t classes)
      : how_(how), n_(n), classes_(classes), bits_(static_cast<int>(std::bit_width(classes - 1))),
        keys_(n), ids_(n), sorted_(n), order_(n), sorted_keys_(n), room_(bytes_of_cub()) {
    fill<<<(n + width - 1) / width, width>>>(how, n, classes, ids_.data(), keys_.data());
    check(cudaDeviceSynchronize());
  }

  const std::uint32_t* keys() const override { return keys_.data(); }
  const std::uint32_t* ids() const override { return ids_.data(); }
  std::uint32_t* sorted() override { return sorted_.data(); }
  std::uint32_t* order() override { return order_.data(); }

  void sort_by_cub() override { pairs(room_.data(), room_.bytes()); }
  void sort_keys_by_cub() override { keys_alone(room_.data(), room_.bytes()); }

  void spoil() override { check(cudaMemset(sorted_.data(), 0xff, n_ * sizeof(std::uint32_t))); }
  bool is_right() override {
    std::vector<std::vector<std::uint32_t>> by_class(classes_);
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t id = id_of(how_, i, n_);
      by_class[class_of(how_, id, classes_)].push_back(id);
    }
    const std::vector<std::uint32_t> found = sorted_.to_host();
    std::size_t place = 0;
    for (const auto& expected : by_class)
      for (const std::uint32_t id : expected)
        if (found[place++] != id)
          return false;
    return true;
  }

private:
  /// Bytes whose number is known before the memory is.
  class room {
  public:
    explicit room(std::size_t bytes) : bytes_(bytes), memory_(bytes) {}
    void* data() const { return memory_.data(); }
    std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_;
    memory<char> memory_;
  };

  std::size_t pairs(void* room, std::size_t bytes) {
    check(cub::DeviceRadixSort::SortPairs(room, bytes, keys_.data(), sorted_keys_.data(),
                                          ids_.data(), sorted_.data(), n_, 0, bits_));
    return bytes;
  }
  std::size_t keys_alone(void* room, std::size_t bytes) {
    check(cub::DeviceRadixSort::SortKeys(room, bytes, keys_.data(), sorted_keys_.data(), n_, 0,
                                         bits_));
    return bytes;
  }
  std::size_t bytes_of_cub() { return std::max(pairs(nullptr, 0), keys_alone(nullptr, 0)); }

  base how_;
  std::uint32_t n_, classes_;
  int bits_;
  memory<std::uint32_t> keys_, ids_, sorted_, order_, sorted_keys_;
  room room_;
};

} // namespace

std::unique_ptr<elements> made(base how, std::uint32_t n, std::uint32_t classes) {
  return std::make_unique<device_elements>(how, n, classes);
}

} // namespace reorder
