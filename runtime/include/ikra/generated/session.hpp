// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session: one run of one section. It picks the device, brings objects and arrays there, launches
// the section's body, and brings back what was written. Everything that does not depend on user
// types is compiled (session_base); the templates here only wrap bodies into jobs and launch them.
//
// An exception before finish() leaves all host objects as they were: bodies work on columns, never
// on objects.
#pragma once

#include <ikra/array.hpp>
#include <ikra/buffer.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/generated/describe.hpp>
#include <ikra/generated/launch.hpp>
#include <ikra/generated/launch_cuda.hpp>
#include <ikra/generated/world.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace ikra::rt {

/// Elements of an array in device memory.
class device_elements final : public ikra::detail::remote {
public:
  /// \param section that computed them, for messages.
  device_elements(device_memory memory, const section_info& section)
      : memory_(std::move(memory)), section_(&section) {}

  void fetch(void* destination, std::size_t bytes) override;
  const device_memory& memory() const { return memory_; }

private:
  device_memory memory_;
  const section_info* section_;
};

/// A captured object, as session::root returns it.
struct root_handle {
  std::size_t index;
};

class home;

/// What a session does apart from launching.
class session_base {
public:
  session_base(const session_base&) = delete;
  session_base& operator=(const session_base&) = delete;

  /// Says that the input's elements are pointers to objects: the base array.
  template <class References> void base() { set_base(References::ops); }

  /// Adds a captured object. \param pointer may be null.
  template <class References> root_handle root(const typename References::static_type* pointer) {
    return add_root(References::ops,
                    std::make_shared<const typename References::static_type*>(pointer));
  }

  /// Traces the objects, gives IDs, and brings the section's columns to the device.
  /// \throws ikra::error of kind unknown_class, null_element, too_many_objects, out_of_memory;
  /// std::bad_alloc.
  void trace();

  rt::columns columns() const { return rt::columns(world_.get()); }
  object_id id(root_handle root) const { return root_ids_[root.index]; }

  /// A captured container, to be read by the body. \returns its elements on the device; valid until
  /// finish().
  template <class T> list<const T> view(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "captured containers hold trivially copyable values");
    if constexpr (std::is_same_v<T, bool>) {
      const auto bits = std::make_shared<bool[]>(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        bits[i] = values[i];
      kept_.push_back(bits);
      return {static_cast<const bool*>(captured(bits.get(), values.size())), values.size()};
    } else {
      return {static_cast<const T*>(captured(values.data(), values.size() * sizeof(T))),
              values.size()};
    }
  }
  /// A captured ikra::array, which is computed first; its elements in row-major order.
  template <class T, int R> list<const T> view(const ikra::array<T, R>& values) {
    const std::shared_ptr<ikra::detail::command<T>> elements =
        ikra::detail::array_access::command_of(values);
    ikra::detail::evaluate(*elements);
    kept_.push_back(elements);
    return {device_input(elements->result()), elements->result().size()};
  }

  /// Brings written columns back to the objects, or leaves that to the resident scope. Ends the
  /// session.
  /// \throws ikra::error of kind device_error if the body failed on the device; objects are then as
  /// before.
  void finish();

protected:
  session_base(const layout* plan, const section_info& section, const call_base& call,
               bool has_kernels);
  ~session_base();

  device& where() const { return *device_; }
  const section_info& section() const { return *section_; }

  /// Fills the arrays of a launch table. \param positions whether jobs need the place of elements.
  template <class... Classes> launch_table<sizeof...(Classes)> table(bool positions) {
    static_assert(sizeof...(Classes) > 0);
    const unsigned classes[] = {Classes::index...};
    launch_table<sizeof...(Classes)> result{};
    result.threads =
        fill_table(classes, positions, result.first_thread, result.first_id, result.count);
    result.ids = element_ids();
    result.positions = positions ? element_positions() : nullptr;
    return result;
  }

