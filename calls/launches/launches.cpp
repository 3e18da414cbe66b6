// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/launches/launches.h>

#include <fathom/calibration/predictor.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/profiles.h>
#include <fathom/model/laws/sensitivities.h>
#include <fathom/store/launches/launch_report.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom::calls {
namespace {

/// The mean over the time measured; absent if the report does not tell.
std::optional<double> clock_of(const LaunchReport& report) {
  double cycles = 0, seconds = 0;
  for (const ReportedLaunch& launch : report.launches)
    if (launch.clock_hz && launch.measured_s) {
      cycles += *launch.clock_hz * *launch.measured_s;
      seconds += *launch.measured_s;
    }
  return seconds > 0 && cycles > 0 ? std::optional(cycles / seconds) : std::nullopt;
}

/// The profile of the GPU that was profiled, at the clock of the report; absent if predictions are not to be
/// scaled, or the GPU has none.
std::optional<DeviceProfile> profile_of_report(const LaunchReport& report, const LaunchesOptions& options,
                                               const Listener& listener) {
  if (options.from == "none") return std::nullopt;
  const std::string& gpu = report.provenance.gpu;
  std::optional<DeviceProfile> profile;
  if (!options.from.empty()) {
    profile = find_profile(options.from, listener);
    check_rates(*profile);
  } else if (!gpu.empty()) {
    profile = profile_of_gpu(gpu, listener);
  }
  if (!profile || !has_rates(profile->machine)) {
    listener.note(fmt::format(
        "the prediction is not scaled by what was measured: {}: choose a profile with `from`, or `from=none`",
        gpu.empty() ? "the report does not name its GPU" : fmt::format("'{}' has no measured profile", gpu)));
    return std::nullopt;
  }
  if (const auto clock = clock_of(report)) profile->machine.clock = Hertz{*clock};
  return profile;
}

/// The launches of a report that can be predicted.
struct Predicted {
  std::vector<const ReportedLaunch*> reported;
  std::vector<CountedLaunch> counted;
};

Predicted predictable(const LaunchReport& report, const Machine<double>& machine,
                      const Machine<double>& measured_on, std::vector<reports::NotPredicted>& others) {
  Predicted predicted;
  for (const ReportedLaunch& launch : report.launches) {
    std::string why = why_not_priced(launch);
    if (why.empty()) try {
        predicted.counted.push_back(counted_launch(launch, machine, measured_on));
        predicted.reported.push_back(&launch);
      } catch (const BlockTooLarge& reason) {
        why = reason.what();
      }
    if (!why.empty()) reports::add(others, launch.kernel, why);
  }
  return predicted;
}

/// Scales each launch by its measured time over that which the law predicts where it was measured. Absent if
/// a launch has no measured time.
std::optional<reports::OnReportsGpu> scale(Predicted& predicted, Caches caches, const DeviceProfile& source) {
  const Machine<double> machine = without_sequence(source.machine);
  std::vector<CountedLaunch> there;
  for (const ReportedLaunch* launch : predicted.reported) {
    if (!(launch->measured_s > 0.0)) return std::nullopt;
    there.push_back(counted_launch(*launch, machine, machine));
  }
  set_reach(there, caches);
  const RunTime<double> time = run_time(there, machine);
  reports::OnReportsGpu own{.profile = source.name};
  for (std::size_t i = 0; i < there.size(); ++i) {
    const double seconds = time.launches[i].seconds();
    predicted.counted[i].scale = *predicted.reported[i]->measured_s / seconds;
    own.predicted_s += seconds;
    own.measured_s += *predicted.reported[i]->measured_s;
  }
  return own;
}

/// The sum of each kernel's measured times; absent if one of its launches has none.
std::vector<std::optional<double>> measured(const std::vector<KernelTime>& kernels,
                                            const Predicted& predicted) {
  std::vector<std::optional<double>> all;
  for (const KernelTime& kernel : kernels) {
    std::optional<double> seconds = 0.0;
    for (const ReportedLaunch* launch : predicted.reported)
      if (launch->kernel == kernel.kernel)
        seconds =
            seconds && launch->measured_s ? std::optional(*seconds + *launch->measured_s) : std::nullopt;
    all.push_back(seconds);
  }
  return all;
}

bool has_waits(const Predicted& predicted) {
  return std::ranges::all_of(predicted.reported,
                             [](const ReportedLaunch* launch) { return launch->warp.has_value(); });
}

std::vector<std::string> assumptions(const Predicted& predicted) {
  std::vector<std::string> lines;
  for (const ReportedLaunch* launch : predicted.reported)
    if (launch->blocks_per_cluster.value_or(1) > 1) {
      const std::string line = fmt::format("{}: its clusters of {:.0f} blocks are priced as single blocks",
                                           launch->kernel, *launch->blocks_per_cluster);
      if (std::ranges::count(lines, line) == 0) lines.push_back(line);
    }
  return lines;
}

// Root mean squares of log(measured/predicted) over kernels of data/h200/hardware/kernels.json and
// sorts.json, imported from the counters there; data/h200-imports was measured later. They have no stalls,
// but how many warps were active: with waits these lifetimes stood in. Left out is a launch of 13 blocks, the
// time of one warp, which took 11 times as long as predicted without waits.
constexpr LawError error_with_waits{.sigma = 0.184, .algorithms = 42},
    error_without_waits{.sigma = 0.29, .algorithms = 42};
// The error of the ratio of two GPUs' times is twice what it is, with counted work, for the algorithms of
// data/h100-judgement and data/h200-judgement. These GPUs share an architecture, and a profiler's report says
// less than counted work.
constexpr LawError error_of_ratios{.sigma = 0.092, .algorithms = 22};

}  // namespace

