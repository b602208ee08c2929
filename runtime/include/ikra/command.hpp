// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Array commands (ARRAY'17, section 2): nodes of the lazy graph that know what to compute from
// which inputs. This header has the abstract node, the evaluation loop, and the dropping of nodes
// that nobody needs any more. Neither of the two recurses, so a chain may be as long as memory
// allows. Relies on buffer.hpp.
//
// A command is computed by one thread at a time; a computed one may be read by any number of
// threads. array::start() may have a thread of the runtime's compute a tree (background_work):
// whoever then needs a command of the tree waits for it.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/buffer.hpp>
#include <ikra/error.hpp>
#include <ikra/loop_turn.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace ikra::rt {
class section_node;
}

namespace ikra::detail {

/// That the host reads a result's elements as soon as they are there, or has them copied.
struct host_request {
  void* to = nullptr;    ///< where they are to be copied to; null: nowhere
  std::size_t bytes = 0; ///< of that
  bool is_last = false;  ///< nobody can ask for the result after that: it need not be elsewhere
  bool is_done = false;  ///< they are there
};

/// A node of the graph, whatever its element type. Held by std::shared_ptr.
class command_base {
public:
  command_base() : command_base(current_turn()) {}
  command_base(const command_base&) = delete;
  command_base& operator=(const command_base&) = delete;
  virtual ~command_base() = default;

  /// Appends the uncomputed inputs that have to be computed before this command.
  virtual void collect_pending(std::vector<command_base*>& out) = 0;

  /// Computes the result. Called once, by evaluate(), when no input is pending.
  virtual void compute() = 0;

  /// Gives up what is needed only for computing: moves the handles of the inputs to \p out, so that
  /// the caller drops them without recursion, and destroys the section with its captures. May be
  /// called more than once.
  virtual void release_inputs(std::vector<std::shared_ptr<command_base>>& out) = 0;

  bool computed() const { return computed_.load(std::memory_order_acquire); }

  /// Appends the uncomputed commands that it reads; unlike collect_pending, those of other sections
  /// that would be computed with it are not looked into.
  virtual void collect_inputs(std::vector<command_base*>& out) { collect_pending(out); }

  /// Whether another thread may compute it while the program goes on: it reads nothing but arrays
  /// and values.
  virtual bool may_run_apart() const { return false; }

  /// Whether it may be computed though the program may never ask for it: it ends, and can only fail
  /// by an exception. Its inputs are asked by themselves.
  virtual bool is_speculatable() const { return true; }

  /// Says that it is computed by itself from now on, not with others that are asked for together.
  virtual void leave_group() {}

  /// The work that it is part of, as the background numbers it; 0: none was started.
  std::uint64_t work() const { return work_.load(std::memory_order_acquire); }
  void set_work(std::uint64_t number) { work_.store(number, std::memory_order_release); }

  /// What the host wants of the result as soon as it is there; null: nothing.
  host_request* request() const { return request_; }

  /// The turn in which the program made it.
  loop_turn made_in() const { return {turn_, loop_}; }

  /// Itself, if it is a command of a generated section; else null.
  virtual rt::section_node* as_section() { return nullptr; }

protected:
  /// For commands that are born computed.
  void set_computed() { computed_.store(true, std::memory_order_release); }

private:
  explicit command_base(const loop_turn& now)
      : loop_(now.loop & loop_turn::most_loops), turn_(now.number) {}

  friend const command_base* settle(command_base& root);
  friend void evaluate(command_base& root);
  friend void evaluate(command_base& root, host_request& wanted);
  bool compute_and_release();

  std::atomic<bool> computed_ = false;
  // made_in(), in bytes that would be padding: a loop may make any number of commands.
  std::uint32_t loop_ : loop_turn::loop_bits;
  std::uint32_t turn_;
  std::atomic<std::uint64_t> work_ = 0;
  host_request* request_ = nullptr;
  std::exception_ptr
      failure_; ///< what compute() threw, thrown again whenever the result is asked for
};

/// Commands that another one has to keep until it is computed: what it reads. There are mostly one
/// or two, which take no memory of their own.
class command_list {
public:
  void add(std::shared_ptr<command_base> command) {
    for (std::shared_ptr<command_base>& place : first_)
      if (!place) {
        place = std::move(command);
        return;
      }
    more_.push_back(std::move(command));
  }

