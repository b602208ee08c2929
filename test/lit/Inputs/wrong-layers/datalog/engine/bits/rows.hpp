#include "datalog/plan/plan.hpp"
