// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roads are drawn into two planes, how much road and how much traffic there is at a pixel; both
// together give a brightness, and that a colour of a palette.
#include "picture.hpp"

#include "files.hpp"
#include "layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <png.h>
#include <stdexcept>

namespace traffic {
namespace {

constexpr int longest_side = 1200, margin = 24;

class Plane {
public:
  Plane(int width, int height)
      : width_(width), height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::vector<float>& pixels() { return pixels_; }
  const std::vector<float>& pixels() const { return pixels_; }

  // Shares the amount among the four pixels around a place.
  void add(float x, float y, float amount) {
    const float left = std::floor(x), top = std::floor(y);
    const float fx = x - left, fy = y - top;
    const int i = static_cast<int>(left), j = static_cast<int>(top);
    add_to(i, j, amount * (1 - fx) * (1 - fy));
    add_to(i + 1, j, amount * fx * (1 - fy));
    add_to(i, j + 1, amount * (1 - fx) * fy);
    add_to(i + 1, j + 1, amount * fx * fy);
  }

  // A box filter along both axes.
  void blur(int radius) {
    smooth(width_, height_, 1, width_, radius);
    smooth(height_, width_, width_, 1, radius);
  }

private:
  void add_to(int x, int y, float amount) {
    if (x >= 0 && x < width_ && y >= 0 && y < height_)
      pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
              static_cast<std::size_t>(x)] += amount;
  }

  void smooth(int length, int lines, int step, int line_step, int radius) {
    std::vector<float> line(static_cast<std::size_t>(length));
    for (int l = 0; l < lines; ++l) {
      float* const pixels = pixels_.data() + static_cast<std::ptrdiff_t>(l) * line_step;
      for (int i = 0; i < length; ++i) {
        float sum = 0;
        for (int j = std::max(0, i - radius); j <= std::min(length - 1, i + radius); ++j)
          sum += pixels[static_cast<std::ptrdiff_t>(j) * step];
        line[static_cast<std::size_t>(i)] = sum / static_cast<float>(2 * radius + 1);
      }
      for (int i = 0; i < length; ++i)
        pixels[static_cast<std::ptrdiff_t>(i) * step] = line[static_cast<std::size_t>(i)];
    }
  }

  int width_, height_;
  std::vector<float> pixels_;
};

// From places of the map to pixels.
struct View {
  float left, top, scale;
  int width, height;

