// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_scopes.hpp"

#include "scope.hpp"

#include <ikra/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

namespace ikra::rt {

namespace {

/// Of all threads.
class all_threads {
public:
  void add(const std::shared_ptr<thread_scopes>& one) {
    const std::lock_guard held(mutex_);
    std::erase_if(threads_, [](const auto& each) { return each.expired(); });
    const auto is_it = [&](const auto& each) { return each.lock() == one; };
    if (std::ranges::none_of(threads_, is_it))
      threads_.push_back(one);
  }
  std::vector<std::shared_ptr<thread_scopes>> others() {
    const std::lock_guard held(mutex_);
    std::vector<std::shared_ptr<thread_scopes>> result;
    for (const std::weak_ptr<thread_scopes>& each : threads_)
      if (std::shared_ptr<thread_scopes> one = each.lock();
          one != nullptr && one != scopes_here && one->open != 0)
        result.push_back(std::move(one));
    return result;
  }

  std::atomic<unsigned> open{0}; ///< scopes of the program

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<thread_scopes>> threads_;
};

// Never destroyed: scopes may end later than any variable.
all_threads& threads() {
  static auto* const all = new all_threads;
  return *all;
}

} // namespace

void thread_scopes::add(scope* one, bool is_of_program) {
  const std::lock_guard held(*this);
  push_back(one);
  if (!is_of_program)
    return;
  if (++open == 1)
    threads().add(scopes_here);
  ++threads().open;
}

void thread_scopes::remove(scope* one, bool is_of_program) {
  const std::lock_guard held(*this);
  std::erase(*this, one);
  if (!is_of_program)
    return;
  --open;
  --threads().open;
}

bool others_have_scopes() { return threads().open != scopes_here->open; }

namespace {

/// Where some of the objects of a section are: all of few, else some from the first to the last.
std::vector<const void*> some_places(std::span<const pointer_source> arrays) {
  constexpr std::size_t most = 64;
  std::vector<const void*> places;
  for (const pointer_source& array : arrays) {
    const std::size_t n = std::min(array.count, most);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = n == 1 ? 0 : k * (array.count - 1) / (n - 1);
      std::uint16_t code = reference_ops::null_code;
      array.classify(i, 1, &code);
      void* place = nullptr;
      if (code == reference_ops::unknown_code)
        std::memcpy(&place, static_cast<const unsigned char*>(array.pointers) + i * sizeof(void*),
                    sizeof place);
      else if (code != reference_ops::null_code)
        array.locate(i, 1, &code, &place);
      if (place != nullptr)
        places.push_back(place);
    }
  }
  return places;
}

bool has_some(const scope_list& of, const std::vector<const void*>& places) {
  const auto has = [&](const home& h) {
    if (h.current() == nullptr)
      return false;
    const object_table& table = h.current()->table();
    for (const void* const place : places)
      for (unsigned c = 0; c < table.objects.size(); ++c)
        if (table.number(c, place) != address_map::absent)
          return true;
    return false;
  };
  for (const scope* s : of)
    if (!s->is_of_host_section())
      for (const std::shared_ptr<home>& h : s->homes())
        if (has(*h))
          return true;
  return false;
}

/// What this thread does it does as another one, whose scopes are locked.
class acting_as {
public:
  explicit acting_as(std::shared_ptr<thread_scopes> other)
      : here_(std::exchange(scopes_here, std::move(other))) {}
  acting_as(const acting_as&) = delete;
  acting_as& operator=(const acting_as&) = delete;
  ~acting_as() { scopes_here = std::move(here_); }

private:
  std::shared_ptr<thread_scopes> here_;
};

/// \returns whether no section uses them
bool lock_between_sections(thread_scopes& other) {
  while (!other.try_lock()) {
    if (other.sections != 0)
      return false;
    std::this_thread::yield();
  }
  if (other.sections == 0)
    return true;
  other.unlock();
  return false;
}

} // namespace

void bring_back_for_this_thread(std::span<const pointer_source> arrays, bool writes) {
  std::vector<const void*> places;
  for (const std::shared_ptr<thread_scopes>& other : threads().others()) {
    if (places.empty())
      places = some_places(arrays);
    if (places.empty() || !lock_between_sections(*other))
      continue;
    const std::unique_lock held(*other, std::adopt_lock);
    if (!has_some(*other, places))
      continue;
    const acting_as there(other);
    const bool lost = look_before_sync(*other);
    each_home(*other, [](home& h) { h.sync(); });
    if (writes)
      drop_homes();
    check_not_lost(lost);
  }
}

scopes_in_use::~scopes_in_use() {
  if (of_ == nullptr)
    return;
  --of_->sections;
  of_->unlock();
}

void scopes_in_use::begin() {
  if (of_ != nullptr || scopes_here->empty())
    return;
  of_ = scopes_here.get();
  of_->lock();
  ++of_->sections;
}

namespace {

class kept_error {
public:
  kept_error() = default;
  kept_error(const kept_error&) = delete;
  kept_error& operator=(const kept_error&) = delete;
  ~kept_error() {
    if (failed_ != nullptr)
      tell();
  }

  void keep(std::exception_ptr failed) {
    const std::lock_guard held(mutex_);
    if (failed_ == nullptr)
      failed_ = std::move(failed);
    is_there_ = true;
  }
  void report() {
    if (!is_there_)
      return;
    std::unique_lock held(mutex_);
    is_there_ = false;
    if (const std::exception_ptr failed = std::exchange(failed_, nullptr)) {
      held.unlock();
      std::rethrow_exception(failed);
    }
  }

private:
  /// The program ends before anybody could be told.
  void tell() const {
    try {
      std::rethrow_exception(failed_);
    } catch (const error& failed) {
      std::fprintf(stderr, "%s\n", failed.what());
    }
  }

  std::mutex mutex_;
  std::exception_ptr failed_;
  std::atomic<bool> is_there_{false};
};

kept_error kept;

} // namespace

void report_later(std::exception_ptr failed) { kept.keep(std::move(failed)); }

void report_kept() { kept.report(); }

} // namespace ikra::rt
