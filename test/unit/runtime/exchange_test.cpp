// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack and Arrow on the device that programs run on: what is given out on a GPU comes in again
// and is computed with there; on all cores a GPU's memory is refused.
#include <ikra/arrow.hpp>
#include <ikra/dlpack.hpp>
#include <ikra/generated.hpp>

#include "value_sections.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

namespace {

constexpr std::int64_t size = 10000;

std::vector<float> numbers() {
  std::vector<float> result;
  for (std::int64_t i = 0; i < size; ++i)
    result.push_back(static_cast<float>(i * 7919 % size));
  return result;
}

struct negative {
  IKRA_HD float operator()(float x) const { return -x; }
};

bool runs_on_gpu() { return ikra::rt::current_device().is_cuda(); }

} // namespace

TEST_CASE("a tensor of the program's device is computed with where it is") {
  const ikra::array<float> a(numbers());
  const auto where = runs_on_gpu() ? ikra::memory::gpu : ikra::memory::host;
  if (!runs_on_gpu())
    CHECK_THROWS_AS(ikra::to_dlpack(a, ikra::memory::gpu), ikra::error);

  auto* tensor = ikra::to_dlpack(a, where);
  CHECK(tensor->tensor.device.kind == (runs_on_gpu() ? 2 : 1));
  const auto again = ikra::from_dlpack<float>(tensor);
  CHECK(again.psort()[size - 1] == size - 1);
  CHECK(again.to_vector() == numbers());

  // A result takes the memory of an input that ends with it, but not that of others.
  const auto negated = ikra::from_dlpack<float>(ikra::to_dlpack(a, where))
                           .pmap(ikra_unit_values::combine_section<float, negative, float>());
  CHECK(negated[1] == -numbers()[1]);
  CHECK(a.pmap(ikra_unit_values::combine_section<float, negative, float>())[1] == -numbers()[1]);

  // Elements that begin at no multiple of 16 bytes, and every third of them.
  tensor = ikra::to_dlpack(a, where);
  tensor->tensor.byte_offset = sizeof(float);
  tensor->tensor.shape[0] = 1000;
  tensor->tensor.strides[0] = 3;
  const auto some = ikra::from_dlpack<float>(tensor);
  const auto sorted = some.psort();
  std::vector<float> expected;
  for (std::size_t i = 0; i < 1000; ++i)
    expected.push_back(numbers()[1 + 3 * i]);
  CHECK(some.to_vector() == expected);
  CHECK(sorted.size() == 1000);

  // Results stay on the device until they are asked for.
  tensor = ikra::to_dlpack(a.psort());
  CHECK(tensor->tensor.device.kind == (runs_on_gpu() ? 2 : 1));
  CHECK(ikra::from_dlpack<float>(tensor)[1] == 1);
}

TEST_CASE("an Arrow column of the program's device is computed with where it is") {
  const ikra::array<float> a(numbers());
  ikra::arrow::device_array column{};
  ikra::arrow::schema schema{};
  ikra::to_arrow(a, &column, &schema, runs_on_gpu() ? ikra::memory::gpu : ikra::memory::host);
  CHECK(column.device_number == (runs_on_gpu() ? ikra::rt::current_device().number() : -1));
  const auto sorted = ikra::from_arrow<float>(&column, &schema).psort();
  CHECK(sorted[size / 2] == size / 2);
  CHECK(column.array.release == nullptr);

  // Another GPU's is refused and stays the caller's.
  ikra::to_arrow(a, &column, &schema);
  column.device_kind = 2;
  column.device_number = 99;
  CHECK_THROWS_AS(ikra::from_arrow<float>(&column, &schema), ikra::error);
  CHECK(column.array.release != nullptr);
  column.array.release(&column.array);
}

TEST_CASE("slices and adopted elements begin anywhere that suits their type") {
  struct four {
    float of[4];
  };
  std::vector<float> memory(4 * 5000 + 1);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<float>(i);
  const auto* const first = reinterpret_cast<const four*>(memory.data() + 1);
  const auto a = ikra::adopt(first, {5000}, ikra::borrowed);
  std::vector<std::int32_t> places;
  for (std::int32_t i = 0; i < 5000; ++i)
    places.push_back(4999 - i);
  const auto reversed = a.pgather(ikra::array(places));
  CHECK(reversed[0].of[3] == 4.0F * 5000);
  CHECK(a.slice(4999, -1, -1)[4999].of[0] == 1);
}
