// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device as the runtime sees it: memory, copies and a queue of work in order. The one for all
// cores is always there; the CUDA one is compiled in ikra::runtime_cuda. Emitted code launches
// kernels itself (launch.hpp), because only nvcc can, and asks the device for the rest, so that no
// CUDA header but nvcc's own is included there.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/section_info.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace ikra::rt {

/// Records launches into one graph with loops and branches that the device decides on.
class graph_recorder {
public:
  virtual ~graph_recorder() = default;

  /// The stream that launches go to while they are recorded.
  virtual void* stream() noexcept = 0;
  /// \returns a new condition, which a kernel sets before the node that it is for.
  virtual std::uint64_t condition() = 0;
  /// What follows runs while the condition holds, or once if it does; until end().
  virtual void begin(std::uint64_t condition, bool repeats) = 0;
  virtual void end() = 0;
  /// Device memory to other device memory.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Queues the graph after what was queued before. Nothing can be recorded from then on, but the
  /// graph may run again.
  virtual void run() = 0;
};

/// An array of members that go to records.
struct member_copy {
  const void* from;
  std::size_t bytes;  ///< of each member
  std::size_t offset; ///< in the record
};

/// A copy between the memory of the host and that of a device.
struct transfer {
  void* to;
  const void* from;
  std::size_t bytes;
  void* also = nullptr; ///< more memory of the host that gets what comes to it; null: none
};

class device {
public:
  /// Gives up memory of devices that is only kept to save time. \returns whether there was some
  using give_up_kept = bool (*)() noexcept;
  /// Of the part of the runtime that keeps some; null as long as nothing is kept.
  static inline std::atomic<give_up_kept> gives_up_kept = nullptr;

  virtual ~device() = default;

  /// True: kernels run on a GPU, and memory of this device cannot be read by the host.
  virtual bool is_cuda() const noexcept = 0;

  /// \returns uninitialised memory, aligned to 256 bytes, for use by work queued later; null for 0
  /// bytes.
  /// \param what for messages, e.g. "column Car::speed_"; \param section for messages.
  /// \throws ikra::error of kind out_of_memory, if giving up what is kept does not help
  virtual void* allocate(std::size_t bytes, const char* what, const section_info& section) = 0;
  /// Bytes that may still be allocated, more or less.
  virtual std::size_t available() = 0;
  /// Gives memory back once the work queued so far is done.
  virtual void deallocate(void* memory) noexcept = 0;

  /// \returns the most bytes that were allocated at once since this was called last, small blocks
  /// left out; the count begins anew with what is allocated.
  virtual std::size_t take_peak() noexcept = 0;

  /// Host memory to device memory; `from` may be changed when this returns.
  virtual void upload(void* to, const void* from, std::size_t bytes,
                      const section_info& section) = 0;
  /// Device memory to host memory, after all queued work; complete when this returns.
  virtual void download(void* to, const void* from, std::size_t bytes,
                        const section_info& section) = 0;

  /// Copies from device memory to other device memory, in the order of queued work.
  virtual void copy(void* to, const void* from, std::size_t bytes, const section_info& section) = 0;
  /// Copies members into n records of `stride` bytes each, within the device.
  virtual void copy_members(void* records, std::size_t stride, std::span<const member_copy> members,
                            std::size_t n, const section_info& section) = 0;

  /// Begins copies to the device and to the host, once the work that is queued so far is done, and
  /// returns. They follow those that were begun before, without a gap. \returns a number for the
  /// calls below, one of which has to be made
  virtual std::uint64_t begin_exchange(std::span<const transfer> in, std::span<const transfer> out,
                                       const section_info& section) = 0;
  /// When this returns, host memory is filled, and may be changed; work that is queued from now on
  /// waits for the copies to the device. After an error nothing of it is being copied any more.
  virtual void end_exchange(std::uint64_t number, const section_info& section) = 0;
  /// The same after another error: that of the copies does not count.
  virtual void drop_exchange(std::uint64_t number) noexcept = 0;

