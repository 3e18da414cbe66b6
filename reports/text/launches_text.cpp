// SPDX-License-Identifier: Apache-2.0
// Answers about launches from a profiler's report as text.
#include <fathom/reports/launches.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::reports {
namespace {

std::string gpu_in_words(const std::string& gpu) {
  return gpu.empty() ? "a GPU that it does not name" : gpu;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "es");
}

/// Kernels in the order of their first launch.
std::vector<std::string> kernels_of(const LaunchReport& report) {
  std::vector<std::string> kernels;
  for (const ReportedLaunch& launch : report.launches)
    if (std::ranges::count(kernels, launch.kernel) == 0) kernels.push_back(launch.kernel);
  return kernels;
}

Table imported_table(const LaunchReport& report) {
  Table table({{"kernel", left}, {"launches"}, {"blocks"}, {"threads"}, {"measured"}});
  for (const std::string& kernel : kernels_of(report)) {
    const ReportedLaunch* first = nullptr;
    std::size_t launches = 0;
    bool is_one_shape = true;
    std::optional<double> seconds = 0.0;
    for (const ReportedLaunch& launch : report.launches) {
      if (launch.kernel != kernel) continue;
      if (!first) first = &launch;
      ++launches;
      is_one_shape = is_one_shape && launch.blocks == first->blocks &&
                     launch.threads_per_block == first->threads_per_block;
      seconds = seconds && launch.measured_s ? std::optional(*seconds + *launch.measured_s) : std::nullopt;
    }
    table.add({kernel, std::to_string(launches),
               is_one_shape ? fmt::format("{:.0f}", first->blocks) : "differ",
               is_one_shape ? std::to_string(first->threads_per_block) : "differ", known(seconds, time)});
  }
  return table;
}

std::string not_predicted_lines(const std::vector<NotPredicted>& all) {
  std::string out;
  for (const NotPredicted& one : all)
    out +=
        line(fmt::format("not predicted: {}, {}: {}", one.kernel, counted(one.launches, "launch"), one.why));
  return out;
}

std::string lacking_lines(const std::vector<Lacking>& lacking) {
  std::string out;
  for (const Lacking& one : lacking)
    out += line(fmt::format("not in the report: {} ({})", one.what, fmt::join(one.metrics, ", ")));
  return out;
}

/// What was predicted for the GPU of the report, beside what was measured there.
std::string own_line(const std::optional<OnReportsGpu>& own) {
  if (!own) return line("not scaled by what was measured");
  return line(fmt::format("scaled by what was measured: {}, where the law says {} for {} ({:+.1f} %)",
                          time(own->measured_s), time(own->predicted_s), own->profile,
                          100 * (own->predicted_s / own->measured_s - 1)));
}

Table launches_table(const LaunchesPrediction& predicted) {
  Table table({{"kernel", left},
               {"launches"},
               {"measured there"},
               {"predicted"},
               {"share"},
               {"bottleneck", left},
               {"10 % faster saves"}});
  for (std::size_t i = 0; i < predicted.prediction.kernels.size(); ++i) {
    const KernelTime& kernel = predicted.prediction.kernels[i];
    table.add({kernel.kernel, fmt::format("{:.4g}", kernel.launches), known(predicted.measured_s[i], time),
               time(kernel.seconds),
               fmt::format("{:.1f} %", 100 * kernel.seconds / predicted.prediction.time_s),
               in_words(kernel.bound), time(kernel.bound.saved_s)});
  }
  return table;
}

}  // namespace

void add(std::vector<NotPredicted>& all, const std::string& kernel, const std::string& why) {
  const auto same = std::ranges::find_if(
      all, [&](const NotPredicted& one) { return one.kernel == kernel && one.why == why; });
  if (same != all.end())
    ++same->launches;
  else
    all.push_back({kernel, 1, why});
}

std::vector<NotPredicted> not_predicted(const LaunchReport& report) {
  std::vector<NotPredicted> all;
  for (const ReportedLaunch& launch : report.launches)
    if (const std::string why = why_not_priced(launch); !why.empty()) add(all, launch.kernel, why);
  return all;
}

std::string text(const ImportReport& imported) {
  const LaunchReport& report = imported.launches;
  const std::vector<Lacking> lacks = lacking(report);
  std::string out = line(fmt::format("{}: {} on {}, written to {}", imported.report,
                                     counted(report.launches.size(), "launch"),
                                     gpu_in_words(report.provenance.gpu), imported.file)) +
                    '\n' + imported_table(report).text();
  const std::string notes = not_predicted_lines(not_predicted(report)) + lacking_lines(lacks);
  if (!notes.empty()) out += '\n' + notes;
  if (!lacks.empty()) out += line("A report that has them:") + profiler_command(lacks) + '\n';
  return out + fmt::format("\nWhat can be asked now\n\nfathom predict {0} --device h200 -v\n", imported.file);
}

std::string text(const LaunchesPrediction& predicted, Verbosity verbosity) {
  const Prediction& prediction = predicted.prediction;
  std::string out = line(fmt::format("{} on {}, caches {}: {} profiled on {}", predicted.file,
                                     predicted.device, name(predicted.caches),
                                     counted(predicted.launches, "launch"), gpu_in_words(predicted.gpu))) +
                    line(time(prediction.time_s) + interval(prediction)) + own_line(predicted.own) +
                    line("bottleneck: " + limit_and_saving(prediction)) + what_if_line(predicted.what_if) +
                    section("Kernels", launches_table(predicted));
  if (verbosity == Verbosity::full) out += section("Terms", terms_or_resources_table(prediction));
  std::string notes = not_predicted_lines(predicted.not_predicted);
  for (const std::string& assumption : predicted.assumptions) notes += line(assumption);
  notes += lacking_lines(predicted.lacking);
  if (!notes.empty()) out += '\n' + notes;
  return out + sensitivities_section(predicted.sensitivities);
}

}  // namespace fathom::reports
