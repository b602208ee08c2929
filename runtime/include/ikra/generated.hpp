// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only header that emitted code includes: the plain library, and what generated sections need
// on top.
#pragma once

#include <ikra/ikra.hpp>

#include <ikra/generated/algorithms.hpp>
#include <ikra/generated/atomics.hpp>
#include <ikra/generated/bit_field.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/generated/checked.hpp>
#include <ikra/generated/describe.hpp>
#include <ikra/generated/horizontal.hpp>
#include <ikra/generated/kernel_file.hpp>
#include <ikra/generated/launch.hpp>
#include <ikra/generated/named.hpp>
#include <ikra/generated/nested_lists.hpp>
#include <ikra/generated/object_id.hpp>
#include <ikra/generated/section.hpp>
#include <ikra/generated/section_info.hpp>
#include <ikra/generated/session.hpp>
#include <ikra/generated/std_array.hpp>
#include <ikra/generated/std_orders.hpp>
#include <ikra/generated/value_class.hpp>
