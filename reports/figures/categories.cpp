// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/categories.h>

#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/figures/degrees.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace fathom::reports {
namespace {

struct Category {
  int order;  ///< of the axis
  std::string label;
  auto operator<=>(const Category&) const = default;
};
Category category_of(const Input& input) {
  return {int(input.pattern), name(input)};
}
/// Keys alone come first, then pairs, then those that keep their order.
Category category_of(const Instantiation& of) {
  const int value = of.type.value ? 1 + int(*of.type.value) : 0;
  return {(int(of.stable) * 100 + value) * 100 + int(of.type.key), name(of)};
}

/// A measured run, and its prediction by the first of the drawn laws that has one.
struct Run {
  const Measurement* measured;
  const Prediction* predicted;
  double seconds;
};
bool is_faster(const Run& a, const Run& b) {
  return a.seconds < b.seconds;
}
using Runs = std::map<Category, Run>;
/// What one figure may show: n → algorithm → parameters → runs.
using Group = std::map<double, std::map<std::string, std::map<NamedValues, Runs>>>;

std::map<const Measurement*, const Prediction*> predictions_of(const ReportInput& input) {
  std::map<const Measurement*, const Prediction*> found;
  for (const LawName law : drawn_laws)
    for (const auto& [of, comparison] : input.comparisons)
      if (of == law)
        for (const ComparedRun& compared : comparison.runs)
          if (compared.predicted) found.try_emplace(compared.run, &*compared.predicted);
  return found;
}

/// The runs by figure. `place(run)` gives the figure's name and the category, or nothing for a run that is
/// not shown.
template <class Place>
std::map<std::string, Group> groups(const ReportInput& input, Place place) {
  const auto predictions = predictions_of(input);
  std::map<std::string, Group> groups;
  for (const Dataset& dataset : input.datasets)
    for (const Measurement& run : dataset.runs) {
      if (run.seconds.empty() || run.problem.order != Order::ascending) continue;
      const auto placed = place(run);
      if (!placed) continue;
      const auto& [group, category] = *placed;
      const auto predicted = predictions.find(&run);
      groups[group][run.problem.n][run.algorithm][by_name(run.problem.parameters)].try_emplace(
          category, Run{&run, predicted == predictions.end() ? nullptr : predicted->second,
                        quartiles(run.seconds).median});
    }
  return groups;
}

double total_seconds(const Runs& runs) {
  double seconds = 0;
  for (const auto& [category, run] : runs) seconds += run.seconds;
  return seconds;
}

/// The parameters with the most categories; among several, the fastest.
Runs with_same_parameters(const std::map<NamedValues, Runs>& by_parameters) {
  const auto rank = [](const Runs& runs) { return std::tuple(-double(runs.size()), total_seconds(runs)); };
  return std::min_element(by_parameters.begin(), by_parameters.end(),
                          [&](const auto& a, const auto& b) { return rank(a.second) < rank(b.second); })
      ->second;
}

/// The fastest run of each category.
Runs with_best_parameters(const std::map<NamedValues, Runs>& by_parameters) {
  Runs best;
  for (const auto& [parameters, runs] : by_parameters)
    for (const auto& [category, run] : runs) {
      const auto [at, added] = best.try_emplace(category, run);
      if (!added && is_faster(run, at->second)) at->second = run;
    }
  return best;
}

using Select = Runs (*)(const std::map<NamedValues, Runs>&);
using Curves = std::map<std::string, Runs>;  ///< by algorithm

std::size_t runs_in(const Curves& curves) {
  std::size_t runs = 0;
  for (const auto& [algorithm, of_algorithm] : curves) runs += of_algorithm.size();
  return runs;
}

/// At the n with the most runs; among several, the largest.
std::pair<double, Curves> curves_of(const Group& group, Select select) {
  std::pair<double, Curves> best{0, {}};
  for (const auto& [n, algorithms] : group) {
    Curves curves;
    for (const auto& [algorithm, by_parameters] : algorithms) curves[algorithm] = select(by_parameters);
    if (runs_in(curves) >= runs_in(best.second)) best = {n, std::move(curves)};
  }
  return best;
}

std::set<Category> categories_of(const Curves& curves) {
  std::set<Category> categories;
  for (const auto& [algorithm, runs] : curves)
    for (const auto& [category, run] : runs) categories.insert(category);
  return categories;
}

/// One slot per category, in which the algorithms stand side by side.
Figure figure_of(const std::string& id, const std::string& title, const std::string& axis, double n,
                 const Curves& curves) {
  std::map<Category, double> slots;
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Throughput of the algorithms side by side; filled markers with quartile bars "
                    "are measured, hollow ones predicted.",
                .x = {.label = axis, .slanted_ticks = true},
                .y = {.label = "throughput (10⁹ elements/s)"}};
  for (const Category& category : categories_of(curves)) {
    const double slot = double(slots.size()) + 1;
    slots[category] = slot;
    figure.x.ticks.push_back({slot, category.label});
  }
  figure.x.low = 0.5;
  figure.x.high = double(slots.size()) + 0.5;

