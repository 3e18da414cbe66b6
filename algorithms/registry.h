// The one list of algorithms: the command line, the reports and the tests all read it.
#pragma once

#include <fathom/algorithms/workload.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <string_view>

namespace fathom {

struct Algorithm : Descriptor {
  MakeWorkload make_workload{};  ///< empty for algorithms that are a formula only, or not in this build
};

const std::deque<Algorithm>& algorithms();
/// Puts an algorithm of the caller's own beside ours. Throws std::invalid_argument when its slug is taken.
/// References to those that are there stay good.
void add_algorithm(Algorithm algorithm);

/// Throws std::invalid_argument, naming the nearest slug, when there is none of this name.
const Algorithm& algorithm(std::string_view slug);
/// The same for those who only predict: nullptr when there is none of this name.
const Descriptor* find_descriptor(std::string_view slug);

}  // namespace fathom
