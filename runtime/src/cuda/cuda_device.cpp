// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU: a stream on which everything is queued in order, but for started trees (queues.hpp);
// memory from the stream-ordered pool, which keeps what is given back; and pinned staging buffers
// that are used again and again. Each CUDA call is checked, and a failure becomes an ikra::error
// that names the call, the amount and the section. No kernels are here: those of a section are in
// its own file, those that move elements in reorder.cu.
#include "calls.hpp"
#include "devices/cuda_support.hpp"
#include "devices/host_copy.hpp"
#include "exchange.hpp"
#include "graph_recorder.hpp"
#include "pinned.hpp"
#include "queues.hpp"
#include "reorder.hpp"
#include "support/errors.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ikra::rt {

namespace {

constexpr std::size_t staging_size = std::size_t(8) << 20;
constexpr std::size_t staging_count = 3;     // copies in flight before the host waits
constexpr std::size_t small_copy = 64 << 10; // the driver has pinned memory of its own for these
/// Many threads work on these. Their pinned memory takes longer to get than a shorter copy.
constexpr std::size_t large_copy = std::size_t(64) << 20;
/// What part of a GPU's memory is for the threads' stacks where device code calls itself. Each gets
/// 16 KiB or more then, which is enough for some hundred calls; the driver's choice, 1 KiB, for
/// ten.
constexpr std::size_t part_for_stacks = 16;

/// Bytes of a copy that go through a buffer at a time: a quarter, so that all cores copy one piece
/// while the GPU copies another; but all cores take long to begin.
constexpr std::size_t piece_of(std::size_t bytes) {
  constexpr std::size_t least = std::size_t(1) << 20;
  return std::clamp((bytes / 4 + 4095) / 4096 * 4096, least, staging_size);
}

void check(cudaError_t status, const char* call, const section_info& section) {
  check_cuda(status, call, section,
             "run with IKRA_DEVICE=cpu, or under compute-sanitizer to find the access that failed");
}

class gpu final : public device {
public:
  explicit gpu(int number) : number_(number) {
    static constexpr section_info setup{"(start of the GPU)", "ikra", 0, 0};
    make_current(setup);
    queues_.make(setup);
    check(cuda_call(cudaDeviceGetDefaultMemPool, &pool_, number_), "cudaDeviceGetDefaultMemPool",
          setup);
    std::uint64_t keep = ~std::uint64_t(0);
    check(cuda_call(cudaMemPoolSetAttribute, pool_, cudaMemPoolAttrReleaseThreshold, &keep),
          "cudaMemPoolSetAttribute", setup);
    if (recursive_code::is_there())
      make_room_for_recursion(setup);
  }
  gpu(const gpu&) = delete;
  gpu& operator=(const gpu&) = delete;

  void make_room_for_recursion(const section_info& section) const {
    cudaDeviceProp of{};
    check(cuda_call(cudaGetDeviceProperties, &of, number_), "cudaGetDeviceProperties", section);
    const auto threads = static_cast<std::size_t>(of.multiProcessorCount) *
                         static_cast<std::size_t>(of.maxThreadsPerMultiProcessor);
    const std::size_t bytes = std::bit_floor(of.totalGlobalMem / part_for_stacks / threads);
    check(cuda_call(cudaDeviceSetLimit, cudaLimitStackSize, std::max<std::size_t>(bytes, 1024)),
          "cudaDeviceSetLimit", section);
  }

  bool is_cuda() const noexcept override { return true; }

  void* allocate(std::size_t bytes, const char* what, const section_info& section) override {
    if (bytes == 0)
      return nullptr;
    try {
      return allocate_now(bytes, what, section);
    } catch (const error& failed) {
      const give_up_kept give_up = gives_up_kept.load();
      if (failed.kind() != error_kind::out_of_memory || give_up == nullptr || !give_up())
        throw;
    }
    return allocate_now(bytes, what, section);
  }

  std::size_t available() override {
    std::size_t free = 0, total = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0, used = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess ||
        cudaDeviceGetDefaultMemPool(&pool, number_) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) !=
            cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
      static_cast<void>(cudaGetLastError()); // less is known then
    const std::size_t physical = free + static_cast<std::size_t>(reserved - used) + queues_.kept();
    const std::lock_guard lock(mutex_);
    return limit_ == no_limit ? physical : std::min(physical, limit_ - used_);
  }

