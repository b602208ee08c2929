// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations over values that cannot be compiled run as in a plain build: a warning gives the reason, another says so, and
// the program's answers are those of the plain build.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>
#include <array>
#include <cmath>
#include <complex>
#include <iostream>
#include <numeric>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>
struct Point { float x, y; Point() = delete; Point(float a, float b) : x(a), y(b) {} float norm() const { return x * x + y * y; } };
Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
template <class T> ikra::array<T, 1> twice(const ikra::array<T, 1>& a) { return a.pmap([](T x) { return x + x; }); }
template <class F> auto bound(F f, int k) { return [f, k] { return f(k); }; }
template <class T> struct Scaler { T by; auto run(const ikra::array<T, 1>& a) const { const T k = by; return a.pmap([k](T x) { return x * k; }); } };
struct Corner { int x; };
template <Corner C> int at(int x) { return x * C.x; }
struct Chain { int a; int b = a + 1; int c = 5; };
double real_asinh(int i) {
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+2]]:{{[0-9]+}}: warning: 'std::atanh' cannot be called here in a section
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: note: the message about this line holds for it too
  return std::atanh(std::complex<double>(0, 0)).real() + i;
}
template <class T> auto odd(const ikra::array<T, 1>& a) { return a.count([](T x) { return x & 1; }); }
int main() {
  // OUT: 17 21
  // OUT-NEXT: 3 7 13 21 31 43 1 -1 3 -1 5 -1 2 4 6 8 10 12 3 6 9 12 15 18 5 10 15 20 25 30 4 6 8 10 12 14 4
  // OUT-NEXT: 27
  ikra::array a{std::vector<int>{1, 2, 3, 4, 5, 6}};
  auto points = a.pmap([](int i) { return Point(float(i), 1.0f); });
  auto norms = points.pmap([](const Point& p) { return p.norm(); });
  auto sum = points.preduce([](Point p, Point q) { return p + q; });
  std::cout << norms[3] << ' ' << sum.value().x << '\n';
  auto pairs = a.pzip(norms).pmap([](const std::tuple<int, float>& t) { return std::get<0>(t) + int(std::get<1>(t)); });
  for (int v : pairs) std::cout << v << ' ';
  auto b = a.pmap([](int i) -> std::optional<int> { if (i % 2) return i; return std::nullopt; });
  auto c = b.pmap([](std::optional<int> o) { return o.value_or(-1); });
  for (int v : c) std::cout << v << ' ';
  for (int v : twice(a)) std::cout << v << ' ';
  for (int v : Scaler<int>{3}.run(a)) std::cout << v << ' ';
  auto d = a.pmap([](int i) { return bound([i](int k) { return k * i; }, 2)() + bound([i](int k) { return k * i; }, 3)(); });
  // CHECK-DAG: left-to-plain.cpp:{{[0-9:]+}}: warning: a lambda inside of a section that is handed on
  // CHECK-DAG: left-to-plain.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: 'pmap' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  for (int v : d) std::cout << v << ' ';
  auto e = a.pmap([](int i) { std::array<int, 3> t{i, i + 1, i + 2}; return t[0] + t[2]; });
  for (int v : e) std::cout << v << ' ';
  std::cout << a.count([](int i) { return i > 2; }) << '\n';
  auto g = a.pmap([](int x) { return x + 1; });
  std::cout << g.sum() << '\n';
  // OUT-NEXT: 24 30 36 42 48 54 1 2 3 4 5 6 7 14 21 28 35 42 6
  // OUT-NEXT: 1 2 3 4 5 6 3 4 5 6 7 8 2 4 6 8 10 12
  const std::vector<int> v{2, 3, 4};
  const std::vector<std::vector<std::vector<int>>> rows{{v, {5}}};
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::reduce' cannot be called here in a section
  for (int s : a.pmap([v](int i) { return std::reduce(v.begin(), v.end(), i * 6 + 9); })) std::cout << s << ' ';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::asinh' cannot be called here in a section
  for (double s : a.pmap([](int i) { return std::asinh(std::complex<double>(0, 0)).real() + i; })) std::cout << s << ' ';
  // Of three, devices have it by a function of ikra's.
  for (double s : a.pmap([](int i) { return std::hypot(2.0 * i, 3.0 * i, 6.0 * i); })) std::cout << s << ' ';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'rows' of type {{.*}} cannot be captured
  std::cout << a.pmap([rows](int i) { return rows[0][1 - i % 2][0] + rows[0][0][2]; })[0] << '\n';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (std::ignore; use a structured binding, or a variable that is not read)
  for (int e : a.pmap([](int i) { int first = 0; std::tie(first, std::ignore) = std::pair{i, i}; return first; })) std::cout << e << ' ';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a default for a member that names another, before members that are given values, or with calls; write a constructor)
  for (int e : a.pmap([](int i) { const Chain chain{.a = i, .c = 1}; return chain.b + chain.c; })) std::cout << e << ' ';
  // CHECK-DAG: left-to-plain.cpp:24:{{[0-9]+}}: warning: this expression cannot be used in a section (a template argument of class type; hand it on as a parameter)
  for (int e : a.pmap([](int i) { return at<Corner{2}>(i); })) std::cout << e << ' ';
  std::cout << '\n';
  // OUT-NEXT: 10 5 7 3 2
  float (Point::*which)() const = &Point::norm;
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (the capture 'which', a pointer to a member; write a lambda that names the member, and hand that on)
  std::cout << points.pmap([which](const Point& p) { return (p.*which)(); })[2] << ' ';
  // The second one has the reason of the first.
  std::cout << a.pmap([](int i) { return real_asinh(i) + 1; })[3] << ' ';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'pmap' is not compiled by this version
  std::cout << a.pmap([](int i) { return real_asinh(i) + 2; })[4] << ' ';
  std::cout << odd(a) << ' ';
  // CHECK-DAG: left-to-plain.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (emplace of a std::variant; assign a value to it)
  std::cout << a.pmap([](int i) { std::variant<int, float> v = 1.5f; v.emplace<0>(i); return std::get<0>(v); })[1] << '\n';
}
