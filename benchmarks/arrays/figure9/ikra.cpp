// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as users of ikra write them. Compiled through ikrac.
#include "programs.hpp"

#include <ikra/ikra.hpp>

#include <utility>

namespace figure9 {
namespace {

using where = ikra::index<4>;
using cube = ikra::array<std::int32_t, 4>;

std::int32_t at(const where& x, int d) { return static_cast<std::int32_t>(x[d]); }

cube p1(const where& extents) {
  const auto add_all = [](std::int32_t v, const where& x) {
    return (v + at(x, 0) + at(x, 1) + at(x, 2) + at(x, 3)) % 1337;
  };
  const cube v = ikra::pnew(extents, [](const where& x) {
    return (7 + at(x, 0) + at(x, 1) + at(x, 2) + at(x, 3)) % 1337;
  });
  const cube five = v.with_index()
                        .pmap(add_all)
                        .with_index()
                        .pmap(add_all)
                        .with_index()
                        .pmap(add_all)
                        .with_index()
                        .pmap(add_all)
                        .with_index()
                        .pmap(add_all);
  return five.with_index()
      .pmap(add_all)
      .with_index()
      .pmap(add_all)
      .with_index()
      .pmap(add_all)
      .with_index()
      .pmap(add_all)
      .with_index()
      .pmap(add_all);
}

cube stencils(const where& extents, int times) {
  cube v = ikra::pnew(extents, [](const where& x) {
    return (at(x, 0) + at(x, 1)) % (at(x, 3) + at(x, at(x, 1) % 4) + 7);
  });
  for (int i = 0; i < times; ++i)
    v = v.with_index().pstencil(
        {{-1, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {-1, -1, 0, 0}}, 37,
        [](const auto& n, const where& x) {
          const std::int32_t n0 = n(-1, 0, 0, 0), n1 = n(0, 0, 0, 0), n2 = n(1, 0, 0, 0),
                             n3 = n(-1, -1, 0, 0);
          const std::int32_t looked_up = at(x, at(x, at(x, n2 % 4) % 4) % 4);
          return ((n0 % 938) + n1 / 97) % 97717 + (looked_up * (n3 % 7) % 99);
        });
  return v;
}

cube new_of_c(const where& extents) {
  return ikra::pnew(extents, [](const where& x) { return at(x, 2) % 133777; });
}

cube p3(const where& extents) {
  cube v = new_of_c(extents);
  for (int i = 0; i < 500; ++i)
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 2)) % 13377; });
  return v;
}

cube p6(const where& extents) {
  cube v = new_of_c(extents);
  for (int i = 0; i < 100; ++i) {
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 2)) % 13377; });
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 1)) % 13377; });
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 3)) % 1337; });
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 0)) % 13377; });
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 1)) % 1377; });
  }
  return v;
}

cube p7(const where& extents) {
  cube v = new_of_c(extents);
  for (int r = 0; r < 200; ++r) {
    if (r % 2 == 0) {
      if (r % 3 == 0)
        v = v.with_index().pmap(
            [](std::int32_t e, const where& x) { return (e + at(x, 3)) % 77689; });
      else
        v = v.with_index().pmap(
            [](std::int32_t e, const where& x) { return (e + at(x, 0)) % 11799; });
    } else {
      v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 2)) % 1337; });
      v = v.with_index().pmap(
          [](std::int32_t e, const where& x) { return (e + at(x, 2)) % 8888888; });
    }
    v = v.with_index().pmap([](std::int32_t e, const where& x) { return (e + at(x, 2)) % 6678; });
  }
  return v;
}

cube make(which what, const where& extents) {
  switch (what) {
  case which::p1:
    return p1(extents);
  case which::p2:
    return stencils(extents, 10);
  case which::p3:
    return p3(extents);
  case which::p4:
    return stencils(extents, 200);
  case which::p6:
    return p6(extents);
  default:
    return p7(extents);
  }
}

class sections final : public program {
public:
  sections(which what, const shape& s, void (*wait)())
      : what_(what), extents_{s.a, s.b, s.c, s.d}, wait_(wait) {}

  void run() override {
    last_ = cube(); // its memory serves this run
    last_ = make(what_, extents_);
    // as the first access does, but for bringing the elements to the host
    ikra::detail::evaluate(*ikra::detail::array_access::command_of(last_));
    if (wait_ != nullptr)
      wait_();
  }
  std::vector<std::int32_t> result() override { return last_.to_vector(); }

private:
  which what_;
  where extents_;
  void (*wait_)();
  cube last_;
};

} // namespace

std::unique_ptr<program> by_ikra(which what, const shape& s, void (*wait)()) {
  return std::make_unique<sections>(what, s, wait);
}

} // namespace figure9
