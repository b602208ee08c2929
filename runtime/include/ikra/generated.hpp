// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only header that emitted code includes: the plain library, and what generated sections need
// on top.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/ikra.hpp>

#include <ikra/generated/device/call.hpp>
#include <ikra/generated/device/kernel_file.hpp>
#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/language/algorithms.hpp>
#include <ikra/generated/language/atomics.hpp>
#include <ikra/generated/language/bit_field.hpp>
#include <ikra/generated/language/checked.hpp>
#include <ikra/generated/language/named.hpp>
#include <ikra/generated/language/std_array.hpp>
#include <ikra/generated/language/std_orders.hpp>
#include <ikra/generated/language/value_class.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/objects/describe.hpp>
#include <ikra/generated/objects/nested_lists.hpp>
#include <ikra/generated/sections/horizontal.hpp>
#include <ikra/generated/sections/section.hpp>
#include <ikra/generated/session/session.hpp>

#include <ikra/macros_back.hpp>
