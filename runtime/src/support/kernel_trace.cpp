// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_trace.hpp"

#include "errors.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ikra::rt {

/// IKRA_TRACE, read once.
static bool is_traced(const section_info& section) {
  static const char* const wish = std::getenv("IKRA_TRACE");
  const std::string_view text = wish == nullptr ? "" : wish;
  if (!text.empty() && text != "kernels")
    fail(error_kind::unsupported, section, "IKRA_TRACE is '" + std::string(text) + "'",
         "set it to kernels, or unset it");
  return !text.empty();
}

void trace_kernel(const section_info& section, std::size_t sections) {
  if (!is_traced(section) || untraced_kernels::is_set())
    return;
  static std::atomic<std::uint64_t> count = 0;
  std::fprintf(stderr, "ikra: kernel %llu: %s, %zu section%s\n",
               static_cast<unsigned long long>(++count), section.where().c_str(), sections,
               sections == 1 ? "" : "s");
}

} // namespace ikra::rt
