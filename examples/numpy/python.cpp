// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's functions for Python's ctypes: tensors of DLPack, or columns of Arrow, in and out
// by pointers, errors as text. A function takes over what it is given, whether it succeeds or not.
// Results go where the first argument is: to host memory, or to the GPU.
#include "filters.hpp"

#include <ikra/arrow.hpp>
#include <ikra/dlpack.hpp>

#include <cstdint>
#include <exception>
#include <string>

using ikra::dlpack::managed_tensor;

namespace {

/// \param kind of a device, as both formats number them
ikra::memory memory_of(std::int32_t kind) {
  return kind == 2 ? ikra::memory::gpu : ikra::memory::host;
}

/// A tensor that somebody has to delete: an array, once there is one, else this.
class taken {
public:
  explicit taken(managed_tensor* tensor)
      : place(memory_of(tensor->tensor.device.kind)), tensor_(tensor) {}
  taken(const taken&) = delete;
  taken& operator=(const taken&) = delete;
  ~taken() {
    if (tensor_ != nullptr && tensor_->deleter != nullptr)
      tensor_->deleter(tensor_);
  }

  template <class T, int R> ikra::array<T, R> as_array() {
    auto result = ikra::from_dlpack<T, R>(tensor_);
    tensor_ = nullptr;
    return result;
  }

  const ikra::memory place;

private:
  managed_tensor* tensor_;
};

void release(ikra::arrow::array& column) {
  if (column.release != nullptr) // no array has it
    column.release(&column);
}
void release(ikra::arrow::device_array& column) { release(column.array); }

/// The same of an Arrow column. \tparam Column ikra::arrow::array or device_array
template <class Column> class taken_column {
public:
  taken_column(Column* column, ikra::arrow::schema* schema) : column_(column), schema_(schema) {}
  taken_column(const taken_column&) = delete;
  taken_column& operator=(const taken_column&) = delete;
  ~taken_column() {
    release(*column_);
    if (schema_->release != nullptr)
      schema_->release(schema_);
  }

  template <class T> ikra::array<T> as_array() { return ikra::from_arrow<T>(column_, schema_); }

private:
  Column* column_;
  ikra::arrow::schema* schema_;
};

std::string& last_error() {
  static thread_local std::string text;
  return text;
}

/// The tensor of what compute() returns, in the same memory as an argument; null if it throws:
/// exceptions do not go to Python.
template <class Compute> managed_tensor* given(const taken& beside, const Compute& compute) {
  try {
    return ikra::to_dlpack(compute(), beside.place);
  } catch (const std::exception& e) {
    last_error() = e.what();
    return nullptr;
  }
}

/// \param where of device arrays: the memory of the result
template <class Column, class... Where>
bool saxpy_of_columns(double a, Column* x, ikra::arrow::schema* x_schema, Column* y,
                      ikra::arrow::schema* y_schema, Column* out, ikra::arrow::schema* out_schema,
                      Where... where) {
  taken_column left(x, x_schema), right(y, y_schema);
  try {
    ikra::to_arrow(
        filters::saxpy(a, left.template as_array<double>(), right.template as_array<double>()), out,
        out_schema, where...);
    return true;
  } catch (const std::exception& e) {
    last_error() = e.what();
    return false;
  }
}

} // namespace

extern "C" {

/// What went wrong in the thread's last call that returned null.
const char* filters_error() { return last_error().c_str(); }

managed_tensor* filters_smooth(managed_tensor* image) {
  taken pixels(image);
  return given(pixels, [&] { return filters::smooth(pixels.as_array<float, 2>()); });
}

managed_tensor* filters_saxpy(double a, managed_tensor* x, managed_tensor* y) {
  taken left(x), right(y);
  return given(left, [&] {
    return filters::saxpy(a, left.as_array<double, 1>(), right.as_array<double, 1>());
  });
}

/// The tensor's elements, which go out as they came in.
managed_tensor* filters_same(managed_tensor* x) {
  taken elements(x);
  return given(elements, [&] { return elements.as_array<double, 1>(); });
}

/// \param out, out_schema filled in \returns whether they are
bool filters_saxpy_arrow(double a, ikra::arrow::array* x, ikra::arrow::schema* x_schema,
                         ikra::arrow::array* y, ikra::arrow::schema* y_schema,
                         ikra::arrow::array* out, ikra::arrow::schema* out_schema) {
  return saxpy_of_columns(a, x, x_schema, y, y_schema, out, out_schema);
}
bool filters_saxpy_arrow_device(double a, ikra::arrow::device_array* x,
                                ikra::arrow::schema* x_schema, ikra::arrow::device_array* y,
                                ikra::arrow::schema* y_schema, ikra::arrow::device_array* out,
                                ikra::arrow::schema* out_schema) {
  return saxpy_of_columns(a, x, x_schema, y, y_schema, out, out_schema, memory_of(x->device_kind));
}
}
