// SPDX-License-Identifier: Apache-2.0
// Counted time units on the memory machines, compared with the sources' asymptotic costs, over n, p, w, l and
// a parameter.
#pragma once

#include <fathom/counting/count.h>

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

  /// The best-fitting constant of the cost: geometric mean of units / cost.
  double constant() const;
  /// Largest over smallest units / cost: 1 if the units are proportional to the cost.
  double spread() const;
};

/// The values of each variable in its own sweep, and its value in the other sweeps: all kernels are counted
/// over all of it within seconds.
struct MachineGrid {
  std::vector<double> n{1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14};
  std::vector<u64> threads{1 << 10, 1 << 11, 1 << 12, 1 << 13};
  std::vector<int> widths{4, 8, 16, 32};
  std::vector<int> latencies{1, 4, 16, 64, 256, 1024};
  std::size_t parameter_values = 3;  ///< of the algorithm's first parameter, at most
  double middle_n = 1 << 13;
  u64 middle_threads = 1 << 11;
  int middle_width = 32;
  int middle_latency = 64;
  /// Override default values, for algorithms that have these parameters. The default k makes many groups of
  /// scan-sequential for these n, and no group smaller than p (nakano2012).
  Parameters parameters{{"k", 1 << 12}};
};

/// Every sweep on each machine for which the algorithm has an asymptotic cost: random input, u32, on the grid
/// of `device`. Throws what count() throws.
std::vector<MachineSweep> machine_sweeps(const Algorithm& algorithm, const Machine<double>& device,
                                         const MachineGrid& grid = {}, const Progress& progress = {});

}  // namespace fathom
