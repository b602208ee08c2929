// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections by the user's code, on the objects as they are (docs/runtime.md, Objects as they are).
#include <ikra/generated/sections/shared_section.hpp>
#include <ikra/generated/session/session.hpp>
#include <ikra/null_guard.hpp>

#include "objects/repeats.hpp"
#include "objects/resident.hpp"
#include "objects/thread_scopes.hpp"
#include "one_thread.hpp"
#include "support/errors.hpp"
#include "support/kernel_trace.hpp"
#include "support/parallel.hpp"
#include "waking.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace ikra::rt {

namespace {

constexpr std::size_t in_place_grain = 256; // elements, where results depend on the parts
constexpr std::size_t null_grain = std::size_t(1) << 18U;
constexpr std::size_t class_grain = 4096;

bool has_nulls(const pointer_source& source) {
  if (source.notes != nullptr && source.notes->no_nulls.load(std::memory_order_relaxed))
    return false;
  std::atomic<bool> found{false};
  for_ranges(source.count, null_grain, [&](std::size_t begin, std::size_t end) {
    const auto* const pointers = static_cast<const unsigned char*>(source.pointers);
    const auto address = [&](std::size_t i) {
      std::uintptr_t of = 0;
      std::memcpy(&of, pointers + i * sizeof(void*), sizeof(void*));
      return of;
    };
    bool is_null = false;
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4) { // sections may take no longer than these tests: no jumps
      is_null |= address(i) == 0;
      is_null |= address(i + 1) == 0;
      is_null |= address(i + 2) == 0;
      is_null |= address(i + 3) == 0;
    }
    for (; i < end; ++i)
      is_null |= address(i) == 0;
    if (is_null)
      found = true;
  });
  if (source.notes != nullptr && !found)
    source.notes->no_nulls.store(true, std::memory_order_relaxed);
  return found;
}

/// What is known without a look at the pointers.
std::optional<bool> known_repeats(const pointer_source& source) {
  if (source.notes == nullptr)
    return std::nullopt;
  if (source.notes->no_repeats.load(std::memory_order_relaxed))
    return false;
  return source.notes->has_repeats.load(std::memory_order_relaxed) ? std::optional(true)
                                                                   : std::nullopt;
}

/// Whether an object does.
bool stands_twice(const pointer_source& source) {
  if (const std::optional<bool> known = known_repeats(source))
    return *known;
  const bool repeats = has_repeats(source.pointers, source.count);
  if (source.notes != nullptr)
    (repeats ? source.notes->has_repeats : source.notes->no_repeats)
        .store(true, std::memory_order_relaxed);
  return repeats;
}

/// \returns the first of these pointers that leads to an object of an unknown class, or end.
std::size_t first_unknown(const pointer_source& source, std::size_t begin, std::size_t end) {
  std::array<std::uint16_t, 256> codes;
  for (std::size_t n = 0; begin < end; begin += n) {
    n = std::min(codes.size(), end - begin);
    const auto* const pointers = static_cast<const unsigned char*>(source.pointers);
    source.ops->classify(pointers + begin * sizeof(void*), n, codes.data());
    const auto* const found =
        std::find(codes.data(), codes.data() + n, reference_ops::unknown_code);
    if (found != codes.data() + n)
      return begin + static_cast<std::size_t>(found - codes.data());
  }
  return end;
}

bool knows_all(const pointer_source& source) {
  std::atomic<bool> known{true};
  for_ranges(source.count, class_grain, [&](std::size_t begin, std::size_t end) {
    if (first_unknown(source, begin, end) != end)
      known = false;
  });
  return known;
}

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

struct part {
  std::size_t begin, end;
};

/// After a failure a part ends, and those of later elements do not begin: the least is known then.
std::size_t run_part(const user_loop& code, const part& of, std::int64_t tick,
                     const class_check* check = nullptr) {
  const auto begin = static_cast<std::int64_t>(of.begin), end = static_cast<std::int64_t>(of.end);
  if (code.failure.element() < begin)
    return of.end;
  try {
    return static_cast<std::size_t>(code.run(begin, end, tick, check));
  } catch (const code_failed_at& failed) { // other threads' parts may run
    code.failure.note(failed.element);
    return of.end;
  }
}

/// Gives the results, unless the code has failed. \throws code_failed_at
void finish_code(user_loop& code) {
  if (code.failure.is_there())
    throw code_failed_at{code.failure.element()};
  code.finish();
}

