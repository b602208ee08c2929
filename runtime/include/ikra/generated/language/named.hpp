// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closure types have no names, so emitted code cannot say which instantiation of a template has one
// for an argument. A lambda whose type is such an argument is wrapped into a class that derives
// from it, and whose own argument is a tag that can be named. The section that it becomes takes
// what it captured from there.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra {

/// What a function object gives to the section that it becomes, or that captures it: any number of
/// captures.
template <class... Captures> struct kept_captures {
  std::tuple<Captures...> all;
};

/// Captures whose values are made in the order in which they are written: those in braces are,
/// those among a function's arguments need not be.
template <class... Captures> struct captures_in_order {
  explicit captures_in_order(Captures... captures) : kept{{std::move(captures)...}} {}
  kept_captures<Captures...> kept;
};

/// The lambda that \p Tag stands for. \tparam Captures copies of what it captured, where sections
/// need them
template <class Tag, class Closure, class... Captures> class named_closure : public Closure {
public:
  named_closure() = default;
  constexpr explicit named_closure(Closure closure, Captures... captures)
      : Closure(std::move(closure)), captures_(std::move(captures)...) {}

  const std::tuple<Captures...>& captures() const { return captures_; }

private:
  std::tuple<Captures...> captures_;
};
/// Without copies it is laid out as the closure: other files may not know that it has a name.
template <class Tag, class Closure> class named_closure<Tag, Closure> : public Closure {
public:
  named_closure() = default;
  constexpr explicit named_closure(Closure closure) : Closure(std::move(closure)) {
    static_assert(sizeof(named_closure) == sizeof(Closure));
  }

  static std::tuple<> captures() { return {}; }
};

namespace detail {
/// No constant expression calls it.
inline void not_constant() {}
} // namespace detail

#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 3060 // of closures that are in no constant expression
#endif
/// \param closure the lambda as the user wrote it \param captures what it captured by value
template <class Tag, class Closure, class... Captures>
constexpr auto named(Closure closure, Captures... captures) {
  // nvcc writes an aggregate that it evaluated in front of the lambda's class: `run(stage{f})`.
  if (!std::is_constant_evaluated())
    detail::not_constant();
  return named_closure<Tag, Closure, Captures...>(std::move(closure), std::move(captures)...);
}
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif

/// Stands for a specialisation of a class template with closures among its arguments.
template <template <class...> class Template> struct family;
template <class Family, class... Arguments> struct specialised;

/// T, as emitted code names it: with a tag in place of each closure type.
template <class T> struct naming {
  using type = T;
};
template <class T> using naming_t = typename naming<T>::type;

template <class Tag, class Closure, class... Captures>
struct naming<named_closure<Tag, Closure, Captures...>> {
  using type = Tag;
};
template <template <class...> class Template, class... Arguments>
struct naming<Template<Arguments...>> {
  using type = std::conditional_t<(std::is_same_v<Arguments, naming_t<Arguments>> && ...),
                                  Template<Arguments...>,
                                  specialised<family<Template>, naming_t<Arguments>...>>;
};
template <class T> struct naming<const T> {
  using type = const naming_t<T>;
};
template <class T> struct naming<T*> {
  using type = naming_t<T>*;
};
template <class T> struct naming<T&> {
  using type = naming_t<T>&;
};
template <class T> struct naming<T&&> {
  using type = naming_t<T>&&;
};

namespace detail {

/// A capture by itself, or those that a function object gave in its place.
template <class Capture> std::tuple<Capture> flattened(Capture capture) {
  return {std::move(capture)};
}
template <class... Captures> auto flattened(kept_captures<Captures...> captures) {
  return std::apply([](auto&... each) { return std::tuple_cat(flattened(std::move(each))...); },
                    captures.all);
}

} // namespace detail

/// What a section needs of a function object: of a lambda what it captured, which is known of a
/// named one; of another the object, if it holds anything.
template <class Tag, class Closure, class... Captures>
kept_captures<Captures...> captures_of(const named_closure<Tag, Closure, Captures...>& function) {
  return {function.captures()};
}
template <class Function> auto captures_of(const Function& function) {
  if constexpr (std::is_empty_v<Function>)
    return kept_captures<>{};
  else
    return kept_captures<Function>{{function}};
}

/// The same where the object may be an empty one that is no lambda: all lambdas are named ones.
template <class Tag, class Closure, class... Captures>
kept_captures<Captures...>
whole_or_captures_of(const named_closure<Tag, Closure, Captures...>& function) {
  return captures_of(function);
}
template <class Function> kept_captures<Function> whole_or_captures_of(const Function& function) {
  return {{function}};
}

} // namespace ikra
