// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written programs for the GPU: a thread an actor, over columns or over an array of
// structs, sorted by class or with a switch in each warp, and either a launch a tick or the loop
// over ticks in the kernel. Compiled with -fmad=false, since the checksums compare bits.
#include "rules.hpp"
#include "simulations.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <type_traits>
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
  CudaColumns(const HostCity& city, Loop loop)
      : CudaColumns(city.streets, HostActors(city.actors), loop) {}

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

//===-- columns of all classes -------------------------------------------------------------===//

struct MixedColumns {
  std::uint32_t count;
  const Tag* tag;
  float* progress;
  std::uint32_t* street;
  const std::uint32_t* id;
  const float* max_velocity;
  std::int32_t* waiting;
};

/// \param waiting read and written for a bus alone
template <class Streets>
__device__ void move(const Streets& s, Tag tag, float& progress, std::uint32_t& street,
                     const std::uint32_t& id, const float& max_velocity, std::int32_t& waiting,
                     const Moment& now) {
  switch (tag) {
  case Tag::car:
    return move_car(s, progress, street, id, max_velocity, now);
  case Tag::bus:
    return move_bus(s, progress, street, id, max_velocity, waiting, now);
  case Tag::pedestrian:
    return move_pedestrian(s, progress, street, id, now);
  }
}

template <Loop Ticks>
__global__ void move_mixed_columns(StreetColumns s, MixedColumns a, Moment now,
                                   std::int64_t ticks) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i >= a.count)
    return;
  const Tag tag = a.tag[i];
  float progress = a.progress[i];
  const std::uint32_t before = a.street[i];
  std::uint32_t street = before;
  const float max_velocity = tag == Tag::pedestrian ? 0 : a.max_velocity[i];
  std::int32_t waiting = tag == Tag::bus ? a.waiting[i] : 0;
  const std::int64_t end = now.tick + (Ticks == Loop::inside ? ticks : 1);
  for (; now.tick < end; ++now.tick)
    move(s, tag, progress, street, a.id[i], max_velocity, waiting, now);
  a.progress[i] = progress;
  if (street != before)
    a.street[i] = street;
  if (tag == Tag::bus)
    a.waiting[i] = waiting;
}

class CudaMixedColumns : public Simulation {
public:
  CudaMixedColumns(const HostCity& city, Loop loop)
      : loop_(loop), host_(city.actors), streets_(city.streets), tag_(column(&ActorRecord::tag)),
        progress_(column(&ActorRecord::progress)), street_(column(&ActorRecord::street)),
        id_(column(&ActorRecord::id)), max_velocity_(column(&ActorRecord::max_velocity)),
        waiting_(column(&ActorRecord::waiting)) {}

  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    if (host_.empty() || ticks <= 0)
      return;
    const MixedColumns actors{static_cast<std::uint32_t>(host_.size()),
                              tag_.data(),
                              progress_.data(),
                              street_.data(),
                              id_.data(),
                              max_velocity_.data(),
                              waiting_.data()};
    if (loop_ == Loop::inside)
      move_mixed_columns<Loop::inside><<<blocks(actors.count), block_size>>>(
          streets_.view(), actors, {weather, seed, first}, ticks);
    else
      for (std::int64_t tick = first; tick < first + ticks; ++tick)
        move_mixed_columns<Loop::outside><<<blocks(actors.count), block_size>>>(
            streets_.view(), actors, {weather, seed, tick}, 1);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }

  std::uint64_t checksum() override {
    std::vector<float> progress;
    std::vector<std::uint32_t> street;
    progress_.copy_to(progress);
    street_.copy_to(street);
    for (std::size_t i = 0; i < host_.size(); ++i) {
      host_[i].progress = progress[i];
      host_[i].street = street[i];
    }
    return bench::checksum(host_);
  }

private:
  template <class T> std::vector<T> column(T ActorRecord::* member) const {
    std::vector<T> result;
    result.reserve(host_.size());
    for (const ActorRecord& actor : host_)
      result.push_back(actor.*member);
    return result;
  }

  Loop loop_;
  std::vector<ActorRecord> host_;
  DeviceStreetColumns streets_;
  DeviceVector<Tag> tag_;
  DeviceVector<float> progress_;
  DeviceVector<std::uint32_t> street_, id_;
  DeviceVector<float> max_velocity_;
  DeviceVector<std::int32_t> waiting_;
};

