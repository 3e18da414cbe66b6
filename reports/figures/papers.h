// SPDX-License-Identifier: Apache-2.0
// Figures of papers: what is predicted for their GPUs, and beside it the profile's GPU.
#pragma once

#include <fathom/reports/figures.h>

#include <vector>

namespace fathom::reports {

Figure paper_sweep_figure(const PaperSweep& sweep);
/// Beside the plateaus are the profile's samples, if it has any.
Figure paper_plateaus_figure(const PaperPlateaus& plateaus, const DeviceProfile& profile);
Figure paper_cycles_figure(const PaperCycles& cycles);
Figure paper_conflicts_figure(const PaperConflicts& conflicts);

/// All, with a Missing for each sweep that was not measured.
std::vector<FigureOrMissing> paper_figures(const ReportInput& input);

}  // namespace fathom::reports
