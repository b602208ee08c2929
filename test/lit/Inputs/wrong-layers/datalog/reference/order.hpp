#include "datalog/compile/order.hpp"
