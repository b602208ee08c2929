// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfers alone. Device memory and pinned memory of one piece of 32 MiB each are reused, so
// any number of bytes can be sent.
#include "programs.hpp"

#include "support/device_memory.hpp"

#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>

namespace transfers {
namespace {

constexpr std::size_t piece = std::size_t(32) << 20;

using benchmark::check;

struct lane {
  lane() {
    check(cudaStreamCreate(&stream));
    check(cudaMalloc(&on_device, piece));
    check(cudaMallocHost(&pinned, piece));
  }
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane() {
    cudaStreamDestroy(stream);
    cudaFree(on_device);
    cudaFreeHost(pinned);
  }

  void copy(void* host, std::size_t bytes, bool up) const {
    check(up ? cudaMemcpyAsync(on_device, host, bytes, cudaMemcpyHostToDevice, stream)
             : cudaMemcpyAsync(host, on_device, bytes, cudaMemcpyDeviceToHost, stream));
  }
  void copy_pinned(std::size_t bytes, bool up) const {
    for (std::size_t done = 0; done < bytes; done += piece)
      copy(pinned, std::min(piece, bytes - done), up);
  }
  void copy_all(std::vector<char>& host, bool up) const {
    for (std::size_t done = 0; done < host.size(); done += piece)
      copy(host.data() + done, std::min(piece, host.size() - done), up);
  }

  cudaStream_t stream = nullptr;
  void* on_device = nullptr;
  void* pinned = nullptr;
};

void wait() { check(cudaDeviceSynchronize()); }

void pin(std::vector<char>& memory) {
  if (!memory.empty())
    check(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterDefault));
}
void unpin(std::vector<char>& memory) {
  if (!memory.empty())
    check(cudaHostUnregister(memory.data()));
}

/// \param from, to the system's memory, for ways that use it
void send(link how, const lane& in, const lane& out, std::size_t up, std::size_t down,
          std::vector<char>& from, std::vector<char>& to) {
  switch (how) {
  case link::at_once:
  case link::in_turn:
    in.copy_pinned(up, true);
    if (how == link::in_turn)
      wait();
    out.copy_pinned(down, false);
    break;
  case link::pageable:
    in.copy_all(from, true);
    out.copy_all(to, false);
    break;
  case link::pinned_first:
    pin(from);
    pin(to);
    in.copy_all(from, true);
    out.copy_all(to, false);
    wait();
    unpin(from);
    unpin(to);
    break;
  }
}

} // namespace

std::vector<double> link_seconds(link how, std::size_t up, std::size_t down, int repeats) {
  const lane in, out;
  const bool is_pinned = how == link::at_once || how == link::in_turn;
  std::vector<char> from(is_pinned ? 0 : up, 1), to(is_pinned ? 0 : down, 1);
  in.copy_pinned(piece, true);
  out.copy_pinned(piece, false);
  wait();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    send(how, in, out, up, down, from, to);
    wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds.push_back(took.count());
  }
  return seconds;
}

} // namespace transfers
