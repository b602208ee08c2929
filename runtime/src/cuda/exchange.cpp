// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"

#include "../host_copy.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ikra::rt {

namespace {

constexpr const char* remedy = "set IKRA_STREAM=off, or run with IKRA_DEVICE=cpu";

void check(cudaError_t status, const char* call, const section_info& section) {
  check_cuda(status, call, section, remedy);
}

template <class Owner> void make_event(Owner& made, const section_info& section) {
  cudaEvent_t event = nullptr;
  check(cuda_call(cudaEventCreateWithFlags, &event, cudaEventDisableTiming), "cudaEventCreate",
        section);
  made.reset(event);
}

/// The same copies, none larger than a buffer.
std::vector<transfer> in_pieces(std::span<const transfer> whole) {
  std::vector<transfer> pieces;
  for (const transfer& t : whole)
    for (std::size_t done = 0; done < t.bytes; done += exchanger::piece)
      pieces.push_back({static_cast<char*>(t.to) + done, static_cast<const char*>(t.from) + done,
                        std::min(exchanger::piece, t.bytes - done)});
  return pieces;
}

} // namespace

exchanger::lane::lane(const section_info& section) {
  cudaStream_t made = nullptr;
  check(cuda_call(cudaStreamCreateWithFlags, &made, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags", section);
  stream.reset(made);
  for (buffer& b : buffers) {
    void* memory = nullptr;
    const cudaError_t status = cuda_call(
        static_cast<cudaError_t (*)(void**, std::size_t)>(cudaMallocHost), &memory, piece);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      fail(error_kind::out_of_memory, section,
           "no " + byte_count(piece) + " of pinned host memory for transfers",
           "raise the limit on locked memory (ulimit -l)");
    }
    check(status, "cudaMallocHost", section);
    b.memory.reset(memory);
    make_event(b.copied, section);
  }
}

void exchanger::lane::wait(std::size_t number, const section_info& section) const {
  check(cuda_call(cudaEventSynchronize, of(number).copied.get()), "copy beside kernels", section);
}

bool exchanger::lane::is_done(std::size_t number) const {
  return cudaEventQuery(of(number).copied.get()) != cudaErrorNotReady; // wait() finds failures
}

void exchanger::lane::note(std::size_t number, const section_info& section) const {
  check(cuda_call(cudaEventRecord, of(number).copied.get(), stream.get()), "cudaEventRecord",
        section);
}

/// An error leaves no copy behind that still reads or writes memory of the caller.
class exchanger::both_finished {
public:
  explicit both_finished(const exchanger& of) : of_(&of) {}
  both_finished(const both_finished&) = delete;
  both_finished& operator=(const both_finished&) = delete;
  ~both_finished() {
    if (of_ == nullptr)
      return;
    static_cast<void>(cudaStreamSynchronize(of_->up_.stream.get()));
    static_cast<void>(cudaStreamSynchronize(of_->down_.stream.get()));
    static_cast<void>(cudaGetLastError());
  }
  void not_needed() { of_ = nullptr; }

private:
  const exchanger* of_;
};

exchanger::exchanger(const section_info& section) : up_(section), down_(section) {
  make_event(marked_, section);
  make_event(sent_, section);
}

void exchanger::mark(cudaStream_t queue, const section_info& section) {
  check(cuda_call(cudaEventRecord, marked_.get(), queue), "cudaEventRecord", section);
}

void exchanger::send(const transfer& what, std::size_t number, const section_info& section) const {
  up_.wait(number, section);
  copy_on_all_cores(up_.of(number).memory.get(), what.from, what.bytes);
  check(cuda_call(cudaMemcpyAsync, what.to, up_.of(number).memory.get(), what.bytes,
                  cudaMemcpyHostToDevice, up_.stream.get()),
        "copy to the GPU", section);
  up_.note(number, section);
}

void exchanger::receive(const transfer& what, std::size_t number,
                        const section_info& section) const {
  check(cuda_call(cudaMemcpyAsync, down_.of(number).memory.get(), what.from, what.bytes,
                  cudaMemcpyDeviceToHost, down_.stream.get()),
        "copy from the GPU", section);
  down_.note(number, section);
}

void exchanger::empty(const transfer& what, std::size_t number, const section_info& section) const {
  down_.wait(number, section);
  copy_on_all_cores(what.to, down_.of(number).memory.get(), what.bytes);
}

void exchanger::run(std::span<const transfer> in, std::span<const transfer> out, cudaStream_t queue,
                    const section_info& section) {
  const std::vector<transfer> ups = in_pieces(in), downs = in_pieces(out);
  for (const transfer& t : out)
    ask_for_huge_pages(t.to, t.bytes);
  both_finished guard(*this);
  for (const lane* l : {&up_, &down_})
    check(cuda_call(cudaStreamWaitEvent, l->stream.get(), marked_.get(), 0U), "cudaStreamWaitEvent",
          section);
  std::size_t sent = 0, asked = 0, emptied = 0;
  while (sent < ups.size() || emptied < downs.size()) {
    for (; asked < downs.size() && asked < emptied + down_.buffers.size(); ++asked)
      receive(downs[asked], asked, section);
    const bool was_sent = sent < ups.size();
    if (was_sent) {
      send(ups[sent], sent, section);
      ++sent;
    }
    // What has come; where nothing is left to be sent, one piece is waited for.
    while (emptied < asked && (!was_sent || down_.is_done(emptied))) {
      empty(downs[emptied], emptied, section);
      ++emptied;
      if (!was_sent)
        break; // the next one can be asked for
    }
  }
  check(cuda_call(cudaEventRecord, sent_.get(), up_.stream.get()), "cudaEventRecord", section);
  check(cuda_call(cudaStreamWaitEvent, queue, sent_.get(), 0U), "cudaStreamWaitEvent", section);
  guard.not_needed();
}

} // namespace ikra::rt
