// The hardware questions: one function per file, each returns its raw series. Nothing is fitted here
// (calibration/).
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <vector>

namespace fathom::microbench {

struct Effort {
  int repeats = 11;
  bool quick = false;  ///< coarser sweeps: a whole calibration within 10 s instead of 60 s
};

/// Every series of a calibration, in order, with progress. Names and `at` keys of the series are listed in
/// docs/microbenchmarks.md, and are what fit_profile() reads.
std::vector<Series> measure_all(CudaExecutor& executor, const Effort& effort, const Progress& progress);

}  // namespace fathom::microbench
