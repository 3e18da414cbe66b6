// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/algorithms/bench.h>
#include <fathom/algorithms/gpus/bench.h>
#include <fathom/algorithms/host/bench.h>
#include <fathom/calls/listener.h>
#include <fathom/calls/measuring/growing_dataset.h>
#include <fathom/calls/options.h>
#include <fathom/device/group/processes.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace fathom::calls {

/// Algorithms to bench, all of one list (algorithms/lists.h).
struct Benched {
  std::variant<std::vector<const Algorithm*>, std::vector<const GroupAlgorithm*>,
               std::vector<const HostAlgorithm*>>
      algorithms;

  std::vector<const Descriptor*> all() const;
};

/// The algorithms of these names. Throws std::invalid_argument for those that there are not, for several
/// lists together, and for a number of GPUs with algorithms that do not run on several.
Benched benched(const std::vector<std::string>& names, const BenchOptions& options);

/// Runs and checks every case that the options ask for, with each of the algorithm's `choices` of parameters:
/// small sizes first, so that an interrupted sweep has complete sizes. Writes the dataset as it goes: what
/// was measured when something throws is in the file. Cases that a GPU or their size cannot run are left out
/// with a note, unless none can run. Throws std::invalid_argument for an unknown input; what
/// checked_problem() and `choices` throw; DeviceUnavailable also for more GPUs than there are; what
/// GrowingDataset, CudaExecutor and NcclGroup throw; OutOfDeviceMemory, OutOfHostMemory; KernelFailure if
/// cases failed; and what the listener throws.
///
/// With `processes`, each is a rank of algorithms for several GPUs, and calls this. The first alone reads and
/// writes the dataset, tells the listener, and throws because of a case; others return no runs. Throws
/// std::invalid_argument for an algorithm that does not run on several GPUs.
Dataset bench(const Benched& benched, std::vector<double> sizes, const BenchOptions& options,
              const std::function<std::vector<Parameters>(const Descriptor&)>& choices,
              const Listener& listener, Processes* processes = nullptr);

/// Called before a case, with the words for its run, which then begins in any case.
using BeforeCase = std::function<void(const std::string& run)>;

/// Adds the runs of these cases that the dataset lacks, each once, as bench() does. `after_each` is called
/// after a case, with whether it failed.
void bench_group(Group& group, const RankClock& clock, const std::vector<GroupCase>& cases, int repeats,
                 GrowingDataset& runs, const BeforeCase& before_each,
                 const std::function<void(bool failed)>& after_each, const Listener& listener);

/// The same for data in host memory. `memory_bytes` gives how much of each GPU's memory a case may use.
void bench_host(const std::vector<HostStreams>& gpus, const std::function<std::size_t()>& memory_bytes,
                const std::function<double()>& clock, const std::vector<HostCase>& cases, int repeats,
                GrowingDataset& runs, const std::function<void(bool failed)>& after_each,
                const Listener& listener);

/// The first of several processes has the dataset, and so knows which cases are to be run. It tells the
/// others, and when this goes out of scope, that there are no more.
class CasesToOthers {
 public:
  explicit CasesToOthers(Processes& processes) : processes_(processes) {}
  ~CasesToOthers() { tell(""); }
  CasesToOthers(const CasesToOthers&) = delete;
  void tell(const std::string& run);

 private:
  Processes& processes_;
};

/// Runs the cases that the first process tells, in another one. What fails is the first one's to say. Throws
/// ExchangeFailure when the first process does not go on.
void bench_as_told(Group& group, Processes& processes, const RankClock& clock,
                   const std::vector<GroupCase>& cases, int repeats);

}  // namespace fathom::calls
