// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/data.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <cstddef>
#include <span>

namespace data {

struct camera_frame {
  const unsigned char* pixels;
  int height, width;
  std::ptrdiff_t pitch;
};
inline void release(camera_frame*) {}

} // namespace data

#define data_PARAMETERS data::camera_frame *frame, std::span<unsigned char> output
