// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_cuda.hpp"

#include "devices/operations.hpp"

#include "cuda/graph_recorder.hpp"
#include "cuda/reorder.hpp"

#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

struct CUstream_st {
  std::deque<std::function<void()>> work;
  std::size_t queued = 0, done = 0;
  bool is_first = false;

  void run(std::size_t until) {
    while (done < until) {
      const std::function<void()> next = std::move(work.front());
      work.pop_front();
      ++done;
      next();
    }
  }
};

struct CUevent_st {
  cudaStream_t stream = nullptr;
  std::size_t place = 0;
};

namespace {

/// Held within each call that many threads may make.
std::mutex one_at_a_time;
using alone = std::lock_guard<std::mutex>;

bool is_late = true;
std::unordered_map<void*, std::size_t> device_blocks;
std::set<void*> pinned_blocks;
std::size_t streams = 0, events = 0;
unsigned queries = 0;

CUstream_st
    legacy; ///< CUDA's legacy default stream, of which streams that do not block know nothing

CUstream_st* at(cudaStream_t stream) { return stream == cudaStreamLegacy ? &legacy : stream; }

cudaError_t queue(cudaStream_t given, std::function<void()> work) {
  CUstream_st* const stream = at(given);
  stream->work.push_back(std::move(work));
  ++stream->queued;
  if (!is_late && !stream->is_first && stream != &legacy)
    stream->run(stream->queued);
  return cudaSuccess;
}

cudaError_t finish(cudaStream_t given) {
  CUstream_st* const stream = at(given);
  stream->run(stream->queued);
  return cudaSuccess;
}
cudaError_t finish(cudaEvent_t event) {
  if (event->stream != nullptr)
    event->stream->run(event->place);
  return cudaSuccess;
}

} // namespace

namespace fake_cuda {

void launch(void* stream, std::function<void()> kernel) {
  const alone now(one_at_a_time);
  queue(static_cast<cudaStream_t>(stream), std::move(kernel));
}
void set_late(bool late) { is_late = late; }
counts alive() {
  std::size_t bytes = 0;
  for (const auto& block : device_blocks)
    bytes += block.second;
  return {bytes, pinned_blocks.size(), streams, events};
}

} // namespace fake_cuda

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 9;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  std::memset(value, 0, sizeof(std::uint64_t));
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t(80) << 30;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error that a test asked for"; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned) {
  *made = new CUstream_st;
  (*made)->is_first = streams++ == 0;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  finish(stream);
  --streams;
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const alone now(one_at_a_time);
  return finish(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const alone now(one_at_a_time);
  return stream->work.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const alone now(one_at_a_time);
  return queue(stream, [awaited = *event] {
    if (awaited.stream != nullptr)
      awaited.stream->run(awaited.place);
  });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned) {
  const alone now(one_at_a_time);
  *made = new CUevent_st;
  ++events;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const alone now(one_at_a_time);
  --events;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const alone now(one_at_a_time);
  *event = {at(stream), at(stream)->queued};
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const alone now(one_at_a_time);
  return finish(event);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const alone now(one_at_a_time);
  if (event->stream == nullptr || event->stream->done >= event->place)
    return cudaSuccess;
  if (queries++ % 2 == 0) // the GPU goes on
    return cudaErrorNotReady;
  return finish(event);
}

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  const alone now(one_at_a_time);
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*memory, 0xcd, bytes);
  device_blocks.emplace(*memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  const alone now(one_at_a_time);
  const std::size_t bytes = device_blocks.at(memory);
  device_blocks.erase(memory);
  return queue(stream, [memory, bytes] {
    std::memset(memory, 0xdd, bytes);
    std::free(memory);
  });
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const alone now(one_at_a_time);
  *memory = std::malloc(bytes);
  pinned_blocks.insert(*memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  const alone now(one_at_a_time);
  pinned_blocks.erase(memory);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t, unsigned) {
  const alone now(one_at_a_time);
  pinned_blocks.insert(memory);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  const alone now(one_at_a_time);
  pinned_blocks.erase(memory);
  return cudaSuccess;
}
/// Copies from and to memory that is not pinned are done at once, as CUDA does it for few bytes.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const alone now(one_at_a_time);
  if (bytes <= std::size_t(64) << 10) {
    finish(stream);
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  }
  return queue(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind, cudaStream_t stream) {
  const alone now(one_at_a_time);
  return queue(stream, [=] {
    for (std::size_t i = 0; i < height; ++i)
      std::memcpy(static_cast<char*>(to) + i * to_pitch,
                  static_cast<const char*>(from) + i * from_pitch, width);
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }

} // extern "C"

// What needs kernels of the library.
namespace ikra::rt {

ikra::detail::device_operations* cuda_operations() { return nullptr; }
void cuda_sort_order(const std::uint32_t*, std::uint32_t*, std::uint32_t, int, device&,
                     const section_info&) {}
void cuda_reorder(void*, const void*, std::size_t, const std::uint32_t*, std::uint32_t, bool,
                  device&, const section_info&) {}
std::unique_ptr<graph_recorder> make_graph_recorder(void*, const section_info&) { return nullptr; }

} // namespace ikra::rt
