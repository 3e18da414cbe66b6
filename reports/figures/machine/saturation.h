// SPDX-License-Identifier: Apache-2.0
// The data that a profile was fitted to: saturation sweeps of the levels, footprints in the L2, bank
// conflicts.
#pragma once

#include <fathom/reports/figures.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// One configuration of a copy sweep.
struct SaturationSample {
  double X;                  ///< resident threads per core
  double I;                  ///< independent accesses per thread
  double clocks_per_access;  ///< τ: clocks between successive accesses of a thread, median
};
/// The profile's raw samples of a level; those without all coordinates are left out.
std::vector<SaturationSample> saturation_samples(const DeviceProfile& profile, Level level);
/// X/τ by the law, τ = ((X/B)^s + (L/I + c)^s)^(1/s): without c and s, 1 / max(1/B, L/(X·I)). The level must
/// have B and L.
double words_per_clock(const LevelConstants<double>& constants, double X, double I);
/// Words per clock and core (X/τ) against X·I, with the fitted law drawn through its constants for
/// every I.
Figure saturation_figure(const std::string& id, const std::string& title,
                         const LevelConstants<double>& constants,
                         const std::vector<SaturationSample>& samples);

/// Passes over footprints of growing size.
struct FootprintCurve {
  std::string label;                 ///< "copied", "read"
  std::optional<double> half_bytes;  ///< fitted: at which the L2 serves half
  std::vector<Point> points;         ///< distinct bytes touched, median bytes per second
};
Figure footprint_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                        const std::vector<FootprintCurve>& curves);

struct ConflictSample {
  double degree;             ///< β, 1 to 32
  double X;                  ///< resident threads per core
  double clocks_per_access;  ///< τ of a chain of dependent loads (I = 1), median
};
/// Time of a shared access against its conflict degree, with the law of a level drawn through the machine's
/// constants.
Figure conflict_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                       const std::vector<ConflictSample>& samples);

std::vector<FigureOrMissing> saturation_figures(const ReportInput& input);
std::vector<FigureOrMissing> footprint_figures(const ReportInput& input);
std::vector<FigureOrMissing> conflict_figures(const ReportInput& input);

}  // namespace fathom::reports