  /// \returns staging_bytes() of pinned host memory that no copy is using; null where host and
  /// device share memory. See staging_buffer.
  virtual void* acquire_staging(const section_info& section) = 0;
  /// Gives staging memory back; it is used again once the copies queued so far are done.
  virtual void release_staging(void* staged) noexcept = 0;
  virtual std::size_t staging_bytes() const noexcept = 0;
  /// Copies from staging memory to device memory; returns before the copy is done.
  virtual void send(void* to, const void* staged, std::size_t bytes,
                    const section_info& section) = 0;
  /// Copies from device memory to staging memory; done after synchronize().
  virtual void receive(void* staged, const void* from, std::size_t bytes,
                       const section_info& section) = 0;

  /// Waits for queued work; \throws ikra::error of kind device_error if some of it failed.
  virtual void synchronize(const section_info& section) = 0;
  /// Whether all queued work is done, or has failed.
  virtual bool is_idle() noexcept = 0;
  /// Waits for queued work before adopted memory is given up, and gives back what is kept for later
  /// allocations. A failure is told to whoever reads a result.
  virtual void finish_reading() noexcept = 0;
  /// What this thread queues until end_beside() is a started tree: it follows what was queued so
  /// far, but for other started trees, beside which it runs. What is queued after it follows it.
  /// \returns false where it is queued like all else: then end_beside() is not to be called
  virtual bool begin_beside() noexcept = 0;
  virtual void end_beside() noexcept = 0;
  /// Called before work that reads an array's memory is queued: a started tree waits for another
  /// one that fills it. \{
  virtual void before_use(const void* memory) noexcept = 0;
  /// Whether work that is queued now may write to memory that nobody else has.
  virtual bool may_overwrite(const void* memory) noexcept = 0;
  /// \}
  /// Called after each launch; \throws ikra::error of kind launch_failed if it was refused.
  virtual void check_launch(const section_info& section) = 0;
  /// Work that is queued from now on waits for an event of another stream. \param event a
  /// cudaEvent_t*; null: for what CUDA's legacy default stream was given so far
  virtual void wait_for(void* event, const section_info& section) = 0;
  /// The number of the GPU; 0 on the host.
  virtual int number() const noexcept = 0;
  /// The CUDA stream that work goes to, as void*; null on the host.
  virtual void* stream() noexcept = 0;
  /// Makes this device the calling thread's current one.
  virtual void make_current(const section_info& section) = 0;

  /// order[i] = which of n keys comes i-th; equal keys in their order. All in device memory.
  /// \param bits of keys that count, from the lowest on.
  /// \throws ikra::error of kind out_of_memory.
  virtual void sort_order(const std::uint32_t* keys, std::uint32_t* order, std::uint32_t n,
                          int bits, const section_info& section) = 0;
  /// Moves n elements of `bytes` bytes each: element order[i] to place i, or `back`, element i to
  /// place order[i]. \param scratch memory for as many. All in device memory.
  virtual void reorder(void* elements, void* scratch, std::size_t bytes, const std::uint32_t* order,
                       std::uint32_t n, bool back, const section_info& section) = 0;

  /// Copies n elements of `bytes` bytes each to other memory: element order[i] to place i. All in
  /// device memory.
  virtual void gather(void* to, const void* from, std::size_t bytes, const std::uint32_t* order,
                      std::uint32_t n, const section_info& section) = 0;

  /// Launches queued between begin_graph() and end_graph() are recorded, then run `repeats` times.
  virtual void begin_graph(const section_info& section) = 0;
  virtual void end_graph(std::int64_t repeats, const section_info& section) = 0;
  /// \returns null where launches need not be recorded: on the host.
  virtual std::unique_ptr<graph_recorder> record(const section_info& section) = 0;
};

/// A device as IKRA_DEVICE names it.
struct device_name {
  enum kinds { cpu, cuda } kind;
  int number; ///< of the GPU
};

/// \param text "cpu", "cuda" or "cuda:N". \throws ikra::error of kind no_device for anything else.
device_name parse_device_name(std::string_view text);