//===-- an array of structs ----------------------------------------------------------------===//

/// A record with members that nobody uses.
template <class Record, int Words> struct Padded : Record {
  std::uint32_t more[Words];
};
template <class Record> std::vector<Record> as(const auto& records) {
  std::vector<Record> result(records.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    static_cast<std::remove_cvref_t<decltype(records[i])>&>(result[i]) = records[i];
  return result;
}

template <class Streets>
__device__ void move(const Streets& s, ActorRecord& actor, const Moment& now) {
  move(s, actor.tag, actor.progress, actor.street, actor.id, actor.max_velocity, actor.waiting,
       now);
}

template <class Street, class Actor>
__global__ void tick_of_records(StreetRows<Street> s, Actor* actors, std::uint32_t count,
                                Moment now) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i < count)
    move(s, actors[i], now);
}

template <class Street, class Actor>
__global__ void ticks_of_records(StreetRows<Street> s, Actor* actors, std::uint32_t count,
                                 Moment now, std::int64_t ticks) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  if (i >= count)
    return;
  ActorRecord actor = actors[i];
  for (const std::int64_t end = now.tick + ticks; now.tick < end; ++now.tick)
    move(s, actor, now);
  static_cast<ActorRecord&>(actors[i]) = actor;
}

template <class Street, class Actor> class CudaRecords : public Simulation {
public:
  CudaRecords(const HostCity& city, Loop loop, Order order)
      : CudaRecords(city.streets,
                    order == Order::by_class ? sorted_by_class(city.actors) : city.actors, loop) {}

  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    const auto count = static_cast<std::uint32_t>(host_.size());
    if (count == 0 || ticks <= 0)
      return;
    const StreetRows<Street> streets{streets_.data(), neighbours_.data()};
    if (loop_ == Loop::inside)
      ticks_of_records<<<blocks(count), block_size>>>(streets, actors_.data(), count,
                                                      {weather, seed, first}, ticks);
    else
      for (std::int64_t tick = first; tick < first + ticks; ++tick)
        tick_of_records<<<blocks(count), block_size>>>(streets, actors_.data(), count,
                                                       {weather, seed, tick});
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }

  std::uint64_t checksum() override {
    std::vector<Actor> actors;
    actors_.copy_to(actors);
    for (std::size_t i = 0; i < host_.size(); ++i)
      host_[i] = actors[i];
    return bench::checksum(host_);
  }

private:
  CudaRecords(const HostStreets& streets, std::vector<ActorRecord> actors, Loop loop)
      : loop_(loop), host_(std::move(actors)), streets_(as<Street>(streets.records())),
        neighbours_(streets.neighbours), actors_(as<Actor>(host_)) {}

  Loop loop_;
  std::vector<ActorRecord> host_;
  DeviceVector<Street> streets_;
  DeviceVector<std::uint32_t> neighbours_;
  DeviceVector<Actor> actors_;
};

} // namespace

std::unique_ptr<Simulation> cuda_columns(const HostCity& city, Loop loop) {
  return std::make_unique<CudaColumns<DeviceStreetColumns>>(city, loop);
}

std::unique_ptr<Simulation> cuda_packed_streets(const HostCity& city, Loop loop) {
  return std::make_unique<CudaColumns<DeviceStreetRecords>>(city, loop);
}

std::unique_ptr<Simulation> cuda_mixed_columns(const HostCity& city, Loop loop) {
  return std::make_unique<CudaMixedColumns>(city, loop);
}

std::unique_ptr<Simulation> cuda_records(const HostCity& city, Loop loop, Order order, Size size) {
  if (size == Size::padded)
    return std::make_unique<CudaRecords<Padded<StreetRecord, 5>, Padded<ActorRecord, 10>>>(
        city, loop, order);
  return std::make_unique<CudaRecords<StreetRecord, ActorRecord>>(city, loop, order);
}

} // namespace traffic::bench
