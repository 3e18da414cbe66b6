// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/measuring/growing_dataset.h>
#include <fathom/core/interruption.h>
#include <fathom/device/executor.h>
#include <fmt/format.h>

#include <set>
#include <tuple>

namespace fathom::calls {
namespace {

/// Identifies a configuration among those measured.
using Configuration =
    std::tuple<std::string, Input, std::string, Order, bool, double, std::map<std::string, int>>;

Configuration configuration(const Measurement& run) {
  const Problem& problem = run.problem;
  return {run.algorithm,  run.input, type_text(problem),         problem.order,
          problem.stable, problem.n, by_name(problem.parameters)};
}

}  // namespace

GrowingDataset::GrowingDataset(const std::filesystem::path& file)
    : file_(file),
      dataset_(std::filesystem::exists(file) ? read_dataset(file) : Dataset{}),
      runs_before_(dataset_.runs.size()),
      last_write_(std::chrono::steady_clock::now()) {}

void GrowingDataset::continue_with(const Provenance& now) {
  if (dataset_.runs.empty()) {
    dataset_.provenance = now;
    return;
  }
  if (dataset_.provenance.gpu != now.gpu)
    throw std::runtime_error(fmt::format("{} has runs of '{}', this GPU is '{}': choose another file",
                                         file_.path().string(), dataset_.provenance.gpu, now.gpu));
  std::string& command = dataset_.provenance.command;
  if (command.find(now.command) == command.npos) command += "; " + now.command;
}

std::vector<std::size_t> GrowingDataset::missing(const std::vector<Measurement>& runs) const {
  std::set<Configuration> measured;
  for (const Measurement& run : dataset_.runs) measured.insert(configuration(run));
  std::vector<std::size_t> positions;
  for (std::size_t at = 0; at < runs.size(); ++at)
    if (measured.insert(configuration(runs[at])).second) positions.push_back(at);
  return positions;
}

bool GrowingDataset::write_at_times() {
  // Often enough to lose little in a crash, rarely enough not to spend the time writing a large file.
  constexpr auto between_writes = std::chrono::seconds(10);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_write_ <= between_writes) return false;
  file_.write(to_json(dataset_));
  last_write_ = now;
  return true;
}

void GrowingDataset::keep() const {
  if (dataset_.runs.size() > runs_before_) file_.write(to_json(dataset_));
}

void GrowingDataset::keeping(const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted&) {
    keep();
    throw Interrupted(fmt::format("interrupted: {} has {} runs; the same command continues from there",
                                  file_.path().string(), dataset_.runs.size()));
  } catch (...) {
    keep();
    throw;
  }
}

Dataset GrowingDataset::finished(std::size_t cases) const {
  file_.write(to_json(dataset_));
  if (!failures_.empty())
    throw KernelFailure(fmt::format("{} of {} configurations failed, the others are in {}; first failure: {}",
                                    failures_.size(), cases, file_.path().string(), failures_.front()));
  return dataset_;
}

}  // namespace fathom::calls
