// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are written whole or not at all.
#include "files.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace traffic {

namespace fs = std::filesystem;

NewFile::NewFile(std::string name) : name_(std::move(name)), path_(name_) {
  std::error_code unknown; // whoever writes will meet the error
  const auto type = fs::symlink_status(name_, unknown).type();
  if (type == fs::file_type::not_found || type == fs::file_type::regular)
    path_ += ".unfinished";
}

NewFile::~NewFile() {
  if (path_ == name_)
    return;
  std::error_code ignored; // there may be none, and then nothing is left to do
  fs::remove(path_, ignored);
}

void NewFile::finish() {
  if (path_ != name_)
    fs::rename(path_, name_);
  path_ = name_;
}

} // namespace traffic
