// SPDX-License-Identifier: Apache-2.0
// Cascading reduction (agpu2015): one column per thread, then a tree. For commutative operators.
#pragma once

#include <fathom/algorithms/reduce/cascading/reduce_columns.h>
#include <fathom/algorithms/reduce/two_launches.h>

namespace fathom {

template <class T, class Operator>
using ReduceCascading = ReduceInTwoLaunches<ReduceColumns<T, Operator>>;

}  // namespace fathom
