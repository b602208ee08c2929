// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies in both directions at a time, beside kernels: what arrays need that are computed in parts.
// Each direction has a stream of its own and three pinned buffers. All cores fill and empty these
// in turn, while the GPU copies from and to the others.
#pragma once

#include "calls.hpp"

#include <ikra/generated/device.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace ikra::rt {

class exchanger {
public:
  /// \throws ikra::error of kind out_of_memory without pinned memory, device_error
  explicit exchanger(const section_info& section);

  /// See device::mark and device::exchange. \param queue the stream of the device's work \{
  void mark(cudaStream_t queue, const section_info& section);
  void run(std::span<const transfer> in, std::span<const transfer> out, cudaStream_t queue,
           const section_info& section);
  /// \}

  static constexpr std::size_t piece = std::size_t(8) << 20; ///< bytes of a buffer

private:
  struct give_back {
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
    void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
    void operator()(void* pinned) const { static_cast<void>(cudaFreeHost(pinned)); }
  };
  using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, give_back>;
  using owned_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, give_back>;

  struct buffer {
    std::unique_ptr<void, give_back> memory;
    owned_event copied; ///< the last copy from or to it is done
  };
  struct lane {
    explicit lane(const section_info& section);
    void wait(std::size_t piece, const section_info& section) const;
    bool is_done(std::size_t piece) const;
    void note(std::size_t piece, const section_info& section) const;
    const buffer& of(std::size_t piece) const { return buffers[piece % buffers.size()]; }

    owned_stream stream;
    std::array<buffer, 3> buffers;
  };
  class both_finished;

  void send(const transfer& what, std::size_t number, const section_info& section) const;
  void receive(const transfer& what, std::size_t number, const section_info& section) const;
  void empty(const transfer& what, std::size_t number, const section_info& section) const;

  lane up_, down_;
  owned_event marked_, sent_;
};

} // namespace ikra::rt
