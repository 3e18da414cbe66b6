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
  bool quick = false;  ///< coarser sweeps: a calibration takes a fifth of the time
};

/// Measures all series of a calibration, in order, with progress. docs/microbenchmarks.md lists their
/// benchmarks and coordinates, which fit_profile() reads.
std::vector<Series> measure_all(CudaExecutor& executor, const Effort& effort, const Progress& progress);

}  // namespace fathom::microbench
