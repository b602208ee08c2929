// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's interface: give it a plan, load facts, run, read relations. One implementation,
// compiled for all cores and, by nvcc, for GPUs (docs/datalog.md). Relies on ikra/error.hpp for
// exceptions.
#pragma once

#include "datalog/plan/plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ikra::datalog {

namespace compiled {
struct join; // ikra/generated/datalog/joins.hpp
} // namespace compiled

/// Functions that only the host can compute: on symbols, records and the like.
class host_functions {
public:
  virtual ~host_functions() = default;
  /// \param function the number in plan::expression::payload.
  /// \param arguments bit patterns, as many as the call has operands.
  /// \returns the bit pattern of the result. What it throws ends the run and reaches its caller.
  /// It is called by one thread at a time, for rows in a fixed order.
  virtual plan::value call(std::uint64_t function, std::span<const plan::value> arguments) = 0;
  /// Calls work(begin, end) for parts of [0, count), perhaps several at once.
  using part_work = std::function<void(std::uint64_t begin, std::uint64_t end)>;
  using run_in_parts = std::function<void(std::uint64_t count, const part_work& work)>;
  /// The same for many rows.
  /// \param arguments a vector for each operand, with as many values as there are results
  /// \param in_parts  how to call what several threads may call
  virtual void call_all(std::uint64_t function, std::span<const std::vector<plan::value>> arguments,
                        std::span<plan::value> results, const run_in_parts& /*in_parts*/) {
    std::vector<plan::value> of_row(arguments.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t k = 0; k < of_row.size(); ++k)
        of_row[k] = arguments[k][i];
      results[i] = call(function, of_row);
    }
  }
  /// A stratum's next iteration begins; 0 is that of its rules without recursion.
  virtual void begin_iteration(std::uint64_t /*iteration*/) {}
};

enum class device_kind : std::uint8_t { cpu, cuda };

/// Where lists of tuples take the place of delta's bits. A CPU visits rows with few bits as fast.
enum class list_use : std::uint8_t { on_gpus, everywhere, nowhere };

/// Where rows are computed in the order in which they need each other: where it pays on the device,
/// wherever rules allow it, or nowhere.
enum class order_use : std::uint8_t { automatic, everywhere, nowhere };

/// Where iterations with few new tuples are carried out by one group of threads, many of them at a
/// time: where it pays, wherever rules and bounds allow it, or nowhere.
enum class small_use : std::uint8_t { automatic, everywhere, nowhere };

/// Bounds of device-resident iterations; 0: chosen for the device. At most 2^16 each, 2^13 rows.
struct resident_bounds {
  std::uint64_t delta = 0;      ///< tuples of the stratum's deltas together
  std::uint64_t rows = 0;       ///< join results at a time, head tuples of a relation
  std::uint64_t tuples = 0;     ///< of a relation, until they are merged into it
  std::uint64_t iterations = 0; ///< at a time
};

/// Where a run is, at the start of an iteration. Device-resident iterations are reported once for
/// many.
struct run_progress {
  std::uint32_t stratum;
  std::uint64_t iteration; ///< of the stratum, from 1
  double seconds;          ///< of the run
  struct change {
    std::uint32_t relation;
    std::uint64_t added, size; ///< tuples of delta, and of full with it
  };
  /// Of the stratum's relations; none while these are bits, which nobody counts.
  std::span<const change> changes;
};

struct engine_options {
  /// Overrides plan::relation::kept where that is automatic.
  plan::form form = plan::form::automatic;
  /// Buffers for new tuples are made larger than needed: by `eager_factor` times the last delta.
  bool eager_buffers = true;
  double eager_factor = 5;
  /// Bytes that the engine may hold at once; 0: what the device has.
  std::uint64_t memory_limit = 0;
  /// Join results that are held at a time; 0: chosen for the device.
  std::uint64_t batch = 0;
  /// Join results at a time from which on repeats are looked for in a table; 0: as many as pay.
  std::uint64_t fewest_to_remember = 0;
  /// Whether bit matrices are stepped over lists of tuples while deltas have few tuples a row.
  list_use lists = list_use::on_gpus;
  /// Whether rows of bits are computed in the order in which they need each other.
  order_use order = order_use::automatic;
  /// The order of a recursive rule is changed within a fixpoint where that is expected to save as
  /// many rows for each tuple that is sorted for it; 0: wherever another one is found.
  std::uint64_t least_saving = 16;
  /// On a CPU without kernels, columns take the bits that their values need.
  bool narrow = true;
  /// Tuples of delta from which on rules are evaluated by groups of them where that pays, on a CPU;
  /// 0: wherever rules allow it.
  std::uint64_t fewest_to_group = 1024;
  small_use small = small_use::automatic;
  resident_bounds bounds_of_resident;
  /// Records time and tuples per rule and iteration.
  bool profile = false;
  /// Called at the start of each iteration if not empty. What it throws ends the run.
  std::function<void(const run_progress&)> progress;
  /// Kernels that were compiled for the program's joins; they outlive the engine.
  std::span<const compiled::join> kernels;
};

