// SPDX-License-Identifier: Apache-2.0
// Profiles, fits and datasets as text.
#include <fathom/model/constants.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace fathom::reports {
namespace {

std::string provenance_line(const Provenance& from) {
  std::string line;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) line += fmt::format("{}{}{}", line.empty() ? "" : ", ", label, value);
  };
  add("", from.gpu);
  add("driver ", from.driver);
  add("CUDA ", from.toolkit);
  add("", from.date);
  add("commit ", from.commit);
  return line;
}

/// "269.5 ± 1.2", or "269.5 (260 to 290)" where the interval is asymmetric by more than a fifth.
std::string with_interval(const Estimate& estimate) {
  const std::string value = significant(estimate.value, 4);
  if (!estimate.interval) return value;
  const auto [low, high] = *estimate.interval;
  const double below = estimate.value - low, above = high - estimate.value;
  if (std::abs(above - below) > 0.2 * (above + below))
    return fmt::format("{} ({} to {})", value, significant(low), significant(high));
  return fmt::format("{} ± {}", value, significant((above + below) / 2, 2));
}

}  // namespace

std::string constant_text(const DeviceProfile& profile, const std::string& name,
                          const std::optional<double>& value) {
  return value ? with_interval({*value, profile.interval_of(name)}) : "-";
}

Table level_table(const DeviceProfile& profile) {
  Table table({{"level", left},
               {"L, clocks"},
               {"B, words/clock/core"},
               {"bandwidth"},
               {"c, clocks"},
               {"s"},
               {"knee X·I"},
               {"mean error"},
               {"worst error"}});
  for (Level level : all_levels) {
    const LevelConstants<double>& constants = profile.machine.at(level);
    if (!constants.latency && !constants.bandwidth) continue;
    const std::string level_name(name(level));
    const auto found = profile.quality.find(level_name);
    const bool fitted = found != profile.quality.end();
    table.add({level_name, constant_text(profile, level_name + ".latency", constants.latency),
               constant_text(profile, level_name + ".bandwidth", constants.bandwidth),
               known(bytes_per_second(profile.machine, level), bandwidth),
               constant_text(profile, level_name + ".issue", constants.issue),
               constant_text(profile, level_name + ".sharpness", constants.sharpness),
               fitted ? significant(found->second.knee) : "-",
               fitted ? percent(found->second.mean_relative_error) : "-",
               fitted ? percent(found->second.worst_relative_error) : "-"});
  }
  return table;
}

Table constants_table(const DeviceProfile& profile) {
  Table table({{"constant", left}, {"meaning", left}, {"value"}, {"95 %", left}, {"resource", left}});
  for (const ConstantRow<double>& constant : constants<double>()) {
    if (constant.member.of_level()) continue;
    const std::optional<double>& value = constant.member.of(profile.machine);
    if (!value) continue;
    const auto in_unit = [&](double number) { return quantity(number, constant.unit); };
    const auto interval = profile.interval_of(constant.name);
    table.add({std::string(constant.name), std::string(constant.label), in_unit(*value),
               interval ? fmt::format("{} to {}", in_unit(interval->low), in_unit(interval->high)) : "-",
               constant.use.resource    ? std::string(in_words(*constant.use.resource))
               : constant.use.something ? "launches"
                                        : "-"});
  }
  return table;
}

