// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop calls, whatever it looks like: operators of the program, function objects, lambdas where they stand, folds. What
// turns do not follow has a warning all the same if the host waits in it.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

using reals = ikra::array<double>;

double operator|(const reals& a, const reals& b) {
  return (a * b).sum();
}
struct wave {
  reals v;
  double scale = 1;
  double operator*(const wave& o) const { return (v * o.v).sum(); }
  double operator()() const { return v.sum(); }
  double operator[](int n) const { return v[n]; }
  wave& operator+=(double x) {
    v = v + x;
    scale += x;
    return *this;
  }
};
wave operator*(double s, const wave& w) {
  return {w.v * s, w.scale};
}

// CHECK: turn turn_of_operators at line [[@LINE+5]]: while
double operators(reals r, wave w) {
  double s = 100;
  int n = 0;
  ikra::host_section([&] {
    while (s > 1) {
      r = r * 0.5;
      s = r | r;
      ++n;
    }
    s = 100;
    // CHECK: turn turn_of_operators_2 at line [[@LINE+1]]: while
    while (s > 1) {
      w = 0.5 * w;
      s = w * w + w() * 0.001 + w[0];
      ++n;
    }
    // CHECK: turn turn_of_operators_3 at line [[@LINE+1]]: while
    while (s < 900) {
      w += 1;
      s = w.v.sum();
    }
  });
  return s + n + w.scale;
}

template <class... T> static double total(T... x) {
  return (x + ... + 0.0);
}
template <int M> static reals shifted(const reals& a) {
  if constexpr (M > 0)
    return a + double(M);
  else
    return a.pmap([](double x) { return x * 2; });
}

// CHECK: turn turn_of_in_place at line [[@LINE+5]]: while
double in_place(reals r) {
  double s = 0;
  int n = 0;
  ikra::host_section([&] {
    while (s < 500) {
      r = [&] { return r + 0.5; }();
      s = [=](double q) { return q * 2 + n; }(r.sum());
      [&] { ++n; }();
    }
    s = 0;
    // CHECK: turn turn_of_in_place_2 at line [[@LINE+1]]: while
    while (s < 900) {
      r = shifted<1>(r);
      s = total(r.sum(), 1, sizeof(double)) + [](auto... v) { return (v + ...); }(r.sum(), 2);
    }
  });
  return s + n;
}

struct sum_of {
  reals v;
  operator double() const { return v.sum(); }
};
struct summed {
  double s;
  summed(const reals& v) : s(v.sum()) {}
};

double silent(reals r) {
  double s = 100;
  std::vector<int> all{1, 2};
  ikra::host_section([&] {
    while (s > 1) {
      r = r * 0.5;
      s = sum_of{r};
      // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}} since it converts a 'sum_of' by a function of the class (call one with a name)
    }
    s = 100;
    while (s > 0.1) {
      r = r * 0.5;
      s = summed(r).s;
      // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}} since 's' is a member of what no variable holds (compute it in a function)
    }
    s = 0;
    while (s < 10) {
      r = r + 1.0;
      std::for_each(all.begin(), all.end(), [&](int) { s = r.sum(); });
      // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}}: the host waits for the device 1 time in each turn
    }
    s = 0;
    while (s < 100) {
      r = r + 1.0;
      // LEFT: turns-operators.cpp:[[@LINE+1]]:{{.*}} since the host goes through all elements of an array (combine them by preduce(), sum() or count()): the host waits for the device 1 time
      for (const double x : r)
        s += x;
    }
    while (r.size() > 3) {
      r = r.pselect([k = s](double x) { return x > k; });
      // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}} since turns have no pselect: the host waits for the device 1 time
      s += 1;
    }
  });
  return s;
}

// Elements of a std::vector, what a pointer leads to, an enumeration that the device cannot name, a copied lambda that changes.
class machine {
  enum class mode { slow, fast };
  mode mode_ = mode::slow;

public:
  double run(reals r, const double* limit, std::vector<double>& log) {
    double s = 0;
    int n = 0;
    ikra::host_section([&] {
      while (s < 500) {
        r = r + log[0];
        // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}} since it reads an element of a std::vector, which the host alone has (copy the elements into a std::array, or an ikra::array, before the loop)
        s = r.sum();
      }
      while (s < *limit) {
        r = r + 1.0;
        log[n++ % 2] = s = r.sum();
        // LEFT: turns-operators.cpp:[[@LINE-1]]:{{.*}} since it changes an element of a 'std::vector', which the host alone has (change one of a std::array in a local variable, and copy that after the loop)
      }
      while (mode_ == mode::slow) {
        r = r + 1.0;
        if (r.sum() > 3000)
          mode_ = mode::fast;
        // LEFT: turns-operators.cpp:{{[0-9]+}}:{{.*}} since 'mode' is an enumeration that is private, or a function's own, which the device cannot name (declare it in public, or in a namespace)
      }
    });
    return s;
  }
};

int main() {
  const reals r = ikra::pnew(50, [](std::int64_t i) { return double(i % 3); });
  std::vector<double> log{1, 2};
  const double limit = 2500;
  std::printf("%g %g %g ", operators(r, {r}), in_place(r), silent(r));
  std::printf("%g\n", machine().run(r, &limit, log));
}
