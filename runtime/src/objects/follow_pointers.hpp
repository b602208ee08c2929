// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Following the references of objects. In checked builds one may lead to an object that was
// destroyed: the error then names the member, and the class of the object that has it.
#pragma once

#include <ikra/generated/objects/layout.hpp>

#include <cstddef>

namespace ikra::rt {

/// part.discover() of n objects. \param column of the part, in \p plan \throws destroyed_object
void discover(const layout& plan, const column_info& column, const column_part& part,
              void* const* objects, std::size_t n, discovery& out);

} // namespace ikra::rt
