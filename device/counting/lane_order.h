// SPDX-License-Identifier: Apache-2.0
// The order of a warp's lanes in the counting executor.
#pragma once

namespace fathom {

/// The order in which lanes of a warp take their turns, between two points where all wait. Results of kernels
/// may not depend on it. If it alternates, turns also end ahead of each atomic on shared memory, and the next
/// ones go the other way.
enum class LaneOrder { forwards, backwards, forwards_and_back, backwards_and_forth };

}  // namespace fathom