/// The first tick of a section by the user's code. How long an element takes is not known before:
/// the first ones run on this thread, until what is left is seen to be worth waking others, or
/// nothing is. So a short section takes no longer than a loop. Where there is one thread, code of
/// any class may run, and neither objects nor the clock are looked at.
class first_tick {
public:
  /// \param check null where code of any class may run
  /// \param written objects that it writes: those that stand there twice are one thread's
  first_tick(const section_info& section, std::size_t count, const user_loop& code,
             unsigned operations, const class_check* check, const pointer_source* written = nullptr)
      : section_(section), count_(count), code_(code), check_(check), written_(written),
        next_(std::clamp<std::size_t>(worth_asking / std::max(operations, 1U), 4, 256)),
        grain_(std::clamp<std::size_t>(worth_thread / std::max(operations, 1U), in_place_grain,
                                       16 * in_place_grain)) {}

  /// Each thread ends where it meets an object of an unknown class. \returns the parts that did not
  /// run, in order
  std::vector<part> run() {
    if (check_ == nullptr && code_.runs_at_finish())
      return {};
    if (omp_get_max_threads() == 1) {
      grain_ = count_;
      run_part(code_, {0, count_}, 0);
      return {};
    }
    std::optional<ikra::detail::null_handler> kept;
    if (code_.may_meet_null)
      kept.emplace();
    std::size_t done = 0;
    bool is_noted = false;
    if (!code_.depends_on_parts()) {
      grain_ = count_;
      while (done < count_ && !is_worth_waking(done)) {
        const std::size_t end = std::min(count_, done + next_);
        if (const std::size_t met = run_part(code_, {done, end}, 0, check_); met != end)
          return existing({{met, end}, {end, count_}});
        done = end;
      }
      const bool has_repeats = done < count_ && written_ != nullptr && stands_twice(*written_);
      is_noted = done < count_ && !has_repeats;
      if (has_repeats || (is_noted && !wakes_others(section_)))
        grain_ = count_ + 1;
    }
    std::vector<part> left(chunk_count(count_ - done, grain_));
    const clock::time_point start = is_noted ? clock::now() : clock::time_point();
    for_chunks(count_ - done, left.size(),
               [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                 const part of{done + begin, done + end};
                 left[chunk] = {run_part(code_, of, 0, check_), of.end};
               });
    if (is_noted)
      note(count_ - done, left.size(), seconds(clock::now() - start));
    return existing(std::move(left));
  }
  /// The least elements that a thread of later ticks is woken for: all, if some are one object.
  std::size_t grain() const {
    const bool is_shared = grain_ < count_;
    return is_shared && written_ != nullptr && stands_twice(*written_) ? count_ : grain_;
  }

private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t growth = 8;
  /// Simple operations beside which a look at the clock is little.
  static constexpr unsigned worth_asking = 1024;
  /// Simple operations worth a thread where the clock is not asked.
  static constexpr unsigned worth_thread = 32768;
  /// What a clock and the guard around a loop take is little beside this.
  static constexpr double worth_measuring = 5e-6; // seconds
  /// About twice what it takes to wake a thread and wait for it.
  static constexpr double worth_waking = 20e-6;

  /// Whether the rest takes so long that others should share it. On a busy machine this thread may
  /// not have run for much of the time that has passed, so two measurements have to say so.
  bool is_worth_waking(std::size_t done) {
    if (done == 0) {
      if (next_ < count_)
        start_ = clock::now();
      return false;
    }
    const double taken = std::chrono::duration<double>(clock::now() - start_).count();
    const double each = taken / static_cast<double>(done - measured_);
    if (taken < worth_measuring) {
      const auto rest = static_cast<std::size_t>((worth_measuring - taken) / each);
      next_ = std::min(next_ * growth, rest + next_);
      return false;
    }
    each_ = each;
    const bool is_first = measured_ == 0;
    grain_ = static_cast<std::size_t>(worth_waking / each / 2) + 1;
    next_ =
        is_first ? static_cast<std::size_t>(worth_measuring / each) + 1 : std::max(next_, grain_);
    if (!saves_time(each * static_cast<double>(count_ - done)))
      return false;
    measured_ = done;
    start_ = clock::now();
    return !is_first;
  }
  void note(std::size_t elements, std::size_t threads, double taken) const {
    if (threads > 1)
      note_together(section_, elements, taken, each_, static_cast<unsigned>(threads));
    else
      note_alone(section_, elements, taken);
  }
  /// Whether others save more of these seconds than it takes to have them work.
  bool saves_time(double rest) const {
    constexpr double look_at_pointer = 0.3e-9; // for repeats
    const std::optional<bool> repeats =
        written_ == nullptr ? std::optional(false) : known_repeats(*written_);
    if (repeats == true)
      return false;
    const double look = repeats ? 0 : look_at_pointer * static_cast<double>(count_);
    return rest * (1 - 1.0 / omp_get_max_threads()) > worth_waking / 2 + look;
  }
  static std::vector<part> existing(std::vector<part> parts) {
    std::erase_if(parts, [](const part& p) { return p.begin == p.end; });
    return parts;
  }

