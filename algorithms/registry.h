// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms, read by the command line, the reports and the tests.
#pragma once

#include <fathom/algorithms/workload.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <string_view>

namespace fathom {

struct Algorithm : Descriptor {
  MakeWorkload make_workload{};  ///< empty for algorithms with only a formula, or not in this build
};

const std::deque<Algorithm>& algorithms();
/// Registers an algorithm of the caller's. Throws std::invalid_argument if its slug is taken. References to
/// registered algorithms stay valid.
void add_algorithm(Algorithm algorithm);

/// Throws std::invalid_argument, naming the nearest slug, if there is no such algorithm.
const Algorithm& algorithm(std::string_view slug);
/// The same for callers that only predict; nullptr if there is no such algorithm.
const Descriptor* find_descriptor(std::string_view slug);

}  // namespace fathom
