// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA device's recorder of graphs with loops and branches.
#pragma once

#include <ikra/generated/device/device.hpp>

#include <memory>

namespace ikra::rt {

/// \param stream that the graph is queued on \throws ikra::error of kind device_error
std::unique_ptr<graph_recorder> make_graph_recorder(void* stream, const section_info& section);

} // namespace ikra::rt
