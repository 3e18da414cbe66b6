// Kernels that use what the counting executor lacks: each is compiled by itself, REFUSED saying which, and
// must fail with a message that names it. Without REFUSED it compiles.
#include <fathom/device/contract.h>

namespace {

struct Kernel {
  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
#if REFUSED == 1
    block.cluster_barrier();  // thread block clusters are no part of the contract
#elif REFUSED == 2
    block.template shared<unsigned short>(block.threads()).store(block.thread(), 0);
#elif REFUSED == 3
    struct Wide {
      fathom::u32 words[9];
    };
    block.shuffle(Wide{}, 0);
#else
    block.template shared<fathom::u32>(block.threads()).store(block.thread(), 0);
    block.barrier();
#endif
  }
};

}  // namespace

void run(fathom::Block& block) {
  Kernel{}(block);
}
