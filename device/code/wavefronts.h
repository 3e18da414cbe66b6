// SPDX-License-Identifier: Apache-2.0
// Passes through the load/store unit that accesses of compiled code take.
#pragma once

#include <fathom/device/code/frequencies/frequencies.h>
#include <fathom/device/code/source_lines.h>

#include <map>

namespace fathom {

/// Passes of the accesses to one kind of memory, summed over the launches that were counted.
struct AccessPasses {
  std::map<lines::Key, double> per_word;  ///< per 32-bit word that the machine code moves per lane
  double of_code = 0;
  double without_code = 0;  ///< of lines of the source that have no instruction

  double total() const { return of_code + without_code; }
};

/// Wavefronts of shared memory, from those counted for the source's accesses. Where the compiler combined v
/// accesses of a thread to one, the conflicts of one of them remain, unless the width alone needs more; an
/// instruction takes one wavefront even if its guard lets no lane pass.
AccessPasses shared_wavefronts(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                               const KernelCounts& counts);
/// Lines of global memory, as they were counted in the source.
AccessPasses global_lines(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                          const KernelCounts& counts);

}  // namespace fathom
