// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of devices, and copies to and from the one that the tests run on.
#include <catch2/catch.hpp>

#include "traced.hpp"

// One test asks for more memory than there is; under a sanitizer that has to be allowed.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IKRA_TEST_ASAN
#elif __has_feature(thread_sanitizer)
#define IKRA_TEST_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(IKRA_TEST_ASAN)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#elif defined(__SANITIZE_THREAD__) || defined(IKRA_TEST_TSAN)
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
#endif

TEST_CASE("IKRA_DEVICE names a device or is an error that says what it may be") {
  CHECK(rt::parse_device_name("cpu").kind == rt::device_name::cpu);
  CHECK(rt::parse_device_name("cuda").kind == rt::device_name::cuda);
  CHECK(rt::parse_device_name("cuda").number == 0);
  CHECK(rt::parse_device_name("cuda:0").number == 0);
  CHECK(rt::parse_device_name("cuda:12").number == 12);
  for (const char* rubbish : {"gpu", "CPU", "cpu ", "cuda:", "cuda:x", "cuda:-1", "cuda:1x",
                              "cuda:99999999999", "cuda0", " "})
    CHECK_THROWS_MATCHES(rt::parse_device_name(rubbish), ikra::error,
                         kind_and_text(ikra::error_kind::no_device, "cpu, cuda or cuda:N"));
}

TEST_CASE("bytes come back from the device as they went") {
  rt::device& device = rt::current_device();
  device.make_current(test_section);
  const std::size_t bytes = GENERATE(1u, 65536u, 65537u, 8u << 20, (8u << 20) + 1, 50000001u);
  std::vector<unsigned char> there(bytes), back(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    there[i] = static_cast<unsigned char>(i * 31 + (i >> 8));
  const rt::device_memory memory(device, bytes, "test", test_section);
  device.upload(memory.data(), there.data(), bytes, test_section);
  device.download(back.data(), memory.data(), bytes, test_section);
  CHECK(back == there);
}

TEST_CASE("memory that is not there is an error that says how much and for what") {
  rt::device& device = rt::current_device();
  device.make_current(test_section);
  CHECK_THROWS_MATCHES(device.allocate(std::size_t(1) << 50, "column car::speed", test_section),
                       ikra::error, kind_and_text(ikra::error_kind::out_of_memory, "1024.0 TiB"));
  CHECK_THROWS_MATCHES(device.allocate(std::size_t(1) << 50, "column car::speed", test_section),
                       ikra::error,
                       kind_and_text(ikra::error_kind::out_of_memory, "column car::speed"));
  // The library's own operations have no place in the program.
  CHECK_THROWS_MATCHES(
      device.allocate(std::size_t(1) << 50, "bins of threads",
                      rt::section_info{"phistogram", "ikra", 0, 0}),
      ikra::error, kind_and_text(ikra::error_kind::out_of_memory, "operation 'phistogram': no"));
  const rt::device_memory after(device, 1000, "test", test_section); // still usable
  CHECK(after.data() != nullptr);
}
