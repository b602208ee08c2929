// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/datalog-cpp.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace datalog_cpp {

struct Street {
  const std::string& name() const { return name_; }
  const std::vector<Street*>& neighbours() const { return neighbours_; }
  float length() const { return static_cast<float>(name_.size()); }
  void set_detour(float length) { detour_ = length; }
  std::string name_;
  std::vector<Street*> neighbours_;
  float detour_ = 0;
};
std::vector<std::unique_ptr<Street>> load_streets();

} // namespace datalog_cpp

#define datalog_cpp_PARAMETERS ikra::datalog::program reach, ikra::datalog::program city
