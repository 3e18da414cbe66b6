// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/provenance.h>

#include <fmt/chrono.h>

#include "commit.h"

namespace fathom::calls {

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string built_from() {
  return commit;
}

Provenance provenance(const GpuInfo& gpu, const std::string& command_line) {
  return {.gpu = gpu.name,
          .driver = gpu.driver,
          .toolkit = gpu.toolkit,
          .date = now_utc(),
          .commit = built_from(),
          .command = command_line};
}

}  // namespace fathom::calls
