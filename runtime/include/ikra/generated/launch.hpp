// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bodies to threads: which thread runs what, on both devices. A body is a functor of emitted
// code; a *job* wraps it with what its kind of launch does with the result. The loops over all
// cores are here, the CUDA kernels in launch_cuda.hpp.
#pragma once

#include <ikra/generated/checked.hpp>
#include <ikra/generated/macros.hpp>
#include <ikra/generated/object_id.hpp>
#include <ikra/index.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

// Elements of one launch are independent of each other: g++ may vectorise without checks. clang
// checks on its own, and warns where a loop with its pragma cannot be vectorised.
#if defined(__GNUC__) && !defined(__clang__)
#define IKRA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define IKRA_INDEPENDENT
#endif

namespace ikra::rt {

/// Which objects the threads of a launch run: N classes, each from a thread on that is a multiple
/// of 32. Where the base array is not direct, threads are elements, and `ids` has their objects.
template <std::size_t N> struct launch_table {
  std::uint64_t first_thread[N];
  std::uint32_t
      first_id[N]; ///< of the class's objects in the base array; of all its objects if not direct
  std::uint32_t count[N];
  std::uint64_t threads;
  const object_id* ids = nullptr; ///< element -> object; null where the base array is direct
  const std::uint64_t* positions =
      nullptr; ///< thread -> element; null where it is the thread itself
};

/// body(class, id) for each element.
template <class Body> struct each_job {
  Body body;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    body(c, id);
  }
};

/// body(class, id, tick) for each element.
template <class Body> struct tick_job {
  Body body;
  const std::int64_t* counter; ///< where the ticks done so far stand; null: none
  std::int64_t offset;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    body(c, id, (counter == nullptr ? 0 : *counter) + offset);
  }
};

/// The index that a section gets for position i of an array.
template <int R> IKRA_HD constexpr auto section_index(const index<R>& shape, std::int64_t i) {
  if constexpr (R == 1) {
    return i;
  } else {
    index<R> place;
    for (int d = R - 1; d > 0; --d) {
      place[d] = i % shape[d];
      i /= shape[d];
    }
    place[0] = i;
    return place;
  }
}

/// body(class, id, index) for each element.
template <class Body, int R> struct each_indexed_job {
  Body body;
  index<R> shape;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t i) const {
    body(c, id, section_index(shape, static_cast<std::int64_t>(i)));
  }
};

/// out[i] = body(class, id) for each element i.
template <class Out, class Body> struct map_job {
  Body body;
  Out* out;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t i) const {
    ::new (static_cast<void*>(out + i)) Out(body(c, id));
  }
};

/// out[i] = body(class, id, index) for each element i.
template <class Out, class Body, int R> struct map_indexed_job {
  Body body;
  Out* out;
  index<R> shape;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t i) const {
    ::new (static_cast<void*>(out + i))
        Out(body(c, id, section_index(shape, static_cast<std::int64_t>(i))));
  }
};

/// Hides the index from a body that does not take it.
template <class Body> struct without_index {
  Body body;
  template <class In> IKRA_HD auto operator()(const In& x, std::int64_t) const { return body(x); }
};

/// Gives a body the index as its section gets it.
template <class Body, int R> struct with_index {
  Body body;
  index<R> shape;
  template <class In> IKRA_HD auto operator()(const In& x, std::int64_t i) const {
    return body(x, section_index(shape, i));
  }
};

/// Runs what thread t of a launch has to do. For all cores only where the base array is not direct.
template <class... Classes, class Job, std::size_t... K>
IKRA_HD void run_thread(const Job& job, const launch_table<sizeof...(Classes)>& table,
                        std::uint64_t t, std::index_sequence<K...>) {
  unsigned which = sizeof...(Classes);
  object_id id;
  std::uint64_t place = t;
  if (table.ids != nullptr) {
    id = table.ids[t];
    if (!id)
      which = 0;
    else
      ((id.value - table.first_id[K] < table.count[K] ? void(which = K) : void()), ...);
  } else {
    ((t - table.first_thread[K] < table.count[K]
          ? (which = K, id = object_id(table.first_id[K] +
                                       static_cast<std::uint32_t>(t - table.first_thread[K])))
          : id),
     ...);
    if (table.positions != nullptr && which != sizeof...(Classes))
      place = table.positions[t];
  }
  ((which == K ? job(Classes{}, id, place) : void()), ...);
}

/// Loops over fewer elements than this are not worth waking other threads for.
inline constexpr std::uint64_t serial_below = 2048;

/// Calls body(begin, end) for a part of [0, n) on each core.
template <class Body> void host_parts(std::uint64_t n, const Body& body) {
#ifdef _OPENMP
  if (n >= serial_below && omp_get_max_threads() > 1 && !omp_in_parallel()) {
#pragma omp parallel
    {
      const auto threads = static_cast<std::uint64_t>(omp_get_num_threads());
      const auto me = static_cast<std::uint64_t>(omp_get_thread_num());
      // Parts end at multiples of 64 elements, so that no two threads write one cache line.
      const std::uint64_t part = (n / 64 / threads + 1) * 64;
      const std::uint64_t begin = part * me < n ? part * me : n;
      body(begin, begin + part < n ? begin + part : n);
    }
    return;
  }
#endif
  body(std::uint64_t(0), n);
}

