// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters against what they are defined to be, and PNG files there and back.
#include "filters.hpp"
#include "png_file.hpp"
#include "scenes.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace images;

constexpr ikra::index<2> size{20, 31};

picture plain_colour(pixel c) {
  return ikra::pnew(size, [c](ikra::index<2>) { return c; });
}

/// Black to the left of a column, white from there on.
picture step(std::int64_t column) {
  return ikra::pnew(size, [column](ikra::index<2> i) {
    return i[1] < column ? rgb(0, 0, 0) : rgb(255, 255, 255);
  });
}

bool same(const picture& a, const picture& b) {
  return a.shape() == b.shape() && a.to_vector() == b.to_vector();
}

/// A name for a file that is gone when the test ends.
class scratch_file {
public:
  explicit scratch_file(const char* name)
      : path_((std::filesystem::temp_directory_path() /
               (std::string("ikra-images-test-") + std::to_string(++count()) + name))
                  .string()) {}
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

private:
  static int& count() {
    static int files = 0;
    return files;
  }
  std::string path_;
};

} // namespace

TEST_CASE("pixels have three parts that are cut off to bytes") {
  CHECK(rgb(1, 2, 3) == 0x010203);
  CHECK(rgb(-5, 300, 255) == 0x00FFFF);
  CHECK(red(0x123456) == 0x12);
  CHECK(green(0x123456) == 0x34);
  CHECK(blue(0x123456) == 0x56);
  CHECK(mix(0x102030, 0xA0B0C0, 0) == 0x102030);
  CHECK(mix(0x102030, 0xA0B0C0, whole) == 0xA0B0C0);
  CHECK(mix(0x000000, 0x80FF10, whole / 2) == rgb(64, 128, 8));
  CHECK(luminance(0xFFFFFF) == 255);
  CHECK(luminance(0x000000) == 0);
}

TEST_CASE("one colour stays as it is, and has no edges") {
  const picture p = plain_colour(rgb(200, 10, 99));
  CHECK(same(p | blur(), p));
  CHECK(same(p | sharpen(), p));
  CHECK(same(p | resize({7, 90}),
             ikra::pnew({7, 90}, [](ikra::index<2>) { return rgb(200, 10, 99); })));
  CHECK(same(p | edges(), plain_colour(0)));
}

TEST_CASE("blur is the mean of nine pixels, sharpen goes the other way, edges are where brightness "
          "changes") {
  const picture blurred = step(10) | blur();
  CHECK(blurred(5, 8) == rgb(0, 0, 0));
  CHECK(blurred(5, 9) == rgb(85, 85, 85));
  CHECK(blurred(0, 10) == rgb(170, 170, 170)); // at the edge too
  CHECK(blurred(19, 11) == rgb(255, 255, 255));
  const picture grey = ikra::pnew(size, [](ikra::index<2> i) {
    const int g = i[1] < 10 ? 100 : 120;
    return rgb(g, g, g);
  });
  CHECK((grey | sharpen())(5, 9) == rgb(80, 80, 80));
  CHECK((grey | sharpen())(5, 10) == rgb(140, 140, 140));
  CHECK((grey | sharpen())(5, 11) == rgb(120, 120, 120));
  CHECK((grey | edges())(5, 9) == rgb(80, 80, 80));
  CHECK((grey | edges())(5, 8) == 0);
}

TEST_CASE("inverting twice changes nothing") {
  const picture p = forest(size);
  CHECK(same(p | invert() | invert(), p));
  CHECK((plain_colour(rgb(1, 2, 3)) | invert())[0] == rgb(254, 253, 252));
}

