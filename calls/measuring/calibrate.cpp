// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/calibrate.h>
#include <fathom/core/benchmarks.h>

#include <fathom/calibration/fit.h>
#include <fathom/calibration/plausible.h>
#include <fathom/calls/measuring/gpu.h>
#include <fathom/calls/measuring/links.h>
#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/device/cuda/gpu_activity.h>
#include <fathom/microbench/microbench.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <thread>
#include <utility>

namespace fathom::calls {
namespace {

/// What the driver reports about a GPU; the constants of its levels are measured.
Machine<double> counts_and_limits(const GpuInfo& gpu) {
  Machine<double> machine;
  machine.multiprocessors = gpu.multiprocessors;
  machine.cores_per_multiprocessor = gpu.cores_per_multiprocessor;
  machine.warp_width = gpu.warp_width;
  machine.global_memory = Bytes{double(gpu.global_bytes)};
  machine.l2_capacity = Bytes{double(gpu.l2_bytes)};
  machine.limits = {.threads_per_multiprocessor = gpu.threads_per_multiprocessor,
                    .blocks_per_multiprocessor = gpu.blocks_per_multiprocessor,
                    .threads_per_block = gpu.threads_per_block,
                    .registers_per_multiprocessor = gpu.registers_per_multiprocessor,
                    .shared_bytes_per_multiprocessor = double(gpu.shared_bytes_per_multiprocessor),
                    .shared_bytes_per_block = double(gpu.shared_bytes_per_block),
                    .shared_bytes_reserved = double(gpu.shared_bytes_reserved)};
  return machine;
}

/// The GPU before this process uses it. Waits some seconds for other work to end. Empty if there is no such
/// GPU.
GpuActivity activity_before(int gpu, const Progress& progress) {
  constexpr std::size_t most_seconds = 10;
  const auto gpus = present_gpus();
  if (gpu < 0 || std::size_t(gpu) >= gpus.size()) return {};
  const std::string& bus_id = gpus[std::size_t(gpu)].bus_id;
  GpuActivity activity = gpu_activity(bus_id);
  std::size_t second = 0;
  for (; activity.busy_percent.value_or(0) > most_other_load && second < most_seconds; ++second) {
    progress(fmt::format("the GPU is {} % busy with other work: waiting", *activity.busy_percent), second,
             most_seconds);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    activity = gpu_activity(bus_id);
  }
  if (second > 0) progress("waited", most_seconds, most_seconds);
  return activity;
}

/// Says what may have made the measurements implausible.
void name_causes(const DeviceProfile& profile, const std::string& bus_id, const GpuActivity& before,
                 const GpuActivity& at_end, const Listener& listener) {
  std::vector<double> clocks;
  for (const Series& series : profile.series)
    if (series.clock_hz > 0) clocks.push_back(series.clock_hz);
  std::vector<std::string> causes;
  if (!clocks.empty()) {
    const auto [slowest, fastest] = std::ranges::minmax(clocks);
    causes.push_back(fmt::format("the clock ran between {:.0f} and {:.0f} MHz while the series were measured",
                                 slowest / 1e6, fastest / 1e6));
  }
  // NVML reports the load of up to the last second: after this pause it is that of other processes.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const auto others = disturbances(before, at_end, gpu_activity(bus_id), getpid());
  causes.insert(causes.end(), others.begin(), others.end());
  if (others.empty())
    causes.push_back(
        "the driver shows no other process, load or limit, but in a container it may not see others");
  for (const std::string& cause : causes) listener.note("cause: " + cause);
}

/// Adds to what was spent the seconds since it last did, or since it was made.
class Laps {
 public:
  explicit Laps(std::vector<Spent>& spent) : spent_(spent) {}
  void add(const char* on) { spent_.push_back({.on = on, .seconds = since_last()}); }
  /// The same for work that says itself where its time went: `on` is the rest.
  void add(const char* on, const std::vector<Spent>& parts) {
    double rest = since_last();
    for (const Spent& part : parts) rest -= part.seconds;
    spent_.push_back({.on = on, .seconds = rest});
    spent_.insert(spent_.end(), parts.begin(), parts.end());
  }

