// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.hpp"

namespace tracer {

measured measure_1(const sizes& s, int repeats) { return measure_classes<1>(s, repeats); }
measured measure_8(const sizes& s, int repeats) { return measure_classes<8>(s, repeats); }

} // namespace tracer
