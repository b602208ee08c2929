// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/shared_section.hpp>

#include "objects/resident.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

namespace ikra::rt {

namespace {

/// All drivers of one kind. Made by the first that registers, and so destroyed after the last.
template <class Call> class registry {
public:
  using driver = void (*)(Call&);

  static registry& instance() {
    static registry all;
    return all;
  }

  void add(const section_info& section, driver run) {
    const std::lock_guard lock(mutex_);
    entries_.push_back({&section, run});
  }
  void remove(const section_info& section) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const entry& e) { return e.section == &section; });
  }

  bool has(driver run) {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(entries_, run, &entry::run) != entries_.end();
  }
  /// Those of the section that has this name, in the order in which they came.
  std::vector<driver> find(std::string_view shared_name) {
    const std::lock_guard lock(mutex_);
    std::vector<driver> found;
    for (const entry& e : entries_)
      if (e.section->shared_name == shared_name)
        found.push_back(e.run);
    return found;
  }

private:
  struct entry {
    const section_info* section;
    driver run;
  };
  std::mutex mutex_;
  std::vector<entry> entries_;
};

template <class Call>
void run_one_of(std::atomic<void (*)(Call&)>& last, void (*own)(Call&), Call& call) {
  using driver = void (*)(Call&);
  driver first = last;
  if (first != own && !registry<Call>::instance().has(first)) // its library was unloaded
    first = own;
  std::vector<driver> others;
  std::exception_ptr unknown;
  const auto runs = [&](driver run) {
    try {
      run(call);
      last = run;
      return true;
    } catch (const unknown_class& met) {
      if (!unknown) {
        unknown = std::current_exception();
        if (met.section().shared_name != nullptr)
          others = registry<Call>::instance().find(met.section().shared_name);
      }
      return false;
    }
  };
  if (runs(first) || (first != own && runs(own)))
    return;
  for (const driver other : std::vector(others))
    if (other != first && other != own && runs(other))
      return;
  std::rethrow_exception(unknown);
}

} // namespace

unknown_class::unknown_class(const section_info& section, const std::type_info& met)
    : error(error_kind::unknown_class,
            where_and_when(section) + ": an object of class '" + class_name(met) +
                "' is reached, which was not known when the section was compiled; let ikrac see "
                "the class's definition in this translation unit"),
      section_(&section) {}

shared_driver::shared_driver(const section_info& section, void (*run)(map_call&))
    : section_(&section) {
  registry<map_call>::instance().add(section, run);
}
shared_driver::shared_driver(const section_info& section, void (*run)(peach_call&))
    : section_(&section) {
  registry<peach_call>::instance().add(section, run);
}
shared_driver::~shared_driver() {
  registry<map_call>::instance().remove(*section_);
  registry<peach_call>::instance().remove(*section_);
}

void run_driver(std::atomic<void (*)(map_call&)>& last, void (*own)(map_call&), map_call& call) {
  run_one_of(last, own, call);
}
void run_driver(std::atomic<void (*)(peach_call&)>& last, void (*own)(peach_call&),
                peach_call& call) {
  run_one_of(last, own, call);
}

void begin_user_code(const unknown_class& met) {
  static std::mutex mutex;
  static std::set<const section_info*> said;
  {
    const std::lock_guard lock(mutex);
    if (said.insert(&met.section()).second)
      std::fprintf(stderr, "ikra: %s; until then the section runs on one core\n", met.what());
  }
  sync_other_homes(nullptr);
}

void forget_objects() { drop_homes(); }

} // namespace ikra::rt