  explicit View(const std::vector<Place>& places) {
    const auto [x0, x1] = std::minmax_element(
        places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
    const auto [y0, y1] = std::minmax_element(
        places.begin(), places.end(), [](const Place& a, const Place& b) { return a.y < b.y; });
    const float wide = x1->x - x0->x, high = y1->y - y0->y;
    scale = static_cast<float>(longest_side - 2 * margin) / std::max({wide, high, 1e-6f});
    left = x0->x;
    top = y0->y;
    width = static_cast<int>(std::ceil(wide * scale)) + 2 * margin;
    height = static_cast<int>(std::ceil(high * scale)) + 2 * margin;
  }

  Place operator()(const Place& place) const {
    return {(place.x - left) * scale + margin, (place.y - top) * scale + margin};
  }
};

struct Stroke {
  Place from, to;
  float length() const { return std::hypot(to.x - from.x, to.y - from.y); }
};

// Draws a line of a given width, `amount` on each unit of its length.
void draw(Plane& plane, const Stroke& stroke, float width, float amount) {
  constexpr float step = 0.5f; // pixels
  const float length = stroke.length();
  const int along = std::max(1, static_cast<int>(std::ceil(length / step)));
  const int across = std::max(1, static_cast<int>(std::lround(width / step)));
  const float dx = stroke.to.x - stroke.from.x, dy = stroke.to.y - stroke.from.y;
  const float nx = length > 0 ? -dy / length : 0, ny = length > 0 ? dx / length : 0;
  const float share = amount * std::max(length, step) / static_cast<float>(along * across);
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j) {
      const float t = (static_cast<float>(i) + 0.5f) / static_cast<float>(along);
      const float s = (static_cast<float>(j) - static_cast<float>(across - 1) / 2) * step;
      plane.add(stroke.from.x + t * dx + s * nx, stroke.from.y + t * dy + s * ny, share);
    }
}

// The amount that only a few pixels in a hundred exceed.
float bright_amount(const std::vector<float>& pixels) {
  std::vector<float> lit;
  std::copy_if(pixels.begin(), pixels.end(), std::back_inserter(lit),
               [](float p) { return p > 0; });
  if (lit.empty())
    return 1;
  const auto nth = lit.begin() + static_cast<std::ptrdiff_t>(lit.size() * 98 / 100);
  std::nth_element(lit.begin(), nth, lit.end());
  return *nth;
}

// From night over violet and orange to light yellow.
std::array<png_byte, 3 * 256> palette() {
  struct Stop {
    float at, red, green, blue;
  };
  constexpr Stop stops[] = {{0.00f, 10, 12, 26},  {0.22f, 46, 44, 92},   {0.42f, 126, 40, 122},
                            {0.62f, 221, 74, 84}, {0.80f, 251, 155, 56}, {1.00f, 255, 247, 196}};
  std::array<png_byte, 3 * 256> colours{};
  for (std::size_t i = 0; i < 256; ++i) {
    const float at = static_cast<float>(i) / 255;
    const Stop* to = std::find_if(std::begin(stops) + 1, std::end(stops) - 1,
                                  [at](const Stop& s) { return at <= s.at; });
    const Stop* from = to - 1;
    const float t = (at - from->at) / (to->at - from->at);
    colours[3 * i] = static_cast<png_byte>(from->red + t * (to->red - from->red));
    colours[3 * i + 1] = static_cast<png_byte>(from->green + t * (to->green - from->green));
    colours[3 * i + 2] = static_cast<png_byte>(from->blue + t * (to->blue - from->blue));
  }
  return colours;
}

void write_png(const std::string& name, int width, int height,
               const std::vector<png_byte>& pixels) {
  NewFile file(name);
  const auto colours = palette();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;
  if (!png_image_write_to_file(&image, file.path().c_str(), 0, pixels.data(), width,
                               colours.data()))
    throw std::runtime_error(
        fmt::format("{}: the picture cannot be written: {}", name, image.message));
  file.finish();
}

} // namespace

void draw_traffic(const std::string& file, const RoadMap& map,
                  const std::vector<std::uint32_t>& actors) {
  const std::vector<Place> places = map.places.empty() ? place_crossings(map) : map.places;
  const View view(places);
  Plane road_plane(view.width, view.height), traffic_plane(view.width, view.height);
  // Wide strokes where there are few roads; where there are many, traffic is shown by the
  // neighbourhood.
  const float pixels_per_road = static_cast<float>(view.width) * static_cast<float>(view.height) /
                                static_cast<float>(map.roads.size());
  const float width = std::clamp(std::sqrt(pixels_per_road) / 14, 1.0f, 7.0f);
  const int neighbourhood = pixels_per_road < 50 ? 2 : 0;
  for (std::size_t road = 0; road < map.roads.size(); ++road) {
    const Stroke stroke{view(places[map.roads[road].from]), view(places[map.roads[road].to])};
    const auto count = static_cast<float>(actors[2 * road] + actors[2 * road + 1]);
    draw(road_plane, stroke, width, width);
    draw(traffic_plane, stroke, width, count / std::max(stroke.length(), 1.0f));
  }
  if (neighbourhood > 0)
    traffic_plane.blur(neighbourhood);

  const float bright = bright_amount(traffic_plane.pixels());
  std::vector<png_byte> pixels;
  pixels.reserve(road_plane.pixels().size());
  for (std::size_t i = 0; i < road_plane.pixels().size(); ++i) {
    const float road = std::min(1.0f, road_plane.pixels()[i]);
    const float traffic = std::min(1.0f, std::sqrt(traffic_plane.pixels()[i] / bright));
    pixels.push_back(static_cast<png_byte>(std::lround(255 * road * (0.2f + 0.8f * traffic))));
  }
  write_png(file, view.width, view.height, pixels);
}

} // namespace traffic
