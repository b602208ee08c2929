#pragma once
#include <cstddef>
#include <ikra/macros_aside.hpp>
int second;
#include <ikra/macros_back.hpp>
