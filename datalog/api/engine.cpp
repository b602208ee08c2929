// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in builds by ikrac: the engine, on the device that sections run on. Columns without text
// go in and out on that device: facts are read where an array has its elements there, and results
// become arrays whose elements are there (rt::device_elements), so that neither passes through the
// host. A text that ikrac has seen is not read again, and its joins have kernels. Relies on the
// engine and on the runtime's devices.
#include <omp.h>

#include <ikra/generated/datalog/joins.hpp>
#include <ikra/generated/session/session_base.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "datalog/api/host_rows.hpp"
#include "datalog/api/loaded_program.hpp"
#include "datalog/compile/lower.hpp"
#include "datalog/engine/engine.hpp"
#include "datalog/frontend/core_codec.hpp"

namespace ikra::datalog {
namespace {

constexpr rt::section_info section{"(Datalog)", "a Datalog program", 0, 0};

/// While one exists, this thread works on the device, and its parallel loops have so many threads;
/// 0: as many as before.
class work {
public:
  work(rt::device& device, int threads) : before_(omp_get_max_threads()) {
    device.make_current(section);
    if (threads > 0)
      omp_set_num_threads(threads);
  }
  work(const work&) = delete;
  work& operator=(const work&) = delete;
  ~work() { omp_set_num_threads(before_); }

private:
  int before_;
};

rt::device& device_for(run_device wish) {
  if (wish == run_device::cpu)
    return rt::host_device();
  rt::device& chosen = rt::current_device();
  if (wish == run_device::gpu && !chosen.is_cuda())
    throw error(error_kind::no_device,
                "Datalog: there is no GPU, IKRA_DEVICE is cpu, or the program was built without "
                "CUDA; take run_device::automatic");
  return chosen;
}

engine_options options_for(const program_options& given, const compiled::program_code* code) {
  engine_options made;
  if (code != nullptr)
    made.kernels = code->joins;
  if (given.form == relation_form::runs)
    made.form = plan::form::runs;
  if (given.form == relation_form::dense)
    made.form = plan::form::dense;
  return made;
}

class compiled_program final : public loaded_program {
public:
  /// \param code what ikrac made of the text; null if it has not seen it.
  compiled_program(std::string_view text, const program_options& options,
                   const std::source_location& where, const compiled::program_code* code)
      : loaded_program(text, options, where,
                       code != nullptr ? std::optional(decode(code->rules)) : std::nullopt),
        options_(options), code_(code), lowered_(lowered()) {}

  std::uint64_t size(std::uint32_t relation) override { return started().size(relation); }
  std::string plan() override { return started().describe(); }

  void insert(std::uint32_t relation, std::span<const detail::fact_column> columns,
              std::uint64_t rows) override {
    const work here(device(), options_.threads);
    if (std::any_of(columns.begin(), columns.end(),
                    [](const detail::fact_column& c) { return c.elements == nullptr; }))
      return loaded_program::insert(relation, columns, rows);
    std::vector<device_facts> there;
    for (const detail::fact_column& column : columns)
      there.push_back({on_device(*column.elements) + column.offset, column.type.bits,
                       column.elements->element_bytes()});
    started().load_from_device(lowered_.filled[relation], there, rows);
  }

  void read(std::uint32_t relation, std::span<const detail::result_column> columns) override {
    const work here(device(), options_.threads);
    if (std::any_of(columns.begin(), columns.end(),
                    [](const detail::result_column& c) { return c.elements == nullptr; }))
      return loaded_program::read(relation, columns);
    const std::uint64_t rows = size(relation);
    if (!device().is_cuda())
      return write(relation, columns, allocate_on_host(columns, rows));
    std::vector<std::pair<ikra::detail::any_buffer*, rt::device_memory>> memory;
    std::vector<char*> first;
    for (const detail::result_column& column : columns) {
      if (memory.empty() || memory.back().first != column.elements)
        memory.emplace_back(column.elements,
                            rt::device_memory(device(), rows * column.elements->element_bytes(),
                                              "a relation", section));
      first.push_back(static_cast<char*>(memory.back().second.data()) + column.offset);
    }
    write(relation, columns, first);
    for (auto& [elements, filled] : memory)
      elements->set_remote(rows, std::make_shared<rt::device_elements>(std::move(filled), section));
  }

private:
  lowered_program lowered() {
    try {
      return lower(rules(), values(), source());
    } catch (const unsupported_by_engine& problem) {
      throw error(error_kind::unsupported,
                  with_place(std::string(problem.what()) + " is not supported by the engine",
                             problem.where()));
    }
  }