  void deallocate(void* memory) noexcept override {
    if (limit_ != no_limit) {
      const std::lock_guard lock(mutex_);
      if (const auto found = sizes_.find(memory); found != sizes_.end()) {
        used_ -= found->second;
        sizes_.erase(found);
      }
    }
    // Fails only if the GPU failed before, which whoever reads a result is told, or if the process
    // is ending.
    queues_.give_back(memory);
  }

  std::size_t take_peak() noexcept override {
    std::uint64_t peak = 0, none = 0;
    static_cast<void>(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &peak));
    static_cast<void>(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &none));
    return peak - std::min<std::uint64_t>(peak, queues_.kept());
  }

  void upload(void* to, const void* from, std::size_t bytes, const section_info& section) override {
    if (bytes <= small_copy) {
      send(to, from, bytes, section);
      return;
    }
    if (bytes >= large_copy) {
      exchanger_of(section).upload({to, from, bytes}, queues_.now(), section);
      return;
    }
    const std::size_t piece = piece_of(bytes);
    for (std::size_t done = 0; done < bytes; done += piece) {
      const std::size_t n = std::min(piece, bytes - done);
      const staging_buffer staged(*this, section);
      copy_on_all_cores(staged.data(), static_cast<const char*>(from) + done, n);
      send(static_cast<char*>(to) + done, staged.data(), n, section);
    }
  }

  void download(void* to, const void* from, std::size_t bytes,
                const section_info& section) override {
    const queues::following beside(queues_, from);
    queues_.before_use(from);
    if (bytes <= small_copy) {
      receive(to, from, bytes, section);
      synchronize(section);
      return;
    }
    if (bytes >= large_copy) {
      exchanger_of(section).download({to, from, bytes}, queues_.now(), section);
      return;
    }
    ask_for_huge_pages(to, bytes);
    // While the host empties one buffer, the GPU fills the other.
    const staging_buffer first(*this, section), second(*this, section);
    const staging_buffer* const buffers[] = {&first, &second};
    cudaEvent_t filled[2] = {event_of(first.data()), event_of(second.data())};
    const std::size_t piece = piece_of(bytes), parts = (bytes + piece - 1) / piece;
    const auto size = [&](std::size_t part) { return std::min(piece, bytes - part * piece); };
    const auto fill = [&](std::size_t part) {
      receive(buffers[part % 2]->data(), static_cast<const char*>(from) + part * piece, size(part),
              section);
      check(cuda_call(cudaEventRecord, filled[part % 2], queues_.now()), "cudaEventRecord",
            section);
    };
    fill(0);
    for (std::size_t part = 0; part < parts; ++part) {
      if (part + 1 < parts)
        fill(part + 1);
      check(cuda_call(cudaEventSynchronize, filled[part % 2]), "copy from the GPU", section);
      copy_on_all_cores(static_cast<char*>(to) + part * piece, buffers[part % 2]->data(),
                        size(part));
    }
  }

  void copy(void* to, const void* from, std::size_t bytes, const section_info& section) override {
    check(cuda_call(cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToDevice, queues_.now()),
          "copy within the GPU", section);
  }
  void copy_members(void* records, std::size_t stride, std::span<const member_copy> members,
                    std::size_t n, const section_info& section) override {
    for (const member_copy& member : members)
      check(cuda_call(cudaMemcpy2DAsync, static_cast<unsigned char*>(records) + member.offset,
                      stride, member.from, member.bytes, member.bytes, n, cudaMemcpyDeviceToDevice,
                      queues_.now()),
            "copy within the GPU", section);
  }

  std::uint64_t begin_exchange(std::span<const transfer> in, std::span<const transfer> out,
                               const section_info& section) override {
    return exchanger_of(section).begin(in, out, queues_.now(), section);
  }

  void end_exchange(std::uint64_t number, const section_info& section) override {
    exchanger_of(section).end(number, queues_.now(), section);
  }

  void drop_exchange(std::uint64_t number) noexcept override {
    exchanger_->drop(number, queues_.now());
  }

  void* acquire_staging(const section_info& section) override {
    if (void* const memory = free_staging(false, section))
      return memory;
    pinned_memory memory;
    try {
      memory = pinned_memory(staging_size, section);
    } catch (const error& failed) {
      if (failed.kind() != error_kind::out_of_memory)
        throw;
      if (void* const used = free_staging(true, section)) // fewer are slower
        return used;
      throw;
    }
    staging_slot slot{std::move(memory), nullptr};
    check(cuda_call(cudaEventCreateWithFlags, &slot.sent, cudaEventDisableTiming),
          "cudaEventCreate", section);
    const std::lock_guard lock(mutex_);
    staging_.push_back(std::move(slot)); // a deque: addresses of slots stay
    return staging_.back().memory.data();
  }

  void release_staging(void* staged) noexcept override {
    const std::lock_guard lock(mutex_);
    for (staging_slot& slot : staging_)
      if (slot.memory.data() == staged) {
        static_cast<void>(cudaEventRecord(slot.sent, queues_.now()));
        free_.push_back(&slot);
        return;
      }
  }

  std::size_t staging_bytes() const noexcept override { return staging_size; }

  void send(void* to, const void* staged, std::size_t bytes, const section_info& section) override {
    if (bytes != 0)
      check(cuda_call(cudaMemcpyAsync, to, staged, bytes, cudaMemcpyHostToDevice, queues_.now()),
            "copy to the GPU", section);
  }

  void receive(void* staged, const void* from, std::size_t bytes,
               const section_info& section) override {
    if (bytes != 0)
      check(cuda_call(cudaMemcpyAsync, staged, from, bytes, cudaMemcpyDeviceToHost, queues_.now()),
            "copy from the GPU", section);
  }

  void synchronize(const section_info& section) override {
    check(queues_.synchronize(), "a kernel or a copy", section);
  }

  bool is_idle() noexcept override { return queues_.is_idle(); }

  void finish_reading() noexcept override { queues_.synchronize_all(); }

  bool begin_beside() noexcept override { return queues_.begin_beside(); }
  void end_beside() noexcept override { queues_.end_beside(); }
  void before_use(const void* memory) noexcept override { queues_.before_use(memory); }
  bool may_overwrite(const void* memory) noexcept override { return queues_.may_overwrite(memory); }

  void check_launch(const section_info& section) override {
    const cudaError_t status = cuda_call_that_ends(cudaGetLastError);
    if (status == cudaErrorNoKernelImageForDevice)
      fail(error_kind::launch_failed, section, "its kernel was not compiled for this GPU",
           "add the GPU's architecture to CMAKE_CUDA_ARCHITECTURES");
    if (status != cudaSuccess)
      fail(error_kind::launch_failed, section,
           std::string("its kernel could not be launched: ") + cudaGetErrorString(status),
           "run with IKRA_DEVICE=cpu");
  }

  void wait_for(void* event, const section_info& section) override {
    const auto wait = [&](cudaEvent_t awaited) {
      check(cuda_call(cudaStreamWaitEvent, queues_.now(), awaited, 0U), "cudaStreamWaitEvent",
            section);
    };
    if (event != nullptr)
      return wait(*static_cast<cudaEvent_t*>(event));
    // Streams here do not block, so none of them waits for that stream by itself. The thread may be
    // another library's, with another GPU.
    int of_thread = number_;
    static_cast<void>(cudaGetDevice(&of_thread));
    const auto back = [](const int* before) { static_cast<void>(cudaSetDevice(*before)); };
    const std::unique_ptr<const int, decltype(back)> changed(
        of_thread == number_ ? nullptr : &of_thread, back);
    if (changed != nullptr)
      make_current(section);
    const auto drop = [](cudaEvent_t made) { static_cast<void>(cudaEventDestroy(made)); };
    cudaEvent_t made = nullptr;
    check(cuda_call(cudaEventCreateWithFlags, &made, cudaEventDisableTiming), "cudaEventCreate",
          section);
    const std::unique_ptr<CUevent_st, decltype(drop)> reached(made, drop);
    check(cuda_call(cudaEventRecord, made, cudaStreamLegacy), "cudaEventRecord", section);
    wait(made);
  }

  int number() const noexcept override { return number_; }

  void* stream() noexcept override { return queues_.now(); }

  void make_current(const section_info& section) override {
    check(cuda_call(cudaSetDevice, number_), "cudaSetDevice", section);
  }

  void sort_order(const std::uint32_t* keys, std::uint32_t* order, std::uint32_t n, int bits,
                  const section_info& section) override {
    cuda_sort_order(keys, order, n, bits, *this, section);
  }

  void reorder(void* elements, void* scratch, std::size_t bytes, const std::uint32_t* order,
               std::uint32_t n, bool back, const section_info& section) override {
    check(cuda_call(cudaMemcpyAsync, scratch, elements, n * bytes, cudaMemcpyDeviceToDevice,
                    queues_.now()),
          "copy within the GPU", section);
    cuda_reorder(elements, scratch, bytes, order, n, back, *this, section);
  }

  void gather(void* to, const void* from, std::size_t bytes, const std::uint32_t* order,
              std::uint32_t n, const section_info& section) override {
    cuda_reorder(to, from, bytes, order, n, false, *this, section);
  }

  void begin_graph(const section_info& section) override {
    queues_.begin_recording();
    const cudaError_t status =
        cuda_call(cudaStreamBeginCapture, queues_.now(), cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess)
      queues_.end_recording();
    check(status, "cudaStreamBeginCapture", section);
  }

  void end_graph(std::int64_t repeats, const section_info& section) override {
    cudaGraph_t graph = nullptr;
    cudaError_t status = cuda_call_that_ends(cudaStreamEndCapture, queues_.now(), &graph);
    queues_.end_recording();
    cudaGraphExec_t runnable = nullptr;
    if (status == cudaSuccess)
      status = cuda_call(cudaGraphInstantiate, &runnable, graph, 0ULL);
    if (graph != nullptr)
      static_cast<void>(cudaGraphDestroy(graph));
    check(status, "making a graph", section);
    cudaError_t launched = cudaSuccess;
    for (std::int64_t i = 0; i < repeats && launched == cudaSuccess; ++i)
      launched = cuda_call(cudaGraphLaunch, runnable, queues_.now());
    static_cast<void>(cudaGraphExecDestroy(runnable)); // once it has run
    check(launched, "cudaGraphLaunch", section);
  }

  std::unique_ptr<graph_recorder> record(const section_info& section) override {
    return make_graph_recorder(queues_.now(), section);
  }

