// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functor that stands where the user wrote a lambda. The plain library's operations call its
// hooks (ikra/section.hpp), which make the commands of section_values.hpp.
#pragma once

#include <ikra/array.hpp>
#include <ikra/command.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/language/named.hpp>
#include <ikra/generated/sections/section_values.hpp>
#include <ikra/generated/sections/shared_section.hpp>
#include <ikra/generated/sections/sort_in_place.hpp>
#include <ikra/index.hpp>
#include <ikra/operators.hpp>
#include <ikra/section.hpp>
#include <ikra/window.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra {

/// Stands in a section's signature for a type that is not public where the section stands.
struct any_value {
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, any_value>)
  any_value(T&& value); ///< never called
};

/// The signature of a section in a template: that of the user's function object, whose types depend
/// on the template's arguments.
template <class Function> struct signature_of;

/// A value that is an argument of a template, where its instantiations are told apart.
template <auto Value> struct constant;

/// The code of a section as the user wrote it, made only where it is needed: peach runs at once.
template <class Make> struct later {
  Make make;
};

/// The same of a lazy operation, as a function of what the section captured: the code refers to the
/// section's copies, which may be large, and has none of its own.
template <class Make> struct over_captures {
  Make make;
};
template <class Make> over_captures(Make) -> over_captures<Make>;

/// A container that peach captures by reference: taken only where a driver asks for it. A peach
/// that runs on objects as they are never does, and copies nothing.
template <class Make> struct late {
  Make make;
};
template <class Make> late(Make) -> late<Make>;

/// A section's signature, and its code as the user wrote it: for objects whose class its driver
/// does not know (shared_section.hpp).
template <class Signature, class Code> struct with_code;