/// Calls body(k) for k in [0, chunks), each a piece of work that is worth a thread.
template <class Body> void host_chunks(std::uint64_t chunks, const Body& body) {
#ifdef _OPENMP
  if (chunks > 1 && omp_get_max_threads() > 1 && !omp_in_parallel()) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t k = 0; k < chunks; ++k)
      body(k);
    return;
  }
#endif
  for (std::uint64_t k = 0; k < chunks; ++k)
    body(k);
}

/// One class's part of a direct launch.
template <class Class, class Job>
void host_class(const Job& shared, std::uint32_t first_id, const std::uint64_t* positions,
                std::uint64_t first_thread, std::uint64_t begin, std::uint64_t end) {
  const Job job = shared; // a copy of this thread's own, which stores cannot change
  // Counted in the type of IDs, so that compilers see consecutive elements of columns.
  const std::uint32_t last = first_id + static_cast<std::uint32_t>(end);
  const std::uint64_t to_thread = first_thread - first_id;
  try {
    if (positions == nullptr) {
      IKRA_INDEPENDENT
      for (std::uint32_t id = first_id + static_cast<std::uint32_t>(begin); id < last; ++id)
        job(Class{}, object_id(id), to_thread + id);
    } else {
      for (std::uint32_t id = first_id + static_cast<std::uint32_t>(begin); id < last; ++id)
        job(Class{}, object_id(id), positions[to_thread + id]);
    }
  } catch (const null_dereference& null) {
    null.note(first_thread + begin);
  }
}

/// A part of a launch where the base array is not direct.
template <class... Classes, class Job>
void host_indirect(const Job& job, const launch_table<sizeof...(Classes)>& table,
                   std::uint64_t begin, std::uint64_t end) {
  std::uint64_t t = begin;
  try {
    for (; t < end; ++t)
      run_thread<Classes...>(job, table, t, std::index_sequence_for<Classes...>());
  } catch (const null_dereference& null) {
    null.note(t);
  }
}

/// Runs a job for all elements on all cores.
template <class... Classes, class Job>
void host_launch(const Job& job, const launch_table<sizeof...(Classes)>& table) {
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    if (table.ids == nullptr)
      (host_parts(table.count[K],
                  [&](std::uint64_t begin, std::uint64_t end) {
                    host_class<Classes>(job, table.first_id[K], table.positions,
                                        table.first_thread[K], begin, end);
                  }),
       ...);
    else
      host_parts(table.threads, [&](std::uint64_t begin, std::uint64_t end) {
        host_indirect<Classes...>(job, table, begin, end);
      });
  }(std::index_sequence_for<Classes...>());
}

/// Runs a body for all elements, tick after tick, within one parallel region.
template <class... Classes, class Body>
void host_launch_ticks(const Body& body, const launch_table<sizeof...(Classes)>& table,
                       std::int64_t ticks) {
  const auto run_part = [&](std::int64_t tick, std::uint64_t thread, std::uint64_t threads) {
    const tick_job<Body> job{body, nullptr, tick};
    const auto part = [&](std::uint64_t n, const auto& run) {
      const std::uint64_t size = (n / 64 / threads + 1) * 64;
      const std::uint64_t begin = size * thread < n ? size * thread : n;
      run(begin, begin + size < n ? begin + size : n);
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      if (table.ids == nullptr)
        (part(table.count[K],
              [&](std::uint64_t begin, std::uint64_t end) {
                host_class<Classes>(job, table.first_id[K], nullptr, table.first_thread[K], begin,
                                    end);
              }),
         ...);
      else
        part(table.threads, [&](std::uint64_t begin, std::uint64_t end) {
          host_indirect<Classes...>(job, table, begin, end);
        });
    }(std::index_sequence_for<Classes...>());
  };
#ifdef _OPENMP
  if (table.threads >= serial_below && omp_get_max_threads() > 1 && !omp_in_parallel()) {
#pragma omp parallel
    for (std::int64_t tick = 0; tick < ticks; ++tick) {
      run_part(tick, static_cast<std::uint64_t>(omp_get_thread_num()),
               static_cast<std::uint64_t>(omp_get_num_threads()));
#pragma omp barrier
    }
    return;
  }
#endif
  for (std::int64_t tick = 0; tick < ticks; ++tick)
    run_part(tick, 0, 1);
}

/// body(in[i], i) on all cores.
template <class In, class Body> void host_each(const Body& body, const In* in, std::uint64_t n) {
  host_parts(n, [&](std::uint64_t begin, std::uint64_t end) {
    const Body mine = body;
    for (std::uint64_t i = begin; i < end; ++i)
      mine(in[i], static_cast<std::int64_t>(i));
  });
}

// Defined in launch_cuda.hpp, where nvcc compiles; nobody else calls them. They only queue work on
// a stream.

/// Runs a job for all elements.
template <class... Classes, class Job>
void cuda_launch(const Job& job, const launch_table<sizeof...(Classes)>& table, void* stream);
/// body(in[i], i).
template <class In, class Body>
void cuda_each(const Body& body, const In* in, std::uint64_t n, void* stream);
/// *counter += by, in device memory.
template <class Int> void cuda_advance(Int* counter, Int by, void* stream);

} // namespace ikra::rt
