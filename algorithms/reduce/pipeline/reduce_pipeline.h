// SPDX-License-Identifier: Apache-2.0
// Pipeline reduction (agpu2015): rows pass through a tree in shared memory, one level per step. Preserves the
// order.
#pragma once

#include <fathom/algorithms/reduce/pipeline/reduce_rows.h>
#include <fathom/algorithms/reduce/two_launches.h>

namespace fathom {

template <class T, class Operator>
using ReducePipeline = ReduceInTwoLaunches<ReduceRows<T, Operator>, int>;

}  // namespace fathom
