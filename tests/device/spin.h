// SPDX-License-Identifier: Apache-2.0
// A kernel of known duration, for tests of the timer. On the CPU it does nothing.
#pragma once

#include <fathom/device/contract/contract.h>

namespace timing_kernels {

/// Every thread spins until the GPU's global timer has advanced by `nanoseconds` and its multiprocessor's
/// clock by `clocks`. Thread 0 of block 0 stores both advances.
struct Spin {
  static constexpr const char* header = "fathom/tests/device/spin.h";

  fathom::u64 nanoseconds, clocks;
  fathom::Span<fathom::u64> advances;  // nanoseconds, clocks

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
#ifdef __CUDACC_RTC__
    const fathom::u64 first_ns = global_timer(), first = fathom::u64(clock64());
    fathom::u64 ns = 0, passed = 0;
    while (ns < nanoseconds || passed < clocks) {
      ns = global_timer() - first_ns;
      passed = fathom::u64(clock64()) - first;
    }
    if (block.index() > 0 || block.thread() > 0) return;
    advances.store(0, ns);
    advances.store(1, passed);
#else
    static_cast<void>(block);
#endif
  }

#ifdef __CUDACC_RTC__
  FATHOM_DEVICE
  static fathom::u64 global_timer() {
    fathom::u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
  }
#endif
};

}  // namespace timing_kernels
