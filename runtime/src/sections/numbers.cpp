// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs declare for arrays of numbers and do not compile (device/numbers.hpp).
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/device/numbers.hpp>
#include <ikra/generated/sections/section_values.hpp>

namespace ikra::detail {

#define IKRA_NUMBER(T)                                                                             \
  template erased_input::erased_input(buffer<T>&);                                                 \
  template std::shared_ptr<driven_command<T>> new_driven(const section_type&, const operation&,    \
                                                         std::optional<T>);
IKRA_FOR_NUMBERS(IKRA_NUMBER)
#undef IKRA_NUMBER

} // namespace ikra::detail
