// SPDX-License-Identifier: Apache-2.0
// Which of the baselines an algorithm is compared with.
#pragma once

#include <fathom/model/descriptor.h>

#include <string_view>

namespace fathom {

/// The slug of the baseline of the same kind and, for sorts, family: comparison sorts are compared with CUB's
/// merge sort, radix and distribution sorts with its radix sort. Empty for a baseline, and for
/// algorithms of other kinds, which have none.
std::string_view baseline_of(const Descriptor& algorithm);

}  // namespace fathom