 private:
  using Clock = std::chrono::steady_clock;
  double since_last() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }
  std::vector<Spent>& spent_;
  Clock::time_point last_ = Clock::now();
};

DeviceProfile measured(CudaExecutor& executor, const CalibrateOptions& options, const GpuActivity& before,
                       const Listener& listener, Laps& laps) {
  DeviceProfile profile;
  profile.name = options.name.empty() ? profile_name(executor.gpu().name) : options.name;
  profile.origin = "measured";
  profile.provenance = provenance(executor.gpu(), options.command);
  profile.architecture = executor.gpu().compute_capability;
  profile.machine = counts_and_limits(executor.gpu());
  profile.machine.name = profile.name;
  const microbench::Effort effort{.repeats = options.quick ? 5 : 11, .quick = options.quick};
  microbench::Measured all = microbench::measure_all(executor, effort, listener.progress);
  profile.series = std::move(all.series);
  laps.add("memory for the benchmarks", all.spent);
  const GpuActivity at_end = gpu_activity(executor.gpu().bus_id);
  if (const double load = before.busy_percent.value_or(0); load > 0) {
    profile.series.push_back(series_of(benchmarks::other_load, {}));
    profile.series.back().samples.push_back(load);
  }
  fit_profile(profile, listener.progress);
  laps.add("fits");
  if (!profile.implausible.empty()) name_causes(profile, executor.gpu().bus_id, before, at_end, listener);
  return profile;
}

/// A calibration measures one GPU only.
void note_what_is_lost(const std::filesystem::path& file, const Listener& listener) try {
  if (!std::filesystem::exists(file)) return;
  const DeviceProfile old = read_profile(file);
  if (old.machine.links)
    listener.note(
        fmt::format("{} has links between GPUs, which the new profile will lack until fathom calibrate "
                    "`links=true` measures them again",
                    file.string()));
  std::vector<std::string> fits;
  for (const AlgorithmFit& fit : old.algorithms) fits.push_back(fit.algorithm);
  if (!fits.empty())
    listener.note(
        fmt::format("{} has fits of algorithms, which the new profile will lack until fathom fit repeats "
                    "them: {}",
                    file.string(), fmt::join(fits, ", ")));
} catch (const std::exception&) {  // whatever it is, it will be replaced
}

/// A name that `device` finds again.
void check_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return c < 0x80 && std::isalnum(c); };
  const bool fits = std::ranges::all_of(
      name, [&](unsigned char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
  if (!name.empty() && (!fits || !is_plain(static_cast<unsigned char>(name.front()))))
    throw std::invalid_argument(fmt::format(
        "`name` '{}': use letters, digits, '-', '_' and '.', beginning with a letter or a digit", name));
}

}  // namespace

Calibrated calibrate(const CalibrateOptions& options, const Listener& listener) {
  if (options.links || !options.links_from.empty()) return calibrate_links(options, listener);
  check_name(options.name);
  std::optional<OutputFile> file;
  if (!options.file.empty()) file = claim_profile(options.file);
  Calibrated result;
  Laps laps(result.spent);
  const GpuActivity before = activity_before(options.gpu, listener.progress);
  laps.add("what else the GPU does");
  CudaExecutor executor = open_gpu(options.gpu, listener);
  laps.add("start of CUDA");
  if (!file) file = claim_profile(user_profile_file(profile_name(executor.gpu().name)));
  note_what_is_lost(file->path(), listener);
  result.file = file->path();
  result.profile = measured(executor, options, before, listener, laps);
  check_plausible(result.profile, file->path(), options.force, listener);
  file->write(to_json(result.profile));
  return result;
}

}  // namespace fathom::calls
