// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reorder.hpp"

#include "permute.hpp"
#include "sort.hpp"

namespace ikra::rt {

namespace {

/// to[order[i]] = from[i].
template <class Word> struct back_job {
  permute<Word> elements;
  const std::uint32_t* order;
  __device__ void operator()(std::uint64_t i) const { elements.move(order[i], i); }
};

} // namespace

void cuda_sort_order(const std::uint32_t* keys, std::uint32_t* order, std::uint32_t n, int bits,
                     device& where, const section_info& section) {
  const device_memory numbers(where, n * sizeof(std::uint32_t), "order of objects", section);
  auto* const first_to_last = static_cast<std::uint32_t*>(numbers.data());
  for_all(count_job<std::uint32_t>{first_to_last}, n, where, section);
  cuda_sort_pairs(keys, first_to_last, order, n, bits, where, section);
}

void cuda_reorder(void* to, const void* from, std::size_t bytes, const std::uint32_t* order,
                  std::uint32_t n, bool back, device& where, const section_info& section) {
  with_permute(bytes, to, from, [&]<class Word>(const permute<Word>& elements) {
    if (back)
      for_all(back_job<Word>{elements, order}, n, where, section);
    else
      for_all(ordered_job<Word, std::uint32_t>{elements, order}, n, where, section);
  });
}

} // namespace ikra::rt
