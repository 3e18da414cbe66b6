// The bounds of the sources (model/memory_bounds.h) for what an algorithm's kernels do on the abstract
// machines: what count() counts there stays within a constant of them.
#pragma once

#include <fathom/algorithms/count.h>
#include <fathom/model/memory_bounds.h>

#include <optional>

namespace fathom {

/// Of the accesses to shared memory on a DMM, to global memory on a UMM, in time units, constant factors 1;
/// elements count as their words. `conflict` is β, the mean conflict degree that was counted, where it
/// depends on the input. Nothing where the kernels do not touch this memory, and for an algorithm without
/// bounds.
std::optional<double> machine_bound(const Algorithm& algorithm, const Problem& problem,
                                    const MemoryMachineChoice& machine, double conflict);

/// The algorithm's row in the table of models.md §5, to stand beside AgpuCosts. Nothing for one that has
/// none.
std::optional<bounds::AgpuBound> agpu_bound(const Algorithm& algorithm, const Problem& problem,
                                            const AgpuChoice& machine);

}  // namespace fathom
