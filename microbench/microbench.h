// SPDX-License-Identifier: Apache-2.0
// The microbenchmarks: one function per file, each returns its raw series. Nothing is fitted here (see
// calibration/).
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <vector>

namespace fathom::microbench {

struct Effort {
  int repeats = 11;
  bool quick = false;  ///< coarser sweeps and shorter launches: a calibration takes a third of the time
};

struct Measured {
  std::vector<Series> series;
  std::vector<Spent> spent;  ///< by benchmark, in the order in which they ran
};

/// Measures all series of a calibration, in order, with progress. Their kernels are compiled meanwhile.
/// docs/microbenchmarks.md lists their benchmarks and coordinates, which fit_profile() reads.
Measured measure_all(CudaExecutor& executor, const Effort& effort, const Progress& progress);

}  // namespace fathom::microbench
