// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of a polymorphic class begins with the address of its class's table. The linker puts
// tables where programs cannot write. Memory that was freed begins with what the allocator keeps
// there, such as the address of other memory. It may also have an object of another class by now.
#include <ikra/generated/objects/live_objects.hpp>

#include "follow_pointers.hpp"
#include "support/errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <typeinfo>
#include <utility>

#if defined(__linux__)
#include <link.h>
#endif
#if defined(__linux__) && defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace ikra::rt {

namespace {

std::string text_of(const stale_pointer& of) {
  const std::string element =
      of.element.empty() ? "" : "element " + of.element + " of the array, of class " + of.of_class;
  std::string text = where_and_when(*of.section) + ": " + of.object + " was destroyed while ";
  if (of.leads.empty())
    text += "a scope holds it" + (element.empty() ? "" : " as " + element);
  else if (of.of_class.empty())
    text += of.leads + " leads to it";
  else
    text += of.leads + " of " +
            (element.empty() ? "an object of class " + of.of_class : element + ",") +
            " leads to it";
  return text +
         "; call scope.remove(pointer) before the object goes, and lead no other object to it";
}

} // namespace

destroyed_object::destroyed_object(stale_pointer pointer)
    : error(error_kind::failed_check, text_of(pointer)),
      pointer_(std::make_shared<const stale_pointer>(std::move(pointer))) {}

void discover(const layout& plan, const column_info& column, const column_part& part,
              void* const* objects, std::size_t n, discovery& out) {
  try {
    part.discover(objects, n, out);
  } catch (const destroyed_object&) {
    for (std::size_t i = 0; i < n; ++i)
      try {
        discovery again{out.objects, {}, nullptr};
        part.discover(objects + i, 1, again);
      } catch (const destroyed_object& found) {
        stale_pointer named = found.pointer();
        named.leads = column.name;
        named.of_class = plan.classes()[part.class_index].name;
        named.holder = objects[i];
        throw destroyed_object(std::move(named));
      }
    throw;
  }
}

namespace detail {

std::atomic<const section_info*> checked_section{nullptr};

namespace {

#if defined(__linux__)

struct question {
  std::uintptr_t address;
  bool is_constant;
};

/// Looks for the address in what a program or a shared library has loaded.
int look_into(dl_phdr_info* loaded, std::size_t, void* data) {
  auto& asked = *static_cast<question*>(data);
  bool is_there = false, can_be_written = false, has_sealed = false, is_sealed = false;
  for (int i = 0; i < loaded->dlpi_phnum; ++i) {
    const auto& part = loaded->dlpi_phdr[i];
    const std::uintptr_t begin = loaded->dlpi_addr + part.p_vaddr;
    const bool has = asked.address >= begin && asked.address - begin < part.p_memsz;
    if (part.p_type == PT_LOAD && has) {
      is_there = true;
      can_be_written = (part.p_flags & PF_W) != 0;
    } else if (part.p_type == PT_GNU_RELRO) { // written by the loader alone
      has_sealed = true;
      is_sealed = is_sealed || has;
    }
  }
  asked.is_constant = is_there && (!can_be_written || is_sealed || !has_sealed);
  return is_there ? 1 : 0;
}

std::uintptr_t word_at(std::uintptr_t address) {
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

bool is_constant(std::uintptr_t address) {
  question asked{address, false};
  dl_iterate_phdr(&look_into, &asked);
  return asked.is_constant;
}

bool may_be_table(std::uintptr_t table) { return is_constant(table); }

#else

std::uintptr_t word_at(std::uintptr_t) { return 0; }
bool may_be_table(std::uintptr_t) { return true; }

#endif

#if defined(__linux__) && defined(__GLIBCXX__)

struct alone {
  virtual ~alone() = default;
};
struct derived : alone {};
struct other {
  virtual ~other() = default;
};
struct derived_of_two : alone, other {};

/// The class of which a type information is, as the ABI has them: without bases, with one, with
/// several.
std::uintptr_t kind_of(const std::type_info& type) {
  return word_at(reinterpret_cast<std::uintptr_t>(&type));
}

bool derives(const std::type_info& from, const std::type_info& base) {
  if (from == base)
    return true;
  if (kind_of(from) == kind_of(typeid(derived)))
    return derives(*static_cast<const abi::__si_class_type_info&>(from).__base_type, base);
  if (kind_of(from) != kind_of(typeid(derived_of_two)))
    return false;
  const auto& several = static_cast<const abi::__vmi_class_type_info&>(from);
  for (unsigned i = 0; i < several.__base_count; ++i)
    if (derives(*several.__base_info[i].__base_type, base))
      return true;
  return false;
}

/// Whether a table is one of a class that derives from a pointer's; true if nobody can tell.
bool may_be_of(std::uintptr_t table, const std::type_info& static_type) {
  const std::uintptr_t before = table - sizeof(void*); // the functions
  if (table % alignof(void*) != 0 || !is_constant(before))
    return true;
  const std::uintptr_t type = word_at(before);
  if (type % alignof(void*) != 0 || !is_constant(type))
    return true;
  const std::uintptr_t kind = word_at(type);
  if (kind != kind_of(typeid(alone)) && kind != kind_of(typeid(derived)) &&
      kind != kind_of(typeid(derived_of_two)))
    return true;
  return derives(*reinterpret_cast<const std::type_info*>(type), static_type);
}

#else

bool may_be_of(std::uintptr_t, const std::type_info&) { return true; }

#endif

/// What was found of tables, and the types of pointers.
class tables_seen {
public:
  bool are_live(std::uintptr_t table, const std::type_info& type) {
    const auto hash = table >> 4U ^ table >> 9U ^ reinterpret_cast<std::uintptr_t>(&type) >> 3U;
    entry& at = entries_[hash % entries_.size()];
    if (at.table != table || at.type != &type)
      at = {table, &type, may_be_table(table) && may_be_of(table, type)};
    return at.is_live;
  }

private:
  struct entry {
    std::uintptr_t table = 0;
    const std::type_info* type = nullptr;
    bool is_live = false;
  };
  std::array<entry, 64> entries_;
};

} // namespace

void check_object(const void* object, const std::type_info& static_type) {
  static thread_local tables_seen seen;
  if (object == nullptr ||
      seen.are_live(word_at(reinterpret_cast<std::uintptr_t>(object)), static_type))
    return;
  throw destroyed_object(stale_pointer{checked_section.load(), "an object of class " +
                                                                   class_name(static_type) +
                                                                   ", or of one derived from it,"});
}

} // namespace detail

} // namespace ikra::rt