  const section_info& section_;
  std::size_t count_;
  const user_loop& code_;
  const class_check* check_; ///< null: nobody asks
  const pointer_source* written_;
  clock::time_point start_;
  std::size_t measured_ = 0; ///< elements of the first measurement
  double each_ = 0;          ///< seconds, as measured last
  std::size_t next_;         ///< elements that run next
  std::size_t grain_;        ///< elements worth a thread
};

} // namespace

/// The classes that the references of a call's inputs know.
class session_base::input_classes final : public class_check {
public:
  explicit input_classes(const session_base& s) : session_(s) {}

  bool knows(std::size_t k, std::int64_t i) const override {
    const auto at = static_cast<std::size_t>(i);
    const pointer_source* const source = session_.objects_of(k);
    return source == nullptr || first_unknown(*source, at, at + 1) != at;
  }

private:
  const session_base& session_;
};

/// The pointers of an input; null where it has none.
const pointer_source* session_base::objects_of(std::size_t input) const {
  if (base_)
    return input == 0 ? &*base_ : nullptr;
  for (const element_roots& e : elements_)
    if (e.input == input)
      return &roots_[e.root].source;
  return nullptr;
}

/// \param changes_nothing null elements may be found when the section gets there
bool session_base::may_run_in_place(user_loop& code, objects_used used,
                                    bool changes_nothing) const {
  // A guard takes as long as a look at so many elements.
  constexpr std::size_t cheaper_than_guard = 1024;
  const bool tests = section_->nulls == null_elements::passed;
  if (tests ? !code.finds_null : code.starts_with_null())
    return false;
  const bool are_few = used == elements_alone && call_->input().size() <= cheaper_than_guard;
  if (tests) {
    code.may_meet_null = !are_few || code.starts_with_null() || has_null_elements();
    return true;
  }
  if (changes_nothing && code.finds_null && !are_few)
    return true;
  code.may_meet_null = used != elements_alone;
  return !has_null_elements();
}

/// Whether an element that leads to an object is null.
bool session_base::has_null_elements() const {
  for (std::size_t k = 0; k < call_->inputs(); ++k)
    if (const pointer_source* const source = objects_of(k); source != nullptr && has_nulls(*source))
      return true;
  return false;
}

/// What is wrong where a section that runs in place dereferenced null.
void session_base::refuse_null_in_place() const {
  for (std::size_t k = 0; section_->nulls == null_elements::refused && k < call_->inputs(); ++k)
    if (const pointer_source* const source = objects_of(k); source != nullptr) {
      const auto* const pointers = static_cast<const unsigned char*>(source->pointers);
      for (std::size_t i = 0; i < source->count; ++i) {
        std::uintptr_t address = 0;
        std::memcpy(&address, pointers + i * sizeof(void*), sizeof(void*));
        if (address == 0)
          refuse_null("element " + place_text(i) + " of the array");
      }
    }
  fail(error_kind::null_element, *section_, "it dereferenced a null pointer",
       "test for null in the section, or leave null elements out with pselect");
}

/// Calls run(). The plain library tells that a null pointer was dereferenced, but not where the
/// section is.
template <class Run> void session_base::run_in_place(const Run& run, bool may_write) const {
  // So few objects are not worth columns, and the clock would take a tenth of the section's time.
  constexpr std::size_t too_few = 16;
  leave_other_threads(may_write);
  scopes_in_use in_use;
  in_use.begin();
  leave_columns(may_write);
  const bool is_timed = has_resident_scope() && call_->input().size() > too_few;
  const clock::time_point start = is_timed ? clock::now() : clock::time_point();
  try {
    run();
    if (is_timed)
      note_rest(*section_, seconds(clock::now() - start), call_->input().size(), *plan_,
                *(base_ ? *base_ : roots_[elements_.front().root].source).ops);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::null_element)
      throw;
    refuse_null_in_place();
  } catch (const code_failed_at& failed) {
    refuse_outside(" at element " + place_text(failed.element) + " of the array");
  }
}

void session_base::note_work(unsigned operations, std::int64_t ticks, objects_used used) {
  constexpr std::uint64_t of_access = 4; // operations, as loops over columns go
  constexpr std::uint64_t most = std::uint64_t(1) << 20U;
  if (used == elements_alone && operations < most && ticks > 0)
    work_of_element_ =
        std::min<std::uint64_t>(most, static_cast<std::uint64_t>(ticks)) * operations +
        of_access * (1 + section_->columns.size());
}

