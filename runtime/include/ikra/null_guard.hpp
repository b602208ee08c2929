// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections may meet null pointers and test for them; dereferencing one must be an ikra::error and
// not the end of the process. The hardware finds it: while a section's loop runs, SIGSEGV is
// caught, and a fault in the first megabyte of the address space (where a null pointer plus the
// offset of a member points) jumps back to the loop's caller. All other faults go to whoever
// handled them before. The loop's own frame and the section's frames are left without their
// destructors, which sections, as they may not allocate, have no use for.
//
// Relies on POSIX signals. Elsewhere, and under the address and thread sanitizers, which handle
// SIGSEGV themselves and report such accesses, the loop just runs.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/error.hpp>

#include <atomic>
#include <cstdint>
#include <string>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IKRA_DETAIL_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IKRA_DETAIL_SANITIZED
#endif
#if (defined(__unix__) || defined(__APPLE__)) && !defined(IKRA_DETAIL_SANITIZED)
#define IKRA_DETAIL_NULL_GUARD
#include <mutex>
#include <setjmp.h>
#include <signal.h>
#endif

namespace ikra::detail {

/// Whether run_section() finds null pointers that a section dereferences.
#if defined(IKRA_DETAIL_NULL_GUARD)
inline constexpr bool finds_nulls = true;
#else
inline constexpr bool finds_nulls = false;
#endif

/// Which element a loop is at, kept where it survives the jump.
class loop_position {
public:
  void set(std::int64_t element) {
    element_ = element;
    std::atomic_signal_fence(std::memory_order_seq_cst); // the section's loads stay after this
  }
  std::int64_t get() const { return element_; }

private:
  volatile std::int64_t element_ = -1; // -1: not said
};

#if defined(IKRA_DETAIL_NULL_GUARD)

class null_guard;

/// While one exists, the process handles null dereferences. Around several guards it spares each of
/// them two calls of the system.
class null_handler {
public:
  null_handler() {
    if (depth()++ != 0)
      return;
    handler& h = the_handler();
    const std::lock_guard lock(h.mutex);
    if (h.users++ == 0) {
      struct sigaction action = {};
      action.sa_sigaction = &on_fault;
      action.sa_flags =
          SA_SIGINFO | SA_NODEFER; // not blocked meanwhile, so the jump need not restore the mask
      sigemptyset(&action.sa_mask);
      sigaction(SIGSEGV, &action, &h.previous);
    }
  }
  null_handler(const null_handler&) = delete;
  null_handler& operator=(const null_handler&) = delete;
  ~null_handler() {
    if (--depth() != 0)
      return;
    handler& h = the_handler();
    const std::lock_guard lock(h.mutex);
    if (--h.users == 0)
      sigaction(SIGSEGV, &h.previous, nullptr);
  }

protected:
  /// Those of this thread. The outermost one alone counts for the process.
  static unsigned& depth() {
    static thread_local unsigned handlers = 0;
    return handlers;
  }
  static null_guard*& innermost() {
    static thread_local null_guard* guard = nullptr;
    return guard;
  }

private:
  // Signal handlers belong to the process, so this does too.
  struct handler {
    std::mutex mutex;
    int users = 0;
    struct sigaction previous = {};
  };
  static handler& the_handler() {
    static handler h;
    return h;
  }
  static void on_fault(int, siginfo_t* info, void*);
};

/// While one exists, null dereferences of this thread jump to its place. Scopes nest: a section may
/// read an array that is computed only then.
class null_guard : public null_handler {
public:
  null_guard() : outer_(innermost()), depth_(depth()) { innermost() = this; }
  null_guard(const null_guard&) = delete;
  null_guard& operator=(const null_guard&) = delete;
  ~null_guard() {
    innermost() = outer_;
    depth() = depth_; // a jump leaves out handlers in between
  }

  sigjmp_buf place;

private:
  null_guard* outer_;
  unsigned depth_;
};

inline void null_handler::on_fault(int, siginfo_t* info, void*) {
  constexpr std::uintptr_t first_megabyte = 1U << 20U;
  if (innermost() != nullptr && info->si_code == SEGV_MAPERR &&
      reinterpret_cast<std::uintptr_t>(info->si_addr) < first_megabyte)
    siglongjmp(innermost()->place, 1);
  sigaction(SIGSEGV, &the_handler().previous,
            nullptr); // not ours: the access is repeated and goes there
}

/// Runs call(context). \return whether it came to its end, without a null pointer having been
/// dereferenced
inline bool runs_through(void (*call)(void*), void* context) {
  null_guard guard;
  if (sigsetjmp(guard.place, 0) != 0)
    return false;
  call(context);
  return true;
}

#else

class null_handler {
public:
  null_handler() {}
};

inline bool runs_through(void (*call)(void*), void* context) {
  call(context);
  return true;
}

#endif

/// \param element at which a section did it; negative where that is not known
/// \throws error of kind null_element
[[noreturn]] inline void throw_null_element(const char* operation, std::int64_t element) {
  throw error(error_kind::null_element,
              text("ikra: the section of ", operation, " dereferenced a null pointer",
                   element < 0 ? std::string() : text(" at element ", element),
                   "; test for null in the section, or leave null elements out with pselect"));
}

/// Runs the loop of a section.
/// \param operation name for the message, "pmap" say
/// \param loop      called once with a loop_position&, which it keeps up to date if elements are
/// pointers
/// \param may_meet_null false where it is known to dereference none: a guard takes as long as a
/// hundred short elements
/// \throws error of kind null_element if the section dereferences a null pointer, and what the
/// section throws
template <class Loop>
void run_section(const char* operation, Loop&& loop, bool may_meet_null = true) {
  struct context {
    Loop& loop;
    loop_position position;
  } c{loop, {}};
  void (*const run)(void*) = [](void* p) {
    auto& inner = *static_cast<context*>(p);
    inner.loop(inner.position);
  };
  if (!may_meet_null)
    run(&c);
  else if (!runs_through(run, &c))
    throw_null_element(operation, c.position.get());
}

/// Set by the runtime of emitted code: brings back what sections wrote to objects of scopes, which
/// the host is about to look at, or to write. Other files of the program may not have gone through
/// ikrac.
inline void (*bring_objects_back)(bool writes) = nullptr;

/// run_section() for an operation of the plain library. \tparam In types of its elements
template <class... In, class Loop>
void run_plain_section(const char* operation, Loop&& loop, bool writes = false) {
  if constexpr ((std::is_pointer_v<In> || ...))
    if (bring_objects_back != nullptr)
      bring_objects_back(writes);
  run_section(operation, std::forward<Loop>(loop));
}

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
