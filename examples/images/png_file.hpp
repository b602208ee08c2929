// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures from and to PNG files, by libpng's simplified interface.
#pragma once

#include "pixel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <png.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace images {

namespace detail {

/// libpng's state of one file, given back in any case.
struct png_state {
  png_state() { image.version = PNG_IMAGE_VERSION; }
  png_state(const png_state&) = delete;
  png_state& operator=(const png_state&) = delete;
  ~png_state() { png_image_free(&image); }

  /// \throws std::runtime_error with libpng's reason
  [[noreturn]] void fail(const char* what, const std::string& path) const {
    throw std::runtime_error(std::string("cannot ") + what + " " + path + ": " + image.message);
  }

  png_image image{};
};

} // namespace detail

/// The picture in a PNG file of any kind; what is transparent in it is shown over black.
/// \throws std::runtime_error if there is no such file, or it is no PNG file
inline picture load(const std::string& path) {
  detail::png_state png;
  if (png_image_begin_read_from_file(&png.image, path.c_str()) == 0)
    png.fail("read", path);
  png.image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(png.image));
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&png.image, &black, bytes.data(), 0, nullptr) == 0)
    png.fail("read", path);
  std::vector<pixel> pixels(bytes.size() / 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = rgb(bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]);
  return picture(std::move(pixels), {png.image.height, png.image.width});
}

/// Computes a picture and writes it to a PNG file.
/// \throws std::runtime_error if the file cannot be written, or the picture has no pixels
inline void render(const picture& p, const std::string& path) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(3 * p.size());
  for (const pixel c : p) {
    bytes.push_back(static_cast<std::uint8_t>(red(c)));
    bytes.push_back(static_cast<std::uint8_t>(green(c)));
    bytes.push_back(static_cast<std::uint8_t>(blue(c)));
  }
  detail::png_state png;
  png.image.height = static_cast<png_uint_32>(p.shape()[0]);
  png.image.width = static_cast<png_uint_32>(p.shape()[1]);
  png.image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png.image, path.c_str(), 0, bytes.data(), 0, nullptr) == 0)
    png.fail("write", path);
}

} // namespace images
