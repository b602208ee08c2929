// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several arrays of one kernel whose sections take long are computed block by block on all cores: one loop over all of
// them would not vectorise. Nothing is computed twice for that.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %emitted %t.ikra.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_plain %s -o %t.plain && %t.plain > %t.plain.out
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu > %t.cpu.out && diff %t.plain.out %t.cpu.out
// RUN: env IKRA_FUSION=off %t.cpu | diff %t.plain.out -
// RUN: %ikrac --check --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=CHECKED
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x45d9f3bu;
  x = (x ^ x >> 16) * 0x45d9f3bu;
  return (x ^ x >> 16) % 1000003u / 7u;
}

template <class T> void show(const char* name, const std::vector<T>& all) {
  std::uint64_t hash = 1;
  for (const T& x : all)
    hash = hash * 31 + static_cast<std::uint64_t>(x);
  std::printf("%s %zu %llu\n", name, all.size(), static_cast<unsigned long long>(hash));
}

// Neither reads the other.
void side_by_side(const ikra::array<unsigned>& x) {
  const auto a = x.pmap([](unsigned v) { return mixed(v); });
  const auto b = x.with_index().pmap([](unsigned v, std::int64_t i) { return static_cast<std::uint8_t>(mixed(v + unsigned(i))); });
  show("a", a.to_vector());
  show("b", b.to_vector());
}

// The second reads the first, and the third reads both; the first is declared before them, so its number is the greatest.
void one_from_another(const ikra::array<unsigned>& x) {
  const auto a = x.pmap([](unsigned v) { return mixed(v) * 0.5; });
  const auto b = a.pmap([](double v) { return mixed(static_cast<unsigned>(v)) > 40000; });
  const auto c = a.pcombine(b, [](double v, bool w) { return static_cast<std::int64_t>(w ? v : -v); });
  show("a", a.to_vector());
  show("b", b.to_vector());
  show("c", c.to_vector());
}

// A held result is stored in passing.
void held(const ikra::array<unsigned, 2>& x) {
  auto a = x.with_index().pmap([](unsigned v, ikra::index<2> i) { return mixed(v + unsigned(i[0] * 7 + i[1])); });
  auto b = a.pmap([](unsigned v) { return static_cast<float>(mixed(v)); });
  std::printf("%g\n", double(b(3, 4)));
  std::printf("%u\n", a(3, 4));
  show("a", a.to_vector());
  show("b", b.to_vector());
}

// Both take what neither stores: in loops of their own, it would be computed twice.
void shared(const ikra::array<unsigned>& x) {
  const auto common = x.pmap([](unsigned v) { return mixed(v); });
  const auto a = common.pmap([](unsigned v) { return mixed(v + 1); });
  const auto b = common.pmap([](unsigned v) { return mixed(v + 2); });
  show("a", a.to_vector());
  show("b", b.to_vector());
}

// One loop loads elements once.
void simple(const ikra::array<unsigned>& x) {
  const auto a = x.pmap([](unsigned v) { return v + 1; });
  const auto b = x.pmap([](unsigned v) { return v * 2; });
  show("a", a.to_vector());
  show("b", b.to_vector());
}

// Reductions of what takes long have it computed once for all; few elements that take long are shared by all cores.
void reductions(const ikra::array<unsigned>& x) {
  const auto all = x.pmap([](unsigned v) { return mixed(v); }).preduce(ikra::max);
  const auto even = x.pmap([](unsigned v) { return mixed(v) / 2; }).preduce(ikra::min);
  std::printf("%u %u\n", all.value(), even.value());
  const auto looped = x.pmap([](unsigned v) {
    for (int k = 0; k < 64; ++k)
      v = v * 1664525u + 1013904223u;
    return v;
  });
  const auto most = looped.preduce(ikra::max);
  const auto least = looped.preduce(ikra::min);
  std::printf("%u %u\n", most.value(), least.value());
}

int main() {
  for (const std::size_t n : {1u, 511u, 512u, 513u, 5000u}) {
    std::vector<unsigned> values(n);
    std::iota(values.begin(), values.end(), 1u);
    const ikra::array<unsigned> x{values};
    side_by_side(x);
    one_from_another(x);
    shared(x);
    simple(x);
    reductions(x);
  }
  std::vector<unsigned> values(30 * 700);
  std::iota(values.begin(), values.end(), 1u);
  held(ikra::array<unsigned, 2>{values, {30, 700}});
}

// CHECK: kernel held_[[#H:]] ->
// CHECK-SAME: {{^ }}held_[[#H+1]]
// CHECK-NEXT: held_[[#H]], if held, is stored in passing
// CHECK-NEXT: on all cores block by block: held_[[#H]], then held_[[#H+1]]
// CHECK: horizontal side_by_side_[[#A:]],
// CHECK-SAME: {{^ }}side_by_side_[[#A+1]]: fused
// CHECK-NEXT: on all cores block by block: side_by_side_[[#A]], then side_by_side_[[#A+1]]
// CHECK-NEXT: horizontal one_from_another_[[#B:]],
// CHECK-SAME: {{^ }}one_from_another_[[#B+1]], one_from_another_[[#B+2]]: fused
// CHECK-NEXT: on all cores block by block: one_from_another_[[#B]], then one_from_another_[[#B+1]], then one_from_another_[[#B+2]]
// CHECK: horizontal shared_[[#S:]],
// CHECK-SAME: {{^ }}shared_[[#S+1]]: fused
// The kernel that reads what is held in memory; there is none for the other.
// CHECK-NEXT: on all cores block by block: shared_[[#S]], then shared_[[#S+1]]
// CHECK-NEXT: horizontal simple
// CHECK-NOT: block by block

// CHECKED-NOT: block by block

// CODE: struct horizontal_in_one_body {
// CODE: IKRA_DEVICE auto operator()(unsigned int x, std::int64_t index) const {
// CODE: // On all cores: a block of one array after a block of the other.
// CODE-NEXT: auto part(ikra::rt::part_number<0>, const Made&, unsigned int x, std::int64_t) const {
// CODE-NEXT: return side_by_side_0(x);
// CODE: auto part(ikra::rt::part_number<1>, const Made&, unsigned int x, std::int64_t index) const {
// CODE-NEXT: return side_by_side_1(x, index);
// CODE: using parts_in_turn = std::index_sequence<0, 1>;
// CODE: auto part(ikra::rt::part_number<2>, const Made& made, unsigned int) const {
// CODE-NEXT: const auto& value_0 = made.template part<0>();
// CODE-NEXT: const auto& value_1 = made.template part<1>();
// CODE-NEXT: return one_from_another_4(value_0, value_1);
// CODE: //===-- all, even in one kernel
// CODE: return ikra::rt::make_results<unsigned int, unsigned int>
// CODE-NEXT: {{^  }}}
// CODE-NEXT: static constexpr bool has_many_operations = true;
// CODE-NEXT: {{^}}};
// CODE: //===-- most, least in one kernel
// CODE: return ikra::rt::make_results<unsigned int, unsigned int>
// CODE-NEXT: {{^  }}}
// CODE-NEXT: static constexpr bool repeats = true;
// CODE-NEXT: static constexpr bool has_many_operations = true;
