// What g++ warns of in the host text of a plain build, it warns of in the emitted file too, at the
// same lines; emitted code adds nothing.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wshadow %ikra_flags %s 2> %t.plain
// RUN: g++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Wshadow -fopenmp %ikra_flags %t.cu 2> %t.emitted
// RUN: FileCheck %s < %t.plain
// RUN: FileCheck %s < %t.emitted
// RUN: grep -c warning: %t.emitted | FileCheck %s --check-prefix=COUNT

// COUNT: {{^}}2{{$}}

#include <ikra/ikra.hpp>

// In a template, g++ asks of a header's lambdas whether their captures have linkage.
namespace {
struct Local {
  int n;
};
} // namespace
template <class T> int captured(const ikra::array<T>& a) {
  const Local k{3};
  return a.pmap([k](T x) { return x * k.n; }).sum();
}

struct Pixel {
  unsigned r, g;
};
constexpr Pixel palette[] = {{31, 63}, {0, 1}};

int main(int argc, char**) {
  const int k = argc;
  ikra::array<int> numbers = ikra::pnew(ikra::index<1>(100), [k](int i) { return i * k; });
  if (argc > 3) {
    // CHECK: warnings.cpp:[[@LINE+1]]:{{.*}}[-Wshadow]
    const int k = 7;
    numbers = numbers.pmap([k](int x) {
      int y = x;
      for (int x = 0; x < 2; ++x)
        y += x;
      return y > k ? y : k;
    });
  }
  // A view of the table is a temporary, what it refers to is not.
  const auto colours = numbers.pmap([](int x) {
    const auto& [r, g] = palette[x % 2];
    const Pixel& first = palette[0];
    return r + g + first.r;
  });
  if (colours.sum() == 1 || captured(numbers) == 1)
    return 2;
  // CHECK: warnings.cpp:[[@LINE+1]]:{{.*}}[-Wparentheses]
  if (numbers.any() && argc > 1 || numbers.all())
    return 1;
  return 0;
}