namespace {

Table links_table(const Links& links) {
  Table table({{"exchange", left},
               {"GPUs"},
               {"from"},
               {"latency"},
               {"95 %", left},
               {"rate"},
               {"95 %", left},
               {"mean error"},
               {"worst error"}});
  const auto rate = [](double per_byte) { return per_byte > 0 ? bandwidth(1 / per_byte) : "any"; };
  for (const LinkCurve& curve : links.curves)
    for (const LinkRange& range : curve.ranges) {
      const auto& latency = range.latency.interval;
      const auto& per_byte = range.per_byte.interval;
      table.add({std::string(name(curve.kind)),
                 curve.hosts > 1 ? fmt::format("{} of {} hosts", curve.gpus, curve.hosts)
                                 : std::to_string(curve.gpus),
                 bytes(range.from_bytes), time(range.latency.value), latency ? time_range(*latency) : "-",
                 rate(range.per_byte.value),
                 per_byte ? fmt::format("{} to {}", rate(per_byte->high), rate(per_byte->low)) : "-",
                 percent(curve.mean_relative_error), percent(curve.worst_relative_error)});
    }
  return table;
}

/// "GPUs 0 and 1: nvlink", or of all pairs at a time if they are alike.
std::string pairs_in_words(const std::vector<LinkedPair>& pairs) {
  const LinkType type = pairs.front().type;
  if (std::ranges::all_of(pairs, [&](const LinkedPair& pair) { return pair.type == type; }))
    return fmt::format("all pairs of GPUs: {}", name(type));
  std::string words;
  for (const LinkedPair& pair : pairs)
    words += fmt::format("{}GPUs {} and {}: {}", words.empty() ? "" : "; ", pair.first, pair.second,
                         name(pair.type));
  return words;
}

std::string influences_section(const LawInfluences& of) {
  Table table({{"constant", left},
               {"mean"},
               {"largest"},
               {"in", left},
               {"its own uncertainty moves them by"},
               {"of their uncertainty"}});
  for (const Influence& one : of.influences)
    table.add({one.constant, percent(one.mean / 100), percent(one.largest / 100), one.largest_in,
               one.sigma ? "± " + percent(1.96 * *one.sigma) : "-", known(one.share, percent)});
  double shares = 0;
  for (const Influence& one : of.influences) shares += one.share.value_or(0);
  const std::string sum =
      shares > 0 ? "\n" + line(fmt::format("All constants together make {} of the predictions' uncertainty, "
                                           "as a part of its square; the rest is the law's own error.",
                                           percent(shares)))
                 : "";
  return section(fmt::format("What 1 % more of a constant changes in {} typical predictions under the law {}",
                             of.predictions, name(of.law)),
                 table) +
         sum;
}

}  // namespace

std::string text(const DeviceProfile& profile, const std::vector<LawInfluences>& influences) {
  const Machine<double>& machine = profile.machine;
  std::string out = heading(fmt::format("{}: {} profile", profile.name, profile.origin));
  out += fields({{"source", provenance_line(profile.provenance)},
                 {"command", profile.provenance.command},
                 {"cores", fmt::format("{} in {} multiprocessors of {}", machine.P(), machine.multiprocessors,
                                       machine.cores_per_multiprocessor)},
                 {"clock", hertz(machine.clock.value)},
                 {"shared memory", bytes(4 * machine.M()) + " in total"},
                 {"L2", machine.l2_capacity ? bytes(machine.l2_capacity->value) : ""},
                 {"global memory", bytes(machine.global_memory.value)}});
  out += section("Memory levels, with 95 % intervals", level_table(profile));
  out += section("Constants of the laws, and what they make faster", constants_table(profile));
  if (const auto& links = machine.links) {
    out += section("Exchanges between GPUs, and with the host, by the bytes that leave each",
                   links_table(*links));
    if (!links->pairs.empty()) out += "\n" + line("Linked: " + pairs_in_words(links->pairs));
  }
  for (const LawInfluences& of : influences) out += influences_section(of);
  out += section(fit_caption(profile.algorithms), fit_table(profile.algorithms));
  if (!profile.implausible.empty()) out += "\nNot to be believed\n\n";
  for (const std::string& reason : profile.implausible) out += line("! " + reason);
  if (!profile.warnings.empty()) out += "\nWarnings\n\n";
  for (const std::string& warning : profile.warnings) out += line("! " + warning);
  return out;
}

std::string text(const std::vector<Spent>& spent) {
  Table table({{"where the time went", left}, {"series"}, {"seconds"}, {"of them for the compiler"}});
  Spent sum{"all"};
  for (const Spent& one : spent) {
    sum.series += one.series;
    sum.seconds += one.seconds;
    sum.compiling += one.compiling;
  }
  const auto add = [&](const Spent& one) {
    table.add({one.on, one.series > 0 ? std::to_string(one.series) : "-", fmt::format("{:.3f}", one.seconds),
               fmt::format("{:.3f}", one.compiling)});
  };
  std::ranges::for_each(spent, add);
  add(sum);
  return table.text();
}

