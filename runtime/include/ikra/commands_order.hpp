// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands in which the order of elements counts: scans, sorts, reductions along an axis, by key
// and by index. All loops are sequential. Those without a section ask the runtime first
// (device_operations.hpp). Relies on commands.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/commands.hpp>
#include <ikra/device_operations.hpp>
#include <ikra/gather_scatter.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace ikra::detail {

/// Combines neighbours as preduce does: both operands converted to the result's type before.
template <class Out, class F, class A, class B>
Out combined(const F& f, const A& left, const B& right) {
  return static_cast<Out>(std::invoke(f, static_cast<Out>(left), static_cast<Out>(right)));
}

/// All prefixes combined: out[i] ends with element i or, if exclusive, with the one before it.
template <class Out, class F, class In>
class scan_command final : public section_command<Out, F, In> {
public:
  /// \param init what comes before all elements; there is one if exclusive
  scan_command(std::optional<Out> init, bool exclusive, F f, std::shared_ptr<command<In>> input)
      : section_command<Out, F, In>(std::move(f), std::move(input)), init_(std::move(init)),
        exclusive_(exclusive) {}

  void compute() override {
    const std::size_t size = this->template input<0>().size();
    const In* data = this->template input<0>().data();
    room<Out> out(size);
    run_plain_section<In>(exclusive_ ? "pscan_exclusive" : "pscan", [&](loop_position& position) {
      for (std::size_t i = 0; i < size; ++i) {
        if constexpr (section_command<Out, F, In>::has_pointers)
          position.set(static_cast<std::int64_t>(i));
        const Out* before = i > 0 ? out.data() + (i - 1) : nullptr;
        if (exclusive_)
          out.emplace_back(before ? combined<Out>(this->section(), *before, data[i - 1]) : *init_);
        else if (before || init_)
          out.emplace_back(combined<Out>(this->section(), before ? *before : *init_, data[i]));
        else
          out.emplace_back(static_cast<Out>(data[i]));
      }
    });
    this->result_ = buffer<Out>(std::move(out));
  }

private:
  std::optional<Out> init_;
  bool exclusive_;
};

/// The order of psort() and of psort_by's keys: <, not-a-numbers after everything.
struct ascending {
  template <class T> bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a < b || (is_number(a) && !is_number(b));
    else
      return static_cast<bool>(a < b);
  }

private:
  template <class T> static bool is_number(T x) { return x <= std::numeric_limits<T>::infinity(); }
};

/// A copy of `size` elements.
template <class T> room<T> copied(const T* data, std::size_t size) {
  room<T> out(size);
  for (std::size_t i = 0; i < size; ++i)
    out.emplace_back(data[i]);
  return out;
}

/// Sorts from the bottom up, by merging neighbouring runs; equal elements keep their order. Needs
/// no memory of its own, so that a section may be left in the middle (null_guard.hpp).
/// \param elements what is sorted \param spare as many of any value
/// \return which of the two has the result
template <class T, class Before>
T* merge_sort(T* elements, T* spare, std::size_t size, const Before& before) {
  for (std::size_t width = 1; width < size; width *= 2) {
    for (std::size_t first = 0; first < size;) {
      std::size_t left = first;
      const std::size_t middle = width < size - first ? first + width : size;
      std::size_t right = middle;
      const std::size_t last = width < size - middle ? middle + width : size;
      for (; first < last; ++first) {
        const bool take_right =
            left == middle || (right < last && before(elements[right], elements[left]));
        spare[first] = elements[take_right ? right++ : left++];
      }
    }
    std::swap(elements, spare);
  }
  return elements;
}

