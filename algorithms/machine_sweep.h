// Counted time units on the memory machines beside the asymptotic costs of their sources, over n, p, w, l and
// a parameter.
#pragma once

#include <fathom/algorithms/count.h>

namespace fathom {

struct MachinePoint {
  double x;  ///< value of the variable
  u64 units;
  double cost;  ///< asymptotic
};

struct MachineSweep {
  std::string algorithm;
  MachineKind kind;
  std::string
      variable;  ///< "n", "p", "w", "l", or the parameter's name; the others stay at their middle values
  std::vector<MachinePoint> points;  ///< ascending x

  /// The constant of the cost that fits best: geometric mean of units over cost.
  double constant() const;
  /// Largest over smallest ratio of units to cost: 1 where the shape is the cost's.
  double spread() const;
};

/// Values that a sweep goes through, and those at which its variable stands in the other sweeps.
struct MachineGrid {
  std::vector<double> n{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18};
  std::vector<u64> threads{1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14};
  std::vector<int> widths{4, 8, 16, 32};
  std::vector<int> latencies{1, 4, 16, 64, 256, 1024};
  std::size_t parameter_values = 6;  ///< of the algorithm's first parameter, at most
  double middle_n = 1 << 17;
  u64 middle_threads = 1 << 12;
  int middle_width = 32;
  int middle_latency = 64;
  /// In the place of default values, for algorithms that have them. By default groups of scan-sequential of
  /// which these n have many, and none smaller than p (nakano2012).
  Parameters parameters{{"k", 1 << 14}};
};

/// Every sweep on each machine that the algorithm has an asymptotic cost on, random input, u32, on the grid
/// of `device`. Throws as count().
std::vector<MachineSweep> machine_sweeps(const Algorithm& algorithm, const Machine<double>& device,
                                         const MachineGrid& grid = {});

}  // namespace fathom
