// SPDX-License-Identifier: Apache-2.0
// What predictions of all kinds have in text.
#include <fathom/reports/quantities.h>
#include <fathom/reports/results.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom::reports {
namespace {

Table terms_table(const Prediction& prediction) {
  const double sum = sum_of_terms(prediction);
  Table table({{"term", left}, {"time"}, {"share"}});
  const auto add = [&](std::string_view name, const std::optional<double>& seconds) {
    if (seconds)
      table.add({std::string(name), time(*seconds), fmt::format("{:.1f} %", 100 * *seconds / sum)});
  };
  for (Level level : formula_levels) add(name(level), term_seconds(prediction, level));
  return table;
}

/// Resources that take time, their overlap and the launches: together they are the time.
Table resources_table(const Prediction& prediction) {
  const ResourceTerms& terms = *prediction.resources;
  Table table({{"term", left}, {"time"}, {"share of the time"}});
  const auto add = [&](std::string_view name, double seconds) {
    if (seconds != 0)
      table.add(
          {std::string(name), time(seconds), fmt::format("{:.1f} %", 100 * seconds / prediction.time_s)});
  };
  for (const Resource resource : all_resources) add(in_words(resource), terms.of(resource));
  add("overlap", terms.overlap_s);
  add("launches", terms.launch_s);
  return table;
}

}  // namespace

Table terms_or_resources_table(const Prediction& prediction) {
  return prediction.resources ? resources_table(prediction) : terms_table(prediction);
}

Table kernels_table(const Prediction& prediction) {
  Table table(
      {{"kernel", left}, {"launches"}, {"time"}, {"share"}, {"bottleneck", left}, {"10 % faster saves"}});
  for (const KernelTime& kernel : prediction.kernels)
    table.add({kernel.kernel, fmt::format("{:.4g}", kernel.launches), time(kernel.seconds),
               fmt::format("{:.1f} %", 100 * kernel.seconds / prediction.time_s), in_words(kernel.bound),
               time(kernel.bound.saved_s)});
  return table;
}

std::string limit_and_saving(const Prediction& prediction) {
  const std::string limit = limit_in_words(prediction);
  if (!prediction.bound) return limit;
  const double saved_s = prediction.bound->saved_s;
  return fmt::format("{} (10 % faster saves {}, {})", limit, time(saved_s),
                     percent(saved_s / prediction.time_s));
}

std::string interval(const Prediction& prediction) {
  return prediction.interval_s ? fmt::format(" (95 %: {})", time_range(*prediction.interval_s)) : "";
}

std::string assumptions_section(const Prediction& prediction) {
  std::string out;
  if (!prediction.assumptions) return out;
  for (const std::string& sentence : prediction.assumptions->sentences) out += line(sentence);
  return '\n' + out;
}

std::string what_if_line(const std::vector<std::string>& changes) {
  return changes.empty() ? "" : line(fmt::format("what if: {}", fmt::join(changes, ", ")));
}

std::string sensitivities_section(const std::optional<std::vector<Sensitivity>>& sensitivities) {
  if (!sensitivities) return "";
  Table table({{"constant", left}, {"change of the time per 1 % more of it"}});
  for (const auto& [constant, value] : *sensitivities) table.add({constant, fmt::format("{:+.3f} %", value)});
  return section("Sensitivities", table);
}

}  // namespace fathom::reports