private:
  void* allocate_now(std::size_t bytes, const char* what, const section_info& section) {
    // Atomic changes of one or two bytes work on the four that these are among.
    bytes = kept_blocks::rounded((bytes + 3) / 4 * 4);
    limited_bytes allowed(*this, bytes, what, section);
    void* memory = queues_.reuse(bytes);
    if (memory != nullptr) {
      allowed.belong_to(memory);
      return memory;
    }
    cudaError_t status = take(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
      // What was given back, but is still in use by queued work, may be enough.
      static_cast<void>(cudaGetLastError());
      queues_.synchronize_all();
      synchronize(section);
      status = take(&memory, bytes);
    }
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      std::size_t free = 0, total = 0;
      check(cuda_call(cudaMemGetInfo, &free, &total), "cudaMemGetInfo", section);
      fail(error_kind::out_of_memory, section,
           "no " + byte_count(bytes) + " of GPU memory for the " + what + "; " + byte_count(free) +
               " of " + byte_count(total) + " are free",
           "run the section on parts of the array, or set IKRA_ON_OUT_OF_MEMORY=cpu");
    }
    check(status, "cudaMallocAsync", section);
    try {
      queues_.note(memory, bytes);
    } catch (const std::bad_alloc&) {
      static_cast<void>(cudaFreeAsync(memory, queues_.now()));
      throw;
    }
    allowed.belong_to(memory);
    return memory;
  }

  cudaError_t take(void** memory, std::size_t bytes) {
    return cuda_call(
        static_cast<cudaError_t (*)(void**, std::size_t, cudaStream_t)>(cudaMallocAsync), memory,
        bytes, queues_.now());
  }

  /// A buffer that was given back; null where there is none. \param waits even if copies still use
  /// it, and another one might be made
  void* free_staging(bool waits, const section_info& section) {
    const std::lock_guard lock(mutex_);
    if (free_.empty() || (!waits && staging_.size() < staging_count &&
                          cudaEventQuery(free_.front()->sent) != cudaSuccess))
      return nullptr;
    staging_slot* const slot = free_.front();
    check(cuda_call(cudaEventSynchronize, slot->sent), "copy to the GPU", section);
    free_.pop_front();
    return slot->memory.data();
  }

  exchanger& exchanger_of(const section_info& section) {
    const std::lock_guard lock(exchanging_);
    return exchanger_ ? *exchanger_ : exchanger_.emplace(number_, section);
  }

  static constexpr std::size_t no_limit = ~std::size_t(0);

  static std::size_t limit_of_user() {
    const char* const wish = std::getenv("IKRA_DEVICE_MEMORY");
    return wish == nullptr || *wish == '\0' ? no_limit : parse_memory_limit(wish);
  }

  /// Bytes that count towards the user's limit, given back if no memory comes of them.
  class limited_bytes {
  public:
    limited_bytes(gpu& owner, std::size_t bytes, const char* what, const section_info& section)
        : owner_(owner.limit_ == no_limit ? nullptr : &owner), bytes_(bytes) {
      if (owner_ == nullptr)
        return;
      const std::lock_guard lock(owner.mutex_);
      if (bytes > owner.limit_ - owner.used_)
        fail(error_kind::out_of_memory, section,
             "no " + byte_count(bytes) + " of GPU memory for the " + what +
                 "; IKRA_DEVICE_MEMORY allows " + byte_count(owner.limit_) + ", of which " +
                 byte_count(owner.used_) + " are in use",
             "raise the limit, run the section on parts of the array, or set "
             "IKRA_ON_OUT_OF_MEMORY=cpu");
      owner.used_ += bytes;
    }
    limited_bytes(const limited_bytes&) = delete;
    limited_bytes& operator=(const limited_bytes&) = delete;
    ~limited_bytes() {
      if (owner_ == nullptr)
        return;
      const std::lock_guard lock(owner_->mutex_);
      owner_->used_ -= bytes_;
    }
    void belong_to(void* memory) {
      if (owner_ == nullptr)
        return;
      const std::lock_guard lock(owner_->mutex_);
      owner_->sizes_.emplace(memory, bytes_);
      owner_ = nullptr;
    }

  private:
    gpu* owner_; ///< null: no limit, or the memory has them
    std::size_t bytes_;
  };

  struct staging_slot {
    pinned_memory memory;
    cudaEvent_t sent; ///< all copies that use the memory are done
  };

  cudaEvent_t event_of(const void* staged) {
    const std::lock_guard lock(mutex_);
    for (const staging_slot& slot : staging_)
      if (slot.memory.data() == staged)
        return slot.sent;
    return nullptr;
  }

  int number_;
  cudaMemPool_t pool_ = nullptr;
  queues queues_;
  std::mutex exchanging_;              ///< for the making of the exchanger
  std::optional<exchanger> exchanger_; ///< once there are large copies, or arrays in parts
  const std::size_t limit_ = limit_of_user();
  std::mutex mutex_;                             ///< for what follows
  std::size_t used_ = 0;                         ///< of the limit
  std::unordered_map<void*, std::size_t> sizes_; ///< of memory, where there is a limit
  std::deque<staging_slot> staging_;
  std::deque<staging_slot*> free_; ///< the one released first in front
};

} // namespace