  /// The input's elements on the device.
  template <class T> const T* device_input(ikra::detail::buffer<T>& input) {
    if (!where().is_cuda() || input.size() == 0)
      return input.data();
    if (const auto* there = on_device(input.remote().get()))
      return static_cast<const T*>(there);
    device_memory memory(where(), input.size() * sizeof(T), "input array", section());
    where().upload(memory.data(), input.data(), memory.bytes(), section());
    const auto* result = static_cast<const T*>(memory.data());
    input.set_remote(input.size(), std::make_shared<device_elements>(std::move(memory), section()));
    return result;
  }

  /// Calls launch(T* memory for n results) and makes them the output.
  template <class T, class Launch>
  void produce(ikra::detail::buffer<T>& output, std::size_t n, const Launch& launch) {
    static_assert(std::is_trivially_copyable_v<T>, "results are trivially copyable");
    if (where().is_cuda()) {
      device_memory memory(where(), n * sizeof(T), "result array", section());
      launch(static_cast<T*>(memory.data()));
      output.set_remote(n, std::make_shared<device_elements>(std::move(memory), section()));
    } else {
      ikra::detail::room<T> memory(n);
      launch(memory.data());
      memory.set_filled();
      output = ikra::detail::buffer<T>(std::move(memory));
    }
  }

  const call_base& call() const { return *call_; }

private:
  void set_base(const reference_ops& ops);
  root_handle add_root(const reference_ops& ops, std::shared_ptr<const void> pointer);
  const void* on_device(const ikra::detail::remote* place) const;
  const void* captured(const void* data, std::size_t bytes);
  std::uint64_t fill_table(std::span<const unsigned> classes, bool positions,
                           std::uint64_t* first_thread, std::uint32_t* first_id,
                           std::uint32_t* count);
  const object_id* element_ids() const;
  const std::uint64_t* element_positions() const;
  void trace_own(std::span<const unsigned> used);
  void refuse_nulls() const;

  const layout* plan_;
  const section_info* section_;
  const call_base* call_;
  device* device_;
  const reference_ops* base_ops_ = nullptr;
  std::vector<std::pair<const reference_ops*, std::shared_ptr<const void>>> roots_;
  std::shared_ptr<world> world_;
  std::shared_ptr<home> home_; ///< of a resident scope; null: the world is this session's
  std::size_t base_index_ = 0;
  std::vector<object_id> root_ids_;
  std::vector<device_memory> captured_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// \tparam HasKernels whether this translation unit is compiled by nvcc.
template <bool HasKernels> class basic_session : public session_base {
public:
  /// A section over objects. \param call what the driver was given.
  basic_session(const layout& plan, const section_info& section, const call_base& call)
      : session_base(&plan, section, call, HasKernels) {}
  /// A section over values alone.
  basic_session(const section_info& section, const call_base& call)
      : session_base(nullptr, section, call, HasKernels) {}

  /// body(class, id) for every element, one launch.
  template <class... Classes, class Body> void for_each(const Body& body) {
    launch<Classes...>(each_job<Body>{body}, this->template table<Classes...>(false));
  }

  /// body(class, id, index) for every element; index as in with_index() on an array of rank R.
  template <int R, class... Classes, class Body> void for_each_indexed(const Body& body) {
    launch<Classes...>(each_indexed_job<Body, R>{body, shape<R>()},
                       this->template table<Classes...>(true));
  }

  /// body(class, id, tick) for every element and then the next tick: what a tick wrote, the next
  /// may read.
  template <class... Classes, class Body> void for_each_tick(std::int64_t ticks, const Body& body) {
    const auto t = this->template table<Classes...>(false);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_ticks<Classes...>(ticks, body, t);
        return;
      }
    }
    host_launch_ticks<Classes...>(body, t, ticks);
  }

  /// out[i] = body(class, id of element i), in the order of the base array.
  template <class Out, class... Classes, class Body> void map_objects(const Body& body) {
    const auto t = this->template table<Classes...>(true);
    produce(output<Out>(), call().input().size(),
            [&](Out* out) { launch<Classes...>(map_job<Out, Body>{body, out}, t); });
  }

  /// out[i] = body(class, id of element i, index of element i).
  template <class Out, int R, class... Classes, class Body>
  void map_objects_indexed(const Body& body) {
    const auto t = this->template table<Classes...>(true);
    produce(output<Out>(), call().input().size(), [&](Out* out) {
      launch<Classes...>(map_indexed_job<Out, Body, R>{body, out, shape<R>()}, t);
    });
  }

  /// out[i] = body(in[i]).
  template <class In, class Out, class Body> void map_values(const Body& body) {
    map_values_with<In, Out>(without_index<Body>{body});
  }

  /// out[i] = body(in[i], index of i); an index is std::int64_t in rank 1 and ikra::index<R> above.
  template <class In, class Out, int R = 1, class Body> void map_values_indexed(const Body& body) {
    map_values_with<In, Out>(with_index<Body, R>{body, shape<R>()});
  }

  /// body(in[i]).
  template <class In, class Body> void for_each_value(const Body& body) {
    each_value_with<In>(without_index<Body>{body});
  }

  /// body(in[i], index of i).
  template <class In, int R = 1, class Body> void for_each_value_indexed(const Body& body) {
    each_value_with<In>(with_index<Body, R>{body, shape<R>()});
  }

