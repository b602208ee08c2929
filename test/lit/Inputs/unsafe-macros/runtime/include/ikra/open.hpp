#pragma once
#include <ikra/macros_aside.hpp>
int third;
