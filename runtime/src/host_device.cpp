// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device for all cores: host memory from a pool, and nothing to wait for.
#include <ikra/generated/device.hpp>

#include "errors.hpp"
#include "host_pool.hpp"

#include <cstring>

namespace ikra::rt {

namespace {

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
           "run the section on parts of the array");
    return memory;
  }
  void deallocate(void* memory) noexcept override { pool_.deallocate(memory); }

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

private:
  host_pool pool_;
};

} // namespace

device& host_device() {
  // Never destroyed: results may be in static storage, and give their memory back after main().
  static all_cores& instance = *new all_cores;
  return instance;
}

} // namespace ikra::rt
