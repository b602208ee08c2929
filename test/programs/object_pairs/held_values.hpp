// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef OBJECT_PAIRS_HELD_VALUES_HPP
#define OBJECT_PAIRS_HELD_VALUES_HPP

void held_values();
void held_lists();

#endif