private:
  template <int R> index<R> shape() const {
    index<R> result;
    for (int d = 0; d < R; ++d)
      result[d] = call().shape()[static_cast<std::size_t>(d)];
    return result;
  }

  template <class Out> ikra::detail::buffer<Out>& output() const {
    return static_cast<const map_call&>(call()).template output<Out>();
  }

  template <class... Classes, class Job>
  void launch(const Job& job, const launch_table<sizeof...(Classes)>& t) {
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_launch<Classes...>(job, t, where().stream());
        where().check_launch(section());
        return;
      }
    }
    host_launch<Classes...>(job, t);
  }

  template <class In, class Out, class Body> void map_values_with(const Body& body) {
    ikra::detail::buffer<In>& input = call().input().template get<In>();
    const In* in = device_input(input);
    produce(output<Out>(), input.size(), [&](Out* out) {
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          cuda_map(body, in, out, input.size(), where().stream());
          where().check_launch(section());
          return;
        }
      }
      host_map(body, in, out, input.size());
    });
  }

  template <class In, class Body> void each_value_with(const Body& body) {
    ikra::detail::buffer<In>& input = call().input().template get<In>();
    const In* in = device_input(input);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_each(body, in, input.size(), where().stream());
        where().check_launch(section());
        return;
      }
    }
    host_each(body, in, input.size());
  }

  // A graph of many ticks is replayed, which costs a fifth of launching each; ticks are counted in
  // device memory.
  template <class... Classes, class Body>
  void cuda_ticks(std::int64_t ticks, const Body& body, const launch_table<sizeof...(Classes)>& t) {
    if constexpr (HasKernels) {
      constexpr std::int64_t per_graph = 64;
      const auto launch_one = [&](const std::int64_t* counter, std::int64_t tick) {
        cuda_launch<Classes...>(tick_job<Body>{body, counter, tick}, t, where().stream());
      };
      std::int64_t done = 0;
      if (ticks > 2 * per_graph && t.threads != 0) {
        launch_one(nullptr,
                   done++); // kernels are loaded by their first launch, which cannot be recorded
        device_memory counter(where(), sizeof(std::int64_t), "tick counter", section());
        where().upload(counter.data(), &done, sizeof done, section());
        auto* now = static_cast<std::int64_t*>(counter.data());
        cuda_advance(now, std::int64_t{0}, where().stream());
        where().check_launch(section());
        where().begin_graph(section());
        for (std::int64_t i = 0; i < per_graph; ++i)
          launch_one(now, i);
        cuda_advance(now, per_graph, where().stream());
        const std::int64_t repeats = (ticks - done) / per_graph;
        where().end_graph(repeats, section());
        done += repeats * per_graph;
      }
      for (; done < ticks; ++done)
        launch_one(nullptr, done);
      where().check_launch(section());
    }
  }
};

using session = basic_session<IKRA_CUDA_UNIT == 1>;

} // namespace ikra::rt
