#include <ikra/generated/launch/launch.hpp>
#include <cuda_runtime.h>
#include <array>
