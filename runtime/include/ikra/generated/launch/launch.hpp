// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bodies to threads: which thread runs what, on both devices. A body is a functor of emitted
// code; a *job* wraps it with what its kind of launch does with the result. The loops over all
// cores are here, the CUDA kernels in launch_cuda.hpp.
#pragma once

#include <ikra/generated/device/macros.hpp>
#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/language/checked.hpp>
#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/index.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

// Elements of one launch are independent of each other: g++ may vectorise without checks. clang
// checks on its own, and warns where a loop with its pragma cannot be vectorised.
#if defined(__GNUC__) && !defined(__clang__)
#define IKRA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define IKRA_INDEPENDENT
#endif

namespace ikra::rt {

/// Makes a value where it is to be, from elements of which one may lie there. Only one of the same
/// size can (session_values.hpp): such are copied first. Made elsewhere and copied, a class whose
/// members are of several sizes would be read in wider words than it was written in, which
/// processors wait for: a map to such took ten times as long.
template <class T, class Make, class... Elements>
void make_from(T* place, const Make& make, const Elements&... elements) {
  ::new (static_cast<void*>(place)) T(make(
      static_cast<std::conditional_t<sizeof(Elements) == sizeof(T), Elements, const Elements&>>(
          elements)...));
}

/// Which objects the threads of a launch run: N classes. Threads of a direct base array are objects
/// of consecutive IDs, each class's from a thread on that is a multiple of 32. Else they go through
/// lists of the classes' elements.
template <std::size_t N> struct launch_table {
  std::uint64_t first_thread[N];
  std::uint32_t first_id[N]; ///< of the class's objects in the base array, if that is direct
  std::uint32_t count[N];
  std::uint64_t threads;
  const object_id* ids = nullptr; ///< thread -> object; null where the base array is direct
  const std::uint64_t* positions =
      nullptr;                 ///< thread -> element; null where it is the thread itself
  bool names_elements = false; ///< threads tell which element failed: each has one
};

/// body(class, id) for each element.
template <class Body> struct each_job {
  static constexpr bool is_elementwise = false;
  Body body;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    body(c, id);
  }
};

/// Whether a body loops over ticks of its element, of which the program gives a number. It can be
/// told which.
template <class Body>
concept has_ticks = requires(Body& body) { set_ticks(body, std::int64_t(), std::int64_t()); };
/// So many are many: what it takes to begin with an element is little beside them.
inline constexpr std::int64_t least_many_ticks = 8;
/// Names the code that a body may have for many ticks.
struct many_ticks {};

/// The same for many ticks.
template <class Body> struct many_ticks_job {
  static constexpr bool is_elementwise = false;
  static constexpr bool is_long = true;
  Body body;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    if constexpr (requires { body(c, id, many_ticks()); })
      body(c, id, many_ticks());
    else
      body(c, id);
  }
};

/// Jobs that take a thread long: that begin with an element once, and run many ticks or turns of
/// it.
template <class Job>
concept is_long_job = requires { requires Job::is_long; };

/// body(class, id, tick) for each element.
template <class Body> struct tick_job {
  static constexpr bool is_elementwise = false;
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
  static constexpr bool is_elementwise = true;
  Body body;
  index<R> shape;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t i) const {
    body(c, id, section_index(shape, static_cast<std::int64_t>(i)));
  }
};

/// out[i] = body(class, id) for each element i.
template <class Out, class Body> struct map_job {
  static constexpr bool is_elementwise = true;
  Body body;
  Out* out;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t i) const {
    ::new (static_cast<void*>(out + i)) Out(body(c, id));
  }
};

