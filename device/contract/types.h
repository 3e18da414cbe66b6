// SPDX-License-Identifier: Apache-2.0
// The part of the block contract that both executors share.
#pragma once

#include <fathom/core/elements/elements.h>
#include <fathom/core/operators.h>

namespace fathom {

/// A number that a kernel is specialised for, on the host: a run-time value, so that one host build runs all
/// of them.
struct Number {
  int value;
  FATHOM_DEVICE
  constexpr Number(int number) : value(number) {}
  FATHOM_DEVICE
  constexpr operator int() const { return value; }
};
/// The same for a kernel compiled for a GPU. It has the layout of the host's Number.
template <int value>
struct Constant {
  int same_layout_as_number;
  FATHOM_DEVICE
  constexpr operator int() const { return value; }
};

/// Blocks that a multiprocessor has registers for, of `threads` threads with so many each.
FATHOM_DEVICE
constexpr int blocks_with_registers(int threads, int registers) {
  return 65536 / (threads * ((registers + 7) / 8 * 8));
}

/// Blocks that a multiprocessor of sm_90 has shared memory for, of `bytes` each, besides which CUDA keeps 1
/// KiB of each.
FATHOM_DEVICE
constexpr int blocks_with_shared_memory(int bytes) {
  return (228 << 10) / (bytes + (1 << 10));
}

/// ⌈log₂ x⌉ for x ≥ 1, where the compiler knows x.
FATHOM_DEVICE
constexpr int ceil_log2(int x) {
  int log2 = 0;
  while (1 << log2 < x) ++log2;
  return log2;
}

/// `width` consecutive elements, loaded or stored in one access of at most 16 bytes.
template <class T, int width>
struct alignas((sizeof(T) * width & (sizeof(T) * width - 1)) == 0 ? sizeof(T) * width : alignof(T)) Vector {
  T element[width];
};

/// Elements in a vector of 16 bytes; 1 for types whose size does not divide 16.
template <class T>
inline constexpr int widest_vector = 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 1;

/// The number of set bits.
FATHOM_DEVICE
int count_ones(u32 bits) {
#ifdef __CUDACC_RTC__
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// Types that atomics support.
template <class T>
inline constexpr bool has_atomics = false;
template <>
inline constexpr bool has_atomics<u32> = true;
template <>
inline constexpr bool has_atomics<i32> = true;
template <>
inline constexpr bool has_atomics<u64> = true;

/// Unsigned numbers of `bits` bits, packed into a 32-bit word; field 0 is in the lowest bits.
template <int bits>
struct PackedFields {
  static_assert(bits == 8 || bits == 16, "packed fields have 8 or 16 bits");
  static constexpr int per_word = 32 / bits;
  static constexpr u32 greatest = (1u << bits) - 1;

  FATHOM_DEVICE
  static constexpr u32 get(u32 word, int field) { return word >> field * bits & greatest; }
  /// The word whose addition increments a field.
  FATHOM_DEVICE
  static constexpr u32 one(int field) { return 1u << field * bits; }
};

/// Bytes of the block's dynamic shared memory that Block::shared<T>(count) uses.
template <class T>
FATHOM_DEVICE
constexpr int shared_bytes(int count) {
  return (count * int(sizeof(T)) + 15) / 16 * 16;
}

}  // namespace fathom
