// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/algorithms/bench.h>
#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/store/dataset.h>

#include <functional>
#include <vector>

namespace fathom::calls {

/// Every case that the options ask for, with each of the algorithm's `choices` of parameters: small sizes
/// first, so that an interrupted sweep has complete sizes. Throws std::invalid_argument for an unknown input,
/// and what checked_problem() and `choices` throw.
std::vector<Case> bench_cases(const std::vector<const Algorithm*>& algorithms, std::vector<double> sizes,
                              const BenchOptions& options,
                              const std::function<std::vector<Parameters>(const Algorithm&)>& choices);

/// Runs and checks the cases on the GPU in this order, and writes the dataset as it
/// goes: what was measured when something throws is in the file. Cases that the GPU or their size cannot run
/// are left out with a note, unless none can run. Throws what OutputFile, read_dataset() and
/// CudaExecutor throw, std::runtime_error for a dataset of another GPU, OutOfDeviceMemory, KernelFailure if
/// cases failed, and what the listener throws.
Dataset bench(const std::vector<Case>& cases, const BenchOptions& options, const Listener& listener);

}  // namespace fathom::calls