namespace detail {

/// What a section can be called with. Never called: from here the library deduces the type of the
/// results.
template <class Signature> struct section_signature;
template <class R, class... Args> struct section_signature<R(Args...)> {
  R operator()(Args...) const;
};
/// Over objects, of a text in a template: the elements are pointers to what the section takes.
template <class R, class T, class... Rest>
  requires std::is_class_v<T>
struct section_signature<R(T&, Rest...)> {
  R operator()(T&, Rest...) const;
  R operator()(T*, Rest...) const;
};
template <class Function> struct section_signature<signature_of<Function>> {
  template <class... Args>
  auto operator()(Args&&...) const
      -> decltype(std::declval<const Function&>()(std::declval<Args>()...));
  /// Over objects, of what takes no pointers.
  template <class T, class... Rest>
    requires(!std::is_invocable_v<const Function&, T*, Rest...>)
  auto operator()(T* object, Rest&&...) const
      -> decltype(std::declval<const Function&>()(*object, std::declval<Rest>()...));
};
template <class Function>
  requires std::is_member_pointer_v<Function>
struct section_signature<signature_of<Function>> {
  template <class... Args>
  auto operator()(Args&&...) const -> std::invoke_result_t<const Function&, Args...>;
};

/// What a section holds beside its captures: the user's code, or nothing.
template <class Signature> struct section_base_of : section_signature<Signature> {};
template <class Signature, class Code>
struct section_base_of<with_code<Signature, Code>> : section_signature<Signature> {
  explicit section_base_of(Code code) : code_(std::move(code)) {}

protected:
  /// For as long as the section is there.
  template <class Captures> auto code_with(const Captures&) const { return std::cref(code_); }

private:
  Code code_;
};
template <class Signature, class Make>
struct section_base_of<with_code<Signature, later<Make>>> : section_signature<Signature> {
  explicit section_base_of(later<Make> code) : code_(std::move(code)) {}

protected:
  template <class Captures> auto code_with(const Captures&) const { return code_.make(); }

private:
  later<Make> code_;
};
template <class Signature, class Make>
struct section_base_of<with_code<Signature, over_captures<Make>>> : section_signature<Signature> {
  explicit section_base_of(over_captures<Make> code) : code_(std::move(code)) {}

protected:
  template <class Captures> auto code_with(const Captures& captures) const {
    return captures.given_to(code_.make);
  }

private:
  over_captures<Make> code_;
};

template <class Signature> inline constexpr bool keeps_code = false;
template <class Signature, class Code>
inline constexpr bool keeps_code<with_code<Signature, Code>> = true;

/// What a section captured, one after the other. Less to compile than std::tuple.
template <std::size_t K, class T> struct captured_value {
  T value;
  const void* address() const { return std::addressof(value); }
};
/// What the program's text names is where it is; what it makes is kept.
template <std::size_t K, class Make> struct captured_value<K, late<Make>> {
  using given = std::invoke_result_t<const Make&>;
  late<Make> value;
  mutable std::optional<std::remove_cvref_t<given>> made = std::nullopt;

  const void* address() const {
    if constexpr (std::is_lvalue_reference_v<given>) {
      return std::addressof(value.make());
    } else {
      if (!made)
        made.emplace(value.make());
      return std::addressof(*made);
    }
  }
};
template <class Numbers, class... T> struct captured_values;
template <std::size_t... K, class... T>
struct captured_values<std::index_sequence<K...>, T...> : captured_value<K, T>... {
  const void* address([[maybe_unused]] std::size_t k) const {
    const void* found = nullptr;
    ((k == K ? void(found = static_cast<const captured_value<K, T>&>(*this).address()) : void()),
     ...);
    return found;
  }
  template <class F> auto given_to(const F& f) const {
    return f(static_cast<const captured_value<K, T>&>(*this).value...);
  }
};

/// The function object that a section's code is, or makes. \tparam Captures what the section holds
template <class Code, class... Captures> struct made_code {
  using type = Code;
};
template <class Make, class... Captures> struct made_code<later<Make>, Captures...> {
  using type = std::invoke_result_t<const Make&>;
};
template <class Make, class... Captures> struct made_code<over_captures<Make>, Captures...> {
  using type = std::invoke_result_t<const Make&, const Captures&...>;
};

/// \tparam Of the function object's class, or a base that its operator is of: that of a named
/// lambda
template <class Function, class Of, class R, class... Args>
std::type_identity<R(Args...)> signature_of_call(R (Of::*)(Args...) const);
template <class Function, class Of, class R, class... Args>
std::type_identity<R(Args...)> signature_of_call(R (Of::*)(Args...) const noexcept);
/// Whether a call may leave out the last argument, for which the function has a default.
template <class Function, class R, class... Args>
constexpr bool has_defaults(std::type_identity<R(Args...)>) {
  if constexpr (sizeof...(Args) == 0) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      using given = std::tuple<Args...>;
      return std::is_invocable_v<const Function&, std::tuple_element_t<I, given>...>;
    }(std::make_index_sequence<sizeof...(Args) - 1>());
  }
}

/// The signature of a function object with one call operator, in the types of its text; else, and
/// where arguments have defaults, which no type tells, that of the object. nvcc names an array's
/// elements in kernels by the first name that it meets, which may go through the signature, and
/// cannot name a closure.
template <class Function> struct call_signature {
  using type = signature_of<Function>;
};
template <class Function>
  requires(!has_defaults<Function>(
      decltype(detail::signature_of_call<Function>(&Function::operator())){}))
struct call_signature<Function> {
  using type = typename decltype(detail::signature_of_call<Function>(&Function::operator()))::type;
};

} // namespace detail

/// A parallel section compiled by ikrac: what emitted code hands to operations in place of the
/// user's lambda.
template <class Tag, class Signature, class... Captures>
class section final : public section_base, public detail::section_base_of<Signature> {
public:
  using ikra_section_tag = Tag;

  explicit section(detail::section_base_of<Signature> code, Captures... captures)
      : section_base(key_of<Tag>, &find), detail::section_base_of<Signature>(std::move(code)),
        captures_{{std::move(captures)}...} {}

  /// The code as the user wrote it. It may refer to the section.
  auto user_code() const
    requires detail::keeps_code<Signature>
  {
    return this->code_with(captures_);
  }

