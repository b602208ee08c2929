// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the columns of a resident scope pay, on all cores: what its sections take on the objects
// as they are, and in columns. docs/runtime.md#rest has the rules.
#pragma once

#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/objects/layout.hpp>
#include <ikra/generated/objects/object_graph.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace ikra::rt {

/// How many threads share work on so many objects.
double sharing(std::size_t elements);

/// About what it takes to trace an object and to fill its columns, in seconds of a core. Of classes
/// that an array may have, it is the dearest one's.
double cost_of_columns(const layout& plan, const reference_ops& ops);

/// Of sections that run on the objects of a scope as they are: whether columns would have saved
/// more than they cost. What was long ago counts less. A section counts with the lesser of its last
/// two times, and not too much: other programs may have held it up.
class time_in_place {
public:
  /// \param worth seconds to trace objects and fill columns
  /// \param share of what is not a loop's own time, which columns save
  void add(const section_info& section, double seconds, std::size_t elements, double worth,
           double share);
  void clear() { *this = {}; }
  bool is_less_than_columns() const;
  /// Seconds that a section takes for an element where nothing holds it up, if that is known.
  std::optional<double> of_element(const section_info& section) const;

private:
  struct last_time {
    const section_info* section = nullptr;
    double each = 0;  ///< seconds for an element
    double least = 0; ///< of several times
  };
  std::array<last_time, 8> last_;
  std::size_t next_ = 0;
  double seconds_ = 0; ///< beside what a section costs in columns
  double saved_ = 0;   ///< of these, that columns may save at most
  double worth_ = 0;
};

/// Of sections that run in a scope's columns: whether these take longer than the objects as they
/// are, with what the host's calls of the scope take for them.
class time_in_columns {
public:
  using clock = std::chrono::steady_clock;

  /// \param seconds in columns \param as_they_are seconds for the same on the objects as they are,
  /// if that is known: else these sections have columns from now on. One section counts with a few
  /// times that at most: other programs may have held it up.
  /// \param traced seconds of the section may be for a trace, which once took so long
  void add(double seconds, std::optional<double> as_they_are, double traced = 0);
  void add_call(double seconds) { lost_ += seconds; }
  /// \param worth seconds to trace objects and fill columns anew
  bool is_lost(double worth) const { return is_known_ && lost_ > patience_ * worth; }
  /// The scope rests.
  void leave();
  /// How much longer it rests than at first, and has columns.
  double patience() const { return patience_; }

private:
  double lost_ = 0; ///< seconds
  double patience_ = 1;
  bool is_known_ = true;
};

/// Adds the time until its end, where the calls of a scope count. Of frequent calls, one of
/// `every` is timed for all.
class timed_call {
public:
  timed_call(time_in_columns& to, bool counts, unsigned every = 1)
      : to_(counts ? &to : nullptr), every_(every),
        start_(counts ? clock::now() : clock::time_point()) {}
  timed_call(const timed_call&) = delete;
  timed_call& operator=(const timed_call&) = delete;
  ~timed_call() {
    if (to_ != nullptr)
      to_->add_call(every_ * std::chrono::duration<double>(clock::now() - start_).count());
  }

private:
  using clock = time_in_columns::clock;
  time_in_columns* to_;
  unsigned every_;
  clock::time_point start_;
};

} // namespace ikra::rt
