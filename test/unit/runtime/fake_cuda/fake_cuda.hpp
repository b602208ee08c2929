// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime calls of CUDA, over host memory: tests of the GPU's device run where there is no
// GPU. Nothing runs before somebody waits for it, so a copy that nobody waits for is missed; or all
// streams but the first run at once, so a copy that does not wait for work is too early.
#pragma once

#include <cstddef>
#include <functional>

namespace fake_cuda {

/// Queues work, as a kernel's launch does. \param stream a cudaStream_t
void launch(void* stream, std::function<void()> kernel);

/// How streams run: as late as can be, or all but the first stream at once.
void set_late(bool late);

/// What is there. Memory that was given back is left out, though queued work may use it.
struct counts {
  std::size_t device_bytes, pinned, streams, events;
  friend bool operator==(const counts&, const counts&) = default;
};
counts alive();

} // namespace fake_cuda
