// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device sections run on: IKRA_DEVICE, else a GPU if there is one, else all cores.
#include "cuda_support.hpp"

#include <ikra/error.hpp>

#include "support/environment.hpp"

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

namespace ikra::rt {

device_name parse_device_name(std::string_view text) {
  constexpr std::string_view numbered = "cuda:";
  if (text == "cpu")
    return {device_name::cpu, 0};
  if (text == "cuda")
    return {device_name::cuda, 0};
  if (text.substr(0, numbered.size()) == numbered) {
    const char* begin = text.data() + numbered.size();
    const char* end = text.data() + text.size();
    int number = -1;
    const auto [stop, status] = std::from_chars(begin, end, number);
    if (status == std::errc() && stop == end && number >= 0)
      return {device_name::cuda, number};
  }
  throw error(error_kind::no_device, "IKRA_DEVICE is '" + std::string(text) +
                                         "', which names no device; set it to cpu, cuda or cuda:N, "
                                         "or unset it");
}

namespace {

// Files become known while static objects are made, in no order that could be relied on.
constinit std::atomic<const kernel_file*> last_kernel_file = nullptr;
constinit std::atomic<bool> any_recursive_code = false;

} // namespace

kernel_file::kernel_file(const void* probe, const int* built_for, std::size_t how_many) noexcept
    : kernel(probe), architectures(built_for), count(how_many), next(last_kernel_file.load()) {
  while (!last_kernel_file.compare_exchange_weak(next, this)) {
  }
}

const kernel_file* kernel_files() noexcept { return last_kernel_file.load(); }

recursive_code::recursive_code() noexcept { any_recursive_code = true; }

bool recursive_code::is_there() noexcept { return any_recursive_code.load(); }

namespace {

/// \returns a GPU, or null for all cores.
std::unique_ptr<device> choose() {
  const char* const wish = std::getenv("IKRA_DEVICE");
  std::string reason;
  if (wish == nullptr || *wish == '\0') {
    if (!built_for_cuda())
      return nullptr;
    if (cuda_device_count(reason) == 0) {
      std::fprintf(stderr, "ikra: no GPU (%s): running on all cores\n", reason.c_str());
      return nullptr;
    }
    if (reason = missing_code(0); !reason.empty()) {
      std::fprintf(stderr, "ikra: %s: running on all cores\n", reason.c_str());
      return nullptr;
    }
    return make_cuda_device(0);
  }
  const device_name name = parse_device_name(wish);
  if (name.kind == device_name::cpu)
    return nullptr;
  if (!built_for_cuda())
    throw error(error_kind::no_device,
                "IKRA_DEVICE is '" + std::string(wish) +
                    "', but this program was built with BACKEND cpu; build it with "
                    "BACKEND cuda, or set IKRA_DEVICE=cpu");
  const int count = cuda_device_count(reason);
  if (count == 0)
    throw error(error_kind::no_device, "IKRA_DEVICE is '" + std::string(wish) +
                                           "', but there is no GPU (" + reason +
                                           "); set IKRA_DEVICE=cpu to run on all cores");
  if (name.number >= count)
    throw error(error_kind::no_device, "IKRA_DEVICE is '" + std::string(wish) +
                                           "', but GPUs are numbered from 0 to " +
                                           std::to_string(count - 1) + "; set it to one of them");
  if (reason = missing_code(name.number); !reason.empty())
    throw error(error_kind::no_device,
                "IKRA_DEVICE is '" + std::string(wish) + "', but " + reason +
                    "; build it with the GPU's architecture in CMAKE_CUDA_ARCHITECTURES, or set "
                    "IKRA_DEVICE=cpu to run on all cores");
  return make_cuda_device(name.number);
}

} // namespace

namespace {

thread_local bool only_all_cores = false;

} // namespace

all_cores_scope::all_cores_scope() noexcept : was_(std::exchange(only_all_cores, true)) {}
all_cores_scope::~all_cores_scope() { only_all_cores = was_; }

bool goes_on_on_all_cores(const ikra::error& failed) {
  static const auto wanted =
      wished<bool>("IKRA_ON_OUT_OF_MEMORY", {{"error", false}, {"cpu", true}});
  if (failed.kind() != error_kind::out_of_memory || !current_device().is_cuda() || !wanted)
    return false;
  static std::once_flag once;
  std::call_once(once, [&] {
    std::fprintf(stderr, "ikra: %s: going on on all cores (IKRA_ON_OUT_OF_MEMORY)\n",
                 failed.what());
  });
  return true;
}

std::size_t parse_memory_limit(std::string_view text) {
  const auto refuse = [text] {
    throw error(error_kind::unsupported,
                "IKRA_DEVICE_MEMORY is '" + std::string(text) +
                    "'; set it to a number of bytes such as 8G or 512M, or unset it");
  };
  std::size_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, status] = std::from_chars(begin, end, number);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  constexpr std::string_view units = "KMGT";
  if (status != std::errc() || unit.size() > 1)
    refuse();
  const std::size_t power = unit.empty() ? 0 : units.find(unit.front());
  if (power == std::string_view::npos)
    refuse();
  const int shift = unit.empty() ? 0 : 10 * static_cast<int>(power + 1);
  if (number == 0 || number > (SIZE_MAX >> shift))
    refuse();
  return number << shift;
}

device& current_device() {
  if (only_all_cores)
    return host_device();
  if (built_for_cuda() && !kernels_registered())
    return host_device();
  // Never destroyed: static objects of the program may hold arrays on it.
  static device* const gpu = choose().release();
  return gpu != nullptr ? *gpu : host_device();
}

} // namespace ikra::rt
