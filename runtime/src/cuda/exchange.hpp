// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large copies between the host's memory and a GPU's, in both directions at a time and beside
// kernels. One core copies to pinned memory at a fraction of the link's speed, so many threads
// work side by side: each takes piece after piece of either direction, fills or empties pinned
// buffers of its own, and waits for nobody but the GPU.
#pragma once

#include "calls.hpp"
#include "pinned.hpp"

#include <ikra/generated/device.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace ikra::rt {

class exchanger {
public:
  /// \param number of the GPU \throws ikra::error of kind device_error
  exchanger(int number, const section_info& section);

  /// See device::mark, device::exchange and device::wait_for_exchange.
  /// \param queue the stream of the device's work \{
  void mark(cudaStream_t queue, const section_info& section);
  void hold_up(cudaStream_t queue) const noexcept;
  void run(std::span<const transfer> in, std::span<const transfer> out,
           const section_info& section);
  /// \}
  /// See device::upload and device::download. All copies are queued on the stream. \{
  void upload(const transfer& what, cudaStream_t queue, const section_info& section);
  void download(const transfer& what, cudaStream_t queue, const section_info& section);
  /// \}

  static constexpr std::size_t most_threads = 16; ///< more are not faster
  static constexpr std::size_t buffers_each = 3;  ///< two are less often there when wanted
  static constexpr std::size_t piece = std::size_t(2) << 20; ///< bytes of a buffer
  /// Bytes of the first and the last pieces, for which the GPU or the host has to wait.
  static constexpr std::size_t least_piece = std::size_t(256) << 10;

private:
  struct give_back {
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
    void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
  };
  using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, give_back>;
  using owned_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, give_back>;

  /// The pinned buffers of one thread.
  struct lane {
    explicit lane(const section_info& section);

    pinned_memory memory;
    std::array<owned_event, buffers_each> copied; ///< the last copy from or to a buffer is done
  };
  struct copy {
    transfer what;
    bool is_up;
  };
  class both_finished;
  class worker;

  std::size_t make_lanes(std::size_t most, const section_info& section);
  static std::vector<copy> in_pieces(std::span<const transfer> in, std::span<const transfer> out,
                                     std::size_t threads);
  void run(std::span<const transfer> in, std::span<const transfer> out, cudaStream_t up,
           cudaStream_t down, const section_info& section);

  int number_;
  owned_stream up_, down_;
  owned_event marked_, sent_;
  std::deque<lane> lanes_;
};

} // namespace ikra::rt
