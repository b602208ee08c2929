// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked build names the class of an object that was destroyed while a scope holds it. It looks
// at the object's memory, which AddressSanitizer reports itself.
//
// UNSUPPORTED: sanitizer
// RUN: %ikrac --check -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <memory>
#include <vector>

struct Light {
  IKRA_OBJECT
  virtual ~Light() = default;
  virtual int colour() const { return 1; }
};
struct Red : Light {
  IKRA_OBJECT
  int colour() const override { return 2; }
};
struct Car {
  IKRA_OBJECT
  int at = 0;
  Light* light = nullptr;
  void look() { at += light->colour(); }
};

int main() {
  std::vector<std::unique_ptr<Light>> lights;
  for (int i = 0; i < 3; ++i)
    lights.push_back(i == 1 ? std::make_unique<Red>() : std::make_unique<Light>());
  std::vector<Car> cars(9);
  for (std::size_t i = 0; i < cars.size(); ++i)
    cars[i].light = lights[i % 3].get();
  const auto all = ikra::objects(cars);
  try {
    const ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    lights[1].reset();
    all.peach([](Car* c) { c->look(); });
  } catch (const ikra::error& e) {
    // CHECK: section 'main' at {{.*}}checked-destroyed.cpp:[[#@LINE-2]]:{{.*}}: an object of class Red was destroyed while a scope holds it; call scope.remove(pointer)
    std::printf("%s\n", e.what());
  }
}
