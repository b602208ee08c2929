// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What choosing a device needs to know of CUDA. Implemented by cuda/cuda_device.cpp in
// ikra::runtime_cuda and by no_cuda.cpp in ikra::runtime.
#pragma once

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/kernel_file.hpp>

#include <memory>
#include <string>

namespace ikra::rt {

/// Whether this program was built for CUDA.
bool built_for_cuda() noexcept;

/// Whether kernels can be launched: CUDA is told of the kernels of an object file after the file's
/// static objects were made, so not while the program's static objects are.
bool kernels_registered() noexcept;

/// \returns the files with kernels that are known, the last one first.
const kernel_file* kernel_files() noexcept;

/// \param reason is set where the result is 0.
/// \returns the number of GPUs that can be used.
int cuda_device_count(std::string& reason);

/// \returns what the program's kernels were compiled for, and what GPU `number` is, where some of
/// them cannot run there; else nothing.
std::string missing_code(int number);

/// \returns GPU `number`, which is less than cuda_device_count().
std::unique_ptr<device> make_cuda_device(int number);

} // namespace ikra::rt
