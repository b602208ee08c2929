// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several sections over arrays of objects, one after the other, or turns of a counted loop of
// such (docs/sequences.md). Emitted files include it where they have some.
#pragma once

#include <ikra/generated/device/call.hpp>
#include <ikra/generated/sections/section.hpp>
#include <ikra/generated/session/session.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace ikra {

/// A call of a sequence. Its nodes are the sections, its ticks the turns.
class sequence_call : public peach_call {
public:
  sequence_call(std::span<const section_base* const> sections,
                std::span<const detail::erased_input> inputs, std::span<const std::int64_t> shape,
                std::int64_t turns, std::span<const std::int64_t> ticks_of_nodes)
      : peach_call(sections, inputs, shape, turns), ticks_of_nodes_(ticks_of_nodes) {}

  /// How often the k-th section runs for each element in a turn.
  std::int64_t ticks_of(std::size_t k) const { return ticks_of_nodes_[k]; }

private:
  std::span<const std::int64_t> ticks_of_nodes_;
};

/// Specialised by emitted code for each sequence tag:
///   static bool run(sequence_call&);   // false: nothing has happened
template <class Tag> struct sequence_code;

/// A section of a sequence, and how often it runs in a turn.
template <class Section> struct sequence_part {
  std::int64_t ticks;
  Section section;
};
template <class Section> sequence_part(std::int64_t, Section) -> sequence_part<Section>;

/// The arrays of a sequence that has several.
template <class... T> struct sequence_arrays {
  std::tuple<array<T, 1>...> all;
  explicit sequence_arrays(const array<T, 1>&... arrays) : all(arrays...) {}
};
template <class... T> sequence_arrays(const array<T, 1>&...) -> sequence_arrays<T...>;

namespace rt {
/// Whether sequences may run as such, and pay: not for few turns of sections that run on the
/// objects as they are. \param operations of these for an element, in one turn, at most
bool may_run_sequence(std::int64_t turns, unsigned operations = unbounded);

/// The turns of `for (I i = begin; i < end; ++i)`, and of its kin. 0 where the loop has to run as
/// it is written, too: where it would not end, or leave the values of I. \{
template <class I, class E> std::int64_t turns_between(I begin, E end) {
  using compared = decltype(begin + end); // as the loop compares them
  const auto first = static_cast<compared>(begin), last = static_cast<compared>(end);
  return first < last && std::in_range<I>(last)
             ? static_cast<std::int64_t>(last) - static_cast<std::int64_t>(begin)
             : 0;
}
/// i <= end
template <class I, class E> std::int64_t turns_through(I begin, E end) {
  using compared = decltype(begin + end);
  const auto first = static_cast<compared>(begin), last = static_cast<compared>(end);
  return first <= last && std::in_range<I>(last) &&
                 !std::cmp_equal(last, std::numeric_limits<I>::max())
             ? static_cast<std::int64_t>(last) - static_cast<std::int64_t>(begin) + 1
             : 0;
}
/// i != end
template <class I, class E> std::int64_t turns_until(I begin, E end) {
  return turns_between(begin, end);
}
/// i > end, and --i
template <class I, class E> std::int64_t turns_down_to(I begin, E end) {
  using compared = decltype(begin + end);
  const auto first = static_cast<compared>(begin), last = static_cast<compared>(end);
  return first > last && std::in_range<I>(last)
             ? static_cast<std::int64_t>(begin) - static_cast<std::int64_t>(last)
             : 0;
}
/// i >= end, and --i
template <class I, class E> std::int64_t turns_down_through(I begin, E end) {
  using compared = decltype(begin + end);
  const auto first = static_cast<compared>(begin), last = static_cast<compared>(end);
  return first >= last && std::in_range<I>(last) &&
                 !std::cmp_equal(last, std::numeric_limits<I>::min())
             ? static_cast<std::int64_t>(begin) - static_cast<std::int64_t>(last) + 1
             : 0;
}
/// The same where i += by, or i -= by. \param turns by 1
template <class I> std::int64_t turns_by(I begin, std::int64_t turns, std::int64_t by) {
  const std::int64_t count = turns / by + (turns % by != 0 ? 1 : 0);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (!std::in_range<std::int64_t>(begin) || count > most / by)
    return 0;
  const auto first = static_cast<std::int64_t>(begin);
  return first <= most - (first > 0 ? count * by : 0) && std::in_range<I>(first + count * by)
             ? count
             : 0;
}
template <class I> std::int64_t turns_down_by(I begin, std::int64_t turns, std::int64_t by) {
  const std::int64_t count = turns / by + (turns % by != 0 ? 1 : 0);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  if (!std::in_range<std::int64_t>(begin) || count > -(least + 1) / by)
    return 0;
  const auto first = static_cast<std::int64_t>(begin);
  return first >= least + (first < 0 ? count * by : 0) && std::in_range<I>(first - count * by)
             ? count
             : 0;
}
/// \}
} // namespace rt

/// Runs a sequence over the elements. \returns false if the program has to run it as it is written:
/// nothing has happened then
template <class Tag, class... T, class... Sections>
bool peach_sequence(std::int64_t turns, const sequence_arrays<T...>& arrays,
                    const sequence_part<Sections>&... parts) {
  if ((... || (parts.ticks <= 0)))
    return false;
  return std::apply(
      [&](const auto& first, const auto&... others) {
        // As written, what sections do to objects may come before others are computed.
        if (!(... && detail::array_access::command_of(others)->computed()))
          return false;
        detail::evaluate(*detail::array_access::command_of(first));
        const auto result_of = [](const auto& of) -> auto& {
          return detail::array_access::command_of(of)->result();
        };
        const std::array<const section_base*, sizeof...(Sections)> sections{&parts.section...};
        const std::array<std::int64_t, sizeof...(Sections)> ticks{parts.ticks...};
        const std::array<detail::erased_input, sizeof...(T)> inputs{
            detail::erased_input(result_of(first)), detail::erased_input(result_of(others))...};
        const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(inputs[0].size())};
        sequence_call call(sections, inputs, shape, turns, ticks);
        return sequence_code<Tag>::run(call);
      },
      arrays.all);
}
template <class Tag, class T, class... Sections>
bool peach_sequence(std::int64_t turns, const array<T, 1>& elements,
                    const sequence_part<Sections>&... parts) {
  return peach_sequence<Tag>(turns, sequence_arrays(elements), parts...);
}

} // namespace ikra
