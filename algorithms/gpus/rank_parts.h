// SPDX-License-Identifier: Apache-2.0
// The launches of a rank of an algorithm for several GPUs besides algorithms of one GPU: each part is an
// algorithm of one GPU, so that its work is counted, kept and priced like theirs.
//
// The parts are no answers to a question of their own, hence not in the list of algorithms.
#pragma once

#include <fathom/algorithms/registry.h>

#include <string_view>

namespace fathom {

/// The samples that a rank takes of its keys, and where it cuts sorted keys into `parts` parts.
const Algorithm& cuts_part();
/// The elements in the order of `parts` parts, by cuts.
const Algorithm& split_part();
/// The merge of `runs` sorted runs of equal length.
const Algorithm& merge_part();

/// The part of this name, or else the algorithm. Throws like algorithm() if there is neither.
const Algorithm& algorithm_or_part(std::string_view slug);

}  // namespace fathom