/// out[i] = body(class, id, index) for each element i.
template <class Out, class Body, int R> struct map_indexed_job {
  static constexpr bool is_elementwise = true;
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

/// Loops over fewer elements than this are not worth waking other threads for, unless these take
/// long.
inline constexpr std::uint64_t serial_below = 2048;

/// Elements [begin, end).
struct host_range {
  std::uint64_t begin, end;
};

/// One thread's part of [0, n). Parts end at multiples of 64 elements, so that no two threads write
/// one cache line.
inline host_range host_part(std::uint64_t n, std::uint64_t thread, std::uint64_t threads) {
  const std::uint64_t blocks = (n + 63) / 64;
  const std::uint64_t end = blocks * (thread + 1) / threads * 64;
  return {blocks * thread / threads * 64, end < n ? end : n};
}

namespace detail {

/// A function object without its type. It is called once for each thread, part or chunk; what is
/// compiled for each section are the loops in it, and they once.
using erased_body = const void*;
template <class Body> void call_body(erased_body body, std::uint64_t first, std::uint64_t second) {
  (*static_cast<const Body*>(body))(first, second);
}
template <class Body> void call_chunk(erased_body body, std::uint64_t chunk) {
  (*static_cast<const Body*>(body))(chunk);
}
void run_team(std::uint64_t elements, erased_body body,
              void (*call)(erased_body, std::uint64_t, std::uint64_t));
void run_parts(std::uint64_t n, erased_body body,
               void (*call)(erased_body, std::uint64_t, std::uint64_t));
void run_chunks(std::uint64_t chunks, erased_body body, void (*call)(erased_body, std::uint64_t));
void run_uneven_pieces(std::uint64_t n, std::uint64_t pieces, erased_body body,
                       void (*call)(erased_body, std::uint64_t));
void run_costly_parts(std::uint64_t n, bool are_few, erased_body body,
                      void (*call)(erased_body, std::uint64_t, std::uint64_t));
std::uint64_t threads_of_team();
void run_in_region(std::uint64_t elements, erased_body body,
                   void (*call)(erased_body, std::uint64_t, std::uint64_t));

} // namespace detail

/// Calls body(thread, threads) on each core; on this one alone where there are few elements, or
/// where the file is compiled without OpenMP.
template <class Body> void host_team([[maybe_unused]] std::uint64_t elements, const Body& body) {
#ifdef _OPENMP
  detail::run_team(elements, &body, &detail::call_body<Body>);
#else
  body(std::uint64_t(0), std::uint64_t(1));
#endif
}
/// In host_team: waits for the other threads.
void wait_for_team();

/// Calls run() on this core. The loops below that it runs over `elements` or so find the other
/// cores waiting for them, so that none forks and joins: for many short loops in sequence.
template <class Run> void in_host_region([[maybe_unused]] std::uint64_t elements, const Run& run) {
#ifdef _OPENMP
  const auto body = [&](std::uint64_t, std::uint64_t) { run(); };
  detail::run_in_region(elements, &body, &detail::call_body<decltype(body)>);
#else
  run();
#endif
}

/// Calls body(begin, end) for a part of [0, n) on each core. \throws failed_check
template <class Body> void host_parts(std::uint64_t n, const Body& body) {
#ifdef _OPENMP
  detail::run_parts(n, &body, &detail::call_body<Body>);
#else
  body(std::uint64_t(0), n);
#endif
}

/// Calls body(k) for k in [0, chunks), each a piece of work that is worth a thread.
/// \throws failed_check
template <class Body> void host_chunks(std::uint64_t chunks, const Body& body) {
#ifdef _OPENMP
  detail::run_chunks(chunks, &body, &detail::call_chunk<Body>);
#else
  for (std::uint64_t k = 0; k < chunks; ++k)
    body(k);
#endif
}

/// How many cores host_chunks has at most.
inline std::uint64_t host_threads() {
#ifdef _OPENMP
  return detail::threads_of_team();
#else
  return 1;
#endif
}

/// Calls body(k) for k in [0, pieces) of n elements, which take some cores much longer than others.
/// Each core has a part as in host_parts, so that what it uses again stays in its cache; when it
/// has done that, it takes pieces of others. \throws failed_check
template <class Body>
void host_uneven_pieces([[maybe_unused]] std::uint64_t n, std::uint64_t pieces, const Body& body) {
#ifdef _OPENMP
  detail::run_uneven_pieces(n, pieces, &body, &detail::call_chunk<Body>);
#else
  for (std::uint64_t k = 0; k < pieces; ++k)
    body(k);
#endif
}
/// Calls body(begin, end) for parts of [0, n), of elements that may take long, and some much longer
/// than others. Of few elements the first ones run on this core, until the others are seen to be
/// worth waking it: how often a loop turns is not known before. \throws failed_check
template <class Body>
void host_costly_parts(std::uint64_t n, [[maybe_unused]] bool are_few, const Body& body) {
#ifdef _OPENMP
  detail::run_costly_parts(n, are_few, &body, &detail::call_body<Body>);
#else
  body(std::uint64_t(0), n);
#endif
}
template <class Body> void host_costly_parts(std::uint64_t n, const Body& body) {
  host_costly_parts(n, n < serial_below, body);
}

/// Calls run(job) with a copy of the job that is this thread's own, which stores cannot change.
/// Bodies that loop over ticks are often run for one: that gets code without the loop.
template <class Job, class Run> void with_own_copy(const Job& shared, const Run& run) {
  Job job = shared;
  if constexpr (!is_long_job<Job> && requires {
                  { job.body.ticks } -> std::same_as<std::int64_t&>;
                })
    if (job.body.ticks == 1) {
      job.body.ticks = 1;
      return run(job);
    }
  run(job);
}

/// One class's part of a direct launch. Not inlined, so that the registers are its loop's. What the
/// loop calls is: a body with random numbers would have code of its own, called for each element.
/// \param positions see launch_table; null for jobs that do not use places
template <class Class, class Job>
[[gnu::noinline]] IKRA_FLATTENED void host_class(const Job& shared, std::uint32_t first_id,
                                                 const std::uint64_t* positions,
                                                 std::uint64_t first_thread, host_range part) {
  // Counted in the type of IDs, so that compilers see consecutive elements of columns.
  const std::uint32_t begin = first_id + static_cast<std::uint32_t>(part.begin);
  const std::uint32_t end = first_id + static_cast<std::uint32_t>(part.end);
  const std::uint64_t to_thread = first_thread - first_id;
  try {
    with_own_copy(shared, [=](const Job& job) {
      if constexpr (Job::is_elementwise)
        if (positions != nullptr) {
          for (std::uint32_t id = begin; id < end; ++id)
            job(Class{}, object_id(id), positions[to_thread + id]);
          return;
        }
      IKRA_INDEPENDENT
      for (std::uint32_t id = begin; id < end; ++id)
        job(Class{}, object_id(id), to_thread + id);
    });
  } catch (const failed_check& failed) {
    failed.note(first_thread + part.begin);
  }
}

/// The same where the base array is not direct: a part of the class's list.
template <class Class, class Job>
[[gnu::noinline]] void host_list(const Job& shared, const object_id* ids,
                                 const std::uint64_t* positions, std::uint64_t first_thread,
                                 host_range part) {
  const Job mine = shared; // checked bodies note their element in it
  std::uint64_t t = first_thread + part.begin;
  try {
    for (const std::uint64_t end = first_thread + part.end; t < end; ++t)
      mine(Class{}, ids[t], positions == nullptr ? t : positions[t]);
  } catch (const failed_check& failed) {
    failed.note(t);
  }
}

/// One thread's part of each class, for loops that all threads run.
struct thread_share {
  std::uint64_t thread, threads;
  /// Of the next class, which has so many elements.
  host_range next(std::uint64_t count) const { return host_part(count, thread, threads); }
};
/// Elements [begin, end) of all classes one after the other, for few elements.
struct element_run {
  std::uint64_t begin, end;
  host_range next(std::uint64_t count) {
    const host_range part{begin < count ? begin : count, end < count ? end : count};
    begin -= part.begin;
    end -= part.end;
    return part;
  }
};

/// Runs a job for a part of a launch: of each class in turn. \tparam Part thread_share or
/// element_run
template <class... Classes, class Job, class Part>
void host_share(const Job& job, const launch_table<sizeof...(Classes)>& table, Part part) {
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    if (table.ids != nullptr)
      (host_list<Classes>(job, table.ids, table.positions, table.first_thread[K],
                          part.next(table.count[K])),
       ...);
    else
      (host_class<Classes>(job, table.first_id[K], table.positions, table.first_thread[K],
                           part.next(table.count[K])),
       ...);
  }(std::index_sequence_for<Classes...>());
}

