// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// any() and all() over values of classes that are true or false by an operator of their own, also
// one of a base, and that comparisons of elements give.
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

namespace {

class Flag {
public:
  Flag(int v = 0) : v_(v) {}
  explicit operator bool() const { return v_ > 2; }

private:
  int v_;
  IKRA_OBJECT
};
struct Derived : Flag {
  Derived(int v, int w) : Flag(v), more(w) {}
  int more;
};
struct Soft {
  int v;
  operator bool() const { return v % 2 == 0; }
  explicit operator int() const { return v; }
};
struct Compared {
  int v;
  Flag operator<(Compared o) const { return Flag(v + o.v); }
};

template <class T, int R> void show(const ikra::array<T, R>& a) {
  std::printf("%d %d\n", a.any(), a.all());
}

} // namespace

int main() {
  const ikra::array flags{std::vector<Flag>{1, 2, 3}};
  std::printf("%d %d\n", flags.any(), flags.all());
  show(flags);
  show(ikra::array{std::vector<Flag>{3, 4}});
  show(ikra::array{std::vector<Flag>{}});
  show(ikra::array{std::vector<Derived>{{1, 2}, {5, 6}}});
  show(ikra::array{std::vector<int>{0, 2}});
  const ikra::array soft{std::vector<Soft>{{2}, {4}}};
  std::printf("%d %d\n", soft.any(), soft.all());
  const ikra::array<Compared> c{std::vector<Compared>{{1}, {2}}};
  const auto less = c < c;
  std::printf("%d %d\n", less.any(), less.all());
  show(soft.pmap([](Soft s) { return Flag(s.v); }));
}
