// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are written whole or not at all.
#pragma once

#include <string>

namespace traffic {

// A file under a name of its own until it is finished; whatever stood under its real name stays
// till then. A device or a pipe is written to directly.
class NewFile {
public:
  explicit NewFile(std::string name);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Where to write.
  const std::string& path() const { return path_; }
  // Gives the file its name. Throws std::filesystem::filesystem_error.
  void finish();

private:
  std::string name_, path_;
};

} // namespace traffic
