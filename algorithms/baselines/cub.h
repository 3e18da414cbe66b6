// NVIDIA's CUB as baseline. Its drivers run on the CUDA executor only.
#pragma once

#include <fathom/algorithms/driver.h>

namespace fathom {

/// nullptr in a build without the CUDA toolkit, which CUB is part of.
MakeDriver cub_merge_driver();
MakeDriver cub_scan_driver();
MakeDriver cub_reduce_driver();

/// Input and output, and as work space what CUB asked for on the GPUs seen so far: once the data and a
/// little.
std::size_t cub_bytes(const Problem& problem);

}  // namespace fathom
