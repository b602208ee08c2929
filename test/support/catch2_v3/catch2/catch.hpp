// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Catch2 2's header name and spellings on top of Catch2 3 (Ubuntu 24.04), for tests written
// for 2.13 (Debian 12). On the include path only where Catch2 3 was found.
#ifndef IKRA_TEST_SUPPORT_CATCH2_V3_CATCH_HPP
#define IKRA_TEST_SUPPORT_CATCH2_V3_CATCH_HPP

#include <catch2/catch_all.hpp>

namespace Catch {
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::MatcherBase;
using Catch::Matchers::Predicate;
using Catch::Matchers::StartsWith;
using Catch::Matchers::VectorContains;

inline auto Contains(const std::string& part, CaseSensitive sensitivity = CaseSensitive::Yes) {
  return Matchers::ContainsSubstring(part, sensitivity);
}
} // namespace Catch

using Catch::Approx;

#endif