  /// pmap's hook. \param input its command; \param shape of the array.
  template <class T, int Rank, class WithIndex>
  static auto make_map(section f, std::shared_ptr<detail::command<T>> input,
                       const index<Rank>& shape, WithIndex with_index) {
    using out =
        typename decltype(detail::section_result<WithIndex::value, Rank, section, T>())::type;
    return make_map_of<out>(std::move(f), std::move(input), shape, with_index);
  }

  /// The hook of a predicate's pmap: its results are bools, whatever the user's function gives.
  template <class T, int Rank>
  static auto make_truths(section f, std::shared_ptr<detail::command<T>> input,
                          const index<Rank>& shape) {
    return make_map_of<bool>(std::move(f), std::move(input), shape, std::false_type{});
  }

  /// pcombine's hook. \param inputs commands of all its arrays; \param shape of all of them.
  template <int Rank, class WithIndex, class... T>
  static auto make_combine(section f, const index<Rank>& shape, WithIndex,
                           std::shared_ptr<detail::command<T>>... inputs) {
    using out =
        typename decltype(detail::section_result<WithIndex::value, Rank, section, T...>())::type;
    auto node = detail::make_driven<out>(
        type_of<Tag>, operation{operation::elementwise, "pcombine"}.on(shape).parted(), {},
        std::move(inputs)...);
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_elementwise<section, WithIndex::value, out, Rank, T...>);
    if constexpr (detail::has_user_code<section> && (std::is_pointer_v<T> || ...))
      node->set_code_in_place(
          &detail::make_map_in_place<section, WithIndex::value, out, Rank, T...>);
    return complete<out, WithIndex::value>(std::move(node), f);
  }

  /// pnew's hook.
  template <int Rank> static auto make_new(section f, const index<Rank>& shape) {
    using out = typename decltype(detail::section_result<true, Rank, section>())::type;
    auto node = detail::make_driven<out>(
        type_of<Tag>, operation{operation::elementwise, "pnew"}.on(shape).parted());
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_elementwise<section, true, out, Rank>);
    return complete<out>(std::move(node), f);
  }

  /// pstencil's hook. \param outside a value of the result's type, or the border's type.
  template <int Rank, class WithIndex, class Outside, class T>
  static auto make_stencil(section f, std::vector<index<Rank>> neighbourhood, Outside outside,
                           const index<Rank>& shape, WithIndex,
                           std::shared_ptr<detail::command<T>> input) {
    using out = typename decltype(detail::section_result<WithIndex::value, Rank, section,
                                                         const window<T, Rank>&>())::type;
    std::optional<out> value;
    if constexpr (std::is_same_v<Outside, out>)
      value.emplace(std::move(outside));
    auto node = detail::make_driven<out>(type_of<Tag>, operation{operation::stencil}.on(shape),
                                         std::move(value), std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(
          &detail::user_stencil<section, WithIndex::value, out, Outside, Rank, T>,
          std::make_shared<const std::vector<index<Rank>>>(std::move(neighbourhood)));
    return complete<out, WithIndex::value>(std::move(node), f);
  }

  /// The hook of preduce(f).
  template <class T> static auto make_reduce(section f, std::shared_ptr<detail::command<T>> input) {
    return make_reduction<T>(f, std::nullopt, std::move(input));
  }

  /// The hook of preduce(init, f). \param init converted to the type of the result.
  template <class Out, class T>
  static auto make_reduce_from(section f, Out init, std::shared_ptr<detail::command<T>> input) {
    return make_reduction<Out>(f, std::move(init), std::move(input));
  }

  /// pselect's hook. \param shape of the input.
  template <int Rank, class WithIndex, class T>
  static auto make_select(section f, const index<Rank>& shape, WithIndex,
                          std::shared_ptr<detail::command<T>> input) {
    auto node = detail::make_driven<T>(
        type_of<Tag>, operation{operation::select}.on(shape).parted(), {}, std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_select<section, WithIndex::value, T, Rank>);
    if constexpr (detail::has_user_code<section> && std::is_pointer_v<T>)
      node->set_code_in_place(&detail::make_select_in_place<section, WithIndex::value, T, Rank>);
    return complete<T>(std::move(node), f);
  }

  /// The hook of pscan(f).
  template <class T> static auto make_scan(section f, std::shared_ptr<detail::command<T>> input) {
    return make_prefixes<T>(f, std::nullopt, false, std::move(input));
  }

  /// The hook of pscan(init, f) and pscan_exclusive. \param init converted to the type of the
  /// result.
  template <class Out, class T>
  static auto make_scan_from(section f, Out init, std::shared_ptr<detail::command<T>> input,
                             bool exclusive) {
    return make_prefixes<Out>(f, std::move(init), exclusive, std::move(input));
  }

  /// psort's hook.
  template <class T> static auto make_sort(section f, std::shared_ptr<detail::command<T>> input) {
    auto node = detail::make_driven<T>(type_of<Tag>, {operation::sort}, {}, std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_sort<section, T>);
    if constexpr (detail::has_user_code<section> && std::is_pointer_v<T>)
      node->set_code_in_place(&detail::make_sort_in_place<section, T>);
    return complete<T>(std::move(node), f);
  }

  /// The hook of preduce_by_key's results. \param keys one for each element. \param found where the
  /// keys of the runs go, if anybody still waits for them
  template <class Key, class T>
  static auto make_reduce_by_key(section f, std::shared_ptr<detail::command<Key>> keys,
                                 std::shared_ptr<detail::command<T>> input,
                                 std::shared_ptr<detail::found_keys<Key>> found) {
    auto node = detail::make_driven<T>(type_of<Tag>, {operation::reduce_by_key}, {},
                                       std::move(keys), std::move(input));
    node->set_keys(std::make_unique<detail::found_key_receiver<Key>>(std::move(found)));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_reduce_by_key<section, T, Key>);
    return complete<T>(std::move(node), f);
  }

  /// reduce_by_index's hook. \param init converted to the type of the result \param keys one for
  /// each element \param bins number of keys
  template <class Out, class Key, class T>
  static auto make_reduce_by_index(section f, Out init, std::shared_ptr<detail::command<Key>> keys,
                                   std::shared_ptr<detail::command<T>> input, std::int64_t bins) {
    operation what{operation::reduce_by_index};
    what.bins = bins;
    what.in_parts = true;
    auto node = detail::make_driven<Out>(type_of<Tag>, what, std::move(init), std::move(keys),
                                         std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_reduce_by_index<section, Out, T, Key>);
    return complete<Out>(std::move(node), f);
  }

  /// preduce_axis's hook. \param shape of the input \param axis dimension along which it combines.
  template <class Out, class T, int Rank>
  static auto make_reduce_axis(section f, std::optional<Out> init,
                               std::shared_ptr<detail::command<T>> input, const index<Rank>& shape,
                               int axis) {
    operation what{operation::reduce_axis};
    what.axis = axis;
    auto node = detail::make_driven<Out>(type_of<Tag>, std::move(what).on(shape), std::move(init),
                                         std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_reduce_axis<section, Out, Rank, T>);
    return complete<Out>(std::move(node), f);
  }

  /// peach's hook: runs at once. \param ticks number of times; <= 0: nothing happens.
  /// \tparam Ticks std::int64_t, or one_tick
  template <class T, int Rank, class Ticks, class WithIndex>
  static void peach(const section& f, const std::shared_ptr<detail::command<T>>& input,
                    const index<Rank>& shape, Ticks ticks, WithIndex) {
    constexpr bool with_ticks = !std::is_same_v<Ticks, detail::one_tick>;
    if (ticks <= 0)
      return;
    detail::evaluate(*input);
    std::array<std::int64_t, Rank> extents{};
    for (int d = 0; d < Rank; ++d)
      extents[static_cast<std::size_t>(d)] = shape[d];
    const section_base* const sections[] = {&f};
    const detail::erased_input inputs[] = {detail::erased_input(input->result())};
    peach_call call(sections, inputs, extents, ticks);
    if constexpr (Rank == 1)
      extents[0] = static_cast<std::int64_t>(input->result().size());
    if constexpr (detail::has_user_code<section>) {
      detail::user_peach<section, WithIndex::value, with_ticks, T, Rank> code(f, *input, shape);
      if constexpr (std::is_pointer_v<T>)
        call.set_in_place(code);
      try {
        rt::run_section_code<Tag>(call);
        return;
      } catch (const rt::unknown_class& met) {
        rt::begin_user_code(met);
      }
      const auto elements = detail::array_access::make<T, Rank>(shape, input);
      if constexpr (WithIndex::value && with_ticks)
        elements.with_index().peach(ticks, f.user_code());
      else if constexpr (WithIndex::value)
        elements.with_index().peach(f.user_code());
      else if constexpr (with_ticks)
        elements.peach(ticks, f.user_code());
      else
        elements.peach(f.user_code());
      rt::forget_objects();
    } else {
      rt::run_section_code<Tag>(call);
    }
  }

