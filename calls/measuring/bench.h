#pragma once

#include <fathom/algorithms/bench.h>
#include <fathom/calls/listener.h>
#include <fathom/store/dataset.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fathom::calls {

struct BenchOptions {
  std::filesystem::path file;  ///< the dataset; runs already in it are not repeated
  int repeats = 11;            ///< timed runs of each configuration
  int gpu = 0;
  std::string command;  ///< recorded in the dataset
};

/// Runs and checks the cases on the GPU, small sizes first if they come first, and writes the dataset as it
/// goes: what was measured when something throws is in the file. Cases that the GPU or their size cannot run
/// are left out with a note, unless none can run. Throws what OutputFile, read_dataset() and CudaExecutor
/// throw, std::runtime_error for a dataset of another GPU, OutOfDeviceMemory, KernelFailure if cases failed,
/// and what the listener throws.
Dataset bench(const std::vector<Case>& cases, const BenchOptions& options, const Listener& listener);

}  // namespace fathom::calls