Machine<double> without_sequence(Machine<double> machine) {
  machine.launch_overhead = 0;
  machine.kernel_gap = 0;
  return machine;
}

void check_rates(const DeviceProfile& profile) {
  if (!has_rates(profile.machine))
    throw MissingConstant(fmt::format(
        "profile '{}' does not have the rates that launches are priced with: choose that of a GPU which was "
        "calibrated",
        profile.name));
}

reports::LaunchesPrediction predict_launches(const std::string& file, const LaunchesOptions& options,
                                             DeviceProfile profile, const Listener& listener) {
  const LaunchReport report = read_launch_report(file);
  const Caches caches = parse_caches(options.caches);
  check_rates(profile);
  apply_what_if(options.what_if, profile);
  const auto source = profile_of_report(report, options, listener);
  const Machine<double> machine = without_sequence(profile.machine);

  reports::LaunchesPrediction answer{.file = file,
                                     .gpu = report.provenance.gpu,
                                     .device = profile.name,
                                     .caches = caches,
                                     .launches = report.launches.size(),
                                     .lacking = lacking(report),
                                     .what_if = options.what_if};
  Predicted predicted =
      predictable(report, machine, source ? source->machine : machine, answer.not_predicted);
  if (predicted.reported.empty()) {
    const reports::NotPredicted& first = answer.not_predicted.front();
    throw std::runtime_error(
        fmt::format("{}: no launch can be predicted; of {}: {}", file, first.kernel, first.why));
  }
  set_reach(predicted.counted, caches);
  if (source) answer.own = scale(predicted, caches, *source);
  answer.assumptions = assumptions(predicted);

  const CountedRun run(file, predicted.counted);
  answer.prediction = run.explained(machine);
  answer.measured_s = measured(answer.prediction.kernels, predicted);
  const bool is_same_gpu = answer.own && source->name == profile.name && options.what_if.empty();
  if (!is_same_gpu)
    answer.prediction.interval_s =
        interval_of(answer.prediction.time_s, answer.own             ? error_of_ratios
                                              : has_waits(predicted) ? error_with_waits
                                                                     : error_without_waits);
  if (options.sensitivities)
    answer.sensitivities =
        sensitivities(machine, [&](const Machine<Dual>& varied) { return run.seconds(varied); });
  return answer;
}

}  // namespace fathom::calls
