// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures that may be made only once, and in their order: what is moved, what counts its calls.
#include <ikra/ikra.hpp>

#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

namespace {

int calls = 0;
int next() { return ++calls; }
std::vector<int> made() {
  ++calls;
  return {4, 3, 2, 1};
}

void show(const char* name, const auto& values) {
  std::printf("%s:", name);
  for (const auto x : values)
    std::printf(" %d", static_cast<int>(x));
  std::printf(" (%d calls)\n", calls);
}

struct Adder {
  int by;
  int operator()(int x) const { return x + by; }
};

const ikra::array places{std::vector<int>{0, 1, 2, 3}};

void plain() {
  std::vector<int> values{5, 6, 7, 8};
  show("size and values", places.pmap([n = values.size(), values = std::move(values)](int x) {
    return static_cast<int>(n) * 10 + values[x];
  }));
  std::printf("left: %zu\n", values.size());
  show("two calls",
       places.pmap([first = next(), second = next()](int x) { return first * 10 + second + x; }));
  int k = 5;
  show("counted", places.pmap([p = k++, q = k++](int x) { return p * 10 + q + x; }));
  show("function object", places.pmap(Adder{next()}));
  std::printf("%zu below\n", places.count([k = next()](int x) { return x < k; }));
}

template <class T> struct Kept {
  std::vector<T> values{9, 8, 7, 6};
  int used = 0;
  auto taken() {
    return places.pmap(
        [values = std::move(values), k = ++used](int x) { return values[x] + T(k); });
  }
};

template <class T> void in_template(std::vector<T> values) {
  show("size and values", places.pmap([n = values.size(), values = std::move(values)](int x) {
    return T(n) * 10 + values[x];
  }));
  std::printf("left: %zu\n", values.size());
  show("made", places.pmap([v = made()](int x) { return T(v[x]); }));
  show("two calls", places.pmap([first = next(), second = next()](int x) {
    return first * 10 + T(second) + x;
  }));
  show("function object", places.pmap(Adder{next()}));
  std::printf("%d\n",
              static_cast<int>(
                  places.preduce([k = next()](int x, int y) { return x + y + 0 * k; }).value()));
  show("new", ikra::pnew({3}, [k = next()](int x) { return T(k + x); }));
  std::printf("%zu below\n", places.count([k = next()](int x) { return x < k; }));
  auto [pair_values, more] = std::pair{std::vector<T>{5, 6, 7, 8}, 3};
  show("bindings",
       places.pmap([v = std::move(pair_values), more = more](int x) { return T(v[x] + more); }));
  Kept<T> kept;
  show("member", kept.taken());
  std::printf("left: %zu, %d\n", kept.values.size(), kept.used);
}

template <class... P> void with_pack(P... p) {
  show("pack", places.pmap([all = std::make_tuple(p...), k = next()](int x) {
    return static_cast<int>(std::get<0>(all)) + x + k;
  }));
}

} // namespace

int main() {
  plain();
  in_template<int>({5, 6, 7, 8});
  in_template<long>({1, 2, 3, 4});
  with_pack(1, 2.5);
  with_pack(3L);
  const auto generic = [](auto x) {
    std::vector<decltype(x)> values{x, x, x, x};
    show("generic lambda", places.pmap([values = std::move(values)](int i) { return values[i]; }));
    std::printf("left: %zu\n", values.size());
  };
  generic(3);
  generic(4L);
}
