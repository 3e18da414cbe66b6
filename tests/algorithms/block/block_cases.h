// SPDX-License-Identifier: Apache-2.0
// The kernels of block_kernels.h with random input and the results of serial code.
#pragma once

#include <fathom/device/executor.h>

#include <functional>
#include <string>
#include <vector>

struct BlockCase {
  std::string name;  ///< "MergeShares, 64 threads of 5 elements"
  fathom::Launch launch;
  /// Launches the kernel for several inputs. Returns what is wrong with a result; empty if all are correct.
  std::function<std::string(fathom::Executor&)> run;
};

std::vector<BlockCase> block_cases();
