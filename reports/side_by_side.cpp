// SPDX-License-Identifier: Apache-2.0
// Two datasets side by side, and two profiles. This file is long, as each of them has its comparison, tables
// and figures, and runs are compared at the same size or by interpolation between sizes.
#include <fathom/model/constants.h>
#include <fathom/reports/side_by_side.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/core/text/escape.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

namespace fathom::reports {
namespace {

/// Algorithm, type, order, input, parameters.
using Key = std::tuple<std::string, Instantiation, Order, Input, NamedValues>;
struct Entry {
  const Measurement* run;
  Quartiles seconds;
};
using Curve = std::map<double, Entry>;  // by n

std::map<Key, Curve> curves(const Dataset& dataset, std::size_t& left_out) {
  std::map<Key, Curve> found;
  for (const Measurement& run : dataset.runs) {
    if (run.seconds.empty() || !run.checked || run.clock_moved) {
      ++left_out;
      continue;
    }
    const Problem& problem = run.problem;
    const Entry entry{&run, quartiles(run.seconds)};
    Curve& curve =
        found[{run.algorithm, Instantiation(problem), problem.order, run.input, by_name(problem.parameters)}];
    const auto [at, added] = curve.try_emplace(problem.n, entry);
    if (!added && entry.seconds.median < at->second.seconds.median) at->second = entry;
  }
  return found;
}

/// Times rise by steps, of waves and of caches: farther neighbours say little.
constexpr double widest_gap = 4;

/// Between the neighbours of n, on logarithmic scales.
std::optional<Quartiles> interpolated(const Curve& curve, double n) {
  const auto above = curve.upper_bound(n);
  if (above == curve.begin() || above == curve.end()) return std::nullopt;
  const auto& [low, from] = *std::prev(above);
  const auto& [high, to] = *above;
  if (high > widest_gap * low) return std::nullopt;
  const double share = std::log(n / low) / std::log(high / low);
  const auto between = [&](double a, double b) { return a * std::pow(b / a, share); };
  return Quartiles{.low = between(from.seconds.low, to.seconds.low),
                   .median = between(from.seconds.median, to.seconds.median),
                   .high = between(from.seconds.high, to.seconds.high)};
}

double median(std::vector<double> values) {
  return quartiles(std::move(values)).median;
}

/// Adds a run of the algorithm that both datasets have.
void add(AlgorithmChange& of, std::vector<double>& ratios, const RunChange& run) {
  ratios.push_back(run.ratio());
  ++of.compared;
  if (run.is_significant()) ++(run.ratio() < 1 ? of.faster : of.slower);
  if (!of.best || run.ratio() < of.best->ratio()) of.best = &run;
  if (!of.worst || run.ratio() > of.worst->ratio()) of.worst = &run;
}

std::string setting(const RunChange& run) {
  std::string text = fmt::format("{}, n = {}", run.type, elements(run.n));
  if (!by_name(run.parameters).empty()) text += ", " + parameters(run.parameters);
  if (run.input != Input::random) text += fmt::format(", {}", name(run.input));
  if (run.interpolated == RunChange::Interpolated::before) text += ", first interpolated";
  if (run.interpolated == RunChange::Interpolated::after) text += ", second interpolated";
  return text;
}

/// A curve's points: the median ratio at each n, and the range over the parameters.
std::vector<Point> points_of(const std::map<double, std::vector<double>>& ratios) {
  std::vector<Point> points;
  for (const auto& [n, at_n] : ratios) {
    const auto [low, high] = std::ranges::minmax(at_n);
    points.emplace_back(n, median(at_n), low, high);
  }
  return points;
}

/// Room around 1, and a line at it.
void finish_ratio_figure(Figure& figure) {
  double low = 0.8, high = 1.25, smallest = 0, largest = 0;
  for (const Layer& layer : figure.layers)
    for (const Point& point : layer.points) {
      low = std::min(low, 0.9 * std::min(point.y, point.low));
      high = std::max(high, 1.1 * std::max(point.y, point.high));
      smallest = smallest == 0 ? point.x : std::min(smallest, point.x);
      largest = std::max(largest, point.x);
    }
  figure.y.low = low;
  figure.y.high = high;
  figure.layers.push_back(line("equal", Colour::grey, {{smallest, 1}, {largest, 1}}, 1, 1.2));
}

std::string value_or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

/// "H100" of "NVIDIA H100 80GB HBM3": without the maker and the memory.
std::string model_of(const std::string& gpu) {
  static const std::regex maker_or_memory("^NVIDIA | \\d+ ?GB.*$");
  return std::regex_replace(gpu, maker_or_memory, "");
}

/// The first's, and the second's.
std::pair<std::string, std::string> names_of(const Provenance& before, const Provenance& after) {
  if (before.gpu == after.gpu) return {"before", "after"};
  std::pair models(model_of(before.gpu), model_of(after.gpu));
  return models.first != models.second ? models : std::pair(before.gpu, after.gpu);
}

}  // namespace

std::string DatasetChange::first_name() const {
  return names_of(before, after).first;
}

std::string DatasetChange::second_name() const {
  return names_of(before, after).second;
}

DatasetChange compare(const Dataset& before, const Dataset& after) {
  DatasetChange change;
  change.before = before.provenance;
  change.after = after.provenance;
  const auto old_curves = curves(before, change.left_out), new_curves = curves(after, change.left_out);
  std::map<std::string, AlgorithmChange> algorithms;
  const auto add_change = [&](const Measurement& run, const Quartiles& old_s, const Quartiles& new_s,
                              RunChange::Interpolated interpolated) {
    change.runs.push_back({run.algorithm, name(Instantiation(run.problem)), run.problem.n,
                           run.problem.parameters, run.input, old_s, new_s, interpolated});
  };
  const auto find = [](const std::map<Key, Curve>& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? Curve{} : found->second;
  };
  for (const auto& [key, old_curve] : old_curves) {
    const Curve new_curve = find(new_curves, key);
    for (const auto& [n, old_run] : old_curve) {
      const Measurement& run = *old_run.run;
      if (const auto found = new_curve.find(n); found != new_curve.end())
        add_change(run, old_run.seconds, found->second.seconds, RunChange::Interpolated::none);
      else if (const auto between = interpolated(new_curve, n))
        add_change(run, old_run.seconds, *between, RunChange::Interpolated::after);
      else
        ++algorithms[run.algorithm].vanished;
    }
  }
  for (const auto& [key, new_curve] : new_curves) {
    const Curve old_curve = find(old_curves, key);
    for (const auto& [n, new_run] : new_curve) {
      if (old_curve.contains(n)) continue;
      const Measurement& run = *new_run.run;
      if (const auto between = interpolated(old_curve, n))
        add_change(run, *between, new_run.seconds, RunChange::Interpolated::before);
      else
        ++algorithms[run.algorithm].appeared;
    }
  }
  std::map<std::string, std::vector<double>> ratios;
  for (const RunChange& run : change.runs) add(algorithms[run.algorithm], ratios[run.algorithm], run);
  for (auto& [algorithm, one] : algorithms) {
    one.algorithm = algorithm;
    if (const auto found = ratios.find(algorithm); found != ratios.end())
      one.median_ratio = median(std::move(found->second));
    change.algorithms.push_back(std::move(one));
  }
  return change;
}

Table change_table(const DatasetChange& change) {
  Table table({{"algorithm", left},
               {"ratio"},
               {"compared"},
               {"faster"},
               {"slower"},
               {"best"},
               {"at", left},
               {"worst"},
               {"at", left},
               {"only " + change.second_name()},
               {"only " + change.first_name()}});
  for (const AlgorithmChange& one : change.algorithms) {
    const auto ratio = [](const RunChange* run) {
      return run ? significant(run->ratio()) : "nothing shared";
    };
    const auto where = [](const RunChange* run) { return run ? setting(*run) : "-"; };
    table.add({one.algorithm, one.median_ratio ? significant(*one.median_ratio) : "nothing shared",
               std::to_string(one.compared), std::to_string(one.faster), std::to_string(one.slower),
               ratio(one.best), where(one.best), ratio(one.worst), where(one.worst),
               std::to_string(one.appeared), std::to_string(one.vanished)});
  }
  return table;
}

Table run_change_table(const DatasetChange& change) {
  Table table({{"algorithm", left},
               {"setting", left},
               {change.first_name()},
               {change.second_name()},
               {"ratio"},
               {"beyond quartiles", left}});
  for (const RunChange& run : change.runs)
    table.add({run.algorithm, setting(run), time(run.before.median), time(run.after.median),
               significant(run.ratio()),
               !run.is_significant() ? "no"
               : run.ratio() < 1     ? "faster"
                                     : "slower"});
  return table;
}

std::vector<FigureOrMissing> change_figures(const DatasetChange& change) {
  using Curves = std::map<std::string, std::map<double, std::vector<double>>>;  // by type, by n
  std::map<std::pair<std::string, Input>, Curves> figures;
  for (const RunChange& run : change.runs)
    figures[{run.algorithm, run.input}][run.type][run.n].push_back(run.ratio());
  std::vector<FigureOrMissing> all;
  const std::string ratio = fmt::format("time {} / {}", change.second_name(), change.first_name());
  for (const auto& [key, curves] : figures) {
    const auto& [algorithm, input] = key;
    Figure figure{
        .id = fmt::format("change-{}-{}", identifier(algorithm), name(input)),
        .title = fmt::format("{}{}: {}", algorithm,
                             input == Input::random ? "" : fmt::format(" on {} input", name(input)), ratio),
        .description =
            "Ratio of the median times, the median over the parameters, with bars over their "
            "range: below 1 is faster.",
        .x = {.label = elements_axis, .scale = Scale::log2},
        .y = {.label = ratio, .scale = Scale::log10}};
    std::size_t k = 0;
    for (const auto& [type, ratios] : curves) {
      std::vector<Point> points = points_of(ratios);
      figure.layers.push_back(line("", nth_colour(k), points, nth_dash(k), 1.5));
      figure.layers.push_back(markers(type, nth_colour(k), nth_marker(k), std::move(points)));
      ++k;
    }
    finish_ratio_figure(figure);
    all.push_back(std::move(figure));
  }
  if (all.empty())
    all.push_back(Missing{"Ratios", "the datasets share no configuration, nor sizes around one",
                          "fathom bench ALGORITHM --sizes 2^16..2^28 -o after.json"});
  return all;
}

std::vector<PredictedRatio> predicted_ratios(const ProfilePair& pair) {
  std::vector<PredictedRatio> ratios;
  for (const PredictionReport& first : pair.of_first)
    for (const PredictionReport& second : pair.of_second) {
      if (first.law != pair.law || second.law != pair.law || first.algorithm != second.algorithm ||
          first.problem != second.problem)
        continue;
      auto found = std::ranges::find(ratios, first.algorithm, &PredictedRatio::algorithm);
      if (found == ratios.end()) found = ratios.insert(ratios.end(), {first.algorithm, {}});
      found->seconds[first.problem.n] = {first.prediction.time_s, second.prediction.time_s};
    }
  return ratios;
}

Table predicted_ratio_table(const ProfilePair& pair) {
  Table table({{"algorithm", left},
               {"n"},
               {"on " + pair.first.name},
               {"on " + pair.second.name},
               {"ratio"},
               {"smallest ratio"},
               {"at n"},
               {"largest ratio"},
               {"at n"}});
  for (const auto& [algorithm, seconds] : predicted_ratios(pair)) {
    const auto ratio = [](const auto& entry) { return entry.second.second / entry.second.first; };
    const auto [low, high] = std::ranges::minmax_element(seconds, {}, ratio);
    const auto& [n, last] = *seconds.rbegin();
    table.add({algorithm, elements(n), time(last.first), time(last.second),
               significant(last.second / last.first), significant(ratio(*low)), elements(low->first),
               significant(ratio(*high)), elements(high->first)});
  }
  return table;
}

std::vector<FigureOrMissing> predicted_ratio_figures(const ProfilePair& pair) {
  std::map<std::string, std::vector<PredictedRatio>> by_kind;
  for (PredictedRatio& one : predicted_ratios(pair))
    by_kind[kind_name(one.algorithm)].push_back(std::move(one));
  std::vector<FigureOrMissing> all;
  const std::string what = fmt::format("time on {} / on {}", pair.second.name, pair.first.name);
  for (const auto& [kind, ratios] : by_kind) {
    Figure figure{
        .id = "ratio-" + kind,
        .title = fmt::format("Algorithms of kind {}: predicted {}, law {}", kind, what, name(pair.law)),
        .description =
            "Ratio of the predicted times at default parameters, u32: below 1 the second GPU "
            "is faster.",
        .x = {.label = elements_axis, .scale = Scale::log2},
        .y = {.label = what, .scale = Scale::log10}};
    std::size_t k = 0;
    for (const auto& [algorithm, seconds] : ratios) {
      std::vector<Point> points;
      for (const auto& [n, times] : seconds) points.emplace_back(n, times.second / times.first);
      figure.layers.push_back(line(algorithm, nth_colour(k), std::move(points), nth_dash(k)));
      ++k;
    }
    finish_ratio_figure(figure);
    all.push_back(std::move(figure));
  }
  if (all.empty())
    all.push_back(Missing{"Predicted ratios", "no law predicts the same algorithm on both GPUs",
                          "fathom calibrate -o profile.json"});
  return all;
}

Table machine_table(const ProfilePair& pair) {
  Table table({{"", left}, {pair.first.name}, {pair.second.name}});
  const Machine<double>&a = pair.first.machine, &b = pair.second.machine;
  const auto gpu = [](const DeviceProfile& profile) {
    return value_or_dash(profile.provenance.gpu.empty() ? profile.machine.name : profile.provenance.gpu);
  };
  table.add({"GPU", gpu(pair.first), gpu(pair.second)});
  table.add({"profile", value_or_dash(pair.first.origin), value_or_dash(pair.second.origin)});
  table.add(
      {"calibrated", value_or_dash(pair.first.provenance.date), value_or_dash(pair.second.provenance.date)});
  table.add({"multiprocessors", std::to_string(a.multiprocessors), std::to_string(b.multiprocessors)});
  table.add({"cores per multiprocessor", std::to_string(a.cores_per_multiprocessor),
             std::to_string(b.cores_per_multiprocessor)});
  table.add({"clock", hertz(a.clock.value), hertz(b.clock.value)});
  table.add({"memory", bytes(a.global_memory.value), bytes(b.global_memory.value)});
  const auto l2 = [](const Machine<double>& machine) {
    return machine.l2_capacity ? bytes(machine.l2_capacity->value) : "-";
  };
  table.add({"L2", l2(a), l2(b)});
  return table;
}

Table constants_table(const ProfilePair& pair) {
  Table table({{"constant", left},
               {"meaning", left},
               {pair.first.name},
               {"95 %"},
               {pair.second.name},
               {"95 %"},
               {fmt::format("{} / {}", pair.second.name, pair.first.name)}});
  for (const ConstantRow<double>& constant : constants<double>()) {
    const std::optional<double>&a = constant.member.of(pair.first.machine),
          &b = constant.member.of(pair.second.machine);
    if (!a && !b) continue;
    const auto in_unit = [&](double value) { return quantity(value, constant.unit); };
    const auto interval = [&](const DeviceProfile& profile) {
      return known(profile.interval_of(constant.name), [&](const Interval& found) {
        return fmt::format("{} to {}", in_unit(found.low), in_unit(found.high));
      });
    };
    table.add({std::string(constant.name), std::string(constant.label), known(a, in_unit),
               interval(pair.first), known(b, in_unit), interval(pair.second),
               a && b && *a != 0 ? significant(*b / *a) : "-"});
  }
  return table;
}

}  // namespace fathom::reports