/// psort() and, with another order, psort(before).
template <class T, class Before> class sort_command final : public section_command<T, Before, T> {
public:
  using section_command<T, Before, T>::section_command;

  bool may_run_apart() const override { return std::is_same_v<Before, ascending>; }
  void compute() override {
    buffer<T>& in = this->template input<0>();
    if constexpr (std::is_same_v<Before, ascending>)
      if (done_elsewhere(
              [](device_operations& d, const any_buffer& i, any_buffer& o) { return d.sort(i, o); },
              in, this->result_))
        return;
    room<T> elements = copied(in.data(), in.size());
    room<T> spare = copied(in.data(), in.size());
    const T* sorted = nullptr;
    run_plain_section<T>("psort", [&](loop_position&) {
      sorted = merge_sort(elements.data(), spare.data(), in.size(), [this](const T& a, const T& b) {
        return static_cast<bool>(std::invoke(this->section(), a, b));
      });
    });
    this->result_ = buffer<T>(std::move(sorted == spare.data() ? spare : elements));
  }
};

/// psort_by: elements in the order of their keys.
template <class T, class Key> class sort_by_command final : public input_command<T, Key, T> {
public:
  using input_command<T, Key, T>::input_command;

  bool may_run_apart() const override { return true; }
  void compute() override {
    buffer<Key>& keys = this->template input<0>();
    buffer<T>& in = this->template input<1>();
    if (done_elsewhere([](device_operations& d, const any_buffer& k, const any_buffer& i,
                          any_buffer& o) { return d.sort_by(k, i, o); },
                       keys, in, this->result_))
      return;
    const Key* key = keys.data();
    const T* data = in.data();
    room<std::size_t> positions(in.size());
    room<std::size_t> spare(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      positions.emplace_back(i);
      spare.emplace_back(i);
    }
    const std::size_t* sorted =
        merge_sort(positions.data(), spare.data(), in.size(),
                   [key](std::size_t a, std::size_t b) { return ascending()(key[a], key[b]); });
    room<T> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      out.emplace_back(data[sorted[i]]);
    this->result_ = buffer<T>(std::move(out));
  }
};

/// The keys of runs, if the results of the runs are computed first: one pass finds both. The two
/// commands may be computed by two threads.
template <class Key> class found_keys {
public:
  void put(buffer<Key> keys) {
    const std::lock_guard<std::mutex> lock(mutex_);
    keys_.emplace(std::move(keys));
  }
  std::optional<buffer<Key>> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(keys_, std::nullopt);
  }

private:
  std::mutex mutex_;
  std::optional<buffer<Key>> keys_;
};

/// The first of each run of equal neighbours: preduce_by_key's keys.
template <class Key> class first_of_runs_command final : public input_command<Key, Key> {
public:
  /// \param found where they are put if they are known before; null for never
  explicit first_of_runs_command(std::shared_ptr<command<Key>> keys,
                                 std::shared_ptr<found_keys<Key>> found = nullptr)
      : input_command<Key, Key>(std::move(keys)), found_(std::move(found)) {}

  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    found_.reset();
    input_command<Key, Key>::release_inputs(out);
  }
  bool may_run_apart() const override { return true; }

  void compute() override {
    if (found_)
      if (std::optional<buffer<Key>> found = found_->take()) {
        this->result_ = std::move(*found);
        return;
      }
    buffer<Key>& keys = this->template input<0>();
    if (done_elsewhere([](device_operations& d, const any_buffer& i,
                          any_buffer& o) { return d.first_of_runs(i, o); },
                       keys, this->result_))
      return;
    const Key* key = keys.data();
    const auto begins = [key](std::size_t i) { return i == 0 || !(key[i] == key[i - 1]); };
    std::size_t runs = 0;
    for (std::size_t i = 0; i < keys.size(); ++i)
      runs += begins(i) ? 1U : 0U;
    room<Key> out(runs);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (begins(i))
        out.emplace_back(key[i]);
    this->result_ = buffer<Key>(std::move(out));
  }

private:
  std::shared_ptr<found_keys<Key>> found_;
};

/// The elements of each run of equal neighbouring keys combined.
template <class T, class F, class Key>
class reduce_by_key_command final : public section_command<T, F, Key, T> {
public:
  using section_command<T, F, Key, T>::section_command;

