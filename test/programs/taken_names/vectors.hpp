// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors, named as many programs name theirs, and as CUDA does.
#pragma once

struct float3 {
  float x, y, z;
  float3 operator+(const float3& o) const { return {x + o.x, y + o.y, z + o.z}; }
};

inline float dot(const float3& a, const float3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }
