#include "datalog/engine/bits/rows.hpp"
