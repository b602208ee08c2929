// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"

#include <ikra/generated/device/call.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace ikra::rt {

std::string section_info::where() const {
  if (line == 0) // of the library's own
    return "operation '" + std::string(name) + "'";
  return "section '" + std::string(name) + "' at " + file + ":" + std::to_string(line) + ":" +
         std::to_string(column);
}

void fail(error_kind kind, const section_info& section, const std::string& what,
          const std::string& remedy) {
  throw error(kind, where_and_when(section) + ": " + what + "; " + remedy);
}

std::string class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

void no_instantiation(const std::type_info& tag, const char* file, unsigned line) {
  throw error(
      error_kind::unsupported,
      std::string(file) + ":" + std::to_string(line) + ": ikrac has not seen the instantiation " +
          class_name(tag) +
          " of this section; use it in the file that ikrac compiled, or compile both with it");
}

std::string byte_count(std::size_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

} // namespace ikra::rt