/// \returns the device that sections run on: what IKRA_DEVICE names, else a GPU where the program
/// has kernels for one and it is there, else all cores. The choice is made once in a process;
/// before it, while static objects are made and kernels cannot be launched yet, it is all cores.
/// \throws ikra::error of kind no_device if IKRA_DEVICE names a device that is not there or is not
/// a name.
device& current_device();

/// \returns the device for all cores.
device& host_device();

/// While one exists, the thread's current device is the one for all cores.
class all_cores_scope {
public:
  all_cores_scope() noexcept;
  all_cores_scope(const all_cores_scope&) = delete;
  all_cores_scope& operator=(const all_cores_scope&) = delete;
  ~all_cores_scope();

private:
  bool was_;
};

/// Whether what failed for want of a GPU's memory is to be done again on all cores:
/// IKRA_ON_OUT_OF_MEMORY=cpu. The first time, a line on stderr says so.
/// \throws ikra::error of kind unsupported if the variable has an unknown value
bool goes_on_on_all_cores(const ikra::error& failed);

/// \returns the bytes that IKRA_DEVICE_MEMORY names; no limit where it is unset. \param text a
/// number with a unit of K, M, G or T, powers of 1024, or without: bytes
/// \throws ikra::error of kind unsupported for anything else
std::size_t parse_memory_limit(std::string_view text);

/// Staging memory for the length of a scope.
class staging_buffer {
public:
  staging_buffer(device& owner, const section_info& section)
      : owner_(owner), data_(owner.acquire_staging(section)) {}
  staging_buffer(const staging_buffer&) = delete;
  staging_buffer& operator=(const staging_buffer&) = delete;
  ~staging_buffer() {
    if (data_ != nullptr)
      owner_.release_staging(data_);
  }

  /// Null where host and device share memory.
  void* data() const noexcept { return data_; }

private:
  device& owner_;
  void* data_;
};

/// Bytes of n elements; where no number says how many, as many as no device has: an allocation of
/// them fails as one that is too large does.
template <class T> constexpr std::size_t bytes_of(std::size_t n) {
  constexpr std::size_t most = PTRDIFF_MAX;
  return n > most / sizeof(T) ? most : n * sizeof(T);
}

/// Memory of a device that gives itself back.
class device_memory {
public:
  device_memory() = default;
  device_memory(device& owner, std::size_t bytes, const char* what, const section_info& section)
      : owner_(&owner), data_(owner.allocate(bytes, what, section)), bytes_(bytes) {}
  /// Memory of others on the device, which is only read. \param adopted keeps it, and is given up
  /// once no queued work reads it any more
  device_memory(device& owner, const void* data, std::size_t bytes,
                std::shared_ptr<const void> adopted)
      : owner_(&owner), data_(const_cast<void*>(data)), bytes_(bytes),
        adopted_(std::move(adopted)) {}
  /// Memory of others that outlives it, for results.
  device_memory(device& owner, void* data, std::size_t bytes)
      : owner_(&owner), data_(data), bytes_(bytes), is_part_(true) {}
  /// A part of memory that outlives it, which is only read.
  device_memory(const device_memory& whole, std::size_t offset, std::size_t bytes)
      : owner_(whole.owner_), data_(static_cast<unsigned char*>(whole.data_) + offset),
        bytes_(bytes), is_part_(true) {}
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  device_memory(device_memory&& other) noexcept
      : owner_(other.owner_), data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)), is_part_(other.is_part_),
        adopted_(std::move(other.adopted_)) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(is_part_, other.is_part_);
    std::swap(adopted_, other.adopted_);
    return *this;
  }
  ~device_memory() {
    if (adopted_ != nullptr)
      owner_->finish_reading();
    else if (data_ != nullptr && !is_part_)
      owner_->deallocate(data_);
  }

  device* owner() const noexcept { return owner_; }
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Whether it is memory of others, which nothing may be written to.
  bool is_of_others() const noexcept { return adopted_ != nullptr || is_part_; }

private:
  device* owner_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_part_ = false;
  std::shared_ptr<const void> adopted_; ///< null: the device's own memory
};

} // namespace ikra::rt
