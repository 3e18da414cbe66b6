// SPDX-License-Identifier: Apache-2.0
// Predictions of one problem or several.
#pragma once

#include <fathom/algorithms/case.h>
#include <fathom/algorithms/registry.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/device/counting/counts.h>
#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::calls {

/// The compute capability of the profile's GPU. Throws std::runtime_error if the profile does not tell it.
int architecture_of(const DeviceProfile& profile);

/// A case of one element: work is found for all sizes by it. Throws std::invalid_argument for an algorithm
/// that is neither registered nor a part of one for several GPUs.
Case case_of(const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input);

/// The work of algorithms on the profile's GPU: find_work() (counting/work.h). The function throws
/// std::runtime_error if the profile does not tell the GPU's architecture, BlockTooLarge for kernels of
/// which no block fits, and what `progress` throws. `workers`: threads that count; 0 for one per core. The
/// profile must outlive it.
WorkLookup work_lookup(const DeviceProfile& profile, const Progress& progress, int workers = 0);

/// The same where nothing has to be counted, or something can be; else estimates (estimates.h), marked as
/// such and with what would have them counted. Where there is none it throws WorkUnavailable.
WorkLookup work_or_estimate_lookup(const DeviceProfile& profile, const Progress& progress);

/// β of the reads of shared memory.
double conflict_of_reads(const std::vector<KernelCounts>& kernels);

/// β of algorithms on inputs, counted for sixteen tiles on a device like the profile's. The function throws
/// what count() throws. The profile must outlive it.
ConflictLookup conflict_lookup(const DeviceProfile& profile, const Progress& progress);

/// Changes the profile's machine. What is changed counts as exactly known. Throws std::invalid_argument for
/// changes that cannot be made.
void apply_what_if(const std::vector<std::string>& changes, DeviceProfile& profile);

/// A question: what is predicted, and for which machine.
struct Question {
  const Descriptor* algorithm;
  Problem problem;  ///< that the algorithm can solve; its parameters are complete
  Law law{};
  Input input = Input::random;
  std::vector<std::string> what_if{};  ///< "dram.bandwidth=1.5x"
  bool sensitivities = false;
};

/// Throws what law_of() and input_of() throw (calls/predicting/problem.h).
Question question(const Descriptor& algorithm, Problem problem, const PredictionOptions& options);

/// The law, if it has readings: as reports have it.
std::optional<Law> reading_of(const Law& law);

/// Throws std::runtime_error for a problem that does not fit in the GPU's memory, and what apply_what_if(),
/// work_lookup() and Predictor throw.
reports::PredictionReport predict(const Question& question, DeviceProfile profile, const Listener& listener);

/// Every problem on every profile, under the question's law, input and changes of the machine. A prediction
/// that cannot be had, for lack of memory, constants or work, leaves the others as they are. `problems` and
/// `profiles` must not be empty. Throws what apply_what_if() throws.
reports::PredictionSweep sweep(const Question& question, const std::vector<Problem>& problems,
                               std::vector<DeviceProfile> profiles, const Listener& listener);

}  // namespace fathom::calls