private:
  template <class Out, class T, int Rank, class WithIndex>
  static auto make_map_of(section f, std::shared_ptr<detail::command<T>> input,
                          const index<Rank>& shape, WithIndex) {
    auto node = detail::make_driven<Out>(
        type_of<Tag>, operation{operation::elementwise, "pmap"}.on(shape).parted(), {},
        std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_elementwise<section, WithIndex::value, Out, Rank, T>);
    if constexpr (detail::has_user_code<section> && std::is_pointer_v<T>)
      node->set_code_in_place(&detail::make_map_in_place<section, WithIndex::value, Out, Rank, T>);
    return complete<Out, WithIndex::value>(std::move(node), f);
  }

  using operation = detail::operation;

  /// A command with its section, as arrays hold it. \tparam WithIndex whether an indexed_array
  /// holds the input, too
  template <class Out, bool WithIndex = false>
  static std::shared_ptr<detail::command<Out>>
  complete(std::shared_ptr<detail::driven_command<Out>> node, section& f) {
    if constexpr (!(detail::captures_no_pointers<Captures> && ...))
      node->set_not_apart();
    {
      const detail::capture_recorder recorder(node->captured());
      node->set_section(::new (node->room_for_section(sizeof(section), alignof(section)))
                            section(std::move(f)),
                        &drop);
    }
    node->shorten_chain(WithIndex ? 1 : 0);
    return node;
  }
  static void drop(const section_base* made) { static_cast<const section*>(made)->~section(); }
  static const void* find(const section_base& made, std::size_t k) {
    return static_cast<const section&>(made).captures_.address(k);
  }

  template <class Out, class T>
  static auto make_reduction(section& f, std::optional<Out> init,
                             std::shared_ptr<detail::command<T>> input) {
    auto node = detail::make_driven<Out>(type_of<Tag>, operation{operation::reduce}.parted(),
                                         std::move(init), std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_reduce<section, Out, T>);
    if constexpr (detail::has_user_code<section> && std::is_pointer_v<T> && std::is_same_v<Out, T>)
      node->set_code_in_place(&detail::make_reduce_in_place<section, T>);
    return complete<Out>(std::move(node), f);
  }

  template <class Out, class T>
  static auto make_prefixes(section& f, std::optional<Out> init, bool exclusive,
                            std::shared_ptr<detail::command<T>> input) {
    operation what{operation::scan};
    what.exclusive = exclusive;
    auto node = detail::make_driven<Out>(type_of<Tag>, what, std::move(init), std::move(input));
    if constexpr (detail::has_user_code<section>)
      node->set_user_code(&detail::user_scan<section, Out, T>);
    return complete<Out>(std::move(node), f);
  }

  detail::captured_values<std::index_sequence_for<Captures...>, Captures...> captures_;
};

