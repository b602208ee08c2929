// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that move elements to other places: views (slice, transpose), concatenation, gather,
// scatter, and histograms, which are scatters of ones. None has a section; all ask the runtime
// first (device_operations.hpp). Relies on commands.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/commands.hpp>
#include <ikra/device_operations.hpp>
#include <ikra/strided.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// What may stand for a place of an array of rank R: its row-major position, or its index.
template <class I, int R>
concept place_in_rank =
    (std::integral<I> && !std::is_same_v<I, bool>) || std::is_same_v<I, index<R>>;

/// \param operation "pgather", say \param element of the places, or of what is counted
[[noreturn]] inline void throw_outside(const char* operation, std::size_t element,
                                       const std::string& place, const std::string& shape) {
  throw error(error_kind::index_outside, text("ikra: ", operation, ": ", place, " at element ",
                                              element, " lies outside of the shape ", shape));
}

/// The row-major position for what stands for a place.
/// \throws error of kind index_outside
template <class I>
std::size_t position_in(const char* operation, const strided& space, const I& place,
                        std::size_t element) {
  if constexpr (std::integral<I>) {
    const auto position = static_cast<std::int64_t>(place); // too large ones become negative
    if (position < 0 || position >= space.volume())
      throw_outside(operation, element, text(place), shape_text(space));
    return static_cast<std::size_t>(position);
  } else {
    const auto shape = shape_of<I::rank()>(space);
    if (!is_inside(shape, place))
      throw_outside(operation, element, to_string(place), to_string(shape));
    return static_cast<std::size_t>(position(shape, place));
  }
}

/// The elements of the input at the places of a map: slice and transpose. Commands and the runtime
/// may read source() at map() instead of computing it.
template <class T> class view_command final : public input_command<T, T> {
public:
  view_command(const strided& map, std::shared_ptr<command<T>> input)
      : input_command<T, T>(std::move(input)), map_(map) {}

  const strided& map() const { return map_; }
  bool may_run_apart() const override { return true; }

  void compute() override {
    buffer<T>& in = this->template input<0>();
    check_bounds(in.size());
    if (done_elsewhere([this](device_operations& d, const any_buffer& i,
                              any_buffer& o) { return d.view(i, map_, o); },
                       in, this->result_))
      return;
    const auto size = static_cast<std::size_t>(map_.volume());
    if (map_.is_contiguous()) {
      this->result_ = in.part(static_cast<std::size_t>(map_.offset), size);
      return;
    }
    const T* data = in.data();
    room<T> out(size);
    map_.for_each_position([&](std::int64_t position) { out.emplace_back(data[position]); });
    this->result_ = buffer<T>(std::move(out));
  }

private:
  // Only after pselect was the size not known when the view was made; it has one dimension then.
  void check_bounds(std::size_t size) const {
    if (map_.rank != 1 || map_.shape[0] == 0)
      return;
    const std::int64_t last = map_.offset + (map_.shape[0] - 1) * map_.strides[0];
    const std::int64_t greatest = last < map_.offset ? map_.offset : last;
    if (static_cast<std::uint64_t>(greatest) >= size)
      throw error(error_kind::index_outside, text("ikra: slice reads position ", greatest,
                                                  " of an array of ", size, " elements"));
  }

  strided map_;
};

/// The elements of several inputs, one after the other.
template <class T> class concatenate_command final : public command<T> {
public:
  explicit concatenate_command(std::vector<std::shared_ptr<command<T>>> inputs)
      : inputs_(std::move(inputs)) {}

  const std::vector<std::shared_ptr<command<T>>>& sources() const { return inputs_; }
  bool may_run_apart() const override { return true; }

  void collect_pending(std::vector<command_base*>& out) override {
    for (const auto& input : inputs_)
      if (!input->computed())
        out.push_back(input.get());
  }
  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    for (auto& input : inputs_)
      out.push_back(std::move(input));
    inputs_.clear();
  }

  void compute() override {
    if (in_one_go())
      return;
    std::size_t size = 0;
    for (const auto& input : inputs_)
      size += input->result().size();
    room<T> out(size);
    for (const auto& input : inputs_) {
      const T* data = input->result().data();
      for (std::size_t i = 0; i < input->result().size(); ++i)
        out.emplace_back(data[i]);
    }
    this->result_ = buffer<T>(std::move(out));
  }

