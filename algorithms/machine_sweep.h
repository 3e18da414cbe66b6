// Counted time units on the memory machines beside the bounds of their sources, over n, p, w, l and α.
#pragma once

#include <fathom/algorithms/machine_bounds.h>

namespace fathom {

/// What is varied; the others stay at their middle values. `rows` is α, of algorithms that have it.
enum class MachineVariable { n, threads, width, latency, rows };
inline constexpr std::array all_machine_variables{MachineVariable::n, MachineVariable::threads,
                                                  MachineVariable::width, MachineVariable::latency,
                                                  MachineVariable::rows};

struct MachinePoint {
  double x;  ///< value of the variable
  u64 units;
  double bound;
};

struct MachineSweep {
  std::string algorithm;
  MachineKind kind;
  MachineVariable variable;
  std::vector<MachinePoint> points;  ///< ascending x

  /// The constant of the bound that fits best: geometric mean of units over bound.
  double constant() const;
  /// Largest over smallest ratio of units to bound: 1 where the shape is the bound's.
  double spread() const;
};

/// Values that a sweep goes through, and those at which its variable stands in the other sweeps.
struct MachineGrid {
  std::vector<double> n{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18};
  std::vector<u64> threads{1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14};
  std::vector<int> widths{4, 8, 16, 32};
  std::vector<int> latencies{1, 4, 16, 64, 256, 1024};
  std::vector<int> rows{1, 2, 4, 8, 16, 32};
  double middle_n = 1 << 17;
  u64 middle_threads = 1 << 12;
  int middle_width = 32;
  int middle_latency = 64;
  /// In the place of default values, for algorithms that have them. By default groups of scan-sequential of
  /// which these n have many, and none smaller than p (nakano2012).
  Parameters parameters{{"k", 1 << 14}};
};

/// Every sweep on each machine that the algorithm has a bound on, random input, u32, on the grid of `device`.
/// Throws as count().
std::vector<MachineSweep> machine_sweeps(const Algorithm& algorithm, const Machine<double>& device,
                                         const MachineGrid& grid = {});

}  // namespace fathom
