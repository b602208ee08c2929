#include <ikra/generated/launch.hpp>
#include <cuda_runtime.h>
#include <array>