/// One rule in one iteration; iteration 0 is that of the rules without recursion.
struct profile_entry {
  std::uint32_t stratum, rule, version, iteration;
  double seconds;
  std::uint64_t joined; ///< join results that were not dropped as repeats where they were made
};

struct run_statistics {
  double seconds = 0;           ///< of the last run
  std::uint64_t iterations = 0; ///< of all recursive strata
  std::uint64_t small = 0;      ///< those of them that were device-resident iterations
  std::uint64_t grouped = 0;    ///< times that a rule was evaluated by groups of delta
  std::uint64_t peak_bytes = 0; ///< held by relations, indices and buffers
  std::vector<profile_entry> profile;
};

/// Columns of equal length, as bit patterns of 32 or 64 bits.
struct column_view {
  const void* data;
  std::uint8_t bits;
};

/// One column in memory of the engine's device (on all cores, host memory): bit patterns of 32 or
/// 64 bits, `stride` bytes from one to the next.
template <class Void> struct strided_column {
  Void* first;
  std::uint8_t bits;
  std::uint64_t stride;
};
using device_facts = strided_column<const void>;
using device_room = strided_column<void>;

/// Tuples of a relation, one vector a column, rows in ascending order of bit patterns.
using tuple_columns = std::vector<std::vector<plan::value>>;

class engine {
public:
  virtual ~engine() = default;

  /// Adds tuples to a relation; they take part in the next run.
  /// \param columns one for each column of the relation; widths may differ from the relation's if
  /// the values fit. \param count rows. \throws ikra::error of kind bad_shape for a wrong number of
  /// columns, out_of_memory.
  virtual void load(std::uint32_t relation, std::span<const column_view> columns,
                    std::uint64_t count) = 0;

  /// The same from columns on the engine's device.
  virtual void load_from_device(std::uint32_t relation, std::span<const device_facts> columns,
                                std::uint64_t count) = 0;

  /// Evaluates to the fixpoint. A second run after load() continues from the first one's result if
  /// no negation, aggregate or size limit depends on a relation that got tuples, and starts anew
  /// otherwise.
  /// \throws ikra::error of kind out_of_memory or failed_check (division by zero); relations are
  /// then as before the run.
  virtual void run() = 0;

  /// \returns the number of tuples.
  virtual std::uint64_t size(std::uint32_t relation) = 0;

  /// Calls `take(columns, rows)` with consecutive parts of the relation in ascending order of bit
  /// patterns; columns are bit patterns in the relation's widths.
  virtual void
  read(std::uint32_t relation,
       const std::function<void(std::span<const column_view>, std::uint64_t)>& take) = 0;

  /// Writes all tuples to columns on the engine's device, in ascending order of values: numbers by
  /// size, floats too (-0 before 0, not-a-numbers at the ends), everything else by bit patterns.
  /// \param columns one for each column of the relation and as wide, with room for size(relation)
  /// values. \throws ikra::error of kind bad_shape for a wrong number of columns, unsupported for
  /// 2^32 tuples or more with negative numbers, out_of_memory.
  virtual void write_to_device(std::uint32_t relation, std::span<const device_room> columns) = 0;

  /// What is evaluated how: strata, forms, versions of rules with their steps, indices.
  virtual std::string describe() const = 0;

  virtual const run_statistics& statistics() const noexcept = 0;
};

/// Whether arrays are computed on a GPU: there is one, and IKRA_DEVICE is not cpu. Starts it.
bool is_gpu_wanted();

/// \returns all tuples of a relation.
tuple_columns read_all(engine& from, const plan::program& program, std::uint32_t relation);

/// \param program is copied. \param functions may be null if the plan calls none, and outlives the
/// engine.
/// \throws ikra::error of kind no_device, or unsupported if the plan breaks a rule of plan.hpp,
/// with the rule and the reason.
std::unique_ptr<engine> make_engine(const plan::program& program, device_kind device,
                                    const engine_options& options = {},
                                    host_functions* functions = nullptr);

} // namespace ikra::datalog
