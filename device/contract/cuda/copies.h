// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory under CUDA: by the copy engine on sm_90, by cp.async on
// sm_80.
#pragma once

#include <fathom/device/contract/cuda/global_memory.h>
#include <fathom/device/contract/cuda/shared_memory.h>

namespace fathom {

namespace detail {

FATHOM_DEVICE
u32 shared_address(const void* pointer) {
  return u32(__cvta_generic_to_shared(pointer));
}

/// Each lane copies every 32nd of `count` vectors: without waiting for them if `asynchronous`.
template <bool asynchronous, class T, int width>
FATHOM_DEVICE
void copy_by_lanes(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count) {
  for (int at = threadIdx.x % warp_width; at < count; at += warp_width) {
#if __CUDA_ARCH__ >= 800
    if constexpr (asynchronous && sizeof(Vector<T, width>) == 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to.data + at)),
                   "l"(from.data + i + Index(at) * width)
                   : "memory");
      continue;
    } else if constexpr (asynchronous) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to.data + at)),
                   "l"(from.data + i + Index(at) * width), "n"(sizeof(Vector<T, width>))
                   : "memory");
      continue;
    }
#endif
    to.store(at, from.template load_vector<width>(i + Index(at) * width));
  }
}

#if __CUDA_ARCH__ >= 800
/// True once the phase of this parity has ended.
FATHOM_DEVICE
bool phase_has_ended(u32 barrier, u32 parity) {
  u32 ended;
#if __CUDA_ARCH__ >= 900  // suspends the warp for a while
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(ended)
      : "r"(barrier), "r"(parity)
      : "memory");
#else
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(ended)
      : "r"(barrier), "r"(parity)
      : "memory");
#endif
  return ended;
}
#endif

}  // namespace detail

/// Copies of one warp in stages: see contract.h.
///
/// A stage's arrival word is an mbarrier that expects one arrival: lane 0 arrives in wait(). So the phase
/// cannot end between two copies that are started in the same stage. On sm_90 the copy engine adds the bytes
/// that are still to come, on sm_80 each lane an arrival that is made when its copies are done.
template <class Row>
class CopyPipeline {
#if __CUDA_ARCH__ >= 900
  static constexpr bool by_engine = sizeof(Row) == 16;
#else
  static constexpr bool by_engine = false;
#endif
#if __CUDA_ARCH__ >= 800
  static constexpr bool by_lanes = !by_engine && (sizeof(Row) == 4 || sizeof(Row) == 8 || sizeof(Row) == 16);
#else
  static constexpr bool by_lanes = false;
#endif

 public:
  FATHOM_DEVICE
  CopyPipeline(const Shared<u64>& arrivals, int stages) : arrivals_(arrivals) {
#if __CUDA_ARCH__ >= 800
    if constexpr (by_engine || by_lanes) {
      if (lane() == 0) {
        FATHOM_UNROLL
        for (int stage = 0; stage < stages; ++stage)
          asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(arrival(stage)) : "memory");
      }
      __syncwarp();
    }
#endif
  }

  template <class T, int width>
  FATHOM_DEVICE
  void begin(int stage, const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to,
             int count) const {
    static_assert(sizeof(Vector<T, width>) == sizeof(Row), "all vectors of a pipeline have the same size");
#if __CUDA_ARCH__ >= 900
    if constexpr (by_engine) {
      if (lane() == 0 && count > 0) {
        // The engine is another proxy: the fence makes the barrier and earlier accesses to the destination
        // visible to it.
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n\t"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(
                arrival(stage)),
            "r"(count * int(sizeof(Row))), "r"(detail::shared_address(to.data)), "l"(from.data + i)
            : "memory");
      }
      return;
    }
#endif
    detail::copy_by_lanes<by_lanes>(from, i, to, count);
#if __CUDA_ARCH__ >= 800
    // Adds a pending arrival now and makes it when the copies are done. compute-sanitizer's synccheck (CUDA
    // 13.0) reports "Barrier overflow" here: it does not see the addition. The variant .noinc, which it does
    // accept, needs the number of arrivals in advance.
    if constexpr (by_lanes)
      asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(arrival(stage)) : "memory");
#endif
  }

  FATHOM_DEVICE
  void wait(int stage) {
    __syncwarp();
#if __CUDA_ARCH__ >= 800
    if constexpr (by_engine || by_lanes) {
      if (lane() == 0)
        asm volatile(
            "{\n\t.reg .b64 state;\n\t"
            "mbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(arrival(stage))
            : "memory");
      const u32 parity = phases_ >> stage & 1;
      phases_ ^= 1u << stage;
      while (!detail::phase_has_ended(arrival(stage), parity)) {
      }
    }
#endif
  }

 private:
  FATHOM_DEVICE
  static int lane() {
    return threadIdx.x % warp_width;
  }
  FATHOM_DEVICE
  u32 arrival(int stage) const {
    return detail::shared_address(arrivals_.data + stage);
  }
  Shared<u64> arrivals_;
  u32 phases_ = 0;  // bit s: the parity of the phase that stage s is in
};

namespace detail {

/// Block::begin_copy().
template <class T, int width>
FATHOM_DEVICE
void begin_single_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                       const Shared<u64>& arrivals) {
  constexpr int bytes = sizeof(Vector<T, width>);
#if __CUDA_ARCH__ >= 900
  if constexpr (bytes == 16) {
    if (threadIdx.x % warp_width == 0) {
      const u32 barrier = shared_address(arrivals.data + threadIdx.x / warp_width);
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
          "fence.proxy.async.shared::cta;\n\t"
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n\t"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(
              barrier),
          "r"(count * bytes), "r"(shared_address(to.data)), "l"(from.data + i)
          : "memory");
    }
    __syncwarp();
    return;
  }
#endif
  copy_by_lanes<bytes == 16>(from, i, to, count);
}

/// Block::wait_for_copy() for vectors of so many bytes.
template <int bytes>
FATHOM_DEVICE
void wait_for_single_copy(const Shared<u64>& arrivals) {
#if __CUDA_ARCH__ >= 900
  if constexpr (bytes == 16) {
    const u32 barrier = shared_address(arrivals.data + threadIdx.x / warp_width);
    u32 arrived = 0;
    while (!arrived)
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(arrived)
          : "r"(barrier)
          : "memory");
    return;
  }
#endif
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp();
}

}  // namespace detail

}  // namespace fathom