namespace detail {

template <class Capture> inline constexpr bool is_kept = false;
template <class... Captures> inline constexpr bool is_kept<kept_captures<Captures...>> = true;

/// \param captures by value, in the order in which the driver asks for them; kept_captures stands
/// for any number of them
template <class Tag, class Signature, class... Captures>
auto section_with(section_base_of<Signature> base, Captures... captures) {
  if constexpr ((is_kept<Captures> || ...)) {
    auto captures_in_one = std::tuple_cat(flattened(std::move(captures))...);
    return std::apply(
        [&](auto&... all) {
          return section<Tag, Signature, std::remove_reference_t<decltype(all)>...>(
              std::move(base), std::move(all)...);
        },
        captures_in_one);
  } else {
    return section<Tag, Signature, Captures...>(std::move(base), std::move(captures)...);
  }
}

} // namespace detail

/// \param captures by value, in the order in which the driver asks for them.
template <class Tag, class Signature, class... Captures> auto make_section(Captures... captures) {
  if constexpr ((detail::is_kept<Captures> || ...))
    return detail::section_with<Tag, Signature>({}, std::move(captures)...);
  else
    return section<Tag, Signature, Captures...>({}, std::move(captures)...);
}

/// The same with the user's code. \param code a copy of it; for peach an ikra::later, elsewhere
/// perhaps an ikra::over_captures
template <class Tag, class Signature, class Code, class... Captures>
auto make_section_with_code(Code code, Captures... captures) {
  using base = detail::section_base_of<with_code<Signature, Code>>;
  return detail::section_with<Tag, with_code<Signature, Code>>(base(std::move(code)),
                                                               std::move(captures)...);
}

