// An algorithm and a problem for it, as named on the command line.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/profile.h>

#include <string>

namespace fathom::cli {

/// Throws std::invalid_argument (unknown algorithm), UsageError (an algorithm without a formula).
const Formula& formula_named(const std::string& slug);

/// Bytes of device memory, work space included; for an algorithm without kernel its input and output.
double bytes_needed(const Algorithm& algorithm, const Problem& problem);

/// Throws std::runtime_error with needed and available bytes when the problem does not fit in the machine's
/// memory.
void check_fits(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine);

}  // namespace fathom::cli
