// Reports as self-contained HTML.
#pragma once

#include <fathom/calls/reporting/report_input.h>

#include <string>
#include <vector>

namespace fathom::calls {

/// The whole story of a GPU: predictions, and what was measured, if the options name datasets. Notes why
/// there are no figures. Throws what ReportInputs throws.
std::string report(const ReportOptions& options, const Listener& listener);

/// Two datasets, before and after a change, or two profiles, each a name or a path. `names` has two. Throws
/// std::invalid_argument for names that are not two of a kind, std::runtime_error for one that does not
/// exist, and what reading and predicting throw.
std::string comparing_report(const std::vector<std::string>& names, const Listener& listener);

}  // namespace fathom::calls
