// SPDX-License-Identifier: Apache-2.0
// What a call for data in host memory runs on.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

/// Executors of one GPU, each with a stream of its own, so that both copies go on beside kernels. They may be
/// one executor: then everything is done in order.
struct HostStreams {
  Executor& in;
  Executor& kernels;  ///< whose memory it is
  Executor& out;
};

}  // namespace fathom
