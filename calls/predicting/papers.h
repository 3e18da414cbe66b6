// SPDX-License-Identifier: Apache-2.0
// The figures of the papers that can be drawn: which they are, and their predictions.
#pragma once

#include <fathom/calls/predicting/degree_sweep.h>
#include <fathom/reports/papers.h>

#include <string>
#include <vector>

namespace fathom::calls {

/// The runs that paper_figures() draws are of these commands, each a line.
std::vector<std::string> paper_bench_commands();

/// Predicted on the papers' GPUs under `published`, on the question's under its laws, with the runs of the
/// datasets. Without work, nothing is predicted under laws that need it. Throws ImpossibleTime, and what
/// count() and the question's work and progress throw.
reports::PaperFigures paper_figures(const DegreeQuestion& question, const std::vector<Dataset>& datasets);

/// The work that needs no compiler: that of tables and of the user's cache. The function throws
/// WorkUnavailable. The profile must outlive it.
WorkLookup known_work_lookup(const DeviceProfile& profile);

}  // namespace fathom::calls
