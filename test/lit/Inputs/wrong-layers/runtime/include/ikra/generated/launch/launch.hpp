#include <ikra/array.hpp>
#include <cuda_runtime.h>
