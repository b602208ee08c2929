// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is written beside its place and gets its name when it is whole. A program may ask
// that those which are not whole are removed when a signal ends it. Relies on POSIX.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace ikra::datalog::io {

/// While one exists, signals that would end the process wait (if remove_partial_files_on_signals()
/// was called).
class deferred_signals {
public:
  deferred_signals() noexcept;
  deferred_signals(const deferred_signals&) = delete;
  deferred_signals& operator=(const deferred_signals&) = delete;
  ~deferred_signals();
};

class partial_file {
public:
  /// An empty file beside the target, with the rights of the target if that is there.
  /// \throws std::filesystem::filesystem_error
  explicit partial_file(std::filesystem::path target);
  partial_file(const partial_file&) = delete;
  partial_file& operator=(const partial_file&) = delete;
  ~partial_file(); ///< removes it, unless it has its name

  const std::string& path() const noexcept { return path_; }
  const std::filesystem::path& target() const noexcept { return target_; }
  /// Puts it in the target's place.
  /// \throws std::filesystem::filesystem_error
  void commit();

private:
  std::filesystem::path target_;
  std::string path_;      ///< empty once it has its name
  void* known_ = nullptr; ///< what a signal's handler knows of it
};

/// From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove all partial files before they
/// end the process as they always do; one that is ignored stays so. A write to a pipe that nobody
/// reads, and one beyond the limit of a file's size (SIGPIPE, SIGXFSZ), fail instead of ending the
/// process. For programs, not for libraries.
void remove_partial_files_on_signals();

} // namespace ikra::datalog::io
