// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes producers (binding_table.hpp) of a rule's expressions: which sources they read, the code of
// what they compute and test, and the fields of their outputs. Relies on binding_table.hpp; written
// once for both devices.
#pragma once

#include "datalog/engine/binding_table.hpp"

#include <ikra/error.hpp>

#include <algorithm>

namespace ikra::datalog {

template <class Backend> class row_assembler {
protected:
  using bindings = binding_table<Backend>;

  /// \param fault on the device: set to 1 by what must not happen; 0 so far
  row_assembler(Backend& backend, const plan::program& program, u32* fault)
      : backend_(backend), program_(program), fault_(fault) {}

  /// A producer in the making.
  struct assembly {
    producer made;
    std::vector<u32> place_of; ///< slot to source
    std::vector<instruction> code;
    u32 sources = 0;
  };

  [[noreturn]] void fail(const std::string& why) const {
    throw error(error_kind::unsupported,
                "Datalog: rule '" + program_.rules[version_->rule].text + "': " + why);
  }

  u32 add_source(assembly& a, const source& from) const {
    if (a.sources == max_sources)
      fail("more than 64 variables are alive at once; split the rule");
    a.made.sources[a.sources] = from;
    return a.sources++;
  }

  assembly begin(const bindings& rows) const {
    assembly a;
    a.place_of.assign(version_->slots.size(), no_source);
    for (const auto& [slot, from] : rows.slots)
      a.place_of[slot] = add_source(a, from);
    return a;
  }

  void set_source(assembly& a, u32 slot, const source& from) const {
    a.place_of[slot] = add_source(a, from);
  }

  void add_test(assembly& a, const plan::expression& test) {
    const std::vector<instruction> more = compile(test, a.place_of);
    note_faults(more);
    if (!a.code.empty())
      a.code.push_back({leave_if_zero, {}, {}, 0});
    a.code.insert(a.code.end(), more.begin(), more.end());
    a.made.test_length = static_cast<u32>(a.code.size());
  }

  void note_faults(const std::vector<instruction>& code) {
    for (const instruction& i : code)
      may_fault_ =
          may_fault_ || i.what == plan::operation::divide || i.what == plan::operation::remainder;
  }

  void add_field(assembly& a, const plan::expression& value, field to) {
    if (a.made.field_count == max_outputs)
      fail("more than 48 variables are alive at once; split the rule");
    output_field made{to.word, to.shift, to.bits, false, 0, 0};
    if (value.what == plan::operation::variable) {
      made.at = a.place_of[value.payload];
    } else if (value.what == plan::operation::constant) {
      source constant;
      constant.content = value.payload;
      made.at = add_source(a, constant);
    } else {
      const std::vector<instruction> code = compile(value, a.place_of);
      note_faults(code);
      made.computed = true;
      made.at = static_cast<u32>(a.code.size());
      made.length = static_cast<u32>(code.size());
      a.code.insert(a.code.end(), code.begin(), code.end());
    }
    // Fields of one word stand beside each other.
    output_field* end = a.made.fields + a.made.field_count;
    output_field* at =
        std::find_if(a.made.fields, end, [&](const output_field& f) { return f.word > to.word; });
    std::move_backward(at, end, end + 1);
    *at = made;
    ++a.made.field_count;
    a.made.word_count = std::max<u32>(a.made.word_count, to.word + 1u);
  }

  /// Head tuples as output words.
  void add_head(assembly& a, const plan::head& head, const layout& packed) {
    for (std::size_t c = 0; c < head.values.size(); ++c)
      add_field(a, head.values[c], packed.fields[c]);
    if (head.values.empty()) {
      add_field(a, {plan::operation::constant, {plan::kind::unsigned_number, 64}, 0, {}}, {});
    }
  }

  /// Rows as outputs of an assembly.
  struct row_outputs {
    std::vector<u32> slots;
    std::vector<field> fields;
    u64 words() const { return fields.empty() ? 0 : fields.back().word + u64(1); }
  };

  /// The slots that the assembly knows as outputs.
  /// \param computed if not null, the value of one more slot.
  row_outputs add_slots(assembly& a, const std::vector<u32>& alive, u32 computed_slot = 0,
                        const plan::expression* computed = nullptr) {
    row_outputs made;
    for (const u32 slot : alive)
      if (a.place_of[slot] != no_source)
        made.slots.push_back(slot);
    if (computed != nullptr)
      made.slots.push_back(computed_slot);
    std::vector<u8> bits;
    for (const u32 slot : made.slots)
      bits.push_back(
          computed != nullptr && slot == computed_slot
              ? version_->slots[slot].bits
              : std::min(version_->slots[slot].bits, a.made.sources[a.place_of[slot]].bits));
    made.fields = row_fields(bits);
    for (std::size_t i = 0; i < made.slots.size(); ++i) {
      const u32 slot = made.slots[i];
      if (computed != nullptr && i + 1 == made.slots.size())
        add_field(a, *computed, made.fields[i]);
      else
        add_field(a, {plan::operation::variable, version_->slots[slot], slot, {}}, made.fields[i]);
    }
    return made;
  }

  /// Puts the code where kernels can read it. The buffer must live until they are done.
  buffer<Backend, instruction> finish(assembly& a) {
    buffer<Backend, instruction> code(backend_, a.code.size(), "expressions");
    if (!a.code.empty())
      backend_.upload(code.data(), a.code.data(), a.code.size() * sizeof(instruction));
    a.made.code = code.data();
    a.made.fault = fault_;
    return code;
  }

  /// Writes one output for each row.
  void write_rows(u64 rows, const producer& from) {
    if constexpr (!Backend::is_cuda)
      if (const std::optional<word_maker> words = word_maker::of(from))
        return backend_.for_each(rows, produce_word{*words, from.out[0]});
    backend_.for_each(rows, produce_row{from});
  }

  static constexpr u32 no_source = ~u32(0);

  Backend& backend_;
  const plan::program& program_;
  u32* fault_;
  const rule_version* version_ = nullptr; ///< whose expressions these are
  bool may_fault_ = false;
};

} // namespace ikra::datalog
