// SPDX-License-Identifier: Apache-2.0
// Kernels that use features missing from the counting executor. Each is compiled separately, selected by
// REFUSED, and must fail with a message that names the feature. With REFUSED = 0 the file compiles.
#include <fathom/device/contract/contract.h>

namespace {

struct Kernel {
  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
#if REFUSED == 1
    block.cluster_barrier();  // thread block clusters are not part of the contract
#elif REFUSED == 2
    struct ThreeBytes {
      fathom::u8 bytes[3];
    };
    block.template shared<ThreeBytes>(block.threads()).store(block.thread(), {});
#elif REFUSED == 3
    struct Wide {
      fathom::u32 words[9];
    };
    block.shuffle(Wide{}, 0);
#elif REFUSED == 4
    block.template shared<fathom::f32>(1).atomic_add(0, 1.0f);
#elif REFUSED == 5
    block.reduce_add(fathom::u64(1));
#elif REFUSED == 6
    block.match(fathom::u16(1));
#elif REFUSED == 7
    fathom::PackedCounters<4>{block.template shared<fathom::u32>(1)}.increment(0, 0);
#else
    block.template shared<fathom::u8>(block.threads()).store(block.thread(), 0);
    block.template shared<fathom::u32>(block.threads()).store(block.thread(), 0);
    block.barrier();
#endif
  }
};

}  // namespace

void run(fathom::Block& block) {
  Kernel{}(block);
}
