// SPDX-License-Identifier: Apache-2.0
// Links between GPUs and to the host, for a profile that there is.
#pragma once

#include <fathom/calls/measuring/calibrate.h>

namespace fathom::calls {

/// Measures the links between all GPUs and that of the first to the host, or takes those between GPUs from
/// files of nccl-tests, and writes the profile with them: that of the name, or of GPUs of their kind. They
/// replace older ones; of one GPU, only those to the host. Throws std::invalid_argument for both at once and
/// for files of other GPUs than the profile's; std::runtime_error if there is no profile; DeviceUnavailable
/// if links are to be measured and there is no GPU; and what claim_profile(), measure_links(),
/// measure_host_links(), read_nccl_tests() and the listener throw. Nothing is written then.
Calibrated calibrate_links(const CalibrateOptions& options, const Listener& listener);

}  // namespace fathom::calls
