// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations as ikra sections, in the form in which ikrac emits them. Compiled by nvcc where
// there is one.
#include "programs.hpp"
#include "rules.hpp"

#include <ikra/generated.hpp>
#include <ikra/generated/launch/launch_sort_cuda.hpp>

#include <utility>

namespace ikra_unit_arrays {

struct maps;
struct saxpy;
struct indices;
struct reduction;
struct selection;
struct few_selected;
struct scan;
struct sort_by_rule;
struct runs;
struct by_index;

inline constexpr ikra::rt::section_info info{"operation", "sections.cpp", 1, 1};

struct maps_body {
  IKRA_DEVICE std::int32_t operator()(std::int32_t x) const { return arrays::multiply_adds(x); }
};
struct saxpy_body {
  float factor;
  IKRA_DEVICE float operator()(float x, float y) const { return arrays::saxpy_of(factor, x, y); }
};
struct places_body {
  IKRA_DEVICE std::int32_t operator()(ikra::index<4> i) const {
    return arrays::sum_of_place(i[0], i[1], i[2], i[3]);
  }
};
struct reduction_body {
  IKRA_DEVICE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return arrays::wrapping_sum(a, b);
  }
};
struct sum_body : reduction_body { // as ikrac marks additions of integers
  using adds = std::int32_t;
};
struct selection_body {
  IKRA_DEVICE bool operator()(std::int32_t x) const { return arrays::is_selected(x); }
};
struct few_selected_body {
  IKRA_DEVICE bool operator()(std::int32_t x) const { return arrays::is_among_few(x); }
};
struct sort_body {
  IKRA_DEVICE bool operator()(std::int32_t a, std::int32_t b) const {
    return arrays::comes_before(a, b);
  }
};

} // namespace ikra_unit_arrays

template <> struct ikra::section_code<ikra_unit_arrays::maps> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.map_values<std::int32_t, std::int32_t>(ikra_unit_arrays::maps_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::saxpy> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.combine_values<float, float, float>(ikra_unit_arrays::saxpy_body{call.capture<float>(0)});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::indices> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.new_values<std::int32_t, 4>(ikra_unit_arrays::places_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::reduction> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.reduce_values<std::int32_t>(ikra_unit_arrays::reduction_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::selection> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.select_values<std::int32_t>(ikra_unit_arrays::selection_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::few_selected> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.select_values<std::int32_t>(ikra_unit_arrays::few_selected_body{});
    s.finish();
  }
};

template <> struct ikra::section_code<ikra_unit_arrays::scan> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.scan_values<std::int32_t>(ikra_unit_arrays::reduction_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::sort_by_rule> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.sort_values<std::int32_t>(ikra_unit_arrays::sort_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::runs> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.reduce_by_key<std::int32_t, std::int32_t>(ikra_unit_arrays::reduction_body{});
    s.finish();
  }
};
template <> struct ikra::section_code<ikra_unit_arrays::by_index> {
  static void run(ikra::map_call& call) {
    ikra::rt::session s(ikra_unit_arrays::info, call);
    s.reduce_by_index<std::int32_t, std::int32_t, std::int32_t>(ikra_unit_arrays::sum_body{});
    s.finish();
  }
};

namespace arrays {
namespace {

namespace unit = ikra_unit_arrays;

/// Makes the array anew in each run and computes it; elements stay on the device.
template <class Make> class sections final : public program {
public:
  explicit sections(Make make) : make_(std::move(make)) {}

  void run(std::int64_t times) override {
    for (std::int64_t i = 0; i < times; ++i) {
      last_ = make_();
      ikra::detail::evaluate(*ikra::detail::array_access::command_of(last_));
    }
    ikra::rt::current_device().synchronize(unit::info);
  }
  std::uint64_t checksum() override { return checksum_of(last_.to_vector()); }

private:
  Make make_;
  decltype(std::declval<Make&>()()) last_;
};

template <class Make> std::unique_ptr<program> over(Make make) {
  return std::make_unique<sections<Make>>(std::move(make));
}

} // namespace

/// The operations whose results depend on the order of elements.
static std::unique_ptr<program> ordered_program(operation what,
                                                const ikra::array<std::int32_t>& x) {
  using sum = std::int32_t(std::int32_t, std::int32_t);
  switch (what) {
  case operation::scan:
    return over([x] { return x.pscan(ikra::make_section<unit::scan, sum>()); });
  case operation::sort:
    return over([x] { return x.psort(); });
  case operation::sort_by_rule:
    return over([x] {
      return x.psort(ikra::make_section<unit::sort_by_rule, bool(std::int32_t, std::int32_t)>());
    });
  case operation::by_index:
    return over([x, keys = ikra::array{last_bytes(x.size())}] {
      return x.reduce_by_index(256, keys, 0, ikra::make_section<unit::by_index, sum>());
    });
  default:
    return over([x, keys = ikra::array{run_keys(x.size())}] {
      auto [firsts, sums] = x.preduce_by_key(keys, ikra::make_section<unit::runs, sum>());
      // The results find the keys too.
      ikra::detail::evaluate(*ikra::detail::array_access::command_of(sums));
      ikra::detail::evaluate(*ikra::detail::array_access::command_of(firsts));
      return sums;
    });
  }
}

std::unique_ptr<program> ikra_program(operation what, std::size_t n) {
  if (what == operation::saxpy)
    return over([x = ikra::array{floats(n)}, y = ikra::array{floats(n, n)}] {
      return x.pcombine(y, ikra::make_section<unit::saxpy, float(float, float)>(saxpy_factor));
    });
  if (what == operation::indices)
    return over([outer = static_cast<std::int64_t>(n) / inner_volume] {
      return ikra::pnew({outer, inner_extents[0], inner_extents[1], inner_extents[2]},
                        ikra::make_section<unit::indices, std::int32_t(ikra::index<4>)>());
    });
  if (what == operation::histogram)
    return over([x = ikra::array{last_bytes(n)}] { return x.phistogram(256); });
  const ikra::array x{elements(n)};
  switch (what) {
  case operation::maps:
    return over(
        [x] { return x.pmap(ikra::make_section<unit::maps, std::int32_t(std::int32_t)>()); });
  case operation::reduction:
    return over([x] {
      return x.preduce(
          ikra::make_section<unit::reduction, std::int32_t(std::int32_t, std::int32_t)>());
    });
  case operation::selection:
    return over(
        [x] { return x.pselect(ikra::make_section<unit::selection, bool(std::int32_t)>()); });
  case operation::few_selected:
    return over(
        [x] { return x.pselect(ikra::make_section<unit::few_selected, bool(std::int32_t)>()); });
  default:
    return ordered_program(what, x);
  }
}

} // namespace arrays
