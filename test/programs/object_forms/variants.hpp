// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef OBJECT_FORMS_VARIANTS_HPP
#define OBJECT_FORMS_VARIANTS_HPP

void variants();
void bases();

#endif
