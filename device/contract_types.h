// The part of the block contract that is the same for both executors.
#pragma once

#ifdef __CUDACC_RTC__
#define FATHOM_DEVICE __device__ __forceinline__
#define FATHOM_UNROLL _Pragma("unroll")
#else
#define FATHOM_DEVICE inline
#define FATHOM_UNROLL
#endif

namespace fathom {

using u32 = unsigned int;
using u64 = unsigned long long;
using Index =
    long long;  ///< of elements in global memory; signed, so that differences are what they look like

inline constexpr int warp_width = 32;

/// A number that is known when the kernel is compiled. Same layout as the int that stands for it on the host.
template <int value>
struct Constant {
  int same_layout_as_int;
  FATHOM_DEVICE
  constexpr operator int() const { return value; }
};

/// `width` consecutive elements, loaded or stored in one access where they are 4, 8 or 16 bytes. Aligned to
/// the greatest power of two that divides their size.
template <class T, int width>
struct alignas(sizeof(T) * width & -(sizeof(T) * width)) Vector {
  T element[width];
};

/// How many elements fill an access of 16 bytes; 1 where no number of them does.
template <class T>
inline constexpr int vector_width = sizeof(T) < 16 && 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 1;

template <class T>
FATHOM_DEVICE
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
FATHOM_DEVICE
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}
FATHOM_DEVICE
constexpr Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}

/// Bytes that Block::shared<T>(count) takes from the block's dynamic shared memory.
template <class T>
FATHOM_DEVICE
constexpr int shared_bytes(int count) {
  return (count * int(sizeof(T)) + 15) / 16 * 16;
}

struct Less {
  template <class T>
  FATHOM_DEVICE
  bool operator()(const T& a, const T& b) const { return a < b; }
};
struct Greater {
  template <class T>
  FATHOM_DEVICE
  bool operator()(const T& a, const T& b) const { return b < a; }
};
/// Addition with its identity, 0.
struct Plus {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return a + b; }
  template <class T>
  FATHOM_DEVICE
  static constexpr T identity() { return T(0); }
};

}  // namespace fathom
