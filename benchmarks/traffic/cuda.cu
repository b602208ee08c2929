// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written programs for the GPU: a thread an actor, over sorted columns or over an array of
// structs with a switch, and either a launch a tick or the loop over ticks in the kernel. Compiled
// with -fmad=false, since the checksums compare bits.
#include "rules.hpp"
#include "simulations.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace traffic::bench {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class T> class DeviceVector {
public:
  explicit DeviceVector(const std::vector<T>& values) : size_(values.size()) {
    if (size_ == 0)
      return;
    check(cudaMalloc(&data_, size_ * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
          "copy to the device");
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;
  T* data() const { return data_; }
  void copy_to(std::vector<T>& values) const {
    values.resize(size_);
    if (size_ > 0)
      check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
            "copy to the host");
  }

private:
  std::size_t size_;
  T* data_ = nullptr;
};

constexpr unsigned block_size = 256;

unsigned blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

//===-- sorted columns ---------------------------------------------------------------------===//

template <class Streets> __global__ void tick_of_columns(Streets s, ActorColumns a, Moment now) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i >= a.pedestrians_end || (i >= a.cars_end && i < a.buses_begin) ||
      (i >= a.buses_end && i < a.pedestrians_begin))
    return;
  float progress = a.progress[i];
  const std::uint32_t before = a.street[i];
  std::uint32_t street = before;
  if (i < a.cars_end) {
    move_car(s, progress, street, a.id[i], a.max_velocity[i], now);
  } else if (i < a.buses_end) {
    const std::int32_t was_waiting = a.waiting[i - a.buses_begin];
    std::int32_t waiting = was_waiting;
    move_bus(s, progress, street, a.id[i], a.max_velocity[i], waiting, now);
    if (waiting != was_waiting)
      a.waiting[i - a.buses_begin] = waiting;
  } else {
    move_pedestrian(s, progress, street, a.id[i], now);
  }
  a.progress[i] = progress;
  if (street != before)
    a.street[i] = street;
}

template <class Streets>
__global__ void ticks_of_columns(Streets s, ActorColumns a, Moment now, std::int64_t ticks) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i >= a.pedestrians_end || (i >= a.cars_end && i < a.buses_begin) ||
      (i >= a.buses_end && i < a.pedestrians_begin))
    return;
  float progress = a.progress[i];
  std::uint32_t street = a.street[i];
  const std::int64_t end = now.tick + ticks;
  if (i < a.cars_end) {
    const float max_velocity = a.max_velocity[i];
    for (; now.tick < end; ++now.tick)
      move_car(s, progress, street, a.id[i], max_velocity, now);
  } else if (i < a.buses_end) {
    const float max_velocity = a.max_velocity[i];
    std::int32_t waiting = a.waiting[i - a.buses_begin];
    for (; now.tick < end; ++now.tick)
      move_bus(s, progress, street, a.id[i], max_velocity, waiting, now);
    a.waiting[i - a.buses_begin] = waiting;
  } else {
    const std::uint32_t id = a.id[i];
    for (; now.tick < end; ++now.tick)
      move_pedestrian(s, progress, street, id, now);
  }
  a.progress[i] = progress;
  a.street[i] = street;
}

class DeviceStreetColumns {
public:
  explicit DeviceStreetColumns(const HostStreets& streets)
      : length_(streets.length), max_speed_(streets.max_speed),
        first_neighbour_(streets.first_neighbour), neighbours_(streets.neighbours) {}
  StreetColumns view() const {
    return {length_.data(), max_speed_.data(), first_neighbour_.data(), neighbours_.data()};
  }

private:
  DeviceVector<float> length_, max_speed_;
  DeviceVector<std::uint32_t> first_neighbour_, neighbours_;
};

class DeviceStreetRecords {
public:
  explicit DeviceStreetRecords(const HostStreets& streets)
      : streets_(streets.records()), neighbours_(streets.neighbours) {}
  StreetRecords view() const { return {streets_.data(), neighbours_.data()}; }

private:
  DeviceVector<StreetRecord> streets_;
  DeviceVector<std::uint32_t> neighbours_;
};

template <class DeviceStreets> class CudaColumns : public Simulation {
public:
  CudaColumns(const City& city, Loop loop)
      : CudaColumns(HostStreets(city), HostActors(city), loop) {}

  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    if (host_.layout.pedestrians_end == 0 || ticks <= 0)
      return;
    const unsigned grid = blocks(host_.layout.pedestrians_end);
    if (loop_ == Loop::inside)
      ticks_of_columns<<<grid, block_size>>>(streets_.view(), actors(), {weather, seed, first},
                                             ticks);
    else
      for (std::int64_t tick = first; tick < first + ticks; ++tick)
        tick_of_columns<<<grid, block_size>>>(streets_.view(), actors(), {weather, seed, tick});
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }

  std::uint64_t checksum() override {
    progress_.copy_to(host_.progress);
    street_.copy_to(host_.street);
    return host_.checksum();
  }

private:
  CudaColumns(const HostStreets& streets, HostActors actors, Loop loop)
      : loop_(loop), host_(std::move(actors)), streets_(streets), progress_(host_.progress),
        street_(host_.street), id_(host_.id), max_velocity_(host_.max_velocity),
        waiting_(host_.waiting) {}

  ActorColumns actors() const {
    ActorColumns result = host_.layout;
    result.progress = progress_.data();
    result.street = street_.data();
    result.id = id_.data();
    result.max_velocity = max_velocity_.data();
    result.waiting = waiting_.data();
    return result;
  }

  Loop loop_;
  HostActors host_;
  DeviceStreets streets_;
  DeviceVector<float> progress_;
  DeviceVector<std::uint32_t> street_, id_;
  DeviceVector<float> max_velocity_;
  DeviceVector<std::int32_t> waiting_;
};

//===-- an array of structs ----------------------------------------------------------------===//

__device__ void move(const StreetRecords& s, ActorRecord& actor, const Moment& now) {
  switch (actor.tag) {
  case Tag::car:
    return move_car(s, actor.progress, actor.street, actor.id, actor.max_velocity, now);
  case Tag::bus:
    return move_bus(s, actor.progress, actor.street, actor.id, actor.max_velocity, actor.waiting,
                    now);
  case Tag::pedestrian:
    return move_pedestrian(s, actor.progress, actor.street, actor.id, now);
  }
}

__global__ void tick_of_records(StreetRecords s, ActorRecord* actors, std::uint32_t count,
                                Moment now) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i < count)
    move(s, actors[i], now);
}

__global__ void ticks_of_records(StreetRecords s, ActorRecord* actors, std::uint32_t count,
                                 Moment now, std::int64_t ticks) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i >= count)
    return;
  ActorRecord actor = actors[i];
  for (const std::int64_t end = now.tick + ticks; now.tick < end; ++now.tick)
    move(s, actor, now);
  actors[i] = actor;
}

class CudaRecords : public Simulation {
public:
  CudaRecords(const City& city, Loop loop) : CudaRecords(HostStreets(city), records(city), loop) {}

  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    const auto count = static_cast<std::uint32_t>(host_.size());
    if (count == 0 || ticks <= 0)
      return;
    if (loop_ == Loop::inside)
      ticks_of_records<<<blocks(count), block_size>>>(streets_.view(), actors_.data(), count,
                                                      {weather, seed, first}, ticks);
    else
      for (std::int64_t tick = first; tick < first + ticks; ++tick)
        tick_of_records<<<blocks(count), block_size>>>(streets_.view(), actors_.data(), count,
                                                       {weather, seed, tick});
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }

  std::uint64_t checksum() override {
    actors_.copy_to(host_);
    return bench::checksum(host_);
  }

private:
  CudaRecords(const HostStreets& streets, std::vector<ActorRecord> actors, Loop loop)
      : loop_(loop), host_(std::move(actors)), streets_(streets), actors_(host_) {}

  Loop loop_;
  std::vector<ActorRecord> host_;
  DeviceStreetRecords streets_;
  DeviceVector<ActorRecord> actors_;
};

} // namespace

std::unique_ptr<Simulation> cuda_columns(const City& city, Loop loop) {
  return std::make_unique<CudaColumns<DeviceStreetColumns>>(city, loop);
}

std::unique_ptr<Simulation> cuda_packed_streets(const City& city, Loop loop) {
  return std::make_unique<CudaColumns<DeviceStreetRecords>>(city, loop);
}

std::unique_ptr<Simulation> cuda_records(const City& city, Loop loop) {
  return std::make_unique<CudaRecords>(city, loop);
}

} // namespace traffic::bench
