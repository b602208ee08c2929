// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's functions for Python's ctypes: tensors of DLPack, or columns of Arrow, in and out
// by pointers, errors as text. A function takes over what it is given, whether it succeeds or not.
#include "filters.hpp"

#include <ikra/arrow.hpp>
#include <ikra/dlpack.hpp>

#include <exception>
#include <string>

using ikra::dlpack::managed_tensor;

namespace {

/// A tensor that somebody has to delete: an array, once there is one, else this.
class taken {
public:
  explicit taken(managed_tensor* tensor) : tensor_(tensor) {}
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

private:
  managed_tensor* tensor_;
};

/// The same of an Arrow column.
class taken_column {
public:
  taken_column(ikra::arrow::array* column, ikra::arrow::schema* schema)
      : column_(column), schema_(schema) {}
  taken_column(const taken_column&) = delete;
  taken_column& operator=(const taken_column&) = delete;
  ~taken_column() {
    if (column_->release != nullptr) // no array has it
      column_->release(column_);
    if (schema_->release != nullptr)
      schema_->release(schema_);
  }

  template <class T> ikra::array<T> as_array() { return ikra::from_arrow<T>(column_, schema_); }

private:
  ikra::arrow::array* column_;
  ikra::arrow::schema* schema_;
};

std::string& last_error() {
  static thread_local std::string text;
  return text;
}

/// The tensor of what compute() returns; null if it throws: exceptions do not go to Python.
template <class Compute> managed_tensor* given(const Compute& compute) {
  try {
    return ikra::to_dlpack(compute());
  } catch (const std::exception& e) {
    last_error() = e.what();
    return nullptr;
  }
}

} // namespace

extern "C" {

/// What went wrong in the thread's last call that returned null.
const char* filters_error() { return last_error().c_str(); }

managed_tensor* filters_smooth(managed_tensor* image) {
  taken pixels(image);
  return given([&] { return filters::smooth(pixels.as_array<float, 2>()); });
}

managed_tensor* filters_saxpy(double a, managed_tensor* x, managed_tensor* y) {
  taken left(x), right(y);
  return given(
      [&] { return filters::saxpy(a, left.as_array<double, 1>(), right.as_array<double, 1>()); });
}

/// \param out, out_schema filled in \returns whether they are
bool filters_saxpy_arrow(double a, ikra::arrow::array* x, ikra::arrow::schema* x_schema,
                         ikra::arrow::array* y, ikra::arrow::schema* y_schema,
                         ikra::arrow::array* out, ikra::arrow::schema* out_schema) {
  taken_column left(x, x_schema), right(y, y_schema);
  try {
    ikra::to_arrow(filters::saxpy(a, left.as_array<double>(), right.as_array<double>()), out,
                   out_schema);
    return true;
  } catch (const std::exception& e) {
    last_error() = e.what();
    return false;
  }
}
}
