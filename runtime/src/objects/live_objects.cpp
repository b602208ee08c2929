// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of a polymorphic class begins with the address of its class's table. The linker puts
// tables where programs cannot write. Memory that was freed begins with what the allocator keeps
// there, such as the address of other memory.
#include <ikra/generated/objects/live_objects.hpp>

#include "support/errors.hpp"

#include <ikra/generated/objects/classes_seen.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <typeinfo>

#if defined(__linux__)
#include <link.h>
#endif

namespace ikra::rt {

destroyed_object::destroyed_object(const section_info& section, const std::string& what)
    : error(error_kind::failed_check, section.where() + ": " + what +
                                          "; call scope.remove(pointer) before the object goes, "
                                          "and lead no other object to it") {}

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

bool may_be_table(const void* object) {
  question asked{0, false};
  std::memcpy(&asked.address, object, sizeof asked.address);
  dl_iterate_phdr(&look_into, &asked);
  return asked.is_constant;
}

#else

bool may_be_table(const void*) { return true; }

#endif

} // namespace

void check_object(const void* object, const std::type_info& static_type) {
  static thread_local classes_seen seen; // 1: a table
  if (object == nullptr || seen.find(object, [&] { return may_be_table(object) ? 1U : 0U; }) != 0)
    return;
  throw destroyed_object(*checked_section.load(),
                         "an object of class " + class_name(static_type) +
                             ", or of one derived from it, was destroyed while a pointer that "
                             "sections may follow leads to it");
}

} // namespace detail

} // namespace ikra::rt
