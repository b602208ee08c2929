// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack and Arrow, from and to: what another library hands over is made here by hand, with
// deleters that are counted. docs/data.md says what is tested.
#include "kinds.hpp"

#include <ikra/arrow.hpp>
#include <ikra/dlpack.hpp>
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

/// A tensor as another library hands it over.
struct foreign_tensor {
  std::vector<std::int64_t> shape, strides;
  int deleted = 0;
  ikra::dlpack::managed_tensor managed{};
  ikra::dlpack::managed_tensor_versioned versioned{};

  foreign_tensor(void* data, ikra::dlpack::data_type type, std::vector<std::int64_t> extents,
                 std::vector<std::int64_t> steps = {})
      : shape(std::move(extents)), strides(std::move(steps)) {
    managed.tensor = {data, {1, 0},       static_cast<std::int32_t>(shape.size()),
                      type, shape.data(), strides.empty() ? nullptr : strides.data(),
                      0};
    managed.context = this;
    managed.deleter = [](ikra::dlpack::managed_tensor* t) {
      ++static_cast<foreign_tensor*>(t->context)->deleted;
    };
    versioned = {1,
                 3,
                 this,
                 [](ikra::dlpack::managed_tensor_versioned* t) {
                   ++static_cast<foreign_tensor*>(t->context)->deleted;
                 },
                 ikra::dlpack::read_only,
                 managed.tensor};
  }
  foreign_tensor(const foreign_tensor&) = delete;
  foreign_tensor& operator=(const foreign_tensor&) = delete;
};

constexpr ikra::dlpack::data_type float32{2, 32, 1}, int64{0, 64, 1};

/// A column as another library hands it over.
struct foreign_column {
  const void* buffers[2];
  int released = 0;
  ikra::arrow::array array{};
  ikra::arrow::schema schema{};

  foreign_column(const char* format, const void* values, std::int64_t length,
                 std::int64_t offset = 0, const void* valid = nullptr, std::int64_t nulls = 0)
      : buffers{valid, values} {
    array = {length, nulls, offset, 2, 0, buffers, nullptr, nullptr, &release, this};
    schema = {format, "speed", nullptr, 0, 0, nullptr, nullptr, [](ikra::arrow::schema*) {}, this};
  }
  foreign_column(const foreign_column&) = delete;
  foreign_column& operator=(const foreign_column&) = delete;

  static void release(ikra::arrow::array* a) {
    ++static_cast<foreign_column*>(a->context)->released;
    a->release = nullptr;
  }
};

} // namespace

TEST_CASE("a DLPack tensor is adopted in place and deleted by its last reader") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  foreign_tensor tensor(values.data(), float32, {2, 3});
  ikra::array<float> doubled;
  {
    auto a = ikra::from_dlpack<float, 2>(&tensor.managed);
    CHECK(a.shape() == ikra::index<2>(2, 3));
    CHECK(a.data() == values.data());
    doubled = a.pmap([](float x) { return 2 * x; }).reshape({6});
  }
  CHECK(tensor.deleted == 0); // an uncomputed array will read it
  CHECK(doubled.to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
  CHECK(tensor.deleted == 1);
}

TEST_CASE("strides, offsets and flags of a DLPack tensor are followed") {
  std::vector<std::int64_t> values{1, 2, 3, 4, 5, 6};
  SECTION("column-major") {
    foreign_tensor tensor(values.data(), int64, {3, 2}, {1, 3});
    const auto a = ikra::from_dlpack<std::int64_t, 2>(&tensor.versioned);
    CHECK(a.to_vector() == std::vector<std::int64_t>{1, 4, 2, 5, 3, 6});
  }
  SECTION("reversed, from a byte offset on") {
    foreign_tensor tensor(values.data(), int64, {3}, {-2});
    tensor.managed.tensor.byte_offset = 5 * sizeof(std::int64_t);
    const auto a = ikra::from_dlpack<std::int64_t>(&tensor.managed);
    CHECK(a.to_vector() == std::vector<std::int64_t>{6, 4, 2});
  }
  SECTION("one element for all places") {
    foreign_tensor tensor(values.data() + 3, int64, {4}, {0});
    CHECK(ikra::from_dlpack<std::int64_t>(&tensor.managed).sum() == 16);
  }
  SECTION("no elements") {
    foreign_tensor tensor(nullptr, int64, {0, 7});
    CHECK(ikra::from_dlpack<std::int64_t, 2>(&tensor.managed).shape() == ikra::index<2>(0, 7));
    CHECK(tensor.deleted == 1);
  }
}

