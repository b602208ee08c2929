// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section does that meets an object of a class which its file does not know. A section in an
// inline function stands in each file that includes the header; the linker keeps one of these
// functions, whose driver knows the classes of one file alone. So the drivers of all files register
// under the section's name, and the first that knows all classes runs. Where none does, the code
// runs as the user wrote it, on one core.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/device/section_info.hpp>

#include <atomic>
#include <typeinfo>

namespace ikra::rt {

/// A section met an object of a class that its driver does not know. No object has been changed
/// where it is thrown.
class unknown_class final : public error {
public:
  unknown_class(const section_info& section, const std::type_info& met);

  const section_info& section() const { return *section_; }

private:
  const section_info* section_;
};

/// Registers a file's driver of a section that other files may have too, as long as it lives.
class shared_driver {
public:
  /// \param section has the name under which all files know it; kept as a reference
  shared_driver(const section_info& section, void (*run)(map_call&));
  shared_driver(const section_info& section, void (*run)(peach_call&));
  shared_driver(const shared_driver&) = delete;
  shared_driver& operator=(const shared_driver&) = delete;
  ~shared_driver();

private:
  const section_info* section_;
};

/// Runs \p own, or where that meets a class that it does not know the driver of another file.
/// \param last the one that ran before, which is tried first
/// \throws unknown_class if none of them knows all classes
void run_driver(std::atomic<void (*)(map_call&)>& last, void (*own)(map_call&), map_call& call);
void run_driver(std::atomic<void (*)(peach_call&)>& last, void (*own)(peach_call&),
                peach_call& call);

/// The same for the section of \p Tag.
template <class Tag, class Call> void run_section_code(Call& call) {
  static std::atomic<void (*)(Call&)> last = &section_code<Tag>::run;
  run_driver(last, &section_code<Tag>::run, call);
}

/// Called before a section runs as the user wrote it: brings back what sections wrote to objects,
/// and says once for each section that it runs on one core.
void begin_user_code(const unknown_class& met);
/// Called after it wrote to objects: resident scopes look at them anew.
void forget_objects();

} // namespace ikra::rt
