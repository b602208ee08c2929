// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.hpp"

namespace tracer {

measured measure_64(const sizes& s, int repeats) { return measure_classes<64>(s, repeats); }
measured measure_1000(const sizes& s, int repeats) { return measure_classes<1000>(s, repeats); }

} // namespace tracer
