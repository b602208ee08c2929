// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/fusion.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>

namespace fusion {

int costly(int value);
int f(int value);
int g(int value);
int h(int value);
int first(ikra::index<4> place);
int even(int value, ikra::index<4> place);
int odd(int value);
void report(const ikra::array<int>& values);

} // namespace fusion

#define fusion_PARAMETERS const ikra::array<int>&a, const ikra::array<int>&x, int k, bool verbose
