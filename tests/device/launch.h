// SPDX-License-Identifier: Apache-2.0
// Launches a test's kernel, mostly a lambda, on the counting executor.
#pragma once

#include <fathom/device/counting/counting_executor.h>

template <class Kernel>
void launch(fathom::CountingExecutor& executor, const Kernel& kernel, fathom::BlockShape shape,
            fathom::Index blocks) {
  executor.launch(*executor.prepare<Kernel>(shape), blocks, kernel);
}

/// What this launch alone counts.
template <class Kernel>
fathom::KernelCounts counts_of(fathom::CountingExecutor& executor, const Kernel& kernel,
                               fathom::BlockShape shape, fathom::Index blocks = 1) {
  executor.reset();
  launch(executor, kernel, shape, blocks);
  return executor.counts().at(0);
}
