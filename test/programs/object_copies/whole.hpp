// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef OBJECT_COPIES_WHOLE_HPP
#define OBJECT_COPIES_WHOLE_HPP

#include <cstddef>

void copy_whole(std::size_t count);

#endif
