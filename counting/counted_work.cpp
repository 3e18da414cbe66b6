// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/work.h>

namespace fathom {

Work counted_work(const KernelCounts& counts) {
  const double blocks = double(counts.blocks);
  const double warps = blocks * counts.threads_per_block / warp_width;
  const GlobalAccesses loads = counts.global(MemoryOperation::load),
                       stores = counts.global(MemoryOperation::store),
                       atomics = counts.global(MemoryOperation::atomic);
  Work work;
  work.shared_wavefronts = double(counts.shared().wavefronts) / blocks;
  work.global_lines = double(counts.global().lines) / blocks;
  work.lines_read = double(loads.l2_lines + atomics.l2_lines) / blocks;
  work.shuffles = double(counts.words(Instruction::shuffle)) / blocks;
  work.sectors_read = double(loads.l2_sectors + atomics.l2_sectors) / blocks;
  work.sectors_written = double(stores.l2_sectors + atomics.l2_sectors) / blocks;
  // An access whose edges touch single sectors of a line is no scattered one: its neighbours read the rest.
  constexpr double scattered = 2;  // sectors per line; of whole lines four, of random words one
  for (const AccessSite& site : counts.sites)
    if (site.operation != MemoryOperation::store &&
        double(site.global.sectors) < scattered * double(site.global.lines))
      work.scattered_sectors +=
          (4 * double(site.global.l2_lines) - double(site.global.l2_sectors)) / 3 / blocks;
  work.resumed_sectors = double(stores.resumed_sectors) / blocks;
  work.atomics = double(atomics.accesses) / blocks;
  work.atomic_sectors = double(atomics.l2_sectors) / blocks;
  work.bytes_read = double(counts.read_bytes) / blocks;
  work.bytes_written = double(counts.written_bytes) / blocks;
  work.barriers = double(counts.count(Instruction::barrier)) / warps;
  return work;
}

Work code_work(const KernelInstructions& counted) {
  const double blocks = double(counted.blocks);
  Work work;
  work.instructions = counted.issued / blocks;
  work.alu = counted.on(Pipe::alu) / blocks;
  // Double precision has units of its own, but no kernel here is limited by them.
  work.fma = (counted.on(Pipe::fma) + counted.on(Pipe::fp64)) / blocks;
  work.special = counted.on(Pipe::xu) / blocks;
  work.shared_wavefronts = counted.shared_wavefronts / blocks;
  const WarpChain& chain = counted.chain;
  work.issue_clocks = chain.issue_clocks;
  work.global_waits = chain.of(WaitKind::global).batches;
  work.shared_waits = chain.of(WaitKind::shared).batches;
  work.other_waits = chain.of(WaitKind::special).batches;
  work.global_hidden = work.global_waits * chain.of(WaitKind::global).covered;
  work.shared_hidden = work.shared_waits * chain.of(WaitKind::shared).covered;
  work.code_bytes = counted.code_bytes;
  return work;
}

}  // namespace fathom
