// SPDX-License-Identifier: Apache-2.0
// Whether a question about an algorithm can be answered.
#pragma once

#include <fathom/algorithms/lists.h>
#include <fathom/calls/options.h>
#include <fathom/model/laws/law.h>

#include <string>
#include <string_view>

namespace fathom::calls {

/// The registered algorithm of any list or, if the name has a '.' or a '/', which no slug has, that of the
/// formula in the file, which is read once and registered then. Not for several threads at once. Throws
/// std::invalid_argument for an unknown algorithm and for a formula whose name is taken, and what
/// read_formula() throws.
AnyAlgorithm any_algorithm(const std::string& name);
/// The same of one GPU. Throws std::invalid_argument for others, too.
const Algorithm& algorithm_or_formula(const std::string& name);
/// Throws std::invalid_argument for text that names nothing, for readings that the law does not have, and for
/// an algorithm that it cannot predict.
Law law_of(const PredictionOptions& options, const Descriptor& algorithm);
/// Throws std::invalid_argument for an input that there is not, or that the law cannot price.
Input input_of(const PredictionOptions& options, LawName law, const Descriptor& algorithm);
/// The same algorithm. Throws std::invalid_argument if it has no kernels that the counting executor can run.
const Algorithm& countable(const Algorithm& algorithm);
/// Throws std::invalid_argument for an algorithm without kernels in this build.
void check_has_kernel(AnyAlgorithm algorithm);

/// With the parameters given, and defaults for the others. Throws std::invalid_argument, from
/// Descriptor::check(), for a problem that the algorithm cannot solve.
Problem checked_problem(const Descriptor& algorithm, double n, const std::string& type, bool stable,
                        const Parameters& given);

/// Bytes of device memory, work space included; for an algorithm without kernels only input and output, and
/// for one of several GPUs a GPU's part of these. None for data in host memory, whose plan takes what there
/// is.
double bytes_needed(const Descriptor& algorithm, const Problem& problem, const Machine<double>& machine);

/// Throws std::runtime_error with needed and available bytes if the problem does not fit in the machine's
/// memory.
void check_fits(const Descriptor& algorithm, const Problem& problem, const Machine<double>& machine);

}  // namespace fathom::calls
