// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device for all cores: host memory, and nothing to wait for.
#include <ikra/generated/device.hpp>

#include "errors.hpp"

#include <cstring>
#include <new>

namespace ikra::rt {

namespace {

constexpr std::align_val_t alignment{256};

class all_cores final : public device {
public:
  bool is_cuda() const noexcept override { return false; }

  void* allocate(std::size_t bytes, const char* what, const section_info& section) override {
    if (bytes == 0)
      return nullptr;
    void* memory = ::operator new(bytes, alignment, std::nothrow);
    if (memory == nullptr)
      fail(error_kind::out_of_memory, section,
           "no " + byte_count(bytes) + " of memory for the " + what,
           "run the section on parts of the array");
    return memory;
  }
  void deallocate(void* memory) noexcept override { ::operator delete(memory, alignment); }

  void upload(void* to, const void* from, std::size_t bytes, const section_info&) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes, const section_info&) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }

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
  void check_launch(const section_info&) override {}
  void* stream() noexcept override { return nullptr; }
  void make_current(const section_info&) override {}
  void begin_graph(const section_info&) override {}
  void end_graph(std::int64_t, const section_info&) override {}
};

} // namespace

device& host_device() {
  static all_cores instance;
  return instance;
}

} // namespace ikra::rt
