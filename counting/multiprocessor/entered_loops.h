// SPDX-License-Identifier: Apache-2.0
// Frequencies of blocks that a warp can follow.
#pragma once

#include <fathom/device/code/frequencies/frequencies.h>

namespace fathom {

/// The linear program may let a loop run that hardly any warp enters: what enters it also leaves it. Such a
/// loop is entered by warps that otherwise passed it by, as many as came close to it, at most once for each
/// of its turns, and as many turns fewer lead back. No block runs less often; those on the ways into the loop
/// and out of it may run more often.
Frequencies with_entered_loops(const FlowGraph& flow, Frequencies frequencies);

}  // namespace fathom
