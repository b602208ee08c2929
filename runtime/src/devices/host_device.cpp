// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device for all cores: host memory from a pool, and nothing to wait for.
#include <ikra/buffer.hpp>
#include <ikra/generated/device/device.hpp>

#include "host_copy.hpp"
#include "host_pool.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace ikra::rt {

namespace {

void copy_block(unsigned char* to, std::size_t stride, const member_copy& member, std::size_t first,
                std::size_t n) {
  const auto* from = static_cast<const unsigned char*>(member.from) + first * member.bytes;
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(to + i * stride + member.offset, from + i * member.bytes, member.bytes);
}

/// Members of one size that fill their records: these are written at once, and never read.
template <std::size_t Size, std::size_t Members>
bool fill_records(unsigned char* to, std::size_t stride, std::span<const member_copy> members,
                  std::size_t first, std::size_t n) {
  if (stride != Size * Members || members.size() != Members)
    return false;
  std::array<const unsigned char*, Members> from{};
  for (const member_copy& member : members)
    if (member.bytes == Size && member.offset % Size == 0)
      from[member.offset / Size] = static_cast<const unsigned char*>(member.from) + first * Size;
  if (std::ranges::find(from, nullptr) != from.end())
    return false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < Members; ++k)
      std::memcpy(to + i * stride + k * Size, from[k] + i * Size, Size);
  return true;
}

class all_cores final : public device {
public:
  bool is_cuda() const noexcept override { return false; }

  void* allocate(std::size_t bytes, const char* what, const section_info& section) override {
    if (bytes == 0)
      return nullptr;
    void* memory = pool_.allocate(bytes);
    if (memory == nullptr)
      fail(error_kind::out_of_memory, section,
           "no " + byte_count(bytes) + " of memory for the " + what,
           "run it on parts of the array, or ask for fewer results");
    return memory;
  }
  std::size_t available() override { return SIZE_MAX; }
  void deallocate(void* memory) noexcept override { pool_.deallocate(memory); }
  std::size_t take_peak() noexcept override { return pool_.take_peak(); }

  void upload(void* to, const void* from, std::size_t bytes, const section_info&) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes, const section_info&) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }

  void copy(void* to, const void* from, std::size_t bytes, const section_info&) override {
    copy_on_all_cores(to, from, bytes);
  }
  void copy_members(void* records, std::size_t stride, std::span<const member_copy> members,
                    std::size_t n, const section_info&) override {
    constexpr std::size_t grain = 4096, block = 512; // records that stay in the first-level cache
    for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t first = begin; first < end; first += block) {
        auto* const to = static_cast<unsigned char*>(records) + first * stride;
        const std::size_t count = std::min(block, end - first);
        if (fill_records<4, 2>(to, stride, members, first, count) ||
            fill_records<4, 4>(to, stride, members, first, count) ||
            fill_records<8, 2>(to, stride, members, first, count))
          continue;
        for (const member_copy& member : members)
          copy_block(to, stride, member, first, count);
      }
    });
  }

  std::uint64_t begin_exchange(std::span<const transfer> in, std::span<const transfer> out,
                               const section_info&) override {
    for (const std::span<const transfer> all : {in, out})
      for (const transfer& t : all)
        copy_on_all_cores(t.to, t.from, t.bytes);
    return 0;
  }
  void end_exchange(std::uint64_t, const section_info&) override {}
  void drop_exchange(std::uint64_t) noexcept override {}

  void* acquire_staging(const section_info&) override { return nullptr; }
  void release_staging(void*) noexcept override {}
  std::size_t staging_bytes() const noexcept override { return 0; }
  void send(void* to, const void* staged, std::size_t bytes, const section_info& section) override {
    upload(to, staged, bytes, section);
  }
  void receive(void* staged, const void* from, std::size_t bytes,
               const section_info& section) override {
    download(staged, from, bytes, section);
  }

  void synchronize(const section_info&) override {}
  bool is_idle() noexcept override { return true; }
  void finish_reading() noexcept override {}
  void check_launch(const section_info&) override {}
  void wait_for(void*, const section_info&) override {}
  int number() const noexcept override { return 0; }
  void* stream() noexcept override { return nullptr; }
  void make_current(const section_info&) override {}
  void sort_order(const std::uint32_t* keys, std::uint32_t* order, std::uint32_t n, int bits,
                  const section_info&) override {
    const std::uint32_t counts = bits >= 32 ? ~0U : (1U << bits) - 1;
    std::iota(order, order + n, 0U);
    std::stable_sort(order, order + n, [=](std::uint32_t a, std::uint32_t b) {
      return (keys[a] & counts) < (keys[b] & counts);
    });
  }
  void reorder(void* elements, void* scratch, std::size_t bytes, const std::uint32_t* order,
               std::uint32_t n, bool back, const section_info&) override {
    auto* const to = static_cast<unsigned char*>(elements);
    const auto* const from = static_cast<const unsigned char*>(std::memcpy(scratch, to, n * bytes));
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(to + (back ? order[i] : i) * bytes, from + (back ? i : order[i]) * bytes, bytes);
  }
  void gather(void* to, const void* from, std::size_t bytes, const std::uint32_t* order,
              std::uint32_t n, const section_info&) override {
    constexpr std::size_t grain = std::size_t(1) << 15U; // elements
    for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(static_cast<unsigned char*>(to) + i * bytes,
                    static_cast<const unsigned char*>(from) + order[i] * bytes, bytes);
    });
  }
  bool begin_beside() noexcept override { return false; }
  void end_beside() noexcept override {}
  void before_use(const void*) noexcept override {}
  bool may_overwrite(const void*) noexcept override { return true; }
  void begin_graph(const section_info&) override {}
  void end_graph(std::int64_t, const section_info&) override {}
  std::unique_ptr<graph_recorder> record(const section_info&) override { return nullptr; }

  host_pool& pool() { return pool_; }

private:
  host_pool pool_;
};

// Never destroyed: results may be in static storage, and give their memory back after main().
all_cores& the_host() {
  static all_cores& instance = *new all_cores;
  return instance;
}

} // namespace

device& host_device() { return the_host(); }

void pool_large_rooms() noexcept {
  static constexpr ikra::detail::room_source pooled{
      [](std::size_t bytes) noexcept { return the_host().pool().allocate(bytes); },
      [](void* memory) noexcept { the_host().pool().deallocate(memory); },
      [](void* to, const void* from, std::size_t bytes) noexcept {
        ask_for_huge_pages(to, bytes);
        copy_on_all_cores(to, from, bytes);
      }};
  static_assert(pooled.smallest == host_pool::smallest && pooled.alignment == host_pool::alignment);
  ikra::detail::large_rooms = &pooled;
}

} // namespace ikra::rt
