// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One description of each part of a program serves writing and reading: visit(archive, part) hands
// its members to the archive in order. Integers are written with seven bits a byte.
#include "datalog/frontend/core_codec.hpp"

#include <ikra/error.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ikra::datalog {
namespace {

class writer {
public:
  static constexpr bool reads = false;
  std::vector<unsigned char> bytes;

  void number(std::uint64_t& value) {
    std::uint64_t left = value;
    for (; left >= 0x80; left >>= 7)
      bytes.push_back(static_cast<unsigned char>(left | 0x80));
    bytes.push_back(static_cast<unsigned char>(left));
  }
};

class reader {
public:
  static constexpr bool reads = true;
  explicit reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

  void number(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == bytes_.size())
        throw error(error_kind::bad_program,
                    "Datalog: a compiled program is cut off; build it with the ikrac of this "
                    "library");
      const std::uint64_t next = bytes_[at_++];
      value |= (next & 0x7f) << shift;
      if (next < 0x80)
        return;
    }
  }

private:
  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
};

// What programs are made of ----------------------------------------------------------------------

template <class Archive, class Integer>
  requires(std::is_integral_v<Integer> || std::is_enum_v<Integer>)
void visit(Archive& archive, Integer& value) {
  auto wide = static_cast<std::uint64_t>(value);
  archive.number(wide);
  if constexpr (Archive::reads)
    value = static_cast<Integer>(wide);
}

template <class Archive> void visit(Archive& archive, std::string& text) {
  std::uint64_t length = text.size();
  archive.number(length);
  if constexpr (Archive::reads)
    text.resize(length);
  for (char& c : text) {
    std::uint64_t byte = static_cast<unsigned char>(c);
    archive.number(byte);
    c = static_cast<char>(byte);
  }
}

template <class Archive, class Element>
void visit(Archive& archive, std::vector<Element>& elements) {
  std::uint64_t count = elements.size();
  archive.number(count);
  if constexpr (Archive::reads)
    elements.resize(count);
  for (Element& element : elements)
    visit(archive, element);
}

template <class Archive, class Key, class Value>
void visit(Archive& archive, std::map<Key, Value>& entries) {
  std::vector<std::pair<Key, Value>> all(entries.begin(), entries.end());
  std::uint64_t count = all.size();
  archive.number(count);
  all.resize(count);
  for (auto& [key, value] : all) {
    visit(archive, key);
    visit(archive, value);
  }
  if constexpr (Archive::reads)
    entries = {all.begin(), all.end()};
}

template <class Archive, class... Parts> void visit_all(Archive& archive, Parts&... parts) {
  (visit(archive, parts), ...);
}

template <class Archive> void visit(Archive& archive, location& where) {
  visit_all(archive, where.begin, where.end);
}
template <class Archive> void visit(Archive& archive, core::field& of) {
  visit_all(archive, of.name, of.kind, of.structure);
}
template <class Archive> void visit(Archive& archive, core::branch& of) {
  visit_all(archive, of.name, of.fields);
}
template <class Archive> void visit(Archive& archive, core::structure& of) {
  visit_all(archive, of.name, of.sum, of.branches);
}
template <class Archive> void visit(Archive& archive, core::external& of) {
  visit_all(archive, of.name, of.parameters, of.result, of.where, of.stateful, of.structures);
}
template <class Archive> void visit(Archive& archive, core::column& of) {
  visit(archive, static_cast<core::field&>(of));
  visit(archive, of.type);
}
template <class Archive> void visit(Archive& archive, core::relation& of) {
  visit_all(archive, of.name, of.columns, of.equivalence, of.limit, of.choices, of.where);
}
template <class Archive> void visit(Archive& archive, core::directive& of) {
  visit_all(archive, of.kind, of.relation, of.parameters, of.where);
}
template <class Archive> void visit(Archive& archive, core::variable& of) {
  visit_all(archive, of.name, of.kind);
}
template <class Archive> void visit(Archive& archive, core::term& of) {
  visit_all(archive, of.is, of.variable, of.value);
}
template <class Archive> void visit(Archive& archive, core::expression& of) {
  visit_all(archive, of.is, of.kind, of.op, of.operands_are, of.variable, of.value, of.operands,
            of.where);
}
template <class Archive> void visit(Archive& archive, core::literal& of);
template <class Archive> void visit(Archive& archive, core::atom& of) {
  visit_all(archive, of.relation, of.arguments);
}
template <class Archive> void visit(Archive& archive, core::negation& of) {
  visit(archive, of.inner);
}
template <class Archive> void visit(Archive& archive, core::test& of) {
  visit_all(archive, of.op, of.kind, of.left, of.right);
}
template <class Archive> void visit(Archive& archive, core::construct& of) {
  visit_all(archive, of.variable, of.structure, of.branch, of.fields);
}
template <class Archive> void visit(Archive& archive, core::generator& of) {
  visit_all(archive, of.variable, of.kind, of.bounds);
}
template <class Archive> void visit(Archive& archive, core::aggregate& of) {
  visit_all(archive, of.variable, of.op, of.kind, of.target, of.body);
}

/// Gives a variant its alternative number `wanted`, of the default value.
template <std::size_t I = 0, class Variant> void choose(Variant& of, std::size_t wanted) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (I == wanted)
      of.template emplace<I>();
    else
      choose<I + 1>(of, wanted);
  }
}

template <class Archive> void visit(Archive& archive, core::literal& of) {
  std::uint64_t alternative = of.node.index();
  archive.number(alternative);
  if constexpr (Archive::reads)
    choose(of.node, static_cast<std::size_t>(alternative));
  std::visit([&](auto& node) { visit(archive, node); }, of.node);
  visit(archive, of.where);
}
template <class Archive> void visit(Archive& archive, core::rule& of) {
  visit_all(archive, of.head, of.values, of.body, of.variables, of.orders, of.where, of.removes);
}
template <class Archive> void visit(Archive& archive, core::stratum& of) {
  visit_all(archive, of.relations, of.rules, of.recursive, of.removals);
}
template <class Archive> void visit(Archive& archive, core::program& of) {
  visit_all(archive, of.structures, of.functors, of.relations, of.rules, of.strata, of.directives,
            of.symbols, of.bits);
}

} // namespace

std::vector<unsigned char> encode(const core::program& program) {
  core::program copy = program; // parts are visited as what can be read into
  writer to;
  visit(to, copy);
  return std::move(to.bytes);
}

core::program decode(std::span<const unsigned char> bytes) {
  reader from(bytes);
  core::program made;
  visit(from, made);
  return made;
}

} // namespace ikra::datalog