  const auto rate = [&](double seconds) { return n / seconds / 1e9; };
  std::set<LawName> laws;
  std::size_t k = 0;
  for (const auto& [algorithm, runs] : curves) {
    const double offset = 0.8 * ((double(k) + 0.5) / double(curves.size()) - 0.5);
    std::vector<Point> measured, predicted;
    for (const auto& [category, run] : runs) {
      const double x = slots.at(category) + offset;
      const Quartiles seconds = quartiles(run.measured->seconds);
      measured.emplace_back(x, rate(seconds.median), rate(seconds.high), rate(seconds.low));
      if (run.predicted) predicted.emplace_back(x, rate(run.predicted->time_s));
    }
    if (!predicted.empty()) {
      figure.layers.push_back(markers("", nth_colour(k), nth_marker(k), std::move(predicted)));
      figure.layers.back().hollow = true;
      figure.layers.back().size = 0.9;
    }
    figure.layers.push_back(markers(algorithm, nth_colour(k), nth_marker(k), std::move(measured)));
    ++k;
  }
  if (std::ranges::any_of(figure.layers, &Layer::hollow))
    figure.layers.push_back(legend_marker("predicted", Marker::circle, true));
  return figure;
}

/// The figures of all groups with several categories.
std::vector<FigureOrMissing> figures_of(const std::map<std::string, Group>& groups, Select select,
                                        const std::string& what, const std::string& axis,
                                        const std::string& device, const Missing& missing) {
  std::vector<FigureOrMissing> all;
  for (const auto& [name, group] : groups) {
    const auto [n, curves] = curves_of(group, select);
    if (categories_of(curves).size() < 2) continue;
    all.push_back(figure_of(what + "-" + name,
                            fmt::format("{} by {}, n = {}, on {}", name, axis, elements(n), device), axis, n,
                            curves));
  }
  if (all.empty()) all.push_back(missing);
  return all;
}

}  // namespace

std::vector<FigureOrMissing> input_figures(const ReportInput& input) {
  using Placed = std::optional<std::pair<std::string, Category>>;
  const auto place = [](const Measurement& run) -> Placed {
    if (has_degree(run.input)) return {};
    const std::string type = name(Instantiation(run.problem));
    return {{kind_name(run.algorithm) + ", " + type, category_of(run.input)}};
  };
  auto all = figures_of(groups(input, place), with_same_parameters, "inputs", "input", input.profile.name,
                        {"Algorithms by input", "no algorithm was measured on several patterns of the input",
                         "fathom bench ALGORITHM --input random,sorted,zipf -o data.json"});
  auto by_degree = degree_figures(input);
  if (!by_degree.empty() && std::holds_alternative<Missing>(all.front())) return by_degree;
  std::ranges::move(by_degree, std::back_inserter(all));
  return all;
}

std::vector<FigureOrMissing> type_figures(const ReportInput& input) {
  using Placed = std::optional<std::pair<std::string, Category>>;
  const auto place = [](const Measurement& run) -> Placed {
    if (run.input != Input::random) return {};
    return {{kind_name(run.algorithm), category_of(Instantiation(run.problem))}};
  };
  return figures_of(groups(input, place), with_best_parameters, "types", "type", input.profile.name,
                    {"Algorithms by type", "no algorithm was measured with several types of elements",
                     "fathom bench ALGORITHM --type u32,u64,f64 -o data.json"});
}

}  // namespace fathom::reports
