#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <cstdio>
#include <cstdlib>

/// Ends the test program as skipped (exit code 77) if no GPU is present or this build runs nothing on one.
inline void skip_without_gpu() {
  try {
    if (!fathom::present_gpus().empty()) return;
    std::puts("skipped: no GPU is present");
  } catch (const fathom::DeviceUnavailable& unavailable) {
    std::printf("skipped: %s\n", unavailable.what());
  }
  std::exit(77);
}
