// SPDX-License-Identifier: Apache-2.0
// The block contract under CUDA: every member is one built-in or one access. Compiled by NVRTC only.
#pragma once

#include <fathom/device/contract/cuda/copies.h>
#include <fathom/device/contract/cuda/registers.h>

namespace fathom {

/// The second of the launch bounds; 0 sets none.
template <class Kernel>
constexpr int least_resident_blocks() {
  if constexpr (requires { Kernel::least_resident_blocks(); }) return Kernel::least_resident_blocks();
  return 0;
}

extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];

class Block {
 public:
  FATHOM_DEVICE
  int thread() const { return threadIdx.x; }
  FATHOM_DEVICE
  int threads() const { return blockDim.x; }
  FATHOM_DEVICE
  Index index() const { return blockIdx.x; }
  FATHOM_DEVICE
  Index blocks() const { return gridDim.x; }
  FATHOM_DEVICE
  int lane() const { return threadIdx.x % warp_width; }
  FATHOM_DEVICE
  int warp() const { return threadIdx.x / warp_width; }
  FATHOM_DEVICE
  int warps() const { return blockDim.x / warp_width; }

  FATHOM_DEVICE
  void barrier() const { __syncthreads(); }
  FATHOM_DEVICE
  void warp_barrier() const { __syncwarp(); }

  template <class T>
  FATHOM_DEVICE
  T shuffle(const T& value, int source_lane) const {
    return by_words(value, [&](u32 word) { return __shfl_sync(~0u, word, source_lane); });
  }
  /// From the lane `distance` below; the lane's own value where there is none.
  template <class T>
  FATHOM_DEVICE
  T shuffle_up(const T& value, int distance) const {
    return by_words(value, [&](u32 word) { return __shfl_up_sync(~0u, word, distance); });
  }
  template <class T>
  FATHOM_DEVICE
  T shuffle_down(const T& value, int distance) const {
    return by_words(value, [&](u32 word) { return __shfl_down_sync(~0u, word, distance); });
  }
  template <class T>
  FATHOM_DEVICE
  T shuffle_xor(const T& value, int mask) const {
    return by_words(value, [&](u32 word) { return __shfl_xor_sync(~0u, word, mask); });
  }
  FATHOM_DEVICE
  u32 ballot(bool predicate) const { return __ballot_sync(~0u, predicate); }
  /// The lanes whose value has the same bits.
  template <class T>
  FATHOM_DEVICE
  u32 match(const T& value) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a matched type must consist of one or two 32-bit words");
    if constexpr (sizeof(T) == 4)
      return __match_any_sync(~0u, __builtin_bit_cast(u32, value));
    else
      return __match_any_sync(~0u, __builtin_bit_cast(u64, value));
  }

  // Over the values of all lanes; all lanes get the result.
  template <class T>
  FATHOM_DEVICE
  T reduce_add(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return T(u32(a) + u32(b)); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_min(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return min(a, b); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_max(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return max(a, b); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_and(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_and_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a & b; });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_or(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_or_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a | b; });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_xor(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_xor_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a ^ b; });
#endif
  }

  template <class T>
  FATHOM_DEVICE
  Shared<T> shared(int count) {
    T* start = reinterpret_cast<T*>(dynamic_shared_memory + shared_used_);
    shared_used_ += shared_bytes<T>(count);
    return {start};
  }

  /// Suspends the thread for about this many nanoseconds.
  FATHOM_DEVICE
  void sleep(int nanoseconds) const {
    __nanosleep(nanoseconds);
  }

  /// Called by a whole warp, once: starts an asynchronous copy of `count` vectors from global to shared
  /// memory. `arrival` has one element per warp of the block. After wait_for_copy() all lanes can read the
  /// vectors.
  template <class T, int width>
  FATHOM_DEVICE
  void begin_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                  const Shared<u64>& arrival) const {
    detail::begin_single_copy(from, i, to, count, arrival);
  }
  template <class T, int width>
  FATHOM_DEVICE
  void wait_for_copy(const Shared<Vector<T, width>>&, const Shared<u64>& arrival) const {
    detail::wait_for_single_copy<int(sizeof(Vector<T, width>))>(arrival);
  }
  /// Called by a whole warp: see CopyPipeline. `arrivals` has one element per stage, for this warp only.
  template <class Row>
  FATHOM_DEVICE
  CopyPipeline<Row> copy_pipeline(const Shared<u64>& arrivals, int stages) const {
    return CopyPipeline<Row>(arrivals, stages);
  }

  /// Returns the previous value. Releases this thread's earlier writes and acquires those of the threads that
  /// added before: made for tickets.
  template <class T>
  FATHOM_DEVICE
  T atomic_add(const Span<T>& span, Index i, T value) const {
    fence();
    const T before = atomicAdd(span.data + i, value);
    fence();
    return before;
  }

 private:
  /// __threadfence() orders more than this and takes longer.
  FATHOM_DEVICE
  static void fence() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }

  template <class T>
  FATHOM_DEVICE
  static T reducible(T value) {
    static_assert(has_atomics<T> && sizeof(T) == 4, "a warp reduces u32 and i32");
    return value;
  }
#if __CUDA_ARCH__ < 800
  template <class T, class Operator>
  FATHOM_DEVICE
  T butterfly(T value, Operator combine) const {
    value = reducible(value);
    FATHOM_UNROLL
    for (int mask = warp_width / 2; mask > 0; mask /= 2) value = combine(value, shuffle_xor(value, mask));
    return value;
  }
#endif

  template <int count>
  struct Words {
    u32 word[count];
  };

  /// Word by word, with a bit cast and constant indices: a union, or a loop over its words, would put the
  /// value into local memory.
  template <class T, class Exchange>
  FATHOM_DEVICE
  static T by_words(const T& value, Exchange exchange) {
    static_assert(sizeof(T) % 4 == 0, "a shuffled type must consist of whole 32-bit words");
    constexpr int count = sizeof(T) / 4;
    Words<count> words = __builtin_bit_cast(Words<count>, value);
    FATHOM_UNROLL
    for (int i = 0; i < count; ++i) words.word[i] = exchange(words.word[i]);
    return __builtin_bit_cast(T, words);
  }

  int shared_used_ = 0;
};

}  // namespace fathom
