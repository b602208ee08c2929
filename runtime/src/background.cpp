// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// array::start() on all cores: a thread of its own computes a tree while the program goes on. Its
// uncomputed commands get the work's number before the thread begins; who needs one of them later
// waits for the work, and never looks into what is being computed. Trees that may lead to objects
// are computed by the caller: objects are read when start() is called, and resident scopes belong
// to the thread that made them. So are trees on a GPU, whose work is queued at once.
#include "operations.hpp"

#include <ikra/command.hpp>
#include <ikra/generated/device.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ikra::rt {

namespace {

using ikra::detail::command_base;

/// The work that this thread does; 0 for the program's own threads.
thread_local std::uint64_t own_work = 0;

class works final : public ikra::detail::background_work {
public:
  bool start(const std::shared_ptr<command_base>& root) override {
    if (current_device().is_cuda() || own_work != 0)
      return false;
    std::vector<command_base*> tree;
    std::vector<std::uint64_t> before;
    if (!collect(*root, tree, before))
      return false;
    std::uint64_t work = 0;
    {
      const std::lock_guard lock(mutex_);
      work = ++last_;
      going_on_.insert(work);
      count_.store(going_on_.size(), std::memory_order_release);
    }
    for (command_base* command : tree) {
      command->leave_group(); // no other thread may compute it, or look whether it could
      command->set_work(work);
    }
    try {
      std::thread([this, root, work, before] { run(root, work, before); }).detach();
    } catch (const std::system_error&) { // no more threads
      for (command_base* command : tree)
        command->set_work(0);
      end(work);
      return false;
    }
    return true;
  }

  void wait_for(command_base& root) override {
    if (count_.load(std::memory_order_acquire) == 0)
      return;
    std::vector<command_base*> tree;
    std::vector<std::uint64_t> before;
    collect(root, tree, before);
    for (const std::uint64_t work : before)
      wait(work);
  }

  bool is_going_on(std::uint64_t work) override {
    if (count_.load(std::memory_order_acquire) == 0)
      return false;
    const std::lock_guard lock(mutex_);
    return going_on_.contains(work);
  }

  /// Before the program's static objects go.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return going_on_.empty(); });
  }

private:
  /// The uncomputed commands of a tree, up to those that are being computed already. \param before
  /// the numbers of these works \returns whether another thread may compute all of them
  bool collect(command_base& root, std::vector<command_base*>& tree,
               std::vector<std::uint64_t>& before) {
    bool apart = true;
    std::unordered_set<command_base*> seen{&root};
    std::vector<command_base*> open{&root}, inputs;
    while (!open.empty()) {
      command_base* const command = open.back();
      open.pop_back();
      const std::uint64_t work = command->work();
      if (work != 0 && work == own_work)
        continue;
      if (work != 0 && is_going_on(work)) {
        if (std::ranges::find(before, work) == before.end())
          before.push_back(work);
        continue;
      }
      if (command->computed())
        continue;
      apart = apart && command->may_run_apart();
      tree.push_back(command);
      inputs.clear();
      command->collect_inputs(inputs);
      for (command_base* input : inputs)
        if (seen.insert(input).second)
          open.push_back(input);
    }
    return apart;
  }

  void run(std::shared_ptr<command_base> root, std::uint64_t work,
           const std::vector<std::uint64_t>& before) {
    own_work = work;
    try {
      for (const std::uint64_t other : before)
        wait(other);
      ikra::detail::settle(*root);
      ikra::detail::drop(std::move(root));
    } catch (const std::bad_alloc&) {
      // No memory to go through the tree: who asks for the result computes it.
    }
    end(work);
  }

  void wait(std::uint64_t work) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return !going_on_.contains(work); });
  }

  void end(std::uint64_t work) {
    const std::lock_guard lock(mutex_);
    going_on_.erase(work);
    count_.store(going_on_.size(), std::memory_order_release);
    ended_.notify_all();
  }

  std::mutex mutex_; ///< for what follows
  std::condition_variable ended_;
  std::set<std::uint64_t> going_on_;
  std::uint64_t last_ = 0;
  std::atomic<std::size_t> count_ = 0; ///< of going_on_
};

/// Never destroyed: arrays in static storage may be asked for after it would be.
works& all_works() {
  static works& instance = *new works;
  return instance;
}

struct waits_at_exit {
  waits_at_exit() = default;
  waits_at_exit(const waits_at_exit&) = delete;
  waits_at_exit& operator=(const waits_at_exit&) = delete;
  ~waits_at_exit() { all_works().wait_for_all(); }
};

} // namespace

void install_background() {
  ikra::detail::background = &all_works();
  static const waits_at_exit at_exit;
}

} // namespace ikra::rt