TEST_CASE("a DLPack tensor that cannot be adopted stays the caller's") {
  std::vector<float> values(6);
  foreign_tensor tensor(values.data(), float32, {2, 3});
  const auto kind = [&] { return kind_of([&] { ikra::from_dlpack<float, 2>(&tensor.managed); }); };
  SECTION("another type") {
    tensor.managed.tensor.type = int64;
    CHECK(kind() == error_kind::type_mismatch);
    CHECK_THROWS_WITH((ikra::from_dlpack<float, 2>(&tensor.managed)),
                      Catch::Contains("int64") && Catch::Contains("float32"));
  }
  SECTION("null, or without a shape") {
    tensor.managed.tensor.shape = nullptr;
    CHECK(kind() == error_kind::cannot_adopt);
    ikra::dlpack::managed_tensor* const none = nullptr;
    ikra::dlpack::managed_tensor_versioned* const none_versioned = nullptr;
    CHECK(kind_of([&] { ikra::from_dlpack<float>(none); }) == error_kind::cannot_adopt);
    CHECK(kind_of([&] { ikra::from_dlpack<float>(none_versioned); }) == error_kind::cannot_adopt);
  }
  SECTION("vectors as elements") {
    tensor.managed.tensor.type.lanes = 4;
    CHECK(kind() == error_kind::type_mismatch);
  }
  SECTION("another rank") {
    tensor.managed.tensor.rank = 1;
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("a negative extent") {
    tensor.shape[1] = -1;
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("more than an address space") {
    tensor.shape = {std::int64_t(1) << 40, std::int64_t(1) << 40};
    tensor.managed.tensor.shape = tensor.shape.data();
    CHECK(kind() == error_kind::bad_shape);
    tensor.shape[1] = std::int64_t(1) << 22;
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("strides beyond an address space") {
    tensor.strides = {INT64_MIN, 1};
    tensor.managed.tensor.strides = tensor.strides.data();
    CHECK(kind() == error_kind::bad_shape);
    tensor.strides = {INT64_MAX / 4, INT64_MAX / 8};
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("misaligned memory") {
    tensor.managed.tensor.byte_offset = 2;
    CHECK(kind() == error_kind::cannot_adopt);
    CHECK_THROWS_WITH((ikra::from_dlpack<float, 2>(&tensor.managed)), Catch::Contains("aligned"));
  }
  SECTION("no memory") {
    tensor.managed.tensor.data = nullptr;
    CHECK(kind() == error_kind::cannot_adopt);
  }
  SECTION("an unknown device") {
    tensor.managed.tensor.device.kind = 8;
    CHECK(kind() == error_kind::cannot_adopt);
  }
  SECTION("a GPU, in a program that has none") {
    tensor.managed.tensor.device.kind = 2;
    CHECK(kind() == error_kind::no_device);
  }
  SECTION("a later version") {
    tensor.versioned.major = 2;
    CHECK(kind_of([&] { ikra::from_dlpack<float, 2>(&tensor.versioned); }) ==
          error_kind::cannot_adopt);
  }
  CHECK(tensor.deleted == 0);
}

TEST_CASE("an array is given out as a DLPack tensor that outlives it") {
  ikra::dlpack::managed_tensor* plain = nullptr;
  ikra::dlpack::managed_tensor_versioned* versioned = nullptr;
  {
    const ikra::array<int, 2> a(std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3});
    const auto squares = a.pmap([](int x) { return x * x; });
    plain = ikra::to_dlpack(squares);
    versioned = ikra::to_dlpack_versioned(squares, ikra::memory::host);
    CHECK(plain->tensor.data == squares.data());
    CHECK(kind_of([&] { ikra::to_dlpack(a, ikra::memory::gpu); }) == error_kind::no_device);
  }
  CHECK(plain->tensor.rank == 2);
  CHECK(plain->tensor.type.bits == 8 * sizeof(int));
  CHECK(plain->tensor.shape[1] == 3);
  CHECK(plain->tensor.strides[0] == 3);
  CHECK(static_cast<const int*>(plain->tensor.data)[5] == 36);
  plain->deleter(plain);
  CHECK(versioned->major == 1);
  CHECK((versioned->flags & ikra::dlpack::read_only) != 0);
  // And in again: what was given out is what comes in.
  const void* const there = versioned->tensor.data;
  const auto again = ikra::from_dlpack<int, 2>(versioned);
  CHECK(again.data() == there);
  CHECK(again(1, 2) == 36);
}

TEST_CASE("all types of DLPack go out and come in") {
  const auto goes_round = [](auto value) {
    const ikra::array<decltype(value)> a(std::vector<decltype(value)>(3, value));
    return ikra::from_dlpack<decltype(value)>(ikra::to_dlpack(a))[2] == value;
  };
  enum class color : unsigned char { red = 7 };
  CHECK(goes_round(true));
  CHECK(goes_round(std::int8_t(-3)));
  CHECK(goes_round(std::uint16_t(65535)));
  CHECK(goes_round(std::uint64_t(1) << 63));
  CHECK(goes_round(0.5));
  CHECK(goes_round(std::complex<float>(1, -2)));
  CHECK(goes_round(color::red));
}

TEST_CASE("an Arrow column is adopted in place, from its offset on") {
  std::vector<double> values{9, 1, 2, 3};
  const unsigned char valid = 0b1110; // element 0 is null, which lies in front of the offset
  foreign_column column("g", values.data(), 3, 1, &valid, -1);
  {
    const auto a = ikra::from_arrow<double>(&column.array, &column.schema);
    CHECK(column.array.release == nullptr); // moved
    CHECK(a.data() == values.data() + 1);
    CHECK(a.sum() == 6);
  }
  CHECK(column.released == 1);
  CHECK(kind_of([&] { ikra::from_arrow<double>(&column.array, &column.schema); }) ==
        error_kind::cannot_adopt);
}

TEST_CASE("an Arrow column that cannot be adopted stays the caller's") {
  std::vector<double> values{1, 2, 3};
  const unsigned char valid = 0b101;
  foreign_column column("g", values.data(), 3);
  const auto kind = [&] {
    return kind_of([&] { ikra::from_arrow<double>(&column.array, &column.schema); });
  };
  SECTION("nulls") {
    column.buffers[0] = &valid;
    column.array.null_count = GENERATE(-1, 1);
    CHECK(kind() == error_kind::cannot_adopt);
    CHECK_THROWS_WITH(ikra::from_arrow<double>(&column.array, &column.schema),
                      Catch::Contains("'speed' has") && Catch::Contains("nulls"));
  }
  SECTION("null, or not filled in") {
    ikra::arrow::array* const none = nullptr;
    ikra::arrow::device_array* const none_of_device = nullptr;
    CHECK(kind_of([&] { ikra::from_arrow<double>(none, &column.schema); }) ==
          error_kind::cannot_adopt);
    CHECK(kind_of([&] { ikra::from_arrow<double>(&column.array, nullptr); }) ==
          error_kind::cannot_adopt);
    CHECK(kind_of([&] { ikra::columns_from_arrow<double>(none_of_device, &column.schema); }) ==
          error_kind::cannot_adopt);
    SECTION("no format") { column.schema.format = nullptr; }
    SECTION("no buffers") { column.array.buffers = nullptr; }
    SECTION("a negative offset") { column.array.offset = -1; }
    SECTION("an offset out of all bounds") { column.array.offset = INT64_MAX - 1; }
    SECTION("nulls, and no bits for them") { column.array.null_count = 1; }
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("another type") {
    column.schema.format = GENERATE("f", "b", "u", "+s", "");
    CHECK(kind() == error_kind::type_mismatch);
  }
  SECTION("a dictionary") {
    column.schema.dictionary = &column.schema;
    CHECK(kind() == error_kind::type_mismatch);
  }
  SECTION("a negative length") {
    column.array.length = -1;
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("one buffer") {
    column.array.buffer_count = 1;
    CHECK(kind() == error_kind::bad_shape);
  }
  SECTION("misaligned values") {
    column.buffers[1] = reinterpret_cast<const char*>(values.data()) + 4;
    CHECK(kind() == error_kind::cannot_adopt);
  }
  SECTION("on a GPU") {
    ikra::arrow::device_array there{column.array, 0, 2, nullptr, {}};
    CHECK(kind_of([&] { ikra::from_arrow<double>(&there, &column.schema); }) ==
          error_kind::no_device);
    CHECK(there.array.release != nullptr);
  }
  CHECK(column.array.release != nullptr);
  CHECK(column.released == 0);
}

TEST_CASE("the columns of an Arrow struct share it") {
  std::vector<std::int32_t> ids{1, 2, 3, 4};
  std::vector<float> speeds{5, 6, 7, 8};
  foreign_column id("i", ids.data(), 4), speed("f", speeds.data(), 4);
  foreign_column batch("+s", nullptr, 2, 1);
  ikra::arrow::array* arrays[] = {&id.array, &speed.array};
  ikra::arrow::schema* schemas[] = {&id.schema, &speed.schema};
  batch.array.child_count = batch.schema.child_count = 2;
  batch.array.children = arrays;
  batch.schema.children = schemas;
  batch.array.buffer_count = 1;
  ikra::array<float> last;
  SECTION("all go") {
    {
      const auto [i, s] =
          ikra::columns_from_arrow<std::int32_t, float>(&batch.array, &batch.schema);
      CHECK(i.to_vector() == std::vector<std::int32_t>{2, 3});
      last = s;
    }
    CHECK(batch.released == 0);
    CHECK(last[1] == 7);
    last = {};
    CHECK(batch.released == 1);
  }
  SECTION("the same of a device's interface") {
    ikra::arrow::device_array of_device{batch.array, -1, 1, nullptr, {}};
    {
      const auto [i, s] = ikra::columns_from_arrow<std::int32_t, float>(&of_device, &batch.schema);
      CHECK(i.to_vector() == std::vector<std::int32_t>{2, 3});
      CHECK(s.to_vector() == std::vector<float>{6, 7});
      CHECK(of_device.array.release == nullptr);
      CHECK(batch.released == 0);
    }
    CHECK(batch.released == 1);
  }
  SECTION("one does not: all stay the caller's") {
    CHECK(kind_of([&] {
            ikra::columns_from_arrow<std::int32_t, double>(&batch.array, &batch.schema);
          }) == error_kind::type_mismatch);
    CHECK(kind_of([&] { ikra::columns_from_arrow<std::int32_t>(&batch.array, &batch.schema); }) ==
          error_kind::type_mismatch);
    speed.array.length = 2;
    CHECK(kind_of([&] {
            ikra::columns_from_arrow<std::int32_t, float>(&batch.array, &batch.schema);
          }) == error_kind::bad_shape);
    speed.array.length = 4;
    SECTION("no column") { arrays[1] = nullptr; }
    SECTION("no columns") { batch.schema.children = nullptr; }
    CHECK_THROWS_WITH((ikra::columns_from_arrow<std::int32_t, float>(&batch.array, &batch.schema)),
                      Catch::Contains("2 columns, and no pointers"));
    CHECK(batch.array.release != nullptr);
  }
}

TEST_CASE("an array is given out as an Arrow column that outlives it") {
  ikra::arrow::array column{};
  ikra::arrow::device_array device{};
  ikra::arrow::schema schema{}, of_device{};
  {
    const auto a = ikra::pnew(4, [](std::int64_t i) { return static_cast<float>(i) / 2; });
    ikra::to_arrow(a, &column, &schema);
    ikra::to_arrow(a, &device, &of_device);
    CHECK(column.buffers[1] == a.data());
  }
  CHECK(std::strcmp(schema.format, "f") == 0);
  CHECK(column.length == 4);
  CHECK(column.null_count == 0);
  CHECK(static_cast<const float*>(column.buffers[1])[3] == 1.5F);
  CHECK(device.device_kind == 1);
  CHECK(device.device_number == -1);
  CHECK(ikra::from_arrow<float>(&device, &of_device)[2] == 1);
  CHECK(device.array.release == nullptr);
  column.release(&column);
  CHECK(column.release == nullptr);
  schema.release(&schema);
  CHECK(schema.release == nullptr);
}