  /// The elements on the engine's device, where they are brought if need be.
  const char* on_device(ikra::detail::any_buffer& elements) {
    if (!device().is_cuda() || elements.size() == 0)
      return static_cast<const char*>(elements.data());
    const auto place = elements.elsewhere();
    const auto* there = dynamic_cast<const rt::device_elements*>(place.get());
    if (there == nullptr || there->memory().owner() != &device()) {
      rt::device_memory memory(device(), elements.size() * elements.element_bytes(), "facts",
                               section);
      device().upload(memory.data(), elements.data(), memory.bytes(), section);
      const auto made = std::make_shared<rt::device_elements>(std::move(memory), section);
      there = made.get();
      elements.set_remote(elements.size(), made);
    }
    return static_cast<const char*>(there->memory().data());
  }

  void write(std::uint32_t relation, std::span<const detail::result_column> columns,
             const std::vector<char*>& first) {
    std::vector<device_room> there;
    for (std::size_t i = 0; i < columns.size(); ++i)
      there.push_back({first[i], columns[i].type.bits, columns[i].elements->element_bytes()});
    started().write_to_device(relation, there);
  }

  void add(std::uint32_t relation, const column_words& facts, std::uint64_t rows) override {
    const work here(device(), options_.threads);
    started().load(lowered_.filled[relation], views(facts), rows);
  }

  void evaluate() override {
    const work here(device(), options_.threads);
    started().run();
  }

  void each(std::uint32_t relation, const take_row& take) override {
    const work here(device(), options_.threads);
    std::vector<core::word> tuple;
    started().read(relation, [&](std::span<const column_view> columns, std::uint64_t rows) {
      tuple.resize(columns.size());
      for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < columns.size(); ++i)
          tuple[i] = columns[i].bits == 32
                         ? static_cast<const std::uint32_t*>(columns[i].data)[row]
                         : static_cast<const std::uint64_t*>(columns[i].data)[row];
        take(tuple);
      }
    });
  }

  rt::device& device() {
    if (device_ == nullptr)
      device_ = &device_for(options_.device);
    return *device_;
  }

  /// The engine, with the facts of the text. It is made when it is first needed: a program may be a
  /// static object, and while these are made kernels cannot be launched yet.
  engine& started() {
    if (engine_ != nullptr)
      return *engine_;
    const work here(device(), options_.threads);
    std::unique_ptr<engine> made =
        make_engine(lowered_.plan, device().is_cuda() ? device_kind::cuda : device_kind::cpu,
                    options_for(options_, code_), lowered_.functions.get());
    for (const auto& [relation, facts] : lowered_.facts) {
      column_words columns(lowered_.plan.relations[relation].columns.size());
      for (const std::vector<core::word>& fact : facts)
        for (std::size_t i = 0; i < fact.size(); ++i)
          columns[i].push_back(fact[i]);
      made->load(relation, views(columns), facts.size());
    }
    engine_ = std::move(made);
    return *engine_;
  }

  static std::vector<column_view> views(const column_words& columns) {
    std::vector<column_view> made;
    for (const std::vector<core::word>& column : columns)
      made.push_back({column.data(), 64});
    return made;
  }

  program_options options_;
  const compiled::program_code* code_;
  rt::device* device_ = nullptr; ///< null until device()
  lowered_program lowered_;
  std::unique_ptr<engine> engine_; ///< null until started()
};

} // namespace

std::unique_ptr<detail::database> detail::make_database(std::string_view text,
                                                        const program_options& options,
                                                        const std::source_location& where) {
  return std::make_unique<compiled_program>(text, options, where,
                                            compiled::find_program(text, options.bits));
}

} // namespace ikra::datalog
