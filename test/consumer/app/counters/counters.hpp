// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of a library that is compiled through ikrac by itself.
#ifndef CONSUMER_COUNTERS_HPP
#define CONSUMER_COUNTERS_HPP

#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

class Counter {
public:
  explicit Counter(int value) : value_(value) {}
  void advance(int step) { value_ += step; }
  int value() const { return value_; }

private:
  int value_;
  IKRA_OBJECT
};

std::vector<std::unique_ptr<Counter>> make_counters(int count);
void advance_all(const std::vector<std::unique_ptr<Counter>>& counters, int ticks, int step);

#endif
