// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/machine_sweep.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

/// One point of the grid: a problem and a machine.
struct GridPoint {
  double n;
  u64 threads;
  int width, latency;
  Parameters parameters;

  bool same_problem(const GridPoint& other) const { return n == other.n && parameters == other.parameters; }
  MemoryMachineChoice machine(MachineKind kind) const { return {kind, width, latency, threads}; }
};

GridPoint middle(const Algorithm& algorithm, const MachineGrid& grid) {
  GridPoint point{grid.middle_n, grid.middle_threads, grid.middle_width, grid.middle_latency,
                  algorithm.default_parameters()};
  for (const auto& [name, value] : grid.parameters)
    if (point.parameters.contains(name)) point.parameters.set(name, value);
  return point;
}

Problem problem_at(const Algorithm& algorithm, const GridPoint& point) {
  Problem problem = algorithm.problem(point.n);
  problem.parameters = point.parameters;
  return problem;
}

struct Place {
  double x;
  GridPoint point;
};

/// Up to `most` of the values, including the first and the last.
std::vector<int> spread(const std::vector<int>& values, std::size_t most) {
  if (values.size() <= most) return values;
  std::vector<int> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(values[i * (values.size() - 1) / (most - 1)]);
  return chosen;
}

struct Variable {
  std::string name;
  std::vector<Place> places;
};

std::vector<Variable> variables(const Algorithm& algorithm, const GridPoint& middle,
                                const MachineGrid& grid) {
  std::vector<Variable> all;
  const auto add = [&](const std::string& name, const auto& values, auto set) {
    Variable& variable = all.emplace_back(Variable{name, {}});
    for (const auto value : values) {
      variable.places.push_back({double(value), middle});
      set(variable.places.back().point, value);
    }
  };
  add("n", grid.n, [](GridPoint& point, double n) { point.n = n; });
  add("p", grid.threads, [](GridPoint& point, u64 threads) { point.threads = threads; });
  add("w", grid.widths, [](GridPoint& point, int width) { point.width = width; });
  add("l", grid.latencies, [](GridPoint& point, int latency) { point.latency = latency; });
  const ParameterInfo& first = algorithm.parameters.front();
  add(first.name, spread(first.values, grid.parameter_values),
      [&](GridPoint& point, int value) { point.parameters.set(first.name, value); });
  return all;
}

/// A point of a sweep that is yet to be counted.
struct Pending {
  std::size_t sweep;
  Place place;
};

/// Counts points with the same problem in one run and adds them to their sweeps.
void count_together(const Algorithm& algorithm, const Machine<double>& device,
                    const std::vector<const Pending*>& pending, std::vector<MachineSweep>& sweeps,
                    const Progress& progress) {
  const GridPoint& first = pending.front()->place.point;
  const Case one{&algorithm, problem_at(algorithm, first), Input::random};
  std::vector<MachineChoice> machines;
  for (const Pending* each : pending) machines.push_back(each->place.point.machine(sweeps[each->sweep].kind));
  const Count counted = count(one, counting_device(device, one), machines, progress);
  const double conflict = counted_conflict(counted.kernels);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto& machine = std::get<MemoryMachineChoice>(machines[i]);
    sweeps[pending[i]->sweep].points.push_back({pending[i]->place.x, std::get<u64>(counted.machines[i]),
                                                *asymptotic_cost(algorithm, one.problem, machine, conflict)});
  }
}

}  // namespace

double MachineSweep::constant() const {
  double sum = 0;
  for (const MachinePoint& point : points) sum += std::log(double(point.units) / point.cost);
  return std::exp(sum / double(points.size()));
}

double MachineSweep::spread() const {
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(), [](const MachinePoint& a, const MachinePoint& b) {
        return double(a.units) / a.cost < double(b.units) / b.cost;
      });
  return (double(most->units) / most->cost) / (double(least->units) / least->cost);
}

std::vector<MachineSweep> machine_sweeps(const Algorithm& algorithm, const Machine<double>& device,
                                         const MachineGrid& grid, const Progress& progress) {
  const GridPoint centre = middle(algorithm, grid);
  std::vector<MachineSweep> sweeps;
  std::vector<Pending> pending;
  for (const Variable& variable : variables(algorithm, centre, grid))
    for (MachineKind kind : {MachineKind::dmm, MachineKind::umm}) {
      if (!asymptotic_cost(algorithm, problem_at(algorithm, centre), centre.machine(kind), 1)) continue;
      sweeps.push_back({algorithm.slug, kind, variable.name, {}});
      for (const Place& place : variable.places) pending.push_back({sweeps.size() - 1, place});
    }

  while (!pending.empty()) {
    const GridPoint first = pending.front().place.point;
    const auto rest = std::stable_partition(pending.begin(), pending.end(), [&](const Pending& each) {
      return each.place.point.same_problem(first);
    });
    std::vector<const Pending*> together;
    for (auto each = pending.begin(); each != rest; ++each) together.push_back(&*each);
    count_together(algorithm, device, together, sweeps, progress);
    pending.erase(pending.begin(), rest);
  }
  for (MachineSweep& sweep : sweeps)
    std::sort(sweep.points.begin(), sweep.points.end(),
              [](const MachinePoint& a, const MachinePoint& b) { return a.x < b.x; });
  return sweeps;
}

}  // namespace fathom
