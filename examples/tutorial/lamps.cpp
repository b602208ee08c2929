// Lamps of different power, and their light at one distance.
#include <cstdio>
#include <ikra/ikra.hpp>
#include <vector>

struct Lamp {
  float power; // in candela
  int hours;
};

float light(float power, float distance) { return power / (distance * distance); }

int main() {
  std::vector<Lamp> lamps;
  for (int i = 0; i < 1000; ++i)
    lamps.push_back({float(8 * (i % 5)), i});

  const float distance = 2;
  ikra::array all{ikra::objects(lamps)};
  auto lux = all.pmap([distance](const Lamp* lamp) { return light(lamp->power, distance); });
  std::printf("%.1f %.1f %.1f\n", double(lux[0]), double(lux[1]), double(lux[4]));
}