bool session_base::runs_in_place(const peach_call& call, unsigned operations, objects_used used) {
  note_work(operations, call.ticks(), used);
  user_loop* const code = call.in_place();
  if (code == nullptr || !objects_stay_in_place(operations, call.ticks()) ||
      !may_run_in_place(*code, used, /*changes_nothing=*/false))
    return false;
  // Another file's driver may know all classes: nothing may have changed then.
  if (section_->shared_name != nullptr && used == of_known_classes && omp_get_max_threads() > 1 &&
      !knows_all(*base_))
    return false;
  code->prepare();
  trace_kernel(*section_, call.nodes());
  const auto run = [&] {
    run_all(call, *code, operations, used);
    finish_code(*code);
  };
  run_in_place(run, /*may_write=*/true);
  return true;
}

bool session_base::runs_alone(const peach_call& call, unsigned operations) {
  return runs_alone(call.in_place(), base_->count, call.ticks(), operations);
}

bool session_base::runs_alone(const map_call& call, unsigned operations) {
  return runs_alone(call.in_place(), call.input().size(), 1, operations);
}

bool session_base::runs_alone(user_loop* code, std::size_t count, std::int64_t ticks,
                              unsigned operations) {
  const auto threads = static_cast<unsigned>(omp_get_max_threads());
  if (code == nullptr || device_->is_cuda() || !objects_stay_in_place(operations, ticks) ||
      !may_run_in_place(*code, of_known_classes, /*changes_nothing=*/false))
    return false;
  start_ = clock::now();
  if (!one_thread_pays(*section_, count, ticks, threads, operations)) {
    measures_ = {count, ticks};
    return false;
  }
  code->prepare();
  trace_kernel(*section_, call_->nodes());
  const auto run = [&] {
    const ikra::detail::null_handler kept;
    for (std::int64_t tick = 0; tick < ticks && !code->failure.is_there(); ++tick)
      run_part(*code, {0, count}, tick);
    finish_code(*code);
  };
  run_in_place(run, /*may_write=*/true); // functions of other files, too
  note_one_thread(*section_, count, ticks, seconds(clock::now() - start_));
  return true;
}

/// Before finish() returns: the parts of what this took.
void session_base::note_columns() {
  const clock::time_point end = clock::now();
  note_all_threads(*section_, measures_->count, measures_->ticks,
                   seconds(traced_ - start_) + seconds(end - launched_),
                   seconds(launched_ - traced_));
}

/// Runs all ticks; from an object of an unknown class on, on one core.
void session_base::run_all(const peach_call& call, const user_loop& code, unsigned operations,
                           objects_used used) {
  const input_classes known(*this);
  first_tick first(*section_, base_->count, code, operations,
                   used == of_known_classes ? &known : nullptr,
                   section_writes() ? &*base_ : nullptr);
  const std::vector<part> left = first.run();
  if (!left.empty()) {
    const std::size_t met = first_unknown(*base_, left.front().begin, left.front().end);
    begin_user_code(unknown_class(*section_, base_->ops->dynamic_class(base_->pointers, met)));
  }
  for (const part& each : left)
    run_part(code, each, 0);
  if (call.ticks() == 1)
    return;
  const std::size_t grain = first.grain();
  for (std::int64_t tick = 1; tick < call.ticks() && !code.failure.is_there(); ++tick)
    if (left.empty())
      for_ranges(base_->count, grain,
                 [&](std::size_t begin, std::size_t end) { run_part(code, {begin, end}, tick); });
    else
      run_part(code, {0, base_->count}, tick);
}

bool session_base::runs_in_place(const map_call& call, unsigned operations, objects_used used) {
  note_work(operations, 1, used);
  user_loop* const code = call.in_place();
  if (code == nullptr || !objects_stay_in_place(operations, 1) ||
      !may_run_in_place(*code, used, /*changes_nothing=*/true))
    return false;
  code->prepare();
  bool are_known = false; // else nothing has changed
  const auto run = [&] {
    const input_classes known(*this);
    const class_check* const check = used == of_known_classes ? &known : nullptr;
    are_known = first_tick(*section_, call.input().size(), *code, operations, check).run().empty();
    if (are_known)
      finish_code(*code);
  };
  run_in_place(run, /*may_write=*/false);
  if (are_known)
    trace_kernel(*section_, call.nodes());
  return are_known;
}

} // namespace ikra::rt
