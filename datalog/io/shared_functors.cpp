// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program declares becomes a call interface of libffi.
#include "datalog/io/shared_functors.hpp"

#include <dlfcn.h>
#include <ffi.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/frontend/values.hpp"
#include "datalog/io/output_files.hpp"

namespace ikra::datalog {
namespace {

using core::word;
using library = std::shared_ptr<void>;

/// One C function, with the types that a functor declares.
class c_function {
public:
  c_function(const core::external& declared, int bits, domain& values, library holder,
             void* address)
      : name_(declared.name), kinds_(declared.parameters), result_(declared.result), format_(bits),
        values_(values), holder_(std::move(holder)), address_(address) {
    for (const value_kind kind : kinds_)
      types_.push_back(type_of(kind));
    if (ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()),
                     type_of(result_), types_.data()) != FFI_OK)
      throw io_error("Error: functor " + name_ + " has types that cannot be called");
  }
  c_function(const c_function&) = delete; // the interface points to the types
  c_function& operator=(const c_function&) = delete;
  ~c_function() = default;

  word operator()(std::span<const word> operands) {
    std::vector<slot> places(operands.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      put(operands[i], kinds_[i], places[i]);
      arguments.push_back(&places[i]);
    }
    slot result;
    ffi_call(&interface_, reinterpret_cast<void (*)()>(address_), &result, arguments.data());
    return take(result);
  }

private:
  /// An argument, or a result, which libffi makes at least as wide as a register.
  struct slot {
    alignas(ffi_arg) std::array<char, 8> bytes{};
    template <class T> void put(T value) { std::memcpy(bytes.data(), &value, sizeof value); }
    template <class T> T get() const {
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    }
  };
  static_assert(sizeof(ffi_arg) <= sizeof(slot));

  ffi_type* type_of(value_kind kind) const {
    switch (kind) {
    case value_kind::number:
      return format_.is_32() ? &ffi_type_sint32 : &ffi_type_sint64;
    case value_kind::unsigned_number:
      return format_.is_32() ? &ffi_type_uint32 : &ffi_type_uint64;
    case value_kind::real:
      return format_.is_32() ? &ffi_type_float : &ffi_type_double;
    case value_kind::symbol:
    case value_kind::record:
    case value_kind::sum:
      break;
    }
    return &ffi_type_pointer;
  }

  void put(word value, value_kind kind, slot& into) const {
    if (kind == value_kind::symbol)
      into.put(values_.symbols.text(value).c_str());
    else if (format_.is_32())
      into.put(static_cast<std::uint32_t>(value)); // numbers and floats alike: their bits
    else
      into.put(value);
  }

  word take(const slot& result) {
    if (result_ == value_kind::symbol) {
      const char* const text = result.get<const char*>();
      if (text == nullptr)
        throw undefined_value("Functor " + name_ + " gave no text");
      if (!is_utf8(text))
        throw undefined_value("Functor " + name_ + " gave a text that is not UTF-8");
      return values_.symbols.number(text);
    }
    if (result_ == value_kind::real) // there is one zero
      return format_.from_real(format_.is_32() ? result.get<float>() : result.get<double>());
    return format_.from_unsigned(result.get<word>());
  }

  std::string name_;
  std::vector<value_kind> kinds_;
  value_kind result_;
  value_format format_;
  domain& values_;
  library holder_; ///< stays loaded while the function may be called
  void* address_;
  std::vector<ffi_type*> types_;
  ffi_cif interface_{};
};

} // namespace

void load_functors(const core::program& program, domain& values, const functor_libraries& from) {
  if (program.functors.empty())
    return;
  using names = std::vector<std::string>;
  std::vector<library> open;
  std::string problems;
  for (const std::string& folder : from.folders.empty() ? names{"."} : from.folders)
    for (const std::string& name : from.names.empty() ? names{"functors"} : from.names) {
      const std::string path = (std::filesystem::path(folder) / ("lib" + name + ".so")).string();
      if (library found{dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL), [](void* handle) {
                          if (handle != nullptr)
                            dlclose(handle);
                        }})
        open.push_back(std::move(found));
      else
        problems += std::string{"\n  "} + dlerror();
    }
  for (std::size_t i = 0; i < program.functors.size(); ++i) {
    const core::external& declared = program.functors[i];
    for (const library& candidate : open)
      if (void* const address = dlsym(candidate.get(), declared.name.c_str());
          address != nullptr && !values.externals[i]) {
        const auto function =
            std::make_shared<c_function>(declared, program.bits, values, candidate, address);
        values.externals[i] = [function](std::span<const word> operands) {
          return (*function)(operands);
        };
      }
    if (!values.externals[i])
      throw io_error("Error: no library has a function for functor " + declared.name +
                     "; name one with -l, and its folder with -L" + problems);
  }
}

} // namespace ikra::datalog
