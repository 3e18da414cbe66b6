// SPDX-License-Identifier: Apache-2.0
// The files that NVIDIA's nccl-tests write with -J: times of exchanges between GPUs.
#pragma once

#include <fathom/core/measurement.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

struct NcclTests {
  Provenance provenance;       ///< what the file says of it
  int hosts;                   ///< with as many GPUs each
  std::vector<Series> series;  ///< of benchmarks::of_links, or of several hosts, benchmarks::between_hosts
};

/// Of all_reduce_perf, all_gather_perf, alltoall_perf or sendrecv_perf. Times are those out of place: of each
/// iteration if the file has them, else the mean. Throws FormatError for other text, for other tests, for
/// times of the host's clock, for wrong results, and for hosts of which one has more GPUs than another.
NcclTests parse_nccl_tests(const std::string& text, const std::string& where);
/// Also throws std::system_error.
NcclTests read_nccl_tests(const std::filesystem::path& file);

}  // namespace fathom
