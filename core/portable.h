// SPDX-License-Identifier: Apache-2.0
// Definitions shared by kernels and host. Compiled by NVRTC and by the host compiler, so without the standard
// library.
#pragma once

#ifdef __CUDACC_RTC__
#define FATHOM_DEVICE __device__ __forceinline__
#define FATHOM_UNROLL _Pragma("unroll")
#define FATHOM_NO_UNROLL _Pragma("unroll 1")
#else
#define FATHOM_DEVICE inline
#define FATHOM_UNROLL
#define FATHOM_NO_UNROLL
#endif

namespace fathom {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;
/// Index of elements in global memory; signed, so that differences can be negative.
using Index = long long;

inline constexpr int warp_width = 32;

template <class T>
FATHOM_DEVICE
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
FATHOM_DEVICE
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
/// ⌈a/b⌉ for a ≥ 0 and b > 0.
FATHOM_DEVICE
constexpr Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

}  // namespace fathom