  /// The k-th that was added. Once they are given up: null, and not to be asked beyond the second.
  const std::shared_ptr<command_base>& operator[](std::size_t k) const {
    return k < first_.size() ? first_[k] : more_[k - first_.size()];
  }
  /// Where those are noted that come after all that were added (capture_recorder).
  std::vector<std::shared_ptr<command_base>>& noted() { return more_; }

  bool is_empty() const { return first_[0] == nullptr && more_.empty(); }

  /// Adds those that are not computed.
  void collect_pending(std::vector<command_base*>& out) const {
    for (const std::shared_ptr<command_base>& command : first_)
      if (command && !command->computed())
        out.push_back(command.get());
    for (const std::shared_ptr<command_base>& command : more_)
      if (!command->computed())
        out.push_back(command.get());
  }
  /// Moves all to \p out.
  void release(std::vector<std::shared_ptr<command_base>>& out) {
    for (std::shared_ptr<command_base>& command : first_)
      if (command)
        out.push_back(std::move(command));
    for (std::shared_ptr<command_base>& command : more_)
      out.push_back(std::move(command));
    more_.clear();
  }

private:
  std::array<std::shared_ptr<command_base>, 2> first_;
  std::vector<std::shared_ptr<command_base>> more_;
};

/// A command whose result has elements of type T.
template <class T> class command : public command_base {
public:
  /// The result; empty until computed() is true.
  buffer<T>& result() { return result_; }

protected:
  buffer<T> result_;
};

/// A new command, as arrays hold it. There are many classes of commands, up to one for each
/// section, so the count is one for commands of whatever class: a std::make_shared for each costs
/// more to compile than the rest of the class.
template <class T> std::shared_ptr<command<T>> held(command<T>* made) {
  return {std::shared_ptr<command_base>(static_cast<command_base*>(made)), made};
}

/// Drops a handle. If it is the last one, its inputs are dropped in a loop rather than by nested
/// destructors; arrays that sections captured join the same loop, for which one pointer per thread
/// is needed.
inline void drop(std::shared_ptr<command_base> handle) noexcept {
  static thread_local std::vector<std::shared_ptr<command_base>>* dying = nullptr;
  if (handle.use_count() != 1)
    return;
  if (dying != nullptr) {
    try {
      dying->push_back(std::move(handle));
    } catch (const std::bad_alloc&) {
      // No memory for the list: it goes by nested destructors.
    }
    return;
  }
  std::vector<std::shared_ptr<command_base>> list;
  dying = &list;
  try {
    list.push_back(std::move(handle));
    while (!list.empty()) {
      const std::shared_ptr<command_base> next = std::move(list.back());
      list.pop_back();
      if (next.use_count() == 1)
        next->release_inputs(list);
    }
  } catch (const std::bad_alloc&) {
    // No memory for the list: what is left goes by nested destructors.
  }
  dying = nullptr;
}

/// \returns whether it is computed; else failure_ says why not
inline bool command_base::compute_and_release() {
  if (failure_)
    return false;
  try {
    const turn_scope in_its_turn(made_in()); // for messages
    compute();
    set_computed();
  } catch (...) { // kept whatever it is, and thrown again below
    failure_ = std::current_exception();
  }
  std::vector<std::shared_ptr<command_base>> inputs;
  release_inputs(inputs);
  for (std::shared_ptr<command_base>& input : inputs)
    drop(std::move(input));
  return !failure_;
}

/// Where a runtime computes commands while the program goes on.
class background_work {
public:
  virtual ~background_work() = default;
  /// Has a tree computed by another thread. \returns false, with nothing done, where the caller has
  /// to compute it
  virtual bool start(const std::shared_ptr<command_base>& root) = 0;
  /// Waits for the started work that has a part of a tree, unless this thread does it.
  virtual void wait_for(command_base& root) = 0;
  /// Whether work with that number is not done.
  virtual bool is_going_on(std::uint64_t work) = 0;
};

/// The runtime's. Null in plain builds; set before main() where a runtime is linked.
inline background_work* background = nullptr;

/// Computes \p root and, before it, what it needs, up to the first command that fails. Each is
/// computed once.
/// \returns the one that failed; null if root is computed
inline const command_base* settle(command_base& root) {
  if (root.computed())
    return nullptr;
  if (background != nullptr)
    background->wait_for(root);
  // Each entry is kept alive by the entry that put it there, which lies below it and is computed
  // after it.
  std::vector<command_base*> stack{&root};
  while (!stack.empty()) {
    command_base& top = *stack.back();
    const std::size_t height = stack.size();
    if (!top.computed())
      top.collect_pending(stack);
    if (stack.size() != height)
      continue;
    stack.pop_back();
    if (!top.computed() && !top.compute_and_release())
      return &top;
  }
  return nullptr;
}

/// The same. \throws whatever a section threw, each time again
inline void evaluate(command_base& root) {
  if (const command_base* const failed = settle(root))
    std::rethrow_exception(failed->failure_);
}

/// The same for the host, which wants the elements next: some may come while others are computed.
inline void evaluate(command_base& root, host_request& wanted) {
  struct request {
    command_base& of;
    request(command_base& command, host_request& what) : of(command) { of.request_ = &what; }
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    ~request() { of.request_ = nullptr; }
  };
  if (root.computed())
    return;
  const request until(root, wanted);
  evaluate(root);
}

/// Computes a result and copies its elements to memory for as many. \param from null: it has none
/// \param is_last nobody can ask for the result after that \throws error of kind bad_shape if the
/// memory is for more or fewer
template <class T> void copy_out(command<T>* from, std::span<T> to, bool is_last) {
  host_request wanted{static_cast<void*>(to.data()), to.size_bytes(), is_last};
  if (from != nullptr)
    evaluate(*from, wanted);
  if (wanted.is_done)
    return;
  const buffer<T> elements = from == nullptr ? buffer<T>() : from->result();
  if (to.size() != elements.size())
    throw error(error_kind::bad_shape,
                text("ikra: copy_to of ", elements.size(), " elements to memory for ", to.size(),
                     "; give a span of size() elements"));
  elements.copy_to(to.data());
}

/// Begins to compute a command, by another thread if there is one that may; else it is computed
/// now. What a section throws is kept for those who ask for the result.
inline void start(const std::shared_ptr<command_base>& root) {
  constexpr std::uint64_t done_here = ~std::uint64_t(0);
  if (root->computed() || root->work() != 0)
    return;
  if (background != nullptr && background->start(root))
    return;
  root->set_work(done_here);
  settle(*root);
}

/// Whether asking for a command's result would not wait: it is computed, or has failed.
inline bool is_settled(const command_base& command) {
  const std::uint64_t work = command.work();
  return command.computed() ||
         (work != 0 && (background == nullptr || !background->is_going_on(work)));
}

/// While one exists, notes the commands of the arrays that this thread copies or moves. A section
/// is put into its command under a recorder: that is how the arrays among its captures become
/// known, which have to be computed before it like inputs.
class capture_recorder {
public:
  explicit capture_recorder(std::vector<std::shared_ptr<command_base>>& out)
      : out_(out), outer_(std::exchange(active(), this)) {}
  capture_recorder(const capture_recorder&) = delete;
  capture_recorder& operator=(const capture_recorder&) = delete;
  ~capture_recorder() { active() = outer_; }

  static void note(const std::shared_ptr<command_base>& command) noexcept {
    try {
      active()->out_.push_back(command);
    } catch (const std::bad_alloc&) {
      // Not noted, the array is computed when the section reads it.
    }
  }
  static bool recording() { return active() != nullptr; }

private:
  static capture_recorder*& active() {
    static thread_local capture_recorder* recorder = nullptr;
    return recorder;
  }
  std::vector<std::shared_ptr<command_base>>& out_;
  capture_recorder* outer_;
};

/// What arrays hold a command by: a shared pointer that ends in drop(). Null stands for an empty
/// array. Its assignment moves as well as copies, which clang-tidy does not see.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
template <class T> class handle {
public:
  handle() = default;
  explicit handle(std::shared_ptr<command<T>> node) : node_(std::move(node)) {}
  handle(const handle& other) : node_(other.node_) { note(); }
  handle(handle&& other) noexcept : node_(std::move(other.node_)) { note(); }
  handle& operator=(handle other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~handle() {
    if (node_)
      drop(std::move(node_));
  }
  const std::shared_ptr<command<T>>& get() const { return node_; }

private:
  void note() noexcept {
    if (node_ && capture_recorder::recording())
      capture_recorder::note(node_);
  }
  std::shared_ptr<command<T>> node_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
