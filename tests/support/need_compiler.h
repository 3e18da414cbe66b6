#pragma once

#include <fathom/device/cuda/nvrtc.h>

#include <cstdio>
#include <cstdlib>

namespace fathom::tests {

/// Ends the test program as skipped (exit code 77) if there is no run-time compiler.
inline void need_compiler() {
  try {
    nvrtc::version();
  } catch (const DeviceUnavailable& unavailable) {
    std::printf("skipped: %s\n", unavailable.what());
    std::exit(77);
  }
}

}  // namespace fathom::tests
