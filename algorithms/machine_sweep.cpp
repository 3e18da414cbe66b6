#include <fathom/algorithms/machine_sweep.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {
namespace {

using bounds::MemoryMachineSize;

/// The bound itself for global memory; for shared memory conflicts take the banks β times.
using Bound = double (*)(const MemoryMachineSize&, const Problem&);

double optimal_scan(const MemoryMachineSize& size, const Problem&) {
  return bounds::optimal_prefix_sums(size);
}

struct NamedBound {
  std::string_view algorithm;
  Bound bound;
};
constexpr NamedBound scan_bounds[] = {{"scan-matrix", optimal_scan}};

const NamedBound* find_bound(const Algorithm& algorithm) {
  const auto found = std::find_if(std::begin(scan_bounds), std::end(scan_bounds),
                                  [&](const NamedBound& named) { return named.algorithm == algorithm.slug; });
  return found == std::end(scan_bounds) ? nullptr : found;
}

bounds::PairwiseShape pairwise_shape(const Problem& problem) {
  return {double(problem.parameters.at("E")), double(problem.parameters.at("t"))};
}

/// One point of the grid: a problem and a machine.
struct GridPoint {
  double n;
  u64 threads;
  int width, latency;
};

GridPoint middle(const MachineGrid& grid) {
  return {grid.middle_n, grid.middle_threads, grid.middle_width, grid.middle_latency};
}

std::vector<GridPoint> points_of(const MachineGrid& grid, MachineVariable variable) {
  std::vector<GridPoint> points;
  const auto add = [&](auto values, auto member) {
    for (const auto value : values) {
      points.push_back(middle(grid));
      points.back().*member = value;
    }
  };
  switch (variable) {
    case MachineVariable::n:
      add(grid.n, &GridPoint::n);
      break;
    case MachineVariable::threads:
      add(grid.threads, &GridPoint::threads);
      break;
    case MachineVariable::width:
      add(grid.widths, &GridPoint::width);
      break;
    case MachineVariable::latency:
      add(grid.latencies, &GridPoint::latency);
      break;
  }
  return points;
}

double x_of(const GridPoint& point, MachineVariable variable) {
  switch (variable) {
    case MachineVariable::n:
      return point.n;
    case MachineVariable::threads:
      return double(point.threads);
    case MachineVariable::width:
      return point.width;
    case MachineVariable::latency:
      return point.latency;
  }
  throw std::invalid_argument("unknown variable of a machine");
}

double counted_conflict(const Count& counted) {
  SharedAccesses sum;
  for (const KernelCounts& kernel : counted.kernels) sum += kernel.shared();
  return sum.conflict();
}

/// All points that share one n come from one run.
class SweepsOfOneSize {
 public:
  SweepsOfOneSize(const Algorithm& algorithm, const Machine<double>& device, double n,
                  const std::vector<GridPoint>& points)
      : case_{&algorithm, {n, ElementType::u32, algorithm.formula->default_parameters()}, Input::random} {
    std::vector<MachineChoice> machines;
    for (const GridPoint& point : points)
      for (MachineKind kind : {MachineKind::dmm, MachineKind::umm})
        machines.push_back(MemoryMachineChoice{kind, point.width, point.latency, point.threads});
    counted_ = count(case_, counting_device(device, case_), machines);
  }

  MachinePoint at(const GridPoint& point, std::size_t index, MachineKind kind,
                  MachineVariable variable) const {
    const MemoryMachineSize size{point.n, double(point.threads), double(point.width), double(point.latency)};
    return {x_of(point, variable), std::get<u64>(counted_.machines[2 * index + (kind == MachineKind::umm)]),
            machine_bound(*case_.algorithm, kind, case_.problem, size, counted_conflict(counted_))};
  }

 private:
  CountCase case_;
  Count counted_;
};

}  // namespace

bool has_machine_bound(const Algorithm& algorithm) {
  return algorithm.slug == "sort-pairwise" || find_bound(algorithm) != nullptr;
}

double machine_bound(const Algorithm& algorithm, MachineKind kind, const Problem& problem,
                     const MemoryMachineSize& size, double conflict) {
  if (algorithm.slug == "sort-pairwise")
    return kind == MachineKind::umm ? bounds::sort_pairwise_global(size, pairwise_shape(problem))
                                    : bounds::sort_pairwise_shared(size, pairwise_shape(problem), conflict);
  const NamedBound* named = find_bound(algorithm);
  if (!named) throw std::invalid_argument("there is no bound of " + algorithm.slug + " on a memory machine");
  MemoryMachineSize effective = size;
  if (kind == MachineKind::dmm) effective.w = std::max(1.0, size.w / conflict);
  return named->bound(effective, problem);
}

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
  std::vector<GridPoint> at_middle;  // of all variables but n: one run
  for (MachineVariable variable :
       {MachineVariable::threads, MachineVariable::width, MachineVariable::latency})
    for (const GridPoint& point : points_of(grid, variable)) at_middle.push_back(point);
  const SweepsOfOneSize middle_size(algorithm, device, grid.middle_n, at_middle);

  std::vector<MachineSweep> sweeps;
  for (MachineVariable variable : all_machine_variables)
    for (MachineKind kind : {MachineKind::dmm, MachineKind::umm})
      sweeps.push_back({algorithm.slug, kind, variable, {}});
  std::size_t sweep = 0;
  for (const GridPoint& point : points_of(grid, MachineVariable::n)) {
    const SweepsOfOneSize one(algorithm, device, point.n, {point});
    sweeps[0].points.push_back(one.at(point, 0, MachineKind::dmm, MachineVariable::n));
    sweeps[1].points.push_back(one.at(point, 0, MachineKind::umm, MachineVariable::n));
  }
  std::size_t index = 0;
  for (MachineVariable variable :
       {MachineVariable::threads, MachineVariable::width, MachineVariable::latency}) {
    sweep += 2;
    for (const GridPoint& point : points_of(grid, variable)) {
      sweeps[sweep].points.push_back(middle_size.at(point, index, MachineKind::dmm, variable));
      sweeps[sweep + 1].points.push_back(middle_size.at(point, index, MachineKind::umm, variable));
      ++index;
    }
  }
  return sweeps;
}

}  // namespace fathom