/// How many elements all classes have.
template <std::size_t N> std::uint64_t elements_of(const launch_table<N>& table) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : table.count)
    sum += count;
  return sum;
}

/// Whether few elements of a job may be worth other cores: its body has loops, or runs ticks.
template <class Job>
concept is_costly_job = is_long_job<Job> || requires { requires is_costly<decltype(Job::body)>; } ||
                        requires(Job& job) {
                          { job.body.ticks } -> std::same_as<std::int64_t&>;
                        };

/// Runs a job for all elements on all cores, which wait for each other at the end alone.
/// \param elements by which it is decided whether other cores are woken
template <class... Classes, class Job>
void host_launch(const Job& job, const launch_table<sizeof...(Classes)>& table,
                 std::uint64_t elements) {
  if constexpr (is_costly_job<Job>)
    if (elements < serial_below) {
      host_costly_parts(elements_of(table), true, [&](std::uint64_t begin, std::uint64_t end) {
        host_share<Classes...>(job, table, element_run{begin, end});
      });
      return;
    }
  host_team(elements, [&](std::uint64_t thread, std::uint64_t threads) {
    host_share<Classes...>(job, table, thread_share{thread, threads});
  });
}

/// Runs a body for all elements, tick after tick, within one parallel region.
template <class... Classes, class Body>
void host_launch_ticks(const Body& body, const launch_table<sizeof...(Classes)>& table,
                       std::int64_t ticks) {
  if constexpr (is_costly<Body>)
    if (table.threads < serial_below) {
      for (std::int64_t tick = 0; tick < ticks; ++tick)
        host_launch<Classes...>(tick_job<Body>{body, nullptr, tick}, table, table.threads);
      return;
    }
  host_team(table.threads, [&](std::uint64_t thread, std::uint64_t threads) {
    for (std::int64_t tick = 0; tick < ticks; ++tick) {
      host_share<Classes...>(tick_job<Body>{body, nullptr, tick}, table,
                             thread_share{thread, threads});
      if (threads > 1)
        wait_for_team();
    }
  });
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
