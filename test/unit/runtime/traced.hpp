// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of tracer and columns share: a object_graph that is traced and uploaded, and
// looking into its columns on whichever device the tests run (IKRA_DEVICE).
#pragma once

#include <catch2/catch.hpp>

#include <ikra/generated.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace rt = ikra::rt;
using ikra::object_id;

inline constexpr rt::section_info test_section{"test", "test.cpp", 3, 4};

template <class References, class T> rt::pointer_source source(const std::vector<T*>& pointers) {
  return {&References::ops, pointers.data(), pointers.size()};
}

struct traced {
  traced(const rt::layout& plan, std::vector<rt::pointer_source> bases,
         std::vector<unsigned> columns)
      : object_graph(plan, rt::current_device()) {
    rt::current_device().make_current(test_section);
    object_graph.trace(bases, {}, columns, test_section);
    object_graph.upload(columns, test_section);
  }

  std::size_t objects(unsigned class_index) const {
    return object_graph.table().objects[class_index].size();
  }

  /// Elements of a column from an ID on.
  template <class T> std::vector<T> column(unsigned k, std::uint32_t first, std::size_t n) const {
    return download(rt::columns(&object_graph).values<T>(k) + first, n);
  }
  /// Writes elements of a column, as a section would.
  template <class T> void set(unsigned k, std::uint32_t first, const std::vector<T>& values) {
    upload(rt::columns(&object_graph).values<T>(k) + first, values);
  }

  /// All values of a join table.
  template <class T> std::vector<T> list_values(unsigned k, std::size_t n) const {
    return download(rt::columns(&object_graph).list<T>(k).values, n);
  }
  template <class T> void set_list_values(unsigned k, const std::vector<T>& values) {
    upload(rt::columns(&object_graph).list<T>(k).values, values);
  }
  std::vector<ikra::list_row> rows(unsigned k, std::uint32_t first, std::size_t n) const {
    return download(rt::columns(&object_graph).list<object_id>(k).rows + first, n);
  }

  void write_back(std::initializer_list<unsigned> columns) {
    object_graph.write_back(std::vector<unsigned>(columns), test_section);
  }

  rt::object_graph object_graph;

  // By way of an array, because std::vector<bool> has no elements to copy to.
  template <class T> static std::vector<T> download(const T* from, std::size_t n) {
    const auto elements = std::make_unique<T[]>(n);
    rt::current_device().download(elements.get(), from, n * sizeof(T), test_section);
    return std::vector<T>(elements.get(), elements.get() + n);
  }
  template <class T> static void upload(T* to, const std::vector<T>& values) {
    const auto elements = std::make_unique<T[]>(values.size());
    std::copy(values.begin(), values.end(), elements.get());
    rt::current_device().upload(to, elements.get(), values.size() * sizeof(T), test_section);
  }
};

inline std::vector<std::uint32_t> ids(const std::vector<object_id>& list) {
  std::vector<std::uint32_t> result;
  for (const object_id id : list)
    result.push_back(id.value);
  return result;
}

/// Number of OpenMP threads within a scope.
class threads {
public:
#ifdef _OPENMP
  explicit threads(int n) : before_(omp_get_max_threads()) { omp_set_num_threads(n); }
  ~threads() { omp_set_num_threads(before_); }

private:
  int before_;
#else
  explicit threads(int) {}
#endif
};

/// Matches errors of a kind whose message has a text in it.
class kind_and_text : public Catch::MatcherBase<ikra::error> {
public:
  kind_and_text(ikra::error_kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  bool match(const ikra::error& e) const override {
    return e.kind() == kind_ && std::string(e.what()).find(text_) != std::string::npos;
  }
  std::string describe() const override {
    return "is of kind " + std::to_string(static_cast<int>(kind_)) + " and says \"" + text_ + "\"";
  }

private:
  ikra::error_kind kind_;
  std::string text_;
};