private:
  bool in_one_go() {
    if constexpr (copied_as_bytes<T>) {
      if (operations != nullptr) {
        std::vector<std::unique_ptr<erased<T>>> buffers;
        std::vector<const any_buffer*> pointers;
        for (const auto& input : inputs_) {
          buffers.push_back(std::make_unique<erased<T>>(input->result()));
          pointers.push_back(buffers.back().get());
        }
        erased<T> out(this->result_);
        return operations->concatenate(pointers.data(), pointers.size(), out);
      }
    }
    return false;
  }

  std::vector<std::shared_ptr<command<T>>> inputs_;
};

/// out[i] = in[places[i]].
template <class T, class I, int R> class gather_command final : public input_command<T, T, I> {
public:
  /// \param shape of the array that is read
  gather_command(const index<R>& shape, std::shared_ptr<command<T>> input,
                 std::shared_ptr<command<I>> places)
      : input_command<T, T, I>(std::move(input), std::move(places)), shape_(shape) {}

  bool may_run_apart() const override { return true; }
  void compute() override {
    buffer<T>& in = this->template input<0>();
    buffer<I>& places = this->template input<1>();
    if (!is_known(shape_))
      shape_[0] = static_cast<std::int64_t>(in.size());
    const strided space = whole(shape_);
    if (done_elsewhere([&space](device_operations& d, const any_buffer& i, const any_buffer& p,
                                any_buffer& o) { return d.gather(i, space, p, o); },
                       in, places, this->result_))
      return;
    const I* place = places.data();
    const T* data = in.data();
    room<T> out(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      out.emplace_back(data[position_in("pgather", space, place[i], i)]);
    this->result_ = buffer<T>(std::move(out));
  }

private:
  index<R> shape_;
};

/// out[places[i]] = in[i], the last one winning; init elsewhere.
template <class T, class I, int R> class scatter_command final : public input_command<T, T, I> {
public:
  /// \param shape of the result
  scatter_command(const index<R>& shape, T init, std::shared_ptr<command<T>> input,
                  std::shared_ptr<command<I>> places)
      : input_command<T, T, I>(std::move(input), std::move(places)), shape_(shape),
        init_(std::move(init)) {}

  bool may_run_apart() const override { return true; }
  void compute() override {
    buffer<T>& in = this->template input<0>();
    buffer<I>& places = this->template input<1>();
    check_same_size("pscatter", in.size(), places.size());
    const strided space = whole(shape_);
    if (done_elsewhere([this, &space](device_operations& d, const any_buffer& i,
                                      const any_buffer& p,
                                      any_buffer& o) { return d.scatter(i, space, p, &init_, o); },
                       in, places, this->result_))
      return;
    const I* place = places.data();
    const T* data = in.data();
    room<T> out(static_cast<std::size_t>(space.volume()));
    for (std::int64_t i = 0; i < space.volume(); ++i)
      out.emplace_back(init_);
    for (std::size_t i = 0; i < in.size(); ++i)
      out.data()[position_in("pscatter", space, place[i], i)] = data[i];
    this->result_ = buffer<T>(std::move(out));
  }

private:
  index<R> shape_;
  T init_;
};

/// How often each of the integers 0 … bins - 1 occurs.
template <class I> class histogram_command final : public input_command<std::int64_t, I> {
public:
  histogram_command(std::int64_t bins, std::shared_ptr<command<I>> input)
      : input_command<std::int64_t, I>(std::move(input)), bins_(bins) {}

  bool may_run_apart() const override { return true; }
  void compute() override {
    buffer<I>& in = this->template input<0>();
    if (done_elsewhere([this](device_operations& d, const any_buffer& i,
                              any_buffer& o) { return d.histogram(i, bins_, o); },
                       in, this->result_))
      return;
    const strided space = whole(index<1>(bins_));
    const I* data = in.data();
    room<std::int64_t> out(static_cast<std::size_t>(bins_));
    for (std::int64_t b = 0; b < bins_; ++b)
      out.emplace_back(0);
    for (std::size_t i = 0; i < in.size(); ++i)
      ++out.data()[position_in("phistogram", space, number(data[i]), i)];
    this->result_ = buffer<std::int64_t>(std::move(out));
  }

private:
  static auto number(I bin) {
    if constexpr (std::is_enum_v<I>)
      return +static_cast<std::underlying_type_t<I>>(bin); // of a bool a number, too
    else
      return bin;
  }

  std::int64_t bins_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
