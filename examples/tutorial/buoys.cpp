// Buoys drift in rings of water, and measure how warm it is.
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>

struct Ring {
  float length, current;
};

class Buoy {
public:
  Buoy(const Ring* ring, float place) : ring_(ring), place_(place) {}
  void drift() {
    place_ += ring_->current;
    if (place_ >= ring_->length)
      place_ -= ring_->length;
  }
  int cell() const { return int(place_); }

private:
  const Ring* ring_;
  float place_;
  IKRA_OBJECT // lets emitted code see private members
};

int main() {
  const Ring inner{1024, 0.5f}, outer{4096, 1.25f};
  std::vector<std::unique_ptr<Buoy>> buoys;
  for (int i = 0; i < 100'000; ++i)
    buoys.push_back(std::make_unique<Buoy>(i % 3 == 0 ? &inner : &outer, float(i % 1024)));

  // Hundredths of a degree in each cell; then the mean of each cell and its neighbours.
  auto water = ikra::pnew(4096, [](std::int64_t cell) { return 1000 + int(cell * cell % 997); });
  auto smooth =
      water.pstencil({-1, 0, 1}, ikra::wrap, [](auto v) { return (v[-1] + v[0] + v[1]) / 3; });

  ikra::array all{buoys};
  all.peach(1000, [](Buoy* buoy) { buoy->drift(); });
  auto measured = all.pmap([smooth](const Buoy* buoy) { return smooth[buoy->cell()]; });
  auto total = measured.pmap([](int degrees) { return std::int64_t(degrees); }).sum();
  auto warm = measured.count([](int degrees) { return degrees >= 1500; });
  std::printf("mean %lld, warm %lld\n", (long long)(total / 100'000), (long long)warm);
}
