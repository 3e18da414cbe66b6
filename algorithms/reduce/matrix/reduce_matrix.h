// SPDX-License-Identifier: Apache-2.0
// Matrix reduction (agpu2015): tiles of 32 × 32 elements are transposed, and every lane reduces a row.
// Preserves the order.
#pragma once

#include <fathom/algorithms/reduce/matrix/reduce_tiles.h>
#include <fathom/algorithms/reduce/two_launches.h>

namespace fathom {

template <class T, class Operator>
using ReduceMatrix = ReduceInTwoLaunches<ReduceTiles<T, Operator>>;

}  // namespace fathom
