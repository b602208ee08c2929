// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks ask of the GPU themselves. Without nvcc there is none.
#pragma once

#include <string>

namespace benchmark {

bool cuda_present();
/// \throws std::runtime_error where there is no GPU \{
std::string cuda_device_name();
void cuda_wait();
/// \}

} // namespace benchmark