  void compute() override {
    const std::size_t size = this->template input<1>().size();
    check_same_size("preduce_by_key", size, this->template input<0>().size());
    const Key* key = this->template input<0>().data();
    const T* data = this->template input<1>().data();
    room<T> sums(size); // at most one run for each element
    run_plain_section<T>("preduce_by_key", [&](loop_position& position) {
      for (std::size_t i = 0; i < size; ++i) {
        if constexpr (std::is_pointer_v<T>)
          position.set(static_cast<std::int64_t>(i));
        if (i == 0 || !(key[i] == key[i - 1])) {
          sums.emplace_back(data[i]);
        } else {
          T& sum = sums.data()[sums.size() - 1];
          sum = combined<T>(this->section(), sum, data[i]);
        }
      }
    });
    this->result_ = buffer<T>(copied(sums.data(), sums.size()));
  }
};

/// For each of the keys 0 … bins - 1 a first value and, after it, the elements that have the key,
/// combined in their order.
template <class Out, class F, class In, class Key>
class reduce_by_index_command final : public section_command<Out, F, Key, In> {
public:
  reduce_by_index_command(std::int64_t bins, Out init, F f, std::shared_ptr<command<Key>> keys,
                          std::shared_ptr<command<In>> input)
      : section_command<Out, F, Key, In>(std::move(f), std::move(keys), std::move(input)),
        bins_(bins), init_(std::move(init)) {}

  void compute() override {
    const std::size_t size = this->template input<1>().size();
    check_same_size("reduce_by_index", size, this->template input<0>().size());
    const strided space = whole(index<1>(bins_));
    const Key* key = this->template input<0>().data();
    const In* data = this->template input<1>().data();
    room<Out> out(static_cast<std::size_t>(bins_));
    for (std::int64_t b = 0; b < bins_; ++b)
      out.emplace_back(init_);
    run_plain_section<In>("reduce_by_index", [&](loop_position& position) {
      for (std::size_t i = 0; i < size; ++i) {
        if constexpr (std::is_pointer_v<In>)
          position.set(static_cast<std::int64_t>(i));
        Out& all = out.data()[position_in("reduce_by_index", space, key[i], i)];
        all = combined<Out>(this->section(), all, data[i]);
      }
    });
    this->result_ = buffer<Out>(std::move(out));
  }

private:
  std::int64_t bins_;
  Out init_;
};

/// The elements along one dimension combined, for every place of the others.
template <int R, class Out, class F, class In>
class reduce_axis_command final : public section_command<Out, F, In> {
public:
  reduce_axis_command(const index<R>& shape, int axis, std::optional<Out> init, F f,
                      std::shared_ptr<command<In>> input)
      : section_command<Out, F, In>(std::move(f), std::move(input)), shape_(shape), axis_(axis),
        init_(std::move(init)) {}

  void compute() override {
    const std::int64_t length = shape_[axis_];
    std::int64_t outer = 1;
    std::int64_t inner = 1; // places after the axis: the distance of neighbours along it
    for (int d = 0; d < R; ++d)
      if (d != axis_)
        (d < axis_ ? outer : inner) *= shape_[d];
    if (!init_ && outer * inner != 0)
      check_not_empty(static_cast<std::size_t>(length), "preduce_axis");
    const In* data = this->template input<0>().data();
    room<Out> out(static_cast<std::size_t>(outer * inner));
    run_plain_section<In>("preduce_axis", [&](loop_position& position) {
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) {
          const std::int64_t first = o * length * inner + i;
          Out result = init_ ? *init_ : static_cast<Out>(data[first]);
          for (std::int64_t k = init_ ? 0 : 1; k < length; ++k) {
            if constexpr (section_command<Out, F, In>::has_pointers)
              position.set(first + k * inner);
            result = combined<Out>(this->section(), result, data[first + k * inner]);
          }
          out.emplace_back(std::move(result));
        }
    });
    this->result_ = buffer<Out>(std::move(out));
  }

private:
  index<R> shape_;
  int axis_;
  std::optional<Out> init_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
