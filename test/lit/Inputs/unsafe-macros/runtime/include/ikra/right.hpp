#pragma once
#include <ikra/macros_aside.hpp>
int first; // MAX
#include <ikra/macros_back.hpp>
