// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image program of ARRAY'17, figure 6: a tower, blurred, is blended with a sunset; in the
// middle shows, through a disc, the negative of a forest. All of it is computed by the last line of
// `compose`. With --draw, the three pictures are made first.
#include "filters.hpp"
#include "png_file.hpp"
#include "scenes.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* usage = "usage: images TOWER.png SUNSET.png FOREST.png RESULT.png\n"
                              "       images --draw FOLDER [HEIGHT WIDTH]\n";

void compose(const std::string& tower_file, const std::string& sunset_file,
             const std::string& forest_file, const std::string& result_file) {
  using namespace images;
  picture tower = load(tower_file);
  const ikra::index<2> size = tower.shape();
  for (int i = 0; i < 3; ++i)
    tower = tower | blur();
  const picture sunset = load(sunset_file) | resize(size);
  const picture evening = tower | blend(sunset, 0.3);
  const picture forest = load(forest_file) | resize(size) | invert();
  render(evening | overlay(forest, circle(size, size[0] / 4)), result_file);
}

void draw(const std::string& folder, const ikra::index<2>& size) {
  images::render(images::tower(size), folder + "/tower.png");
  images::render(images::sunset(size), folder + "/sunset.png");
  images::render(images::forest(size), folder + "/forest.png");
}

// Height and width of pictures are 16 to 16,384 pixels.
std::int64_t extent(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 16 || value > 16384)
    throw std::runtime_error("height and width are numbers from 16 to 16384, not '" + text + "'");
  return value;
}

int run(const std::vector<std::string>& arguments) {
  const std::size_t count = arguments.size();
  if ((count == 2 || count == 4) && arguments[0] == "--draw") {
    const ikra::index<2> size = count == 4
                                    ? ikra::index<2>(extent(arguments[2]), extent(arguments[3]))
                                    : ikra::index<2>(900, 1200);
    draw(arguments[1], size);
    return EXIT_SUCCESS;
  }
  if (count == 4) {
    compose(arguments[0], arguments[1], arguments[2], arguments[3]);
    return EXIT_SUCCESS;
  }
  std::fputs(usage, stderr);
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "images: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
