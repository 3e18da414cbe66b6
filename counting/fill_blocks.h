// SPDX-License-Identifier: Apache-2.0
// Blocks that are never full at the sizes counted.
#pragma once

#include <fathom/counting/fit_work.h>

#include <vector>

namespace fathom {

/// Scales the points of a kernel with a thread per tile, of which so few tiles are counted that they do not
/// fill a block, to blocks of `full` elements. Leaves points as they are if all are full.
void fill_blocks(double full, std::vector<WorkPoint>& points, std::vector<WorkPoint>& check);

}  // namespace fathom