/// The same in a template. \tparam Tag with the template's own arguments \param function as the
/// user wrote it, for its signature alone: an ikra::later is never asked for it
template <class Tag, class Function, class... Captures>
auto make_section_like(const Function&, Captures... captures) {
  using function = typename detail::made_code<Function>::type;
  return detail::section_with<Tag, typename detail::call_signature<function>::type>(
      {}, std::move(captures)...);
}
template <class Tag, class Code, class... Captures>
auto make_section_like_with_code(Code code, Captures... captures) {
  using function = typename detail::made_code<Code, Captures...>::type;
  return make_section_with_code<Tag, typename detail::call_signature<function>::type>(
      std::move(code), std::move(captures)...);
}

/// The same of a function object that stands elsewhere, which gives the captures.
template <class Tag, class Function> auto make_section_of(const Function& function) {
  return make_section_like<Tag>(function, captures_of(function));
}
template <class Tag, class Function> auto make_section_of_with_code(const Function& function) {
  return make_section_like_with_code<Tag>(function, captures_of(function));
}

namespace rt {
/// Brings back what sections wrote to objects that ikra::resident scopes of this thread hold.
void bring_objects_back();
} // namespace rt

/// The code of an operation over objects that the plain library runs: objects are brought back
/// before they are looked at.
template <class F> class host_code {
public:
  explicit host_code(F f) : f_(std::move(f)) {}

  template <class... Arguments>
    requires std::invocable<const F&, Arguments...>
  decltype(auto) operator()(Arguments&&... arguments) const {
    rt::bring_objects_back();
    return std::invoke(f_, std::forward<Arguments>(arguments)...);
  }

private:
  F f_;
};

/// \param f as the user wrote it
template <class F> auto on_host(F&& f) { return host_code<std::decay_t<F>>(std::forward<F>(f)); }

/// left op right by a section, where one of them, or both, are arrays (ikra/operators.hpp). A value
/// is what the section captures. \tparam Op the function object of the operator
template <class Tag, class Op, class Left, class Right>
auto element_wise(const Left& left, const Right& right) {
  if constexpr (detail::operand<Left>::rank == 0)
    return right.pmap(make_section_like<Tag>(detail::with_left<Op, Left>{left}, left));
  else if constexpr (detail::operand<Right>::rank == 0)
    return left.pmap(make_section_like<Tag>(detail::with_right<Op, Right>{right}, right));
  else
    return left.pcombine(right, make_section_like<Tag>(Op()));
}

/// op of each element, by a section.
template <class Tag, class Op, class T, int R> auto element_wise(const array<T, R>& elements) {
  return elements.pmap(make_section_like<Tag>(Op()));
}

/// The same in a template, whose text serves operands of all kinds: without an array among them it
/// is op as the user wrote it.
template <class Tag, class Op, class... Operands>
decltype(auto) element_wise_of_arrays(Operands&&... operands) {
  if constexpr ((detail::operand<std::remove_cvref_t<Operands>>::rank + ...) != 0)
    return element_wise<Tag, Op>(operands...);
  else
    return Op()(std::forward<Operands>(operands)...);
}

} // namespace ikra