TEST_CASE("blend mixes by its ratio, which is from 0 to 1") {
  const picture a = tower(size);
  const picture b = sunset(size);
  CHECK(same(a | blend(b, 0), a));
  CHECK(same(a | blend(b, 1), b));
  CHECK((plain_colour(rgb(0, 100, 200)) | blend(plain_colour(rgb(200, 100, 0)), 0.25))[0] ==
        rgb(50, 100, 150));
  CHECK_THROWS_AS(blend(a, 1.5), std::invalid_argument);
  CHECK_THROWS_AS(blend(a, -0.1), std::invalid_argument);
  CHECK_THROWS_AS(a | blend(tower({5, 5}), 0.5), ikra::error);
}

TEST_CASE("overlay shows the other picture where its mask does") {
  const picture below = plain_colour(rgb(0, 0, 0));
  const picture other = plain_colour(rgb(255, 255, 255));
  const picture p = below | overlay(other, circle(size, 5));
  CHECK(p(10, 15) == rgb(255, 255, 255));
  CHECK(p(10, 11) == rgb(255, 255, 255));
  CHECK(p(10, 8) == rgb(0, 0, 0));
  CHECK(p(0, 0) == rgb(0, 0, 0));
  // A disc's area, and symmetric in both directions.
  const mask m = circle({201, 101}, 40);
  const auto area = static_cast<double>(m.sum()) / whole;
  CHECK(area == Approx(3.14159 * 40.5 * 40.5).epsilon(0.005));
  CHECK(m.slice({200, 100}, {-1, -1}, {-1, -1}).to_vector() == m.to_vector());
}

TEST_CASE("resize interpolates, and keeps a picture that has the size") {
  const picture p = tower(size);
  CHECK(same(p | resize(size), p));
  const picture two = picture(std::vector<pixel>{rgb(0, 0, 0), rgb(100, 100, 100)}, {1, 2});
  CHECK((two | resize({1, 4})).to_vector() ==
        std::vector<pixel>{0, rgb(25, 25, 25), rgb(75, 75, 75), rgb(100, 100, 100)});
  CHECK((two | resize({3, 1})).to_vector() == std::vector<pixel>(3, rgb(50, 50, 50)));
  CHECK_THROWS_AS(resize({0, 4}), std::invalid_argument);
  CHECK_THROWS_AS(picture() | resize(size), std::invalid_argument);
}

TEST_CASE("filters joined by | are a filter, first the left one") {
  const auto both = invert() | blend(plain_colour(0), 0.5) | blur();
  const picture p = sunset(size);
  CHECK(same(p | both, p | invert() | blend(plain_colour(0), 0.5) | blur()));
  const auto darken = [](const picture& q) {
    return q.pmap([](pixel c) { return c / 2 & 0x7F7F7F; });
  };
  CHECK((plain_colour(rgb(200, 100, 50)) | darken)[0] == rgb(100, 50, 25));
}

TEST_CASE("filters are lazy") {
  int computed = 0;
  const picture p = plain_colour(7).pmap([&computed](pixel c) {
    ++computed;
    return c;
  });
  const picture q = p | blur() | sharpen() | edges() | invert() | blend(p, 0.5);
  CHECK(computed == 0);
  CHECK(q.size() == 620);
  CHECK(q[0] == mix(0xFFFFFF, 7, whole / 2));
  CHECK(computed == 620);
}

TEST_CASE("PNG files hold what was rendered") {
  const scratch_file file("there-and-back.png");
  const picture p = tower(size) | blur();
  render(p, file.path());
  CHECK(same(load(file.path()), p));
}

TEST_CASE("files that are missing or no pictures are errors with their names") {
  CHECK_THROWS_WITH(load("no-such-folder/no.png"), Catch::Contains("no-such-folder/no.png"));
  const scratch_file file("text.png");
  std::ofstream(file.path()) << "this is no picture, but long enough to be mistaken for one";
  CHECK_THROWS_WITH(load(file.path()), Catch::Contains("text.png"));
  CHECK_THROWS_AS(render(tower(size), "no-such-folder/no.png"), std::runtime_error);
  const scratch_file empty("empty.png");
  CHECK_THROWS_AS(render(picture(), empty.path()), std::runtime_error);
}
