// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by name: by ikra, and some of them by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace objects {

/// One run: objects are made with it, run() is what is measured.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;
  virtual void run() = 0;
  /// Of what the run did.
  virtual std::uint64_t sum() const = 0;
};

using maker = std::function<std::unique_ptr<program>()>;
using programs = std::vector<std::pair<std::string, maker>>;

/// By ikra, or by the plain library where this is the plain build.
/// \param scope whether the program opens an ikra::resident
programs by_ikra(bool scope);
/// Loops over the same objects, with OpenMP.
programs by_hand();
/// One section over few objects, or three that follow each other, again and again.
programs short_sections(bool scope);

/// A world and what happens there.
template <class World, class Run> class program_of final : public program {
public:
  explicit program_of(Run run) : run_(std::move(run)) {}
  void run() override { run_(world_); }
  std::uint64_t sum() const override { return world_.sum(); }

private:
  World world_;
  Run run_;
};
template <class World, class Run>
std::pair<std::string, maker> named(std::string name, const Run& run) {
  return {std::move(name), [run] { return std::make_unique<program_of<World, Run>>(run); }};
}

} // namespace objects