bool built_for_cuda() noexcept { return true; }

namespace {

constinit bool registered = false;

// Linkers run what makes static objects file by file, and a library comes after those that use it:
// when this one is made, all files with kernels are done.
[[maybe_unused]] const bool made_last = [] { return registered = true; }();

} // namespace

bool kernels_registered() noexcept { return registered; }

int cuda_device_count(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0)
    return count;
  static_cast<void>(cudaGetLastError());
  reason = status == cudaSuccess ? "none was found" : cudaGetErrorString(status);
  return 0;
}

namespace {

// What cudaFuncGetAttributes says of a kernel that has neither code for a GPU, nor PTX that the
// driver can make code of.
bool is_missing_code(cudaError_t status) {
  switch (status) {
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorInvalidKernelImage:
  case cudaErrorInvalidPtx:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorJitCompilerNotFound:
  case cudaErrorJitCompilationDisabled:
    return true;
  default:
    return false;
  }
}

std::string capability(int number) {
  return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

} // namespace

std::string missing_code(int number) {
  int major = 0, minor = 0;
  // Whatever else fails here does so again, with a message, when the device is made.
  if (cudaSetDevice(number) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  for (const kernel_file* file = kernel_files(); file != nullptr; file = file->next) {
    cudaFuncAttributes ignored;
    const cudaError_t status = cudaFuncGetAttributes(&ignored, file->kernel);
    static_cast<void>(cudaGetLastError());
    if (!is_missing_code(status))
      continue;
    std::string built;
    for (std::size_t i = 0; i < file->count; ++i)
      built += (i == 0 ? "" : ", ") + capability(file->architectures[i] / 10);
    return "the GPU has compute capability " + capability(major * 10 + minor) +
           ", the program has code for " + built;
  }
  return {};
}

std::unique_ptr<device> make_cuda_device(int number) { return std::make_unique<gpu>(number); }

} // namespace ikra::rt
