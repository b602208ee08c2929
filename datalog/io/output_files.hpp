// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where outputs go: results are written to files beside their places first; only when all are
// written do they get their names. Symbolic links are followed; devices and pipes are written to as
// they are. Relies on partial_file.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ikra::datalog {

namespace io {
class partial_file;
} // namespace io

/// A file that cannot be read or written, or does not hold what it should; what() has file and
/// line.
class io_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What is at the end of a name.
struct output_place {
  std::filesystem::path target; ///< links followed
  /// Written to as it is: a device, a pipe, what a process has open (/dev/stdout).
  bool is_stream = false;
  bool is_shared = false; ///< a stream that may take one output after another
  int descriptor = -1;    ///< of this process, if it has the stream open
};
/// \throws io_error for a folder, and for links that lead nowhere
output_place place_of(const std::string& path);

/// What a writer opens.
struct output_file {
  std::string path;   ///< empty: the terminal
  std::string name;   ///< for messages
  output_place place; ///< a stream is opened at its end
};

/// Files that appear all at once or not at all.
class output_files {
public:
  /// \param folder where relative file names go
  explicit output_files(std::string folder);
  output_files(const output_files&) = delete;
  output_files& operator=(const output_files&) = delete;
  ~output_files(); ///< removes what was not committed

  /// A file to be written, which commit() will give this name. The same one for a name that was
  /// there before: several relations may go to one database.
  /// \throws io_error
  output_file add(const std::string& name);
  /// \throws io_error
  void commit();

private:
  std::string folder_;
  std::vector<std::unique_ptr<io::partial_file>> pending_;
};

} // namespace ikra::datalog
