// SPDX-License-Identifier: Apache-2.0
// The kernels of contract_kernels.h with their input and expected results.
#pragma once

#include <fathom/device/executor.h>

#include <functional>
#include <string>
#include <vector>

struct ContractCase {
  std::string name;  ///< "SharedAtomic<unsigned int, Add>"
  fathom::Launch launch;
  /// Launches the kernel once. Returns what is wrong with the result; empty if it is correct.
  std::function<std::string(fathom::Executor&)> run;
};

std::vector<ContractCase> contract_cases();
