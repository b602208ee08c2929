// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects as rows of relations, and relations as members of objects (docs/datalog-cpp.md,
// "Objects"): an object's number is its place in the container that it is given in. Relies on
// datalog_columns.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/datalog_columns.hpp>

#include <functional>

namespace ikra::datalog {

/// In program::insert(), the column with the objects' numbers.
struct own_number_column {};
inline constexpr own_number_column own_number;

namespace detail {

// objects -----------------------------------------------------------------------------------------

/// What a container of objects, or of pointers to them, holds.
template <class Element>
inline constexpr bool is_pointer_to_object = requires(Element& element) {
  *element;
  element == nullptr;
};
template <class Element> decltype(auto) object_of(Element& element) {
  if constexpr (is_pointer_to_object<Element>)
    return *element;
  else
    return (element);
}

/// Calls take(number, object) for the objects in a container, or those that its pointers point to.
template <class Objects, class Take> void each_object(Objects& objects, const Take& take) {
  std::uint32_t number = 0;
  for (auto&& element : objects) { // arrays give their elements by value
    if constexpr (is_pointer_to_object<decltype(element)>)
      if (element == nullptr)
        throw error(error_kind::null_element,
                    ikra::detail::text("Datalog: object ", number,
                                       " is a null pointer; leave null pointers out"));
    take(object_number{number}, object_of(element));
    ++number;
  }
}

/// Calls take(address) for a pointer that is not null, or for those in a container.
template <class Member, class Take> void each_pointer(const Member& member, const Take& take) {
  if constexpr (requires { std::begin(member); }) {
    for (const auto& pointer : member)
      each_pointer(pointer, take);
  } else if (member != nullptr) {
    take(std::to_address(member));
  }
}

/// The numbers of the objects in an array or a vector of pointers: their places.
template <class Object> class object_numbers_of {
public:
  template <class Objects> explicit object_numbers_of(const Objects& objects) {
    each_object(objects, [this](object_number number, const Object& object) {
      numbers_.emplace_back(&object, number);
    });
    std::sort(numbers_.begin(), numbers_.end(), before);
  }

  /// \param relation, tail for messages: the object that refers to this one
  object_number of(const Object* object, std::string_view relation, object_number tail) const {
    const auto found =
        std::lower_bound(numbers_.begin(), numbers_.end(), entry(object, object_number{}), before);
    if (found == numbers_.end() || found->first != object)
      throw error(error_kind::index_outside,
                  ikra::detail::text("Datalog: object ", static_cast<std::uint32_t>(tail),
                                     " refers, for relation ", relation,
                                     ", to an object that is not among those given; give an array "
                                     "with all of them"));
    return found->second;
  }

private:
  using entry = std::pair<const Object*, object_number>;
  // Of an object that is there twice, the first place is its number.
  static bool before(const entry& a, const entry& b) {
    return a.first != b.first ? std::less<>{}(a.first, b.first) : a.second < b.second;
  }
  std::vector<entry> numbers_;
};

/// The objects of a container; const where the container holds them and is const.
template <class Objects>
using object_in = std::remove_reference_t<decltype(object_of(
    std::declval<std::conditional_t<std::is_const_v<Objects>, const typename Objects::value_type,
                                    typename Objects::value_type>&>()))>;

/// Deduces what the objects are.
template <class Objects>
class object_numbers : public object_numbers_of<std::remove_const_t<object_in<const Objects>>> {
public:
  explicit object_numbers(const Objects& objects)
      : object_numbers_of<std::remove_const_t<object_in<const Objects>>>(objects) {}
};

// members -----------------------------------------------------------------------------------------

/// A column of insert() for objects: their numbers, or what std::invoke gives for each. No array,
/// which can be called with an index.
template <class Member, class Objects>
concept member_of = std::is_same_v<Member, own_number_column> ||
                    (!requires { typename Member::value_type; } &&
                     requires(const Member& member, object_in<const Objects>& object) {
                       std::invoke(member, object);
                     });

template <class Member, class Object> struct column_of_member {
  using given = std::remove_cvref_t<std::invoke_result_t<const Member&, Object&>>;
  using type = std::conditional_t<is_text<given>, std::string, given>;
};
template <class Object> struct column_of_member<own_number_column, Object> {
  using type = object_number;
};

template <class Member, class Object>
auto value_of(const Member& member, Object& object, object_number number) {
  if constexpr (std::is_same_v<Member, own_number_column>)
    return number;
  else
    return typename column_of_member<Member, Object>::type(std::invoke(member, object));
}

/// What assign() gives a member: the type of a data member, or of a function's last parameter.
template <class Member> struct assigned : assigned<decltype(&Member::operator())> {};
template <class Value, class Object>
  requires(!std::is_function_v<Value>)
struct assigned<Value Object::*> {
  using type = Value;
};
template <class Result, class Object, class Value> struct assigned<Result (Object::*)(Value)> {
  using type = std::remove_cvref_t<Value>;
};
template <class Result, class Object, class Value>
struct assigned<Result (Object::*)(Value) noexcept> : assigned<Result (Object::*)(Value)> {};
template <class Result, class Object, class Value> struct assigned<Result (*)(Object, Value)> {
  using type = std::remove_cvref_t<Value>;
};
/// The function calls of lambdas.
template <class Result, class Closure, class Object, class Value>
struct assigned<Result (Closure::*)(Object, Value) const> {
  using type = std::remove_cvref_t<Value>;
};
template <class Result, class Closure, class Object, class Value>
struct assigned<Result (Closure::*)(Object, Value) const noexcept>
    : assigned<Result (Closure::*)(Object, Value) const> {};

/// Numbers of objects that a relation holds, as wide as its numbers are.
class number_room {
public:
  explicit number_room(const column_type& declared) : declared_(declared) {}
  result_column column() {
    ikra::detail::any_buffer* const to =
        declared_.bits == 32 ? static_cast<ikra::detail::any_buffer*>(&narrow_) : &wide_;
    return {declared_, to, 0, nullptr};
  }
  std::uint64_t size() const {
    return declared_.bits == 32 ? narrow_elements_.size() : wide_elements_.size();
  }
  std::uint64_t operator[](std::size_t row) const {
    return declared_.bits == 32 ? narrow_elements_.data()[row] : wide_elements_.data()[row];
  }

private:
  column_type declared_;
  ikra::detail::buffer<std::uint32_t> narrow_elements_;
  ikra::detail::buffer<std::uint64_t> wide_elements_;
  ikra::detail::erased<std::uint32_t> narrow_{narrow_elements_};
  ikra::detail::erased<std::uint64_t> wide_{wide_elements_};
};

/// Objects by number. \param relation for messages
template <class Object>
Object& object_at(const std::vector<Object*>& all, std::uint64_t number,
                  std::string_view relation) {
  if (number >= all.size())
    throw error(error_kind::index_outside,
                ikra::detail::text("Datalog: relation ", relation, " has the object number ",
                                   static_cast<std::int64_t>(number), "; ", all.size(),
                                   " objects are given"));
  return *all[number];
}

/// A column of results for a parameter of this type.
template <class Value, class Object> class assigned_column {
public:
  static constexpr column_type wanted() {
    return type_of<std::conditional_t<is_text<Value>, std::string, Value>>();
  }
  explicit assigned_column(const column_type& /*declared*/) {}
  result_column column() { return room_.column(); }
  void fetch() { values_ = room_.take().to_vector(); }
  Value value(std::size_t row, const std::vector<Object*>& /*all*/, std::string_view) const {
    if constexpr (std::is_same_v<Value, const char*>)
      return values_[row].c_str();
    else
      return Value(values_[row]);
  }

private:
  using stored = std::conditional_t<is_text<Value>, std::string, Value>;
  result_room<stored> room_;
  std::vector<stored> values_;
};
/// Of pointers to objects: those with these numbers.
template <class Value, class Object>
  requires std::convertible_to<Object*, Value>
class assigned_column<Value, Object> {
public:
  static constexpr column_type wanted() { return type_of<object_number>(); }
  explicit assigned_column(const column_type& declared) : room_(declared) {}
  result_column column() { return room_.column(); }
  void fetch() {}
  Value value(std::size_t row, const std::vector<Object*>& all, std::string_view relation) const {
    return &object_at(all, room_[row], relation);
  }

private:
  number_room room_;
};

template <class Member, class Object, class Value>
void set_member(const Member& member, Object& object, Value value) {
  if constexpr (std::is_member_object_pointer_v<Member>)
    object.*member = std::move(value);
  else
    std::invoke(member, object, std::move(value));
}

} // namespace detail
} // namespace ikra::datalog

#include <ikra/macros_back.hpp>
