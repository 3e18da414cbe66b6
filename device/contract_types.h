// The part of the block contract that is the same for both executors.
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

using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
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

/// `width` consecutive elements, loaded or stored in one access of at most 16 bytes.
template <class T, int width>
struct alignas((sizeof(T) * width & (sizeof(T) * width - 1)) == 0 ? sizeof(T) * width : alignof(T)) Vector {
  T element[width];
};

/// Elements in a vector of 16 bytes; 1 for types that do not divide it.
template <class T>
inline constexpr int widest_vector = 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 1;

/// An element of two words. A sum's components are the components' sums.
struct alignas(8) Pair {
  u32 first, second;

  FATHOM_DEVICE
  friend constexpr bool operator==(const Pair& a, const Pair& b) {
    return a.first == b.first && a.second == b.second;
  }
  FATHOM_DEVICE
  friend constexpr Pair operator+(const Pair& a, const Pair& b) {
    return {a.first + b.first, a.second + b.second};
  }
};

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

/// The least and the greatest value of a type that is ordered, infinities where it has them.
template <class T>
struct Extremes;
template <>
struct Extremes<u32> {
  static constexpr u32 least = 0, greatest = ~u32(0);
};
template <>
struct Extremes<u64> {
  static constexpr u64 least = 0, greatest = ~u64(0);
};
template <>
struct Extremes<f32> {
  static constexpr f32 greatest = __builtin_bit_cast(f32, 0x7f800000u), least = -greatest;
};
template <>
struct Extremes<f64> {
  static constexpr f64 greatest = __builtin_bit_cast(f64, 0x7ff0000000000000ull), least = -greatest;
};

// Associative operators, what reductions and scans combine elements with. One's identity is a static template
// identity<T>(), so that an operator can be given for all types at once.

/// Addition with its identity, 0. A floating-point sum depends on the order of the additions.
struct Plus {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return a + b; }
  template <class T>
  FATHOM_DEVICE
  static constexpr T identity() { return T{}; }
};
struct Minimum {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return smaller(a, b); }
  template <class T>
  requires requires { Extremes<T>::greatest; }
  FATHOM_DEVICE
  static constexpr T identity() { return Extremes<T>::greatest; }
};
struct Maximum {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return larger(a, b); }
  template <class T>
  requires requires { Extremes<T>::least; }
  FATHOM_DEVICE
  static constexpr T identity() { return Extremes<T>::least; }
};

template <class Operator, class T>
concept HasIdentity = requires {
  Operator::template identity<T>();
};

/// The operator's identity; a readable refusal to compile where it has none.
template <class Operator, class T>
FATHOM_DEVICE
constexpr T identity_of() {
  static_assert(HasIdentity<Operator, T>,
                "this operator lacks the identity that padding and empty inputs need: "
                "give it template <class T> static constexpr T identity()");
  if constexpr (HasIdentity<Operator, T>)
    return Operator::template identity<T>();
  else
    return T{};
}

}  // namespace fathom