Table dataset_table(const Dataset& dataset) {
  struct Group {
    std::size_t runs = 0, moved = 0, unchecked = 0;
    double smallest = INFINITY, largest = 0;
    const Measurement* fastest = nullptr;  // in elements per second
    double best_rate = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const Measurement& run : dataset.runs) {
    Group& group = groups[{run.algorithm, name(Instantiation(run.problem)), std::string(name(run.input))}];
    ++group.runs;
    group.moved += run.clock_moved;
    group.unchecked += !run.checked;
    group.smallest = std::min(group.smallest, run.problem.n);
    group.largest = std::max(group.largest, run.problem.n);
    if (run.seconds.empty()) continue;
    const double rate = run.problem.n / quartiles(run.seconds).median;
    if (rate > group.best_rate) {
      group.best_rate = rate;
      group.fastest = &run;
    }
  }
  Table table({{"algorithm", left},
               {"type", left},
               {"input", left},
               {"runs"},
               {"n", left},
               {"best, 10^9 elements/s"},
               {"configuration", left},
               {"clock moved"},
               {"unchecked"}});
  for (const auto& [key, group] : groups) {
    const auto& [algorithm, type, input] = key;
    const std::string at = !group.fastest ? "-"
                           : group.fastest->problem.parameters == Parameters{}
                               ? "n = " + elements(group.fastest->problem.n)
                               : fmt::format("n = {}, {}", elements(group.fastest->problem.n),
                                             parameters(group.fastest->problem.parameters));
    table.add({algorithm, type, input, std::to_string(group.runs),
               fmt::format("{}..{}", elements(group.smallest), elements(group.largest)),
               group.fastest ? throughput(group.best_rate) : "-", at, std::to_string(group.moved),
               std::to_string(group.unchecked)});
  }
  return table;
}

std::string text(const Dataset& dataset) {
  return heading(fmt::format("{} runs", dataset.runs.size())) +
         fields({{"source", provenance_line(dataset.provenance)}, {"command", dataset.provenance.command}}) +
         section("Runs", dataset_table(dataset));
}

namespace {

/// The datasets of all fits, if they are the same.
std::optional<std::string> common_datasets(const std::vector<AlgorithmFit>& fits) {
  for (const AlgorithmFit& fit : fits)
    if (fit.dataset != fits.front().dataset) return std::nullopt;
  return fits.empty() ? std::nullopt : std::optional(fits.front().dataset);
}

}  // namespace

Table fit_table(const std::vector<AlgorithmFit>& fits) {
  const bool same_datasets = common_datasets(fits).has_value();
  std::vector<Table::Column> columns{
      {"algorithm", left}, {"work", left}, {"waiting", left}, {"residual"}, {"runs"}};
  if (!same_datasets) columns.push_back({"fitted to", left});
  Table table(columns);
  for (const AlgorithmFit& fit : fits) {
    std::vector<std::string> row{fit.algorithm, with_interval(fit.factors.work),
                                 with_interval(fit.factors.waiting), percent(fit.residual),
                                 std::to_string(fit.runs)};
    if (!same_datasets) row.push_back(fit.dataset);
    table.add(row);
  }
  return table;
}

std::string fit_caption(const std::vector<AlgorithmFit>& fits) {
  const auto datasets = common_datasets(fits);
  return "Factors on counted work and on waiting, with 95 % intervals" +
         (datasets ? ", fitted to " + *datasets : "");
}

std::string text(const std::vector<AlgorithmFit>& fits, const std::string& file) {
  return line(fits.empty() ? fmt::format("Refitted the machine's constants: {}", file)
                           : fmt::format("Fitted two factors to runs of {} {}: {}", fits.size(),
                                         fits.size() == 1 ? "algorithm" : "algorithms", file)) +
         line(fmt::format("Next: fathom validate DATASET... --device {}", file)) +
         section(fit_caption(fits), fit_table(fits));
}

}  // namespace fathom::reports
