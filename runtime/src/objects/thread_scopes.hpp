// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes and threads: a scope is one of the thread that made it, but may be used, and end, in any
// (docs/library.md, "Lives").
#pragma once

#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/generated/session/session_base.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace ikra::rt {

class scope;

using scope_list = std::vector<scope*>;

/// The scopes of a thread, the innermost last. Who uses them locks them.
class thread_scopes final : public scope_list {
public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  /// \param is_of_program other threads may run sections over its objects
  void add(scope* one, bool is_of_program);
  void remove(scope* one, bool is_of_program);

  std::atomic<unsigned> open{0};     ///< scopes of the program
  std::atomic<unsigned> sections{0}; ///< that use them

private:
  std::recursive_mutex mutex_;
};

/// A scope may end in another thread, also after its own.
inline thread_local std::shared_ptr<thread_scopes> scopes_here = std::make_shared<thread_scopes>();

/// Locks the scopes of a thread, and this thread's.
class scopes_lock {
public:
  explicit scopes_lock(thread_scopes& all)
      : all_(all, std::defer_lock), mine_(*scopes_here, std::defer_lock) {
    if (&all == scopes_here.get())
      all_.lock();
    else
      std::lock(all_, mine_);
  }

private:
  std::unique_lock<thread_scopes> all_, mine_;
};

/// Whether other threads have scopes.
bool others_have_scopes();
/// Before a section of this thread looks at objects: where scopes of other threads hold some of
/// them, these bring theirs back. Nothing is done where such a thread runs a section itself.
/// \param arrays and captured pointers of the section
/// \param writes those threads' scopes trace objects again
void bring_back_for_this_thread(std::span<const pointer_source> arrays, bool writes);

/// An error that a checked build found where a scope ended: destructors mostly must not throw.
void report_later(std::exception_ptr failed);
/// \throws such an error, once
void report_kept();

} // namespace ikra::rt
