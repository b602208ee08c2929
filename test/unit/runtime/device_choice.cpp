// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints which device is chosen where the runtime for CUDA says that GPU 0 runs the program's
// kernels (argument: empty) or why it does not. What stands in for that runtime is here, so this
// needs no GPU.
#include <cstdio>
#include <exception>
#include <string>

#include "devices/cuda_support.hpp"
#include "devices/operations.hpp"

namespace {
std::string& problem() {
  static std::string text;
  return text;
}
} // namespace

namespace ikra::rt {

bool built_for_cuda() noexcept { return true; }
bool kernels_registered() noexcept { return true; }
int cuda_device_count(std::string&) { return 1; }
std::string missing_code(int) { return problem(); }
std::unique_ptr<device> make_cuda_device(int number) {
  std::printf("GPU %d\n", number);
  return nullptr;
}
ikra::detail::device_operations* cuda_operations() { return nullptr; }

} // namespace ikra::rt

int main(int count, char** arguments) {
  problem() = count > 1 ? arguments[1] : "";
  try {
    ikra::rt::current_device();
    std::printf("chosen\n");
  } catch (const std::exception& refused) {
    std::printf("refused: %s\n", refused.what());
  }
}
