#include <fathom/algorithms/machine_sweep.h>

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
                  algorithm.formula->default_parameters()};
  for (const auto& [name, value] : grid.parameters)
    if (point.parameters.contains(name)) point.parameters.set(name, value);
  return point;
}

struct Place {
  double x;
  GridPoint point;
};

std::vector<Place> places_of(const GridPoint& middle, const MachineGrid& grid, MachineVariable variable) {
  std::vector<Place> places;
  const auto add = [&](const auto& values, auto set) {
    for (const auto value : values) {
      places.push_back({double(value), middle});
      set(places.back().point, value);
    }
  };
  switch (variable) {
    case MachineVariable::n:
      add(grid.n, [](GridPoint& point, double n) { point.n = n; });
      break;
    case MachineVariable::threads:
      add(grid.threads, [](GridPoint& point, u64 threads) { point.threads = threads; });
      break;
    case MachineVariable::width:
      add(grid.widths, [](GridPoint& point, int width) { point.width = width; });
      break;
    case MachineVariable::latency:
      add(grid.latencies, [](GridPoint& point, int latency) { point.latency = latency; });
      break;
    case MachineVariable::rows:
      if (middle.parameters.contains("alpha"))
        add(grid.rows, [](GridPoint& point, int rows) { point.parameters.set("alpha", rows); });
      break;
  }
  return places;
}

double counted_conflict(const Count& counted) {
  SharedAccesses sum;
  for (const KernelCounts& kernel : counted.kernels) sum += kernel.shared();
  return sum.conflict();
}

/// A point of a sweep that is to be counted.
struct Pending {
  std::size_t sweep;
  Place place;
};

/// Counts points that share their problem in one run, and puts them into their sweeps.
void count_together(const Algorithm& algorithm, const Machine<double>& device,
                    const std::vector<const Pending*>& pending, std::vector<MachineSweep>& sweeps) {
  const GridPoint& first = pending.front()->place.point;
  const CountCase one{&algorithm, {first.n, ElementType::u32, first.parameters}, Input::random};
  std::vector<MachineChoice> machines;
  for (const Pending* each : pending) machines.push_back(each->place.point.machine(sweeps[each->sweep].kind));
  const Count counted = count(one, counting_device(device, one), machines);
  const double conflict = counted_conflict(counted);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto& machine = std::get<MemoryMachineChoice>(machines[i]);
    sweeps[pending[i]->sweep].points.push_back({pending[i]->place.x, std::get<u64>(counted.machines[i]),
                                                *machine_bound(algorithm, one.problem, machine, conflict)});
  }
}

}  // namespace

double MachineSweep::constant() const {
  double sum = 0;
  for (const MachinePoint& point : points) sum += std::log(double(point.units) / point.bound);
  return std::exp(sum / double(points.size()));
}

double MachineSweep::spread() const {
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(), [](const MachinePoint& a, const MachinePoint& b) {
        return double(a.units) / a.bound < double(b.units) / b.bound;
      });
  return (double(most->units) / most->bound) / (double(least->units) / least->bound);
}

std::vector<MachineSweep> machine_sweeps(const Algorithm& algorithm, const Machine<double>& device,
                                         const MachineGrid& grid) {
  const GridPoint centre = middle(algorithm, grid);
  std::vector<MachineSweep> sweeps;
  std::vector<Pending> pending;
  for (MachineVariable variable : all_machine_variables)
    for (MachineKind kind : {MachineKind::dmm, MachineKind::umm}) {
      const std::vector<Place> places = places_of(centre, grid, variable);
      const Problem problem{centre.n, ElementType::u32, centre.parameters};
      if (places.empty() || !machine_bound(algorithm, problem, centre.machine(kind), 1)) continue;
      sweeps.push_back({algorithm.slug, kind, variable, {}});
      for (const Place& place : places) pending.push_back({sweeps.size() - 1, place});
    }

  while (!pending.empty()) {
    const GridPoint first = pending.front().place.point;
    const auto rest = std::stable_partition(pending.begin(), pending.end(), [&](const Pending& each) {
      return each.place.point.same_problem(first);
    });
    std::vector<const Pending*> together;
    for (auto each = pending.begin(); each != rest; ++each) together.push_back(&*each);
    count_together(algorithm, device, together, sweeps);
    pending.erase(pending.begin(), rest);
  }
  for (MachineSweep& sweep : sweeps)
    std::sort(sweep.points.begin(), sweep.points.end(),
              [](const MachinePoint& a, const MachinePoint& b) { return a.x < b.x; });
  return sweeps;
}

}  // namespace fathom
