// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// array::start() on all cores: another thread computes a tree while the program goes on. Its
// uncomputed commands get the work's number before the thread begins; who needs one of them later
// waits for the work, and never looks into what is being computed. Trees that may lead to objects
// are computed by the caller: objects are read when start() is called, and resident scopes belong
// to the thread that made them. Trees on a GPU are queued at once by the caller, beside each other
// (cuda/queues.hpp).
#include "devices/operations.hpp"

#include <ikra/command.hpp>
#include <ikra/generated/device/device.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
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

constexpr section_info start_info{"(start of an array)", "ikra", 0, 0};
/// The work of trees on a GPU, which are settled when start() returns.
constexpr std::uint64_t queued = ~std::uint64_t(0);

/// The work that this thread does; 0 for the program's own threads.
thread_local std::uint64_t own_work = 0;

struct queued_beside {
  explicit queued_beside(device& gpu) : where(gpu) {}
  queued_beside(const queued_beside&) = delete;
  queued_beside& operator=(const queued_beside&) = delete;
  ~queued_beside() { where.end_beside(); }
  device& where;
};

class works final : public ikra::detail::background_work {
public:
  bool start(const std::shared_ptr<command_base>& root) override {
    if (own_work != 0)
      return false;
    std::vector<command_base*> tree;
    std::vector<std::uint64_t> before;
    if (!collect(*root, tree, before))
      return false;
    if (current_device().is_cuda())
      return queue_beside(current_device(), *root);
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
    const auto take_back = [&] {
      for (command_base* command : tree)
        command->set_work(0);
      const std::lock_guard lock(mutex_);
      note_end(work);
      return false;
    };
    try {
      give({root, work, std::move(before)});
    } catch (const std::system_error&) { // no more threads
      return take_back();
    } catch (const std::bad_alloc&) {
      return take_back();
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
  /// Queues a tree on a GPU beside others that were started. \returns false, with nothing done,
  /// where it has to go with the rest
  static bool queue_beside(device& gpu, command_base& root) {
    try {
      gpu.make_current(start_info);
    } catch (const error&) { // whoever computes it is told
      return false;
    }
    if (!gpu.begin_beside())
      return false;
    const queued_beside until_the_end{gpu};
    root.set_work(queued);
    ikra::detail::settle(root);
    return true;
  }

  struct job {
    std::shared_ptr<command_base> root;
    std::uint64_t work;
    std::vector<std::uint64_t> before; ///< works that it waits for
  };
  /// Threads that wait for jobs: with a thread, its team of OpenMP would have to be made anew.
  static constexpr std::size_t most_idle = 4;

  /// To a thread that waits, or a new one.
  void give(job next) {
    {
      const std::lock_guard lock(mutex_);
      if (idle_ > given_.size()) {
        given_.push_back(std::move(next));
        is_given_.notify_one();
        return;
      }
    }
    std::thread([this, first = std::move(next)]() mutable { serve(std::move(first)); }).detach();
  }

  /// What a thread does.
  void serve(job now) {
    while (run(std::move(now))) {
      std::unique_lock lock(mutex_);
      is_given_.wait(lock, [this] { return !given_.empty(); });
      --idle_;
      now = std::move(given_.front());
      given_.pop_front();
    }
  }

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

  /// \returns whether the thread waits for another job: then it counts as idle
  bool run(job now) {
    own_work = now.work;
    try {
      for (const std::uint64_t other : now.before)
        wait(other);
      ikra::detail::settle(*now.root);
      ikra::detail::drop(std::move(now.root));
    } catch (const std::bad_alloc&) {
      // No memory to go through the tree: who asks for the result computes it.
      now.root.reset();
    }
    const std::lock_guard lock(mutex_);
    note_end(now.work);
    own_work = 0;
    const bool stays = idle_ < most_idle;
    idle_ += stays ? 1 : 0;
    return stays;
  }

  void wait(std::uint64_t work) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return !going_on_.contains(work); });
  }

  /// With the mutex.
  void note_end(std::uint64_t work) {
    going_on_.erase(work);
    count_.store(going_on_.size(), std::memory_order_release);
    ended_.notify_all();
  }

  std::mutex mutex_; ///< for what follows
  std::condition_variable ended_, is_given_;
  std::set<std::uint64_t> going_on_;
  std::deque<job> given_;
  std::size_t idle_ = 0; ///< threads that wait for jobs, or are about to
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
