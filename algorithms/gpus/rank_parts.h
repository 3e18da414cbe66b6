// SPDX-License-Identifier: Apache-2.0
// The launches of a rank of an algorithm for several GPUs besides algorithms of one GPU: each part is an
// algorithm of one GPU, so that its work is counted, kept and priced like theirs.
//
// The parts are no answers to a question of their own, hence not in the list of algorithms.
#pragma once

#include <fathom/algorithms/gpus/prefix/prefix_division.h>
#include <fathom/algorithms/registry.h>

#include <string_view>

namespace fathom {

/// The samples that a rank takes of its keys, and where it cuts sorted keys into `parts` parts.
const Algorithm& cuts_part();
/// The elements in the order of buckets, which go to `ranks` ranks in equal parts, and the sorts of as many
/// buckets as a rank receives: as each of the ranks does, but without an exchange.
const Algorithm& prefix_part();
/// The merge of `runs` sorted runs of equal length.
const Algorithm& merge_part();

/// How the elements of all of the problem's GPUs are divided by the first bits of their keys.
PrefixDivision prefix_division(const Problem& problem, const PlanDevice& device);

/// The part of this name, or else the algorithm. Throws like algorithm() if there is neither.
const Algorithm& algorithm_or_part(std::string_view slug);

}  // namespace fathom
