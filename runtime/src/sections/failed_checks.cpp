// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sessions report of checks that failed in device code (generated/language/checked.hpp).
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/session/session.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ikra::rt {

null_report* session_base::nulls() {
  if (report_.data() == nullptr) {
    report_ = device_memory(*device_, report_bytes, "report of failed checks", *section_);
    std::array<null_report, report_bytes / sizeof(null_report)> empty{no_null};
    std::fill(empty.begin() + null_ids_offset / sizeof(null_report), empty.end(), ~null_report(0));
    device_->upload(report_.data(), empty.data(), report_bytes, *section_);
  }
  return static_cast<null_report*>(report_.data());
}

failure_report session_base::watched_failures() {
  failure_report report = failures();
  const std::size_t places =
      graph_->base(base_index_).size * std::max<std::size_t>(1, written_.size());
  report.log.size = std::bit_ceil(std::max<std::size_t>(1024, 4 * places));
  const std::vector<std::uint64_t> none(2 * report.log.size);
  const std::size_t bytes = none.size() * sizeof(std::uint64_t);
  log_ = device_memory(*device_, bytes, "log of writes", *section_);
  device_->upload(log_.data(), none.data(), bytes, *section_);
  report.log.entries = static_cast<std::uint64_t*>(log_.data());
  return report;
}

void session_base::check_report() {
  if (report_.data() == nullptr)
    return;
  null_report report = no_null;
  device_->download(&report, report_.data(), sizeof report, *section_);
  if (report == no_null)
    return;
  const auto what = static_cast<unsigned>(report & ((1U << failure_bits) - 1));
  const std::string where = failed_element_text(report);
  if (what >= static_cast<unsigned>(failure::first_check))
    failed_use(section_->checks[what - static_cast<unsigned>(failure::first_check)], where);
  if (what == static_cast<unsigned>(failure::outside))
    refuse_outside(where);
  fail(error_kind::null_element, *section_, "it dereferenced a null pointer" + where,
       "test for null in the section, or leave null elements out with pselect");
}

void session_base::refuse_outside(const std::string& where) const {
  fail(error_kind::failed_check, *section_,
       "an index given to at() was outside of its container, or value(), get() or dynamic_cast "
       "to a reference asked for what is not there" +
           where,
       "ask size() or has_value() first, or cast to a pointer");
}

/// " at element 3 of the array": where something failed, if that is known.
std::string session_base::failed_element_text(null_report report) const {
  std::uint64_t number = (report & ~(failed_element | failed_index)) >> failure_bits;
  if ((report & failed_element) != 0) {
    const object_graph::found_element found = graph_->element_of(base_index_, object_id(number));
    return " in element " + place_text(found.place) + " of the array, of class " + found.of_class;
  }
  if ((report & failed_index) != 0)
    return " in element " + failed_index_text(number) + " of the array";
  if (!base_ || graph_->base(base_index_).direct || named_.empty())
    return {};
  if (device_->is_cuda()) { // threads are those of each class's blocks
    std::uint64_t first = 0;
    for (const class_list& list : named_) {
      const std::uint64_t threads = std::uint64_t(blocks_for(list.count)) * block_size;
      if (number - first < threads) {
        number += list.first_thread - first;
        break;
      }
      first += threads;
    }
  }
  const std::vector<std::uint64_t>& places = graph_->base(base_index_).places;
  return " at element " + place_text(places.empty() ? number : places.at(number)) + " of the array";
}

static std::string text_of(const std::vector<std::uint64_t>& index) {
  std::string text;
  for (const std::uint64_t coordinate : index)
    text += (text.empty() ? "" : ", ") + std::to_string(coordinate);
  return index.size() == 1 ? text : "(" + text + ")";
}

/// "7", or "(2, 3)": an element of the whole array, by its place in the array's order.
std::string session_base::place_text(std::uint64_t place) const {
  const std::span<const std::int64_t> shape = call_->whole_shape();
  std::vector<std::uint64_t> at;
  for (std::size_t d = shape.size(); d > 1; --d) {
    const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(1, shape[d - 1]));
    at.push_back(place % extent);
    place /= extent;
  }
  at.push_back(place);
  std::ranges::reverse(at);
  return text_of(at);
}

/// The same of an index whose number is reported.
std::string session_base::failed_index_text(std::uint64_t number) const {
  const auto rank = number >> index_bits;
  number &= (std::uint64_t(1) << index_bits) - 1;
  if (rank == position_in_part)
    return place_text(number + call_->first());
  std::vector<std::uint64_t> at;
  const std::uint64_t bits = index_bits / rank;
  number >>= index_bits - rank * bits;
  for (std::uint64_t d = 0; d < rank; ++d)
    at.push_back(number >> (rank - 1 - d) * bits & ((std::uint64_t(1) << bits) - 1));
  return text_of(at);
}

void session_base::failed_use(const checked_use& use, const std::string& where) const {
  struct explanation {
    error_kind kind;
    const char* what;
    const char* remedy;
  };
  static constexpr explanation explanations[] = {
      // by checked_use::kind
      {error_kind::failed_check, "an index was outside of its container",
       "compare it with the size first"},
      {error_kind::null_element, "a null pointer or an empty std::optional was dereferenced",
       "test for it first"},
      {error_kind::failed_check, "an integer was divided by zero", "test the divisor first"},
      {error_kind::failed_check,
       "an integer was shifted by less than zero bits, or by as many as it has",
       "keep the number of bits within the type"},
      {error_kind::failed_check, "two elements wrote different values to one place",
       "use ikra::atomic_add and its kin, or let each element write its own members"},
      {error_kind::failed_check, "the least integer of a type was divided by -1",
       "use a larger type, or test for it first"},
      {error_kind::failed_check,
       "value(), get() or dynamic_cast to a reference asked for what is not there",
       "ask has_value() first, or cast to a pointer"},
  };
  const explanation& of = explanations[use.what];
  fail(of.kind, *section_,
       std::string(of.what) + " at " + use.file + ":" + std::to_string(use.line) + ":" +
           std::to_string(use.column) + where,
       of.remedy);
}

void session_base::failed_on_host(const failed_check& failed) {
  failed.note(0);
  check_report();
}

} // namespace ikra::rt
