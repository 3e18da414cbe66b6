// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/machine/memory_machines.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace fathom::reports {
namespace {

struct Memory {
  MachineKind kind;
  const char *id, *words;
};
constexpr Memory memories[] = {{MachineKind::umm, "umm", "the UMM (global memory)"},
                               {MachineKind::dmm, "dmm", "the DMM (shared memory)"}};

/// Variables of the problem and the machine; others are parameters of algorithms.
struct Variable {
  const char *name, *id, *words, *axis;
};
constexpr Variable variables[] = {{"n", "n", "elements", elements_axis},
                                  {"p", "threads", "threads", "p, threads of the machine"},
                                  {"w", "width", "banks", "w, banks"},
                                  {"l", "latency", "latency", "l, latency (time units)"}};

/// nullptr for an algorithm's parameter.
const Variable* find_variable(const std::string& name) {
  const auto found = std::find_if(std::begin(variables), std::end(variables),
                                  [&](const Variable& variable) { return variable.name == name; });
  return found == std::end(variables) ? nullptr : found;
}

/// Names of the sweeps' variables: those of the machine first, then parameters in the order of the sweeps.
std::vector<std::string> variable_names(const std::vector<MachineSweep>& sweeps) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.emplace_back(variable.name);
  for (const MachineSweep& sweep : sweeps)
    if (std::find(names.begin(), names.end(), sweep.variable) == names.end()) names.push_back(sweep.variable);
  return names;
}

/// The parameter with its meaning, if that is the same in all sweeps.
std::string parameter_axis_label(const std::string& parameter, const std::vector<MachineSweep>& sweeps) {
  const std::string label = parameter_label(sweeps.front().algorithm, parameter);
  const bool agree = std::all_of(sweeps.begin(), sweeps.end(), [&](const MachineSweep& sweep) {
    return parameter_label(sweep.algorithm, parameter) == label;
  });
  return agree ? label : parameter;
}

}  // namespace

Figure machine_figure(const std::string& id, const std::string& title, const std::string& variable,
                      const std::vector<MachineSweep>& sweeps) {
  // Time units grow with n; per element, growth rates can be compared.
  const bool per_element = variable == "n";
  const Variable* of_machine = find_variable(variable);
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Counted time units (markers) and each algorithm's asymptotic cost times the constant that fits "
          "best "
          "(lines). A cost is a sum of terms for bandwidth, latency and depth. In a kernel each term has its "
          "own constant, so that slopes differ where the dominant term changes.",
      .x = {.label = of_machine ? of_machine->axis : parameter_axis_label(variable, sweeps),
            .scale = Scale::log2},
      .y = {.label = per_element ? "time units per element" : "time units", .scale = Scale::log10}};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    const MachineSweep& sweep = sweeps[k];
    std::vector<Point> counted, cost;
    for (const MachinePoint& point : sweep.points) {
      const double unit = per_element ? point.x : 1;
      counted.emplace_back(point.x, double(point.units) / unit);
      cost.emplace_back(point.x, sweep.constant() * point.cost / unit);
      low = std::min({low, counted.back().y, cost.back().y});
      high = std::max({high, counted.back().y, cost.back().y});
    }
    figure.layers.push_back(line("", nth_colour(k), std::move(cost), 0, 1.2));
    figure.layers.push_back(
        markers(fmt::format("{}, cost × {}", sweep.algorithm, significant(sweep.constant(), 2)),
                nth_colour(k), nth_marker(k), std::move(counted)));
  }
  figure.layers.push_back(legend_line("asymptotic cost × constant", 0));
  if (high < 10 * low) {  // room for more than one tick
    figure.y.low = low / 2;
    figure.y.high = high * 2;
  }
  return figure;
}

std::vector<FigureOrMissing> machine_figures(const ReportInput& input) {
  if (input.machine_sweeps.empty())
    return {Missing{"Time units on the memory machines", "nothing was counted", "fathom report"}};
  std::map<std::string, std::vector<MachineSweep>> by_kind;
  for (const MachineSweep& sweep : input.machine_sweeps) by_kind[kind_name(sweep.algorithm)].push_back(sweep);
  std::vector<FigureOrMissing> all;
  for (const auto& [kind, sweeps] : by_kind)
    for (const Memory& memory : memories)
      for (const std::string& variable : variable_names(sweeps)) {
        std::vector<MachineSweep> drawn;
        for (const MachineSweep& sweep : sweeps)
          if (sweep.kind == memory.kind && sweep.variable == variable) drawn.push_back(sweep);
        if (drawn.empty()) continue;
        const Variable* of_machine = find_variable(variable);
        all.push_back(machine_figure(
            fmt::format("machines-{}-{}-{}", kind, memory.id, of_machine ? of_machine->id : variable),
            fmt::format("{} on {}: time units over {}", kind, memory.words,
                        of_machine ? of_machine->words : variable),
            variable, drawn));
      }
  return all;
}

}  // namespace fathom::reports
