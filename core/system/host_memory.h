// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fathom {

/// Bytes of the host's memory that programs can have without swapping: what is free, and what the system
/// keeps of files only as long as nobody needs it.
double available_host_bytes();

}  // namespace fathom
